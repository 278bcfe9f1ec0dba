/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_QUEUES_COMMAND_H
#define SLUICE_PLUGIN_QUEUES_COMMAND_H

#include "plugin/base/directory.h"
#include "plugin/base/heap.h"
#include "plugin/base/list.h"
#include "plugin/base/outbox.h"
#include "plugin/base/slab.h"
#include "plugin/base/tree.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Commands to queues: objects that live until what they ask for is written.
 *
 *    seen ─▶ waits ─────────▶ carried out ───────────▶ to be deleted ──▶ deleted ─▶ forgotten
 *            for this engine  (or refused: an event    the queue's
 *            to lead          says why)                state is written
 *
 * A command is carried out once, however often it is shown; those that wait, in the order of their
 * creation. What it changed follows from the queue's state alone: if the write is lost with this
 * process the next one finds the command, and does the same.
 */
enum { COMMAND_EVENT, COMMAND_DELETE, COMMAND_EFFECTS };
enum { COMMAND_FORGET_SECONDS = 60 }; /* a deleted one may still be shown by a late message */

struct command {
    struct tree_link link; /* among those that wait */
    uint32_t uid, space, name;
    uint32_t target, action_text;
    uint32_t target_uid; /* the queue's that it is meant for; 0: whichever has that name */
    int64_t created;
    int64_t deleted_at;     /* 0: not yet */
    uint32_t queue;         /* whose state must be written first */
    struct list_link peers; /* of the same queue */
    uint8_t state;          /* of the queue when it was carried out; STATE_UNSAID: there is none */
    uint8_t refusal;        /* enum command_refusal */
    bool changed, told;
    uint32_t parent; /* name of the parent that stands in the way */
    uint8_t parent_state;
    struct outbox_entry effects;
};

/* Whether it is still to be carried out. */
static inline bool command_waits(const struct command *command)
{
    return command->link.size > 0;
}

struct commands {
    struct slab records;
    struct directory by_uid;
    struct heap timers;
    uint32_t waiting; /* tree, by creation and uid */
};

struct engine;

void command_init(struct engine *e);
void command_finish(struct engine *e);

/* Its object, as it is seen: it waits until its turn comes. Negative on error. And it is gone. */
int command_see(struct engine *e, const struct command_facts *facts, uint32_t *ret_command);
void command_lose(struct engine *e, struct text uid);

/* What became of it so far. */
struct command_report;
void command_report(const struct engine *e, uint32_t command, struct command_report *ret);

/* Carries out those that wait, so many at most. */
void command_some(struct engine *e, uint32_t budget);

/* The state that commands waited for is written, or there is no such queue any more. */
void command_queue_written(struct engine *e, uint32_t queue);
void command_queue_gone(struct engine *e, uint32_t queue);

void command_destroy(struct engine *e, uint32_t command);

/* This engine leads no longer: what was carried out is another's to find again. */
void command_stand_by(struct engine *e);

const char *command_check(const struct engine *e);

#endif
