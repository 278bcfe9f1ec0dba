/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_QUEUES_QUEUE_EFFECTS_H
#define SLUICE_PLUGIN_QUEUES_QUEUE_EFFECTS_H

#include "plugin/base/outbox.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The status of Volcano's queues, written by the host: state and marks, what is allocated and
 * reserved, how many groups are where, conditions. Asked for when something of it is another than
 * what was written last, at most once a second for each queue, and of counts alone at most so many
 * a second of all queues.
 */
enum { QUEUE_STATUS, QUEUE_EFFECTS };

struct engine;
struct queue;

extern const struct outbox_type queue_effects;

/* What the object should say of the queue's state; and whether it does, or was told to. */
struct queue_written queue_due_state(const struct queue *queue);
bool queue_is_written(const struct queue *queue);

void queue_expire(struct engine *e, uint32_t queue);

#endif
