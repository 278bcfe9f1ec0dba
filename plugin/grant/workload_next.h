/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_GRANT_WORKLOAD_NEXT_H
#define SLUICE_PLUGIN_GRANT_WORKLOAD_NEXT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Which of the workloads that wait is next, below one root at a time:
 *
 *   who is promised something     comes first, when there is room (promise.h)
 *   of each queue the first       that fits or may preempt; a strict queue asks its head alone,
 *                                 any other looks past those that were refused
 *   of all of these               not borrowing before borrowing, priority, time, queue's name
 *
 * Who fits is reserved; who preempts is promised its victims' room; who would, but has a closed
 * gate, signals and takes nothing. Who is refused is not asked again before something changes below
 * the root that may help.
 */
struct engine;

/* Does what is to be done for the workload that is next below the root of a claim, which fits in
 * these flavors, if it comes before the claim: true, also when that is not known yet. */
bool workload_next_before(struct engine *e, uint32_t claim, const uint16_t *flavors,
                          uint32_t *budget);

/* One slice: returns what is left of the budget. */
uint32_t workload_next_some(struct engine *e, uint32_t budget);

#endif
