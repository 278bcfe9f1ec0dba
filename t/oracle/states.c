/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/model.h"

#include <string.h>

bool model_rules(const struct model *model)
{
    return model->config[CONFIG_WRITES] && model_grants(model) &&
           !model->config[CONFIG_OBSERVE_ONLY];
}

bool model_is_empty(const struct model *model, int queue)
{
    for (int uid = 0; uid < UIDS; uid++)
        if (model->claims[uid].live &&
            model_is_below(model, model_queue_of(&model->claims[uid]), queue))
            return false;
    for (int group = 0; group < GROUPS; group++)
        if (model_is_left(model, group) &&
            model_is_below(model, model_queue_id(QUEUE_VOLCANO, model->groups[group].queue - 1),
                           queue))
            return false;
    return true;
}

static bool is_shut(enum queue_state state)
{
    return state == QUEUE_CLOSING || state == QUEUE_CLOSED;
}

/* What the parent makes of the queue's own state. Who is Closed stays it. */
static enum queue_state due_state(const struct model *model, int queue)
{
    const struct model_life *life = &model->queues[queue].life;
    int parent = model->queues[queue].parent;
    enum queue_state above = parent < 0 ? QUEUE_OPEN : model->queues[parent].life.state;

    if (above == QUEUE_SUSPENDED && !is_shut(life->own))
        return QUEUE_SUSPENDED;
    if (is_shut(above) || life->own == QUEUE_CLOSING)
        return life->own == QUEUE_CLOSED || (is_shut(above) && life->state == QUEUE_CLOSED) ||
                       model_is_empty(model, queue)
                   ? QUEUE_CLOSED
                   : QUEUE_CLOSING;
    return life->own;
}

static void settle(struct model *model, int queue)
{
    struct model_life *life = &model->queues[queue].life;

    if (life->own == QUEUE_CLOSING && model_is_empty(model, queue))
        life->own = QUEUE_CLOSED;
    life->state = due_state(model, queue);
}

static void settle_below(struct model *model, int queue)
{
    settle(model, queue);
    for (int child = 0; child < QUEUES; child++)
        if (model->queues[child].parent == queue)
            settle_below(model, child);
}

/* What commands did is written, or somebody else's word has taken its place. */
void model_note_written(struct model *model)
{
    for (int n = 0; n < COMMANDS; n++) {
        struct model_command *command = &model->commands[n];
        struct queue_written due;

        if (!command->carried_out || command->waits_for < 0)
            continue;
        due = model_due_word(model, command->waits_for);
        if (queue_written_same(due, model->queues[command->waits_for].life.known.word))
            command->waits_for = -1;
    }
}

void model_settle_path(struct model *model, int queue)
{
    if (model->queues[queue].parent >= 0)
        model_settle_path(model, model->queues[queue].parent);
    settle(model, queue);
}

void model_settle_states(struct model *model)
{
    if (!model_rules(model))
        return;
    for (int queue = 0; queue < QUEUE_NAMES; queue++)
        if (model->queues[queue].parent < 0)
            settle_below(model, queue);
    model_note_written(model);
}

struct queue_written model_due_word(const struct model *model, int queue)
{
    const struct model_life *life = &model->queues[queue].life;
    struct queue_written word = {.state = (uint8_t)life->state};

    if (life->own != life->state && life->state == QUEUE_SUSPENDED)
        word.suspended_by = (uint8_t)(1 + life->own);
    if (is_shut(life->state) && !is_shut(life->own))
        word.closed_by = (uint8_t)(1 + life->own);
    return word;
}

/* The object's word is the queue's state, and what a mark says is its own. */
static void obey(struct model_life *life, struct queue_written word)
{
    life->state = life->own = (enum queue_state)word.state;
    if (word.state == STATE_UNSAID)
        life->state = life->own = life->created_suspended ? QUEUE_SUSPENDED : QUEUE_OPEN;
    else if (word.state == QUEUE_SUSPENDED && word.suspended_by > 0)
        life->own = (enum queue_state)(word.suspended_by - 1);
    else if (is_shut(life->state) && word.closed_by > 0)
        life->own = (enum queue_state)(word.closed_by - 1);
}

static const enum queue_state said[WORDS] = {
    [SAYS_OPEN] = QUEUE_OPEN,       [SAYS_SUSPENDED] = QUEUE_SUSPENDED,
    [SAYS_CLOSED] = QUEUE_CLOSED,   [SAYS_CLOSING] = QUEUE_CLOSING,
    [SAYS_UNKNOWN] = QUEUE_UNKNOWN, [SAYS_NOTHING] = (enum queue_state)STATE_UNSAID,
};

static uint8_t mark_of(int64_t field)
{
    return field == 0 ? 0 : (uint8_t)(1 + said[field - 1]);
}

