/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_ADVANCE_H
#define SLUICE_PLUGIN_ADVANCE_H

/*
 * A slice of what is left to do (engine_tick), in this order:
 *
 *   what is due      timers of claims, guards of heads
 *   what is said     commands, the states of queues, what claims learn of them
 *   what is used     by those below a queue that names a resource for the first time
 *   who must go      reserved claims of queues that are over a ceiling, newest first
 *   who comes back   claims that a restart found granted, by stamp
 *   who is next      below each queue where something was released, the winner, until nobody fits
 *   who makes room   those that still wait, and may take others' (preempt.h)
 *
 * A slice changes at most 64 claims; what is left stays in the engine's lists.
 */
enum { ADVANCE_SLICE = 64 };

struct engine;

/* The listing is complete and this engine leads, or no longer: what is in between is settled. */
void advance_begin(struct engine *e);
void advance_end(struct engine *e);

#endif
