/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/model.h"

#include <string.h>

enum { KEEP = QUEUE_STATES, CLOSE };

/* By state, and by action: open, close, suspend, resume. */
static const int table[QUEUE_UNKNOWN + 1][4] = {
    [QUEUE_OPEN] = {QUEUE_OPEN, CLOSE, QUEUE_SUSPENDED, KEEP},
    [QUEUE_CLOSING] = {QUEUE_OPEN, CLOSE, QUEUE_SUSPENDED, KEEP},
    [QUEUE_UNKNOWN] = {QUEUE_OPEN, CLOSE, QUEUE_SUSPENDED, KEEP},
    [QUEUE_SUSPENDED] = {QUEUE_OPEN, CLOSE, KEEP, QUEUE_OPEN},
    [QUEUE_CLOSED] = {QUEUE_OPEN, KEEP, KEEP, KEEP},
};

enum { OPEN_IT, CLOSE_IT, SUSPEND_IT, RESUME_IT };

static enum command_refusal refusal_of(const struct model *model, int queue, int64_t action)
{
    int parent = model->queues[queue].parent;

    if (action >= 4)
        return COMMAND_ACTION_UNKNOWN;
    if (!model->queues[queue].known)
        return COMMAND_QUEUE_UNKNOWN;
    if (!model->queues[queue].seen)
        return COMMAND_QUEUE_BUILT_IN;
    if ((action == OPEN_IT || action == RESUME_IT) && parent >= 0 &&
        model->queues[parent].life.state != QUEUE_OPEN)
        return COMMAND_PARENT_NOT_OPEN;
    return COMMAND_OBEYED;
}

static void obey(struct model *model, struct model_command *command, int queue)
{
    struct model_life *life = &model->queues[queue].life;
    int64_t action = command->facts[COMMAND_ACTION];
    struct queue_written before = model_due_word(model, queue);
    enum queue_state was = life->state;
    int next = table[was][action];

    if (next == CLOSE)
        next = model_is_empty(model, queue) ? QUEUE_CLOSED : QUEUE_CLOSING;
    if (next == KEEP)
        next = (int)was;
    /* What the parent's command made of the queue becomes its own if it is told the same. */
    if (next != (int)was || (action == CLOSE_IT && (was == QUEUE_CLOSING || was == QUEUE_CLOSED)) ||
        (action == SUSPEND_IT && was == QUEUE_SUSPENDED))
        life->own = (enum queue_state)next;
    model_settle_path(model, queue);
    command->changed = !queue_written_same(before, model_due_word(model, queue));
    if (!command->changed)
        command->refusal = COMMAND_CHANGES_NOTHING;
    command->waits_for = queue;
    model_note_written(model);
}

static void carry_out(struct model *model, struct model_command *command)
{
    int queue = model_queue_id(QUEUE_VOLCANO, (int)command->facts[COMMAND_TARGET]);

    model_settle_path(model, queue);
    model_note_written(model); /* a parent's later command may have undone what was to be written */
    command->carried_out = true;
    command->changed = false;
    command->waits_for = -1;
    command->refusal = refusal_of(model, queue, command->facts[COMMAND_ACTION]);
    command->told = command->refusal == COMMAND_OBEYED;
    if (command->told)
        obey(model, command, queue);
    command->state =
        model->queues[queue].known ? (int)model->queues[queue].life.state : STATE_UNSAID;
}

static bool is_before(const struct model_command *a, const struct model_command *b)
{
    return a->facts[COMMAND_CREATED] != b->facts[COMMAND_CREATED]
               ? a->facts[COMMAND_CREATED] < b->facts[COMMAND_CREATED]
               : a->facts[COMMAND_UID] < b->facts[COMMAND_UID];
}

void model_carry_out(struct model *model)
{
    while (model_rules(model)) {
        struct model_command *first = NULL;

        for (int n = 0; n < COMMANDS; n++) {
            struct model_command *command = &model->commands[n];

            if (command->live && !command->carried_out &&
                (first == NULL || is_before(command, first)))
                first = command;
        }
        if (first == NULL)
            break;
        carry_out(model, first);
    }
    model_settle_states(model);
}

void model_begin_command(struct model_command *command, const int64_t *facts)
{
    struct model_command begun = {.live = true, .state = STATE_UNSAID, .waits_for = -1};

    memcpy(begun.facts, facts, sizeof begun.facts);
    *command = begun;
}

void model_command(struct model *model, const int64_t *facts)
{
    struct model_command *command = &model->commands[facts[COMMAND_UID]];

    if (!command->live)
        model_begin_command(command, facts);
    model_carry_out(model);
}

void model_abandon_commands(struct model *model, int queue)
{
    for (int n = 0; n < COMMANDS; n++)
        if (model->commands[n].waits_for == queue)
            model->commands[n].waits_for = -1;
}

static bool acts(const struct model *model, const struct model_command *command)
{
    return model_rules(model) && command->live && command->carried_out && !command->deleted;
}

bool model_wants_event(const struct model *model, const struct model_command *command)
{
    return acts(model, command) && !command->told;
}

bool model_wants_delete(const struct model *model, const struct model_command *command)
{
    return acts(model, command) && command->told && command->waits_for < 0;
}
