/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_GRANT_PREEMPT_H
#define SLUICE_PLUGIN_GRANT_PREEMPT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Claims that wait get room from others, where policies allow it and the host evicts pods:
 *
 *   something changed below a root ─▶ nobody fits any more ─▶ the queues below, by the rank of
 *                                                             their first claims
 *                                                                  │
 *          promise (promise.h) ◀── victims (hunt.h) ◀──────────────┘ of each the first claims
 *             │                                                      of its lines, in order; of a
 *             ├─▶ victims that are bound: evicted by the host        strict queue its head
 *             └─▶ those that are only reserved give back at once
 *
 * Who finds none waits as before, and is asked again when something changes. In a queue at most 16
 * lines are asked.
 */
enum {
    PREEMPT_LOOK = 16,
    PREEMPT_COST = 8,   /* what a search costs of a slice, counted in claims */
    PREEMPT_LOOKS = 32, /* candidates and queues that it looks at for one claim more */
};

struct engine;

/* Goes on until something was granted, or the budget is used up. Returns what is left of it. */
uint32_t preempt_some(struct engine *e, uint32_t budget);

#endif
