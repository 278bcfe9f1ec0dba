/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_ENGINE_H
#define SLUICE_PLUGIN_ENGINE_H

#include "plugin/base/config.h"
#include "plugin/base/effect.h"
#include "plugin/base/error.h"
#include "plugin/base/facts.h"
#include "plugin/base/mem.h"
#include "plugin/base/reason.h"
#include "plugin/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The engine: who may pass, and when.
 *
 *   objects ──see──▶ ┌────────┐ ◀──ask── hooks
 *                    │ engine │
 *   world  ◀─effects─└────────┘ ──▶ verdicts
 *
 * Pure: no clock, no lock, no I/O, no thread. Same calls, same answers, same digest. A call that
 * fails has changed nothing. All that is slow is cut into slices: calls that see or lose an object
 * end with one slice, engine_tick does the next ones.
 *
 * [one thread at a time; texts passed in are not kept; texts handed out are valid until the next
 *  call that is not const]
 */
struct engine;
struct outbox;

int engine_create(const struct engine_config *config, const struct mem *mem,
                  struct engine **ret_engine);
void engine_destroy(struct engine *engine);

/* Time goes on; an older time is ignored. Returns what the time was, to take it back if the call
 * that it came with fails. */
int64_t engine_set_time(struct engine *engine, int64_t now);
void engine_take_back_time(struct engine *engine, int64_t before);

/* The world as it is seen. `lose`: the object is gone; unknown ones are ignored. */
int engine_see_pod(struct engine *engine, const struct pod_facts *pod);
void engine_lose_pod(struct engine *engine, struct text uid);
int engine_see_queue(struct engine *engine, const struct queue_facts *queue);
int engine_lose_queue(struct engine *engine, enum queue_kind kind, struct text name);
int engine_see_workload(struct engine *engine, const struct workload_facts *workload);
void engine_lose_workload(struct engine *engine, struct text space, struct text name,
                          struct text uid);
int engine_see_local_queue(struct engine *engine, const struct local_queue_facts *local);
void engine_lose_local_queue(struct engine *engine, struct text space, struct text name);
int engine_see_check(struct engine *engine, struct text name, bool active);
void engine_lose_check(struct engine *engine, struct text name);
int engine_see_group(struct engine *engine, const struct group_facts *group);
/* Of another uid than that which is known it is not the same group. No uid: whichever it is. */
int engine_lose_group(struct engine *engine, enum group_kind kind, struct text space,
                      struct text name, struct text uid);
int engine_see_flavor(struct engine *engine, const struct flavor_facts *flavor);
int engine_lose_flavor(struct engine *engine, struct text name);
int engine_see_node(struct engine *engine, const struct node_facts *node, uint32_t *ret_id);
int engine_lose_node(struct engine *engine, struct text name);

/* Commands to queues. What they change shows in the queues at once if this engine leads. */
enum command_refusal {
    COMMAND_OBEYED,
    COMMAND_CHANGES_NOTHING, /* the queue is so already, or the table says so */
    COMMAND_QUEUE_UNKNOWN,
    COMMAND_QUEUE_BUILT_IN, /* there is no object to write the state to */
    COMMAND_QUEUE_ANOTHER,  /* the queue of that name has another uid than it was meant for */
    COMMAND_ACTION_UNKNOWN,
    COMMAND_PARENT_NOT_OPEN,
};

enum { COMMAND_REASON_MAX = 900 }; /* two names of queues, and words */

struct command_report {
    bool waits; /* until this engine leads, and all is listed */
    bool changed;
    const char *state; /* the queue's, when it was carried out; NULL: there is no such queue */
    enum command_refusal refusal;
    char reason[COMMAND_REASON_MAX]; /* why nothing changed */
};

int engine_see_command(struct engine *engine, const struct command_facts *command,
                       struct command_report *ret_report);
void engine_lose_command(struct engine *engine, struct text uid);

/* All that existed has been seen. */
void engine_set_synced(struct engine *engine);
void engine_set_leader(struct engine *engine, bool leads);

/* A question about this pod is on its way, and its record may be far away in memory: what a lookup
 * will read is brought nearer in two steps, while the host's message is being read. They decide
 * nothing, and a wrong uid or name does no harm. */
uint32_t engine_foresee(const struct engine *engine, struct text uid);
void engine_foresee_record(const struct engine *engine, uint32_t foreseen, struct text space,
                           struct text name);

/* The framework's hooks. A uid that is not known passes: it is not one of ours. */
/* Without words the verdict has a reason and no message: the scheduler asks often. */
int engine_pre_enqueue(struct engine *engine, const struct pod_facts *pod, bool words,
                       struct verdict *ret_verdict);

/* The same for a pod that was shown before, in this resourceVersion or a later one. False, and
 * nothing has changed, if it was not: then it must be shown. */
bool engine_pre_enqueue_known(struct engine *engine, struct text uid, int64_t version, bool words,
                              struct verdict *ret_verdict);

/* *ret_unschedulable: it does not pass because there are no nodes, for its gang as a whole. */
void engine_pre_filter(struct engine *engine, struct text uid, struct verdict *ret_verdict,
                       bool *ret_nodes_matter, bool *ret_unschedulable);
void engine_post_filter(struct engine *engine, struct text uid);

/* tries: the scheduler finds out whether a whole group would have nodes; nothing changes. */
void engine_reserve(struct engine *engine, struct text uid, bool tries,
                    struct verdict *ret_verdict);
/* True, or it waits until *ret_until, or until an effect answers. */
bool engine_permit(struct engine *engine, struct text uid, int64_t *ret_until);
void engine_unreserve(struct engine *engine, struct text uid);
void engine_post_bind(struct engine *engine, struct text uid);

/* Whether the node belongs to the flavors that the pod was granted. [claim from engine_find_pod, or
 * 0: every known node fits] */
uint32_t engine_find_pod(const struct engine *engine, struct text uid);
bool engine_filter(const struct engine *engine, uint32_t claim, uint32_t node);
uint32_t engine_node_end(const struct engine *engine);

/* What the host must patch right before it binds. */
void engine_bind(const struct engine *engine, struct text uid, struct removal_patch *ret_patch);
/* The host has the patch. */
void engine_hand_out(struct engine *engine, struct text uid);

/* A flavor's labels and tolerations, by the ids of a removal_patch. */
void engine_flavor(const struct engine *engine, uint32_t flavor, struct flavor_facts *ret_facts);

/* What it asks of the host; a fleet may share it. */
struct outbox *engine_outbox(struct engine *engine);

/* One slice of what is left to do, and what is due. */
void engine_tick(struct engine *engine);

int64_t engine_next(const struct engine *engine); /* when to tick at the latest; 0: never */
bool engine_more(const struct engine *engine);    /* work is left */

uint32_t engine_count_workloads(const struct engine *engine);
uint32_t engine_count_pods(const struct engine *engine);
uint32_t engine_count_queues(const struct engine *engine);
uint32_t engine_count_nodes(const struct engine *engine);

/* A sum over all objects, by their names: equal states have equal digests. Without timers: what a
 * restart would find again. */
uint64_t engine_digest(const struct engine *engine, bool timers);

/* NULL, or which invariant does not hold. */
const char *engine_check(const struct engine *engine);

#endif
