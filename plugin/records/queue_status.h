/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_RECORDS_QUEUE_STATUS_H
#define SLUICE_PLUGIN_RECORDS_QUEUE_STATUS_H

#include "plugin/base/queue_state.h"

#include <stdbool.h>
#include <stdint.h>

/* When the status of a queue's object is looked at: the mark that it may have changed. */

/* Hashes of what a status says. 0: nothing is known to have been written. */
struct queue_words {
    uint64_t stop;   /* the state, and why nothing is granted */
    uint64_t counts; /* amounts, and how many groups are where */
};

struct queue_status {
    struct queue_words written, leased; /* of what was written last, and of what is under way */
    struct queue_written leased_state;  /* the last that we wrote, or may have written */
    int64_t not_before;                 /* the next may go out */
    bool stale;                         /* something may have changed since it was looked at */
    bool has_turn;                      /* counts that differ may go out (status_turn.h) */
};

struct engine;
struct queue;

/* Whether its object is one whose status we write. */
bool queue_reports(const struct engine *e, const struct queue *queue);

/* Nothing was written to this object yet, as far as is known. */
void queue_forget_status(struct queue *queue);

/* Something of its status may be another now. */
void queue_note_change(struct engine *e, uint32_t queue);

/* When a status that may have changed is looked at: at once while it waits to be drained, as one
 * does whose attempt failed. */
int64_t queue_looks_again(const struct queue *queue);

/* As an outbox_type has it. */
void queue_set_timer(void *engine, uint32_t queue);

#endif
