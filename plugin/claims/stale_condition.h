/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_CLAIMS_STALE_CONDITION_H
#define SLUICE_PLUGIN_CLAIMS_STALE_CONDITION_H

#include <stdbool.h>

/*
 * A pod whose condition says Unschedulable, and that waits for its queue: the host overwrites that.
 * While a write may be under way that was not seen yet, the scheduler must not look at the pod: it
 * compares with its cache, and would not write the condition a second time.
 *
 *   never granted      held until the condition is another one
 *   granted before     it keeps its turn: it waits in its rank's order, and the room that it gets
 *                      is its own, so that the order of the host's writes decides nothing. The
 *                      scheduler hears of the grant when the write was seen; at once, if nothing
 *                      was written.
 */

struct claim;
struct engine;

/* Whether its condition keeps a claim from waiting that holds nothing, or is about to give back. */
bool stale_condition_holds(const struct engine *e, const struct claim *claim);

/* It gave back what it was granted, or got it back no more. No later leader knows of that. */
void stale_condition_note_loss(const struct engine *e, struct claim *claim);
void stale_condition_forget(struct claim *claim);

/* An overwrite goes out: its pod lies where the scheduler keeps those that no node fits, and is to
 * be told when it may go on. And its pod is seen, in a newer version than before or not. */
void stale_condition_note_write(struct claim *claim);
void stale_condition_note_sight(struct claim *claim, bool unschedulable, bool newer);

/* Whether the scheduler must not hear of its grant yet. */
bool stale_condition_awaits(const struct claim *claim);

/* Says so, and returns the reason. */
struct sentence;
enum reason stale_condition_explain(const struct claim *claim, struct sentence *say);

const char *stale_condition_check(const struct claim *claim);

#endif
