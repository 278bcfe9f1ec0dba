/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_TELLING_EXPLAIN_QUEUE_H
#define SLUICE_PLUGIN_TELLING_EXPLAIN_QUEUE_H

#include "plugin/base/reason.h"

#include <stdint.h>

/* What people are told of a queue: which one it is, for whom it is not, why it stops, who is first
 * in it, and what it can never have. */

struct engine;
struct sentence;

/* Which queue it is, with words of ours behind it. */
void explain_queue(struct sentence *say, const struct engine *e, uint32_t queue,
                   const char *behind);

/* That the queue is not for this namespace, whose name it is. */
void explain_not_selected(struct sentence *say, const struct engine *e, uint32_t queue,
                          uint32_t space);

/* That this stops the queue, and whose doing it is. [it is what queue_stops says] */
void explain_halt(struct sentence *say, const struct engine *e, uint32_t queue, enum reason reason);

/* Another claim, in a message to this claim's owner: names of another namespace are nobody's to
 * see. Who may see all finds it by its UID. */
void explain_other(struct sentence *say, const struct engine *e, uint32_t other, uint32_t claim);

/* That the claim's turn comes after that of another one or of a workload, the head of its queue; or
 * of another queue, whose name it is told if both are of one namespace. */
void explain_turn(struct sentence *say, const struct engine *e, uint32_t head, uint32_t claim);

/* Says of what a claim asks for too much ever to be granted it, and who could change that. No
 * amount in it is one that others change by what they use: a condition and an event say it once.
 * [fit_never of its line] */
void explain_never(struct sentence *say, const struct engine *e, uint32_t claim);

#endif
