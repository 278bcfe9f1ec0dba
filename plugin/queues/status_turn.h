/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_QUEUES_STATUS_TURN_H
#define SLUICE_PLUGIN_QUEUES_STATUS_TURN_H

#include "plugin/records/queue_status.h"

#include <stdint.h>

/*
 * The writes of all statuses of queues are bounded: so many counts a second, whatever the number of
 * queues, and more where no count has changed for a while, as each is written once then. A count
 * that changed waits for its queue's turn, the longest wait first, and what has come back to what
 * the object says needs none.
 *
 *          changed              its turn
 *   none ─────────────▶ listed ─────────────▶ due
 *     ▲                   │                    │
 *     └───────────────────┴────────────────────┘
 *          as the object says, or written
 *
 * The state of a queue, and why it grants nothing, wait for no turn: a person looks at them.
 */

/* What the status of a queue says, as hashes: they tell whether its object says the same. */
struct queue_words queue_words_of(const struct engine *e, uint32_t queue);

/* The status may have changed: puts the queue into the list if its counts alone did. */
void status_turn_ask(struct engine *e, uint32_t queue);

/* The queue is written no more, or goes. */
void status_turn_drop(struct engine *e, uint32_t queue);

/* When the next turn comes; 0: no queue is listed. */
int64_t status_turn_deadline(const struct engine *e);

/* The queues whose turn has come: at most so many. Returns what is left of the budget. */
uint32_t status_turn_some(struct engine *e, uint32_t budget);

#endif
