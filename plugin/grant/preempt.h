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
 * Who finds none waits as before, and is asked again when something changes. Who fits does not ask,
 * but where its ClusterQueue would rather have it send others away (assign.h).
 */
enum {
    PREEMPT_COST = 8,   /* what a search costs of a slice, counted in claims */
    PREEMPT_LOOKS = 32, /* candidates and queues that it looks at for one claim more */
};

struct engine;

/* Whether the claim, which fits, rather sends others away in a flavor that comes first for it: then
 * it is promised that. What the search cost is taken off the budget. */
bool preempt_instead(struct engine *e, uint32_t claim, uint32_t *budget);

/* Goes on until something was granted, or the budget is used up. Returns what is left of it. */
uint32_t preempt_some(struct engine *e, uint32_t budget);

#endif