struct queue_written model_word_of(const int64_t *spec)
{
    return (struct queue_written){(uint8_t)said[spec[QUEUE_COMMAND]],
                                  mark_of(spec[QUEUE_CLOSED_BY]),
                                  mark_of(spec[QUEUE_SUSPENDED_BY])};
}

static int field_of(uint8_t state)
{
    int field = 0;

    while (said[field] != (enum queue_state)state)
        field++;
    return field;
}

void model_fill_word(const struct model_word *word, int64_t *fields)
{
    fields[QUEUE_COMMAND] = field_of(word->word.state);
    fields[QUEUE_CLOSED_BY] =
        word->word.closed_by == 0 ? 0 : 1 + field_of(word->word.closed_by - 1);
    fields[QUEUE_SUSPENDED_BY] =
        word->word.suspended_by == 0 ? 0 : 1 + field_of(word->word.suspended_by - 1);
    fields[QUEUE_VERSION] = word->version;
}

void model_write_word(struct model *model, int queue, struct queue_written word, bool by_others)
{
    struct model_life *life = &model->queues[queue].life;

    life->before = life->now;
    life->now.version = ++model->versions;
    if (queue_written_same(word, life->now.word))
        return;
    life->now.word = word;
    life->now.written_at = life->now.version;
    life->now.by_others = by_others;
}

/* An edit of what the object asks for leaves its status alone; another object has its own. */
void model_fill_object(struct model *model, int64_t *fields)
{
    int queue = model_queue_id((int)fields[QUEUE_KIND], (int)fields[QUEUE_NAME]);
    struct model_life *life = &model->queues[queue].life;
    bool fresh = !model->queues[queue].seen || fields[QUEUE_OBJECT] != life->object;

    if (fresh)
        life->now = (struct model_word){.word.state = STATE_UNSAID};
    model_write_word(model, queue, fresh ? model_word_of(fields) : life->now.word, true);
    if (!fresh)
        fields[QUEUE_CREATED_SUSPENDED] = life->created_suspended;
    model_fill_word(&life->now, fields);
}

static void hear_word(struct model *model, int queue, const struct model_word *word, bool fresh)
{
    struct model_life *life = &model->queues[queue].life;
    bool new_to_us = word->by_others && word->written_at > life->known.written_at &&
                     !queue_written_same(word->word, life->known.word);

    if (!fresh && word->version < life->known.version)
        return;
    /* What is being written is not told from the same word of somebody else. */
    if (life->may_be_ours && queue_written_same(word->word, life->leased.word))
        new_to_us = false;
    life->shown = life->known = *word;
    life->may_be_ours &= life->is_leased || !new_to_us;
    if (fresh || !model_rules(model) || new_to_us)
        obey(life, word->word);
    model_note_written(model);
}

void model_hear(struct model *model, int queue, const int64_t *spec)
{
    struct model_life *life = &model->queues[queue].life;
    bool fresh = !model->queues[queue].seen || spec[QUEUE_OBJECT] != life->object;
    struct model_word plain = {.word = model_word_of(spec)};

    if (model_kind(queue) != QUEUE_VOLCANO || !model->config[CONFIG_WRITES]) {
        obey(life, plain.word);
        return;
    }
    if (fresh) {
        life->was_written = life->failed = life->is_leased = life->may_be_ours = false;
        life->object = spec[QUEUE_OBJECT];
        life->created_suspended = spec[QUEUE_CREATED_SUSPENDED];
        life->last = 0;
    }
    hear_word(model, queue,
              spec[QUEUE_VERSION] == life->before.version ? &life->before : &life->now, fresh);
}

bool model_shows(const struct model *model, int queue, bool late, int64_t *fields)
{
    const struct model_life *life = &model->queues[queue].life;
    const struct model_word *word = late ? &life->before : &life->now;

    if (!model->queues[queue].seen || word->version <= life->shown.version)
        return false;
    memcpy(fields, model->queues[queue].spec, STEP_FIELDS * sizeof *fields);
    model_fill_word(word, fields);
    return true;
}

void model_stand_by(struct model *model)
{
    for (int queue = 0; queue < QUEUE_NAMES; queue++) {
        struct model_life *life = &model->queues[queue].life;

        if (!model->config[CONFIG_WRITES] || !model->queues[queue].seen)
            continue;
        life->now.by_others |= life->now.written_at > life->known.written_at;
        life->before.by_others |= life->before.written_at > life->known.written_at;
        life->was_written = life->failed = life->is_leased = life->may_be_ours = false;
        life->last = 0;
        obey(life, life->known.word);
    }
    for (int n = 0; n < COMMANDS; n++)
        if (model->commands[n].carried_out && !model->commands[n].deleted)
            model_begin_command(&model->commands[n], model->commands[n].facts);
}

void model_note_said(struct model *model)
{
    for (int uid = 0; uid < UIDS; uid++) {
        struct model_claim *claim = &model->claims[uid];

        if (claim->live && (claim->state == CLAIM_HELD || model_goes_on(model, claim)))
            claim->said = false;
    }
}
