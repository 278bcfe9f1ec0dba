/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_QUEUES_QUEUE_EFFECTS_H
#define SLUICE_PLUGIN_QUEUES_QUEUE_EFFECTS_H

#include "plugin/base/outbox.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The status of Volcano's queues, written by the host: state and marks, what is allocated and
 * reserved, how many groups are where, conditions. Asked for when something of it is another than
 * what was written last, and at most once a second for each queue.
 */
enum { QUEUE_STATUS, QUEUE_EFFECTS };

struct queue_status {
    uint64_t written, leased; /* hashes of what was written last, and of what is under way */
    struct queue_written leased_state; /* the last that we wrote, or may have written */
    int64_t not_before;                /* the next may go out */
    bool stale;                        /* something may have changed since it was looked at */
};

struct engine;
struct queue;

extern const struct outbox_type queue_effects;

/* Nothing was written to this object yet, as far as is known. */
void queue_forget_status(struct queue *queue);

/* Something of its status may be another now. */
void queue_note_change(struct engine *e, uint32_t queue);

/* The object says the state that the queue has, or was told to. */
bool queue_is_written(const struct queue *queue);

void queue_set_timer(struct engine *e, uint32_t queue);
void queue_expire(struct engine *e, uint32_t queue);

#endif
