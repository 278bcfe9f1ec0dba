/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_GRANT_WORKLOAD_PROMISE_H
#define SLUICE_PLUGIN_GRANT_WORKLOAD_PROMISE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Room that is on its way to a workload, as promise.h has it for pods: its victims are evicted, and
 * until they have gone what they hold is promised to it. Victims that nobody needs any more stay,
 * and those that their queue spares now, if they were not written to yet.
 */
struct assignment;
struct engine;

/* The workload, which waits, is promised this. */
void workload_promise_make(struct engine *e, uint32_t workload, const struct assignment *made);

/* It has got it, or wants it no more. */
void workload_promise_end(struct engine *e, uint32_t workload);
void workload_promise_end_all(struct engine *e);
void workload_promise_end_of_queue(struct engine *e, uint32_t queue);

/* The victim, which holds quota, goes for a workload that is promised some. */
struct workload_victim {
    uint32_t workload;
    uint8_t cause; /* enum workload_cause */
};
void workload_promise_take(struct engine *e, uint32_t victim, uint8_t cause, uint32_t workload);

/* A victim whose reservation was not made, and that nobody is to make any more, holds nothing: no
 * object will say so. */
void workload_promise_give_way(struct engine *e, uint32_t workload);

/* It holds nothing any more, or goes for another reason. [taken out] */
void workload_promise_lose_victim(struct engine *e, uint32_t victim);

/* What was to be written into it was not: who goes for nobody any more stays, and who is spared now
 * (queue_spares). */
void workload_promise_spare(struct engine *e, uint32_t victim);

uint32_t workload_promise_victims(const struct engine *e, uint32_t workload);

/* Looks at who is promised something below this root: whoever fits, there or in other flavors with
 * as many pods, is reserved, whoever cannot come any more is promised nothing. True if something
 * changed. */
bool workload_promise_review(struct engine *e, uint32_t root);

const char *workload_promise_check(const struct engine *e);

#endif
