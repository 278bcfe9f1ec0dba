/* SPDX-License-Identifier: Apache-2.0 */
#include "group_effects.h"

#include "group_status.h"
#include "state.h"

static uint64_t number_of(const struct group_status *status, const char *message)
{
    const int64_t counts[3] = {status->running, status->succeeded, status->failed};
    const struct text condition[GROUP_CONDITION] = {text_of(status->type), text_of(status->status),
                                                    text_of(status->reason), text_of(message)};

    return group_status_number(text_of(status->phase), counts, condition);
}

static bool wants_creation(const struct engine *e, const struct group *group)
{
    return engine_asks(e, EFFECT_CREATE_GROUP) && group->asked_for && !group->known &&
           !group->was_made && !group->owner_gone && group->members > 0 &&
           group->mode == GROUP_MISSING;
}

static uint8_t wanted(const struct engine *e, uint32_t id)
{
    const struct group *group = group_at(e, id);
    bool status =
        engine_asks(e, EFFECT_SET_GROUP_STATUS) && group->known && group->status != group->written;

    return (uint8_t)(wants_creation(e, group) << GROUP_CREATES | status << GROUP_WRITES_STATUS);
}

/* The minimum times what the first of its pods asks for. */
static void describe_creation(const struct engine *e, const struct group *group,
                              struct group_effect *ret)
{
    const struct line *line = line_at(e, claim_at(e, group->first)->line);

    ret->api_version = name_text(e, group->owner.api_version);
    ret->owner_kind = name_text(e, group->owner.kind);
    ret->owner_name = name_text(e, group->owner.name);
    ret->owner_uid = name_text(e, group->owner.uid);
    ret->queue = name_text(e, group->owner.queue);
    ret->priority_class = name_text(e, group->owner.priority_class);
    ret->minimum = group->asked_minimum;
    ret->least_count = 0;
    for (uint32_t i = 0; i < line_count(e, line); i++) {
        if (line_resource(e, line, i) == e->name_pods)
            continue;
        ret->least[ret->least_count].resource = name_text(e, line_resource(e, line, i));
        ret->least[ret->least_count++].amount =
            amount_clamp((wide)line_amount(e, line, i) * group->asked_minimum);
    }
}

static void describe(const struct engine *e, uint32_t id, uint32_t slot, struct effect *ret)
{
    const struct group *group = group_at(e, id);

    ret->uid = name_text(e, group->uid);
    ret->space = name_text(e, group->space);
    ret->name = name_text(e, group->name);
    ret->resource_version = group->version;
    ret->create = (struct group_effect){0};
    if (slot == GROUP_WRITES_STATUS)
        group_find_status(e, id, &ret->group_status, ret->message);
    else if (group->members > 0)
        describe_creation(e, group, &ret->create);
}

static void leased(struct engine *e, uint32_t id, uint32_t slot)
{
    struct group *group = group_at(e, id);

    if (slot != GROUP_WRITES_STATUS)
        return;
    group->sent = group->status;
    group->sent_over = group->version;
}

/* A later version than that which was written over is what was written, or what came after. */
static void done(struct engine *e, uint32_t id, uint32_t slot, int64_t version)
{
    struct group *group = group_at(e, id);

    (void)version;

    if (slot == GROUP_CREATES)
        group->was_made = true;
    else if (group->version == group->sent_over)
        group->written = group->sent;
}

/* The owner is gone, or the group, which its own message will say. */
static void gone(struct engine *e, uint32_t id, uint32_t slot)
{
    struct group *group = group_at(e, id);

    if (slot == GROUP_CREATES)
        group->owner_gone = true;
    else
        group->written = group->status;
    group_sync_effects(e, id);
}

static void set_timer(struct engine *e, uint32_t id)
{
    int64_t at = outbox_due(e, EFFECT_OF_GROUP, id);

    if (at == 0)
        heap_clear(&e->group_timers, id);
    else
        heap_set(&e->group_timers, id, at);
}

void group_sync_effects(struct engine *e, uint32_t id)
{
    struct group *group = group_at(e, id);
    char message[VERDICT_MESSAGE_MAX];
    struct group_status status;

    group_find_status(e, id, &status, message);
    group->status = number_of(&status, message);
    outbox_sync(e, EFFECT_OF_GROUP, id);
    set_timer(e, id);
}

void group_expire(struct engine *e, uint32_t id)
{
    outbox_expire(e, EFFECT_OF_GROUP, id);
    set_timer(e, id);
}

const struct outbox_type group_effects = {
    .records = offsetof(struct engine, groups),
    .entry = offsetof(struct group, effects),
    .slots = 2,
    .kinds = {EFFECT_CREATE_GROUP, EFFECT_SET_GROUP_STATUS},
    .wanted = wanted,
    .describe = describe,
    .leased = leased,
    .done = done,
    .gone = gone,
    .set_timer = set_timer,
};
