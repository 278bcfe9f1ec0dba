/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_FLEET_KIT_H
#define SLUICE_T_FLEET_KIT_H

#include "plugin/fleet/fleet_state.h"
#include "t/kit/test_mem.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * A manager of worker clusters for small cases, told its world in words:
 *
 *     fleet_kit_open(&fleet, "");
 *     fleet_kit_do(&fleet, "cluster a; cluster b; workload w in=a,b; replica a/w signals");
 *     is_str(fleet_kit_effects(&fleet), "create b/w; write w", "what it asks for");
 *     fleet_kit_do(&fleet, "done write w");
 *     fleet_kit_close(&fleet);
 *
 * After each step fleet_check() must hold, and again when the work that it left is done. A step:
 *
 *     cluster NAME [off] [since=SECONDS]              lose-cluster NAME
 *     workload NAME [in=CLUSTER,...] [bound=CLUSTER] [unreserved] [unready] [over] [timeout=TEXT]
 *         [memory=TEXT, _ for a space] [remembers: what was last written] [gate=NAME ...]
 *         [uid=TEXT: NAME] [v=N]                      lose-workload NAME [uid=TEXT]
 *     replica CLUSTER/NAME [signals] [open] [blocked] [ungated] [reserved] [admitted] [evicted]
 *         [finished] [deleted] [uid=TEXT: CLUSTER-NAME] [origin=TEXT] [v=N]
 *                                                     lose-replica CLUSTER/NAME [uid=TEXT]
 *     lease | done | gone | conflict | retry KIND OBJECT: of the effect as fleet_effects names it
 *     time SECONDS    synced    lead    follow
 *
 * Each object is seen in a newer version than all before, if v does not say which.
 */
struct fleet_kit {
    struct test_mem memory;
    struct outbox outbox;
    struct fleet *fleet;
    int64_t version;
    char text[4096];
    char written[4096]; /* the memory that was leased last */
};

/* Synced, leading, at second 1000, with the feature on:
 * [off] [timeout=SECONDS] [lost=SECONDS] [prefer=SECONDS] [maxWorkloads=N] [maxClusters=N]
 * [standby] */
void fleet_kit_open(struct fleet_kit *fleet, const char *words);

/* A point that all memory was given back. */
void fleet_kit_close(struct fleet_kit *fleet);
void fleet_kit_do(struct fleet_kit *fleet, const char *steps);

/* The fleet ends, and another one begins to lead that was shown nothing yet. */
void fleet_kit_restart(struct fleet_kit *fleet, const char *words);

/* Does the step with memory that ends at the first, second, ... allocation, until it succeeds: each
 * failure changes nothing. One point; how many allocations it took. */
long fleet_kit_starve(struct fleet_kit *fleet, const char *step);

/* What is asked for and not under way, or waits for a backoff, in the order of the alphabet:
 * create, delete, open CLUSTER/NAME; write, bind, retry NAME; "bind NAME CLUSTER". */
const char *fleet_kit_effects(struct fleet_kit *fleet);

/* NULL if there is none. */
const struct dispatch *fleet_kit_workload(const struct fleet_kit *fleet, const char *name);
const struct replica *fleet_kit_replica(const struct fleet_kit *fleet, const char *place);

/* What it says of a workload. */
const char *fleet_kit_state(struct fleet_kit *fleet, const char *name);
const char *fleet_kit_message(struct fleet_kit *fleet, const char *name);

#define FLEET_SECOND INT64_C(1000000000)

#endif
