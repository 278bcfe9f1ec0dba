/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_QUEUE_WRITES_H
#define SLUICE_SIM_QUEUE_WRITES_H

#include "abi/host/value.h"
#include "examples/sim/world.h"

struct sim;

/* What the library asks for queues and commands: their statuses, events, and the end of commands.
 * An effect is read at once, since the answer that holds it is gone with the next call, and is
 * carried out a moment later. */
struct queue_write;

/* NULL: the effect is of another kind. */
struct queue_write *queue_write_read(struct sim *sim, const msgpack_object *effect);
enum write queue_write_do(struct sim *sim, struct queue_write *write);

/* Gives it back; takes NULL. */
void queue_write_finish(struct queue_write *write);

/* Whether it writes to an object that is there: not an event, nor a deletion. */
bool queue_write_patches(const struct queue_write *write);

/* Of the object, as it was written; 0: not at all. */
int64_t queue_write_version(const struct queue_write *write);

#endif
