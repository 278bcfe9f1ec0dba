/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_WORKLOADS_WAIT_NOTICE_H
#define SLUICE_PLUGIN_WORKLOADS_WAIT_NOTICE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Whose object says nothing yet, and who merely waits for room, is told so when he has waited for a
 * while, and not all at once: most of them have their room before that, and then one write says
 * all. What says something that is not so any more is righted without a delay.
 *
 *            waits               its turn
 *   none ─────────────▶ listed ─────────────▶ due
 *     ▲                   │                    │
 *     └───────────────────┴────────────────────┘
 *          granted, promised, stopped, or told
 *
 * Its turn comes when it has been listed for as long as the configuration says, and, of those who
 * have, so many a second, who waits longest first: the list is in the order in which they came.
 */
struct engine;

/* The workload is to be told that it waits: whether it may be now. If not, its turn will come, and
 * it is settled then. */
bool wait_notice_ask(struct engine *e, uint32_t workload);

/* There is nothing to tell it, or something else. */
void wait_notice_drop(struct engine *e, uint32_t workload);

/* When the next turn comes; 0: nobody is listed. */
int64_t wait_notice_deadline(const struct engine *e);

/* Whose turn it is by now: at most so many. Returns what is left of the budget. */
uint32_t wait_notice_some(struct engine *e, uint32_t budget);

/* NULL, or which invariant does not hold. */
const char *wait_notice_check(const struct engine *e);

#endif
