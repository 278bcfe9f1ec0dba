/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_QUEUES_QUEUE_LIFE_H
#define SLUICE_PLUGIN_QUEUES_QUEUE_LIFE_H

#include "plugin/engine.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * How the states of queues (queue_state.h) spread in the tree:
 *
 *   a command, an object, a move, the last group
 *     ─▶ the queue settles ─▶ its children settle, a slice at a time
 *
 * The state of a queue is a function of its own and of its parent's, so it does not matter in which
 * order they settle, nor when a crash comes in between. What the whole subtree may do follows from
 * the topmost queue at once: who waits asks all queues above it.
 *
 * Where the host does not write the states of queues (or this engine does not lead), a queue's
 * state is what its object says.
 */

/* This engine ceases to lead: then the object's word counts. */
void queue_stand_by(struct engine *e, uint32_t queue);

/* The object says this. fresh: it is another object than before, if there was one. */
void queue_hear(struct engine *e, uint32_t queue, const struct queue_facts *facts, bool fresh);

/* A command to this queue was obeyed; the next slices tell those below it. */
void queue_set_own(struct engine *e, uint32_t queue, enum queue_state own);

/* The queue and all above it are as they should be, whatever the others still have to be told. */
void queue_settle_now(struct engine *e, uint32_t queue);

/* The same, and all below it may be stopped by something else, or by nothing: whether it is in its
 * place, or known, has changed. They are told so in the next slices, whoever leads and of whichever
 * kind they are, and until all are, nothing is granted: those that come ask the queues above them,
 * and the limits above hold at once. */
void queue_settle_below(struct engine *e, uint32_t queue);

/* Settles so many queues at most. */
void queue_settle_some(struct engine *e, uint32_t budget);

const char *queue_life_check(const struct engine *e, uint32_t queue);

#endif
