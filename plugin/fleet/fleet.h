/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_FLEET_FLEET_H
#define SLUICE_PLUGIN_FLEET_FLEET_H

#include "plugin/base/config.h"
#include "plugin/base/error.h"
#include "plugin/base/facts.h"
#include "plugin/base/mem.h"
#include "plugin/base/reason.h"
#include "plugin/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The fleet: a manager's workloads over its worker clusters, and who of them may preempt.
 *
 *   dispatch: a workload of the manager's ──▶ replica: its copy in a worker ──▶ worker: a cluster
 *        │
 *        ├─ plan.h                 which replicas there should be
 *        ├─ orchestrator.h         whose preemption gate is opened, one after the other
 *        └─ preemption_memory.h    what must not be forgotten of that
 *
 * An engine of its own: it shares nothing with the one that grants but containers and the outbox.
 *
 * [one thread at a time; texts passed in are not kept; texts handed out are valid until the next
 *  call that is not const]
 */
struct fleet;
struct outbox;

/* The outbox is another's, and outlives the fleet. Negative on error. */
int fleet_create(const struct fleet_config *config, const struct mem *mem, struct outbox *outbox,
                 struct fleet **ret_fleet);
void fleet_destroy(struct fleet *fleet);

/* Time goes on; an older time is ignored. Returns what the time was, to take it back if the call
 * that it came with fails. */
int64_t fleet_set_time(struct fleet *fleet, int64_t now);
void fleet_take_back_time(struct fleet *fleet, int64_t before);

/* The world as it is seen. `lose`: the object is gone; its uid, or none: whatever is there. A
 * cluster that cannot be reached has lost nothing: its replicas are where they were. */
int fleet_see_cluster(struct fleet *fleet, const struct cluster_facts *cluster);
void fleet_lose_cluster(struct fleet *fleet, struct text name);
int fleet_see_dispatch(struct fleet *fleet, const struct dispatch_facts *dispatch);
void fleet_lose_dispatch(struct fleet *fleet, struct text space, struct text name, struct text uid);
int fleet_see_replica(struct fleet *fleet, const struct replica_facts *replica);
void fleet_lose_replica(struct fleet *fleet, struct text cluster, struct text space,
                        struct text name, struct text uid);

/* All that existed has been seen. */
void fleet_set_synced(struct fleet *fleet);
void fleet_set_leader(struct fleet *fleet, bool leads);

/* One slice of what is left to do, and what is due. */
void fleet_tick(struct fleet *fleet);
int64_t fleet_next(const struct fleet *fleet); /* when to tick at the latest; 0: never */
bool fleet_more(const struct fleet *fleet);    /* work is left */

/* What EFFECT_WRITE_MEMORY writes, at most cap bytes of it; returns how many there are. */
size_t fleet_memory_text(const struct fleet *fleet, uint32_t dispatch, char *out, size_t cap);

uint32_t fleet_count_dispatches(const struct fleet *fleet);
uint32_t fleet_count_clusters(const struct fleet *fleet);

/* A sum over all objects, by their names: equal states have equal digests. */
uint64_t fleet_digest(const struct fleet *fleet, bool timers);

/* NULL, or which invariant does not hold. */
const char *fleet_check(const struct fleet *fleet);

/* What a person sees of a workload's way over the clusters. */
struct dispatch_report {
    struct text uid, space, name, cluster;
    bool known;
    const char *state;
    char message[VERDICT_MESSAGE_MAX]; /* what is waited for */
    int64_t timeout, counted, next;    /* next: when the orchestrator acts at the latest; 0 */
    uint32_t replicas, signals, open;
};

/* What a person sees of its copy in a cluster. */
struct replica_report {
    struct text cluster, uid;
    bool connected, nominated, there, reserved, admitted, evicted, deleted;
    const char *gate; /* none, closed, blocked (another one is closed), open */
    int64_t signal, opened;
};

/* What a person sees of a cluster. */
struct worker_report {
    struct text name;
    bool known, connected;
    int64_t since; /* not connected since */
    uint32_t replicas;
};

/* Pages begin with cursor 0; a cursor whose object has gone ends them. By namespace and name; by
 * name of the cluster; of clusters in no order but each once. */
bool fleet_next_dispatch(const struct fleet *fleet, uint32_t *cursor);
uint32_t fleet_find_dispatch(const struct fleet *fleet, struct text space, struct text name);
/* now: of whoever asks, since the fleet's own time stands still between its calls. */
void fleet_report_dispatch(const struct fleet *fleet, uint32_t dispatch, int64_t now,
                           struct dispatch_report *ret);
bool fleet_next_replica(const struct fleet *fleet, uint32_t dispatch, uint32_t *cursor);
void fleet_report_replica(const struct fleet *fleet, uint32_t replica, struct replica_report *ret);
bool fleet_next_cluster(const struct fleet *fleet, uint32_t *cursor);
void fleet_report_cluster(const struct fleet *fleet, uint32_t cluster, struct worker_report *ret);

#endif
