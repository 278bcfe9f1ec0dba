/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_TELLING_EXPLAIN_QUEUE_H
#define SLUICE_PLUGIN_TELLING_EXPLAIN_QUEUE_H

#include "plugin/base/reason.h"

#include <stdint.h>

/* What people are told of a queue: which one it is, for whom it is not, and why it stops. */

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

#endif
