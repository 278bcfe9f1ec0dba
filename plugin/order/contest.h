/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_ORDER_CONTEST_H
#define SLUICE_PLUGIN_ORDER_CONTEST_H

#include "plugin/records/queue.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The order between queues that compete for their parent's room.
 *
 * Volcano's: queue priority, share of what is deserved, oldest head, name. Kueue's: who need not
 * borrow, priority and age of the head, name.
 *
 * The children where somebody waits are kept in that order in a tree, and each knows the least that
 * anybody below it asks for. So a search for who fits passes over whole subtrees that are too big:
 * the least is a bound, never an answer.
 */

struct engine;

/* What waits in this queue, what it may use, or whether it may at all has changed: puts it, and all
 * above it, at their right places. Whoever edits a queue has those below it refreshed in the next
 * slices (queue_settle_below); before, nobody asks who is the winner. */
void contest_refresh(struct engine *e, uint32_t queue);

/* Takes the queue out of its parent's tree, before it gets another parent or goes. */
void contest_leave(struct engine *e, uint32_t queue);

/* The claim below this queue that is next and fits all the way to the root, or 0. Its flavors, one
 * for each of its needs, are returned with it. */
uint32_t contest_winner(const struct engine *e, uint32_t queue, uint16_t *ret_flavors);

/* Whether that is more than what is left of its queue's own share. */
bool contest_borrows(const struct engine *e, uint32_t claim, const uint16_t *flavors);

/* For checks. */
const char *contest_check(const struct engine *e, uint32_t queue);

#endif
