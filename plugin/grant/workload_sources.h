/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_GRANT_WORKLOAD_SOURCES_H
#define SLUICE_PLUGIN_GRANT_WORKLOAD_SOURCES_H

#include "plugin/base/pairing.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The queues that a workload's victims may come from; none of those that spare theirs
 * (queue_spares). Of each only its next candidate is known: who holds quota stands there in the
 * order in which they would go (workloads_that_hold). A heap of the queues (pairing.h) tells whose
 * candidate is the next of all.
 *
 * Who goes leaves less above: a queue whose candidate may not be taken any more is none either, as
 * those that stand behind it may not be taken then.
 */
struct workload_source {
    uint32_t first, next;     /* its candidates: the first, and whose turn it is */
    uint32_t common;          /* the lowest queue above it and the asking one's; 0: it is that */
    uint32_t other;           /* of all of this hunt */
    struct pairing_link link; /* in the heap */
    bool by_share;
};

struct workload_hunt;

/* Finds them, and whether there are candidates: hunt->by_share, hunt->by_priority. */
void workload_sources_collect(struct workload_hunt *hunt);

/* From the first candidate again: for one way to take them, borrowing or not. */
void workload_sources_rewind(struct workload_hunt *hunt);

/* The next that may be taken, now that the earlier ones have been, or 0. workload->hunt.why says
 * why. */
uint32_t workload_sources_next(struct workload_hunt *hunt, bool borrowing);

#endif
