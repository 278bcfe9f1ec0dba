/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/writes.h"

#include "t/oracle/drive.h"

#include <string.h>

static bool call(struct play *play, const struct step *step, struct answer *ret_answer)
{
    return drive(play->engine, step, ret_answer) == 0 ||
           differ(play->difference, "an error from a call that has what it needs");
}

static bool show_queue(struct play *play, const struct step *step)
{
    struct answer answer;

    if (!call(play, step, &answer))
        return false;
    model_set_queue(&play->model, step->v);
    return true;
}

static bool answer_command(struct play *play, const struct step *step)
{
    const struct model_command *command = &play->model.commands[step->v[COMMAND_UID]];
    struct answer answer;
    int state = STATE_UNSAID;

    if (!call(play, step, &answer))
        return false;
    model_command(&play->model, step->v);
    for (int n = 0; answer.report.state != NULL && n < QUEUE_STATES; n++)
        if (strcmp(answer.report.state, queue_state_name((enum queue_state)n)) == 0)
            state = n;
    if (answer.report.waits == command->carried_out)
        return differ(play->difference, "command %d: it waits, or not", (int)step->v[COMMAND_UID]);
    if (!command->carried_out)
        return true;
    if (answer.report.changed != command->changed || answer.report.refusal != command->refusal ||
        state != command->state)
        return differ(play->difference,
                      "command %d: changed %d, refusal %d, state %d; wanted %d, %d, %d",
                      (int)step->v[COMMAND_UID], answer.report.changed, (int)answer.report.refusal,
                      state, command->changed, (int)command->refusal, command->state);
    return true;
}

bool writes_are_about(const struct model *model, const struct step *step)
{
    return step->kind >= STEP_COMMAND ||
           (step->kind == STEP_QUEUE && step->v[QUEUE_KIND] == QUEUE_VOLCANO &&
            model->config[CONFIG_WRITES]);
}

bool writes_step(struct play *play, const struct step *step)
{
    struct model *model = &play->model;
    struct step shown = *step;
    struct answer answer;
    struct queue_written word;

    switch (step->kind) {
    case STEP_QUEUE:
        model_fill_object(model, shown.v);
        return show_queue(play, &shown);
    case STEP_WORD:
        shown.v[QUEUE_COMMAND] = step->v[WORD_STATE];
        shown.v[QUEUE_CLOSED_BY] = step->v[WORD_CLOSED_BY];
        shown.v[QUEUE_SUSPENDED_BY] = step->v[WORD_SUSPENDED_BY];
        word = model_word_of(shown.v);
        if (model->queues[step->v[WORD_NAME]].seen)
            model_write_word(model, (int)step->v[WORD_NAME], word, true);
        return true;
    case STEP_SHOW:
        shown.kind = STEP_QUEUE;
        return !model_shows(model, (int)step->v[SHOW_NAME], step->v[SHOW_LATE] != 0, shown.v) ||
               show_queue(play, &shown);
    case STEP_COMMAND:
        return answer_command(play, step);
    default:
        model->commands[step->v[COMMAND_UID]].live = false;
        model->commands[step->v[COMMAND_UID]].carried_out = false;
        return call(play, step, &answer);
    }
}

int64_t writes_version(const struct play *play, const struct step *step)
{
    return step->v[ACK_OBJECT] == EFFECT_OF_QUEUE && step->v[ACK_RESULT] == EFFECT_DONE
               ? play->model.versions + 1
               : 0;
}

void writes_acknowledged(struct play *play, const struct step *step)
{
    struct model *model = &play->model;
    struct model_command *command = &model->commands[step->v[ACK_UID] % COMMANDS];
    struct model_life *life = &model->queues[step->v[ACK_UID] % QUEUE_NAMES].life;
    bool over = step->v[ACK_RESULT] == EFFECT_DONE || step->v[ACK_RESULT] == EFFECT_GONE;

    if (step->v[ACK_OBJECT] == EFFECT_OF_QUEUE) {
        life->is_leased = false;
        life->failed = !over;
        if (!over)
            return;
        model_write_word(model, (int)step->v[ACK_UID], life->leased.word, false);
        life->known = life->now;
        life->written = life->leased;
        life->was_written = true;
        life->may_be_ours = false;
    } else if (over && step->v[ACK_KIND] == EFFECT_EVENT) {
        command->told = true;
    } else if (over) {
        command->deleted = true;
        command->forget = model->now + COMMAND_FORGET_SECONDS * SECOND;
    }
}

