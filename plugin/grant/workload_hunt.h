/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_GRANT_WORKLOAD_HUNT_H
#define SLUICE_PLUGIN_GRANT_WORKLOAD_HUNT_H

#include "assign.h"
#include "workload_sources.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The fewest workloads that must go so that another one has room, as Kueue finds them, and as
 * hunt.h and candidates.h have it for pods: other queues that live above their share before the
 * workload's own, lower priority first, newest first; taken away until it fits, then given back,
 * the last one first, where it turns out that they are not needed.
 *
 * All numbers are those of later: who goes already has gone.
 */
enum workload_taken {
    WORKLOAD_TAKEN_BY_SHARE, /* its queue lives above its share, the asking one's below its own */
    WORKLOAD_TAKEN_WHILE_BORROWING, /* by priority, also if the asking workload's queue borrows */
    WORKLOAD_TAKEN_BY_PRIORITY,     /* only if it does not */
    WORKLOAD_TAKEN_WITHIN,          /* of the workload's own queue */
};

struct workload_hunt {
    struct engine *e;
    uint32_t workload, queue;
    uint32_t count;
    struct assign_amount needs[ASSIGN_MAX_AMOUNTS];
    bool contested[ASSIGN_MAX_AMOUNTS];
    uint64_t number; /* of this search, among all */
    uint32_t last;   /* who was taken away last, and of each whom before it: workload->hunt.prev */

    /* Where they come from (workload_sources.h). */
    uint32_t sources, heap;
    bool by_share, by_priority;
    bool taken;  /* the candidate of the heap's top was */
    bool alone;  /* only the workload's own queue has candidates */
    bool enough; /* the victims so far make room for all: no more are looked for */
    wide missing[ASSIGN_MAX_AMOUNTS]; /* what is still to be made, of each need, until then */
};

/* Finds victims for the needs. True: hunt->last is one of them; none, if there will be room anyway.
 * They are taken away in what is used later, until workload_hunt_end. */
bool workload_hunt_begin(struct workload_hunt *hunt);

/* They come back; hunt->last and those before it are known until the next search begins. */
void workload_hunt_end(struct workload_hunt *hunt);

/* Whether all of them are in other queues. */
bool workload_hunt_reclaims(const struct workload_hunt *hunt);

#endif
