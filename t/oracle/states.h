/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ORACLE_STATES_H
#define SLUICE_T_ORACLE_STATES_H

#include "plugin/base/queue_state.h"
#include "plugin/queues/command.h"
#include "t/oracle/world.h"

/*
 * The states of Volcano's queues, where the host writes them: what commands, objects, parents and
 * the last group make of each, computed anew from the root down after each step. And the world's
 * side of it: what the objects say, who wrote it, and what of that the host has heard.
 */
enum { QUEUES = 3 * QUEUE_NAMES };

/* The state that an object says, as it was written last. */
struct model_word {
    struct queue_written word;
    int64_t version;    /* of the object */
    int64_t written_at; /* the version with which the word came */
    bool by_others;
};

/* All that a status says. */
struct model_status {
    struct queue_written word;
    uint32_t groups[CLAIM_STATES];
    int64_t reserved[RESOURCES], allocated[RESOURCES];
    int stop;
};

struct model_life {
    enum queue_state state, own;
    bool created_suspended;        /* the object asks for it */
    int64_t object;                /* which of the objects that had the name */
    struct model_word now, before; /* the object in the world, and as it was a version ago */
    struct model_word shown;       /* as the host last heard of it */
    struct model_word known;       /* the newest that it wrote or heard of */
    struct model_status written, leased;
    bool was_written; /* a status, since this engine leads */
    bool is_leased;   /* one is under way */
    bool may_be_ours; /* it, or one whose end was not heard of, may have been written */
    bool failed;      /* the last attempt did */
    int64_t last;     /* when one went out */
};

struct model_command {
    bool live;
    int64_t facts[STEP_FIELDS];
    bool carried_out, changed, told;
    enum command_refusal refusal;
    int state;      /* of the queue, afterwards; STATE_UNSAID: there is none */
    int waits_for;  /* the queue whose state must be written; -1: none */
    bool deleted;   /* in the world; still remembered */
    int64_t forget; /* when that ends */
};

struct model;

/* Whether this engine is who changes states. */
bool model_rules(const struct model *model);

void model_settle_states(struct model *model);

/* Neither a pod nor a group that is not over is left in the queue or below it. */
bool model_is_empty(const struct model *model, int queue);

/* The queue and all above it: what a command depends on, and the first that it changes. */
void model_settle_path(struct model *model, int queue);

/* What the object should say. */
struct queue_written model_due_word(const struct model *model, int queue);

/* The world: the host is shown the object of a STEP_QUEUE, somebody else writes a word, the host
 * writes its own. */
void model_fill_object(struct model *model, int64_t *queue_fields);
struct queue_written model_word_of(const int64_t *queue_fields);
void model_fill_word(const struct model_word *word, int64_t *queue_fields);
void model_hear(struct model *model, int queue, const int64_t *spec);
void model_write_word(struct model *model, int queue, struct queue_written word, bool by_others);

/* Whether there is something to show: the object as it is, or as it was before. */
bool model_shows(const struct model *model, int queue, bool late, int64_t *ret_queue_fields);

/* This engine leads no longer, or no longer lives. */
void model_stand_by(struct model *model);

/* Commands whose change is written wait no longer. */
void model_note_written(struct model *model);

/* All commands that wait. */
void model_carry_out(struct model *model);
/* Seen for the first time, or by another engine. */
void model_begin_command(struct model_command *command, const int64_t *facts);
void model_command(struct model *model, const int64_t *facts);
void model_abandon_commands(struct model *model, int queue);
bool model_wants_event(const struct model *model, const struct model_command *command);
bool model_wants_delete(const struct model *model, const struct model_command *command);

/* Claims whose queue goes on, or that are held, may be told of the next stop. */
void model_note_said(struct model *model);

#endif