void writes_restart(struct model *model)
{
    for (int queue = 0; queue < QUEUE_NAMES; queue++) {
        struct model_life *life = &model->queues[queue].life;

        life->shown = life->known = life->now;
        if (!model->queues[queue].seen)
            life->state = life->own = QUEUE_OPEN;
    }
    for (int n = 0; n < COMMANDS; n++)
        if (model->commands[n].deleted)
            model->commands[n].live = model->commands[n].carried_out = false;
}

bool writes_all_is_written(const struct model *model)
{
    for (int queue = 0; queue < QUEUE_NAMES; queue++) {
        const struct model_life *life = &model->queues[queue].life;
        struct queue_written due = model_due_word(model, queue);

        if (!model->queues[queue].seen && life->state == QUEUE_CLOSED)
            return false; /* stays so only as long as somebody remembers */
        if (model->queues[queue].seen &&
            (life->shown.version != life->now.version || life->known.version != life->now.version ||
             !queue_written_same(due, life->now.word)))
            return false;
    }
    for (int n = 0; n < COMMANDS; n++)
        if (model->commands[n].live && !model->commands[n].deleted)
            return false;
    return true;
}

/* A resource is counted where a quota names it, and a status tells of no other. */
static bool is_counted(const struct play *play, int queue, int resource)
{
    uint32_t id = engine_find_queue(play->engine, QUEUE_VOLCANO, text_of(world_queues[queue]));
    struct queue_report report;
    struct quota_row row;
    bool found = false;

    if (id == 0)
        return false;
    engine_report_queue(play->engine, id, &report);
    for (uint32_t n = 0; n < report.quota_count && !found; n++) {
        engine_report_quota(play->engine, id, n, &row);
        found = world_find_resource(row.resource) == resource;
    }
    return found;
}

static struct model_status status_of(const struct play *play, const struct limits *limits,
                                     int queue)
{
    const struct model *model = &play->model;
    struct model_status status;

    memset(&status, 0, sizeof status);
    status.word = model_due_word(model, queue);
    status.stop = (int)model_stops(model, queue);
    model_count_claims(model, queue, status.groups);
    for (int r = 0; r < RESOURCES; r++) {
        const struct number *number = &limits->at[queue][naive_cell(FLAVOR_DEFAULT, r)];

        if (!is_counted(play, queue, r))
            continue;
        status.reserved[r] = amount_clamp(number->reserved);
        status.allocated[r] = amount_clamp(number->allocated);
    }
    return status;
}

/* An effect says what is so now, not what was when it was asked for. */
static bool compare_status(struct play *play, const struct limits *limits, int queue,
                           const struct effect *effect)
{
    static const enum reason reasons[] = {REASON_NONE, REASON_QUEUE_CLOSED, REASON_QUEUE_SUSPENDED,
                                          REASON_QUEUE_UNKNOWN, REASON_QUEUE_INACTIVE};
    struct model_status wanted = status_of(play, limits, queue);

    if (!queue_written_same(effect->state, wanted.word))
        return differ(play->difference, "queue %s: it writes %d %d %d, wanted %d %d %d",
                      world_queues[queue], effect->state.state, effect->state.closed_by,
                      effect->state.suspended_by, wanted.word.state, wanted.word.closed_by,
                      wanted.word.suspended_by);
    if (effect->reason != reasons[wanted.stop])
        return differ(play->difference, "queue %s: its status says %s, wanted %s",
                      world_queues[queue], reason_name(effect->reason),
                      reason_name(reasons[wanted.stop]));
    for (int state = 0; state < CLAIM_STATES; state++)
        if (effect->groups[state] != wanted.groups[state])
            return differ(play->difference, "queue %s: its status counts %u, wanted %u",
                          world_queues[queue], effect->groups[state], wanted.groups[state]);
    for (uint32_t n = 0; n < effect->usage.count; n++) {
        int r = world_find_resource(effect->usage.item[n].resource);

        if (r < 0 || effect->usage.item[n].reserved != wanted.reserved[r] ||
            effect->usage.item[n].allocated != wanted.allocated[r])
            return differ(play->difference, "queue %s: its status adds up wrong",
                          world_queues[queue]);
    }
    return true;
}

