/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_CLAIMS_WORKLOAD_PROMISE_H
#define SLUICE_PLUGIN_CLAIMS_WORKLOAD_PROMISE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Room that is on its way to a workload, as promise.h has it for pods: its victims are evicted, and
 * until they have gone what they hold is promised to it. Victims that nobody needs any more stay,
 * and those that their queue spares now, if they were not written to yet.
 */
struct assignment;
struct engine;

/* The workload, which waits, is promised this; within: as its queue's share holds it. */
void workload_promise_make(struct engine *e, uint32_t workload, const struct assignment *made,
                           bool within);

/* It has got it, or wants it no more. */
void workload_promise_end(struct engine *e, uint32_t workload);
void workload_promise_end_all(struct engine *e);
void workload_promise_end_of_queue(struct engine *e, uint32_t queue);

/* The victim, which holds quota, goes for a holder (holder.h) that is promised some; cause: enum
 * workload_cause. */
void workload_promise_take(struct engine *e, uint32_t victim, uint8_t cause, uint32_t of);

/* Whom it goes for does not need it alone any more; others may rely on its room (review.h). */
void workload_promise_share(struct engine *e, uint32_t victim);

/* A victim whose reservation was not made, and that nobody is to make any more, holds nothing: no
 * object will say so. */
void workload_promise_give_way(struct engine *e, uint32_t workload);

/* It holds nothing any more, or goes for another reason. [taken out] */
void workload_promise_lose_victim(struct engine *e, uint32_t victim);

/* What was to be written into it was not: who goes for nobody any more stays, and who is spared now
 * (queue_spares). */
void workload_promise_spare(struct engine *e, uint32_t victim);

/* How many amounts are promised within a share, in all. */
uint32_t workload_promise_withins(const struct engine *e);

/* How many of its victims, workloads and pods, are still there. */
uint32_t workload_promise_victims(const struct engine *e, uint32_t workload);
uint32_t workload_promise_pods(const struct engine *e, uint32_t workload); /* of these */

/* Whether a victim can still be left where it is: nobody wrote to it. And it is. */
bool workload_promise_can_stay(const struct engine *e, uint32_t victim);
void workload_promise_let_stay(struct engine *e, uint32_t victim);

/* In what is used later: as if its promise had ended, and who need not go stayed; or (-1) as it is
 * again. For a review that takes it back. */
void workload_promise_suppose_end(struct engine *e, uint32_t workload, int sign);

const char *workload_promise_check(const struct engine *e);

#endif