bool writes_count(struct play *play, const struct limits *limits, const struct effect *effect,
                  struct writes_live *live)
{
    int queue = world_find_queue(effect->name), command = world_find_command(effect->uid);
    bool *of = NULL;

    if (effect->object == EFFECT_OF_QUEUE && queue >= 0 && play->model.queues[queue].seen)
        of = &live->status[queue];
    else if (effect->object == EFFECT_OF_COMMAND && command >= 0)
        of = effect->kind == EFFECT_EVENT ? &live->event[command] : &live->deletion[command];
    if (of == NULL || *of)
        return differ(play->difference, "an effect for what does not exist, or twice");
    *of = true;
    if (effect->object != EFFECT_OF_QUEUE)
        return true;
    live->status_leased[queue] = effect->leased;
    return compare_status(play, limits, queue, effect);
}

/* Marks that somebody else took away, and that are not needed any more, are no difference. */
static bool is_same(const struct model_status *a, const struct model_status *b)
{
    struct model_status other = *b;

    other.word.closed_by = a->word.closed_by;
    other.word.suspended_by = a->word.suspended_by;
    return memcmp(a, &other, sizeof other) == 0;
}

static bool compare_written(struct play *play, const struct limits *limits,
                            const struct writes_live *live, int queue)
{
    struct model *model = &play->model;
    struct model_life *life = &model->queues[queue].life;
    struct model_status now = status_of(play, limits, queue);
    bool differs, may, needed;

    if (live->status_leased[queue] && !life->is_leased) {
        life->leased = now;
        life->last = model->now;
        life->may_be_ours = true;
    }
    if (!live->status_leased[queue] && life->is_leased)
        life->failed = true; /* the lease ran out */
    life->is_leased = live->status_leased[queue];
    if (life->is_leased)
        return true;
    differs = !life->was_written || !is_same(&now, &life->written) ||
              !queue_written_same(now.word, life->known.word);
    may = life->last == 0 || model->now >= life->last + SECOND;
    needed = model_rules(model) && model->queues[queue].seen && differs && (may || life->failed);
    if (needed && !live->status[queue])
        return differ(play->difference, "queue %s: its status is not written", world_queues[queue]);
    /* What waits for its next attempt is looked at again then. */
    if (!needed && live->status[queue] && !life->failed)
        return differ(play->difference, "queue %s: its status is written%s", world_queues[queue],
                      differs ? " too soon" : " for nothing");
    life->failed = life->failed && (differs || live->status[queue]);
    return true;
}

bool writes_compare(struct play *play, const struct limits *limits, const struct writes_live *live)
{
    struct model *model = &play->model;

    for (int n = 0; n < COMMANDS; n++) {
        struct model_command *command = &model->commands[n];

        if (command->deleted && command->live && model->now >= command->forget)
            command->live = command->carried_out = false;
        if (live->event[n] != model_wants_event(model, command))
            return differ(play->difference, "command %d: an event, or none", n);
        if (live->deletion[n] != model_wants_delete(model, command))
            return differ(play->difference, "command %d: it is %s", n,
                          live->deletion[n] ? "to be deleted too early" : "never deleted");
    }
    for (int queue = 0; queue < QUEUE_NAMES; queue++)
        if (!compare_written(play, limits, live, queue))
            return false;
    return true;
}

bool writes_compare_queue(struct play *play, int queue, const struct queue_report *report)
{
    const struct model_life *life = &play->model.queues[queue].life;
    bool plain = !text_is(report->state, "Inactive") && !text_is(report->state, "Unknown");

    if (!play->model.queues[queue].seen || model_kind(queue) != QUEUE_VOLCANO)
        return true;
    if ((plain && !text_is(report->state, queue_state_name(life->state))) ||
        !text_is(report->own, queue_state_name(life->own)) ||
        report->by_parent != (life->own != life->state))
        return differ(play->difference, "queue %s: %.*s, its own %.*s; wanted %s, %s",
                      world_queues[queue], (int)report->state.len, report->state.at,
                      (int)report->own.len, report->own.at, queue_state_name(life->state),
                      queue_state_name(life->own));
    return report->written ==
               queue_written_same(life->known.word, model_due_word(&play->model, queue)) ||
           differ(play->difference, "queue %s: written, or not", world_queues[queue]);
}
