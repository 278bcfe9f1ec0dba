/* SPDX-License-Identifier: Apache-2.0 */
#include "group_effects.h"

#include "group_status.h"
#include "plugin/pods/group_follow.h"
#include "plugin/state.h"

static uint64_t number_of(const struct group_status *status, const char *message)
{
    const int64_t counts[3] = {status->running, status->succeeded, status->failed};
    const struct text condition[FACTS_GROUP_CONDITION] = {
        text_of(status->type), text_of(status->status), text_of(status->reason), text_of(message)};

    return group_status_number(text_of(status->phase), counts, condition);
}

static bool wants_creation(const struct engine *e, const struct group *group)
{
    return group->asker != 0 && !group->known && !group->was_made && !group->owner_gone &&
           group->mode == GROUP_MISSING &&
           (group_is_native(group) || engine_asks(e, EFFECT_CREATE_GROUP));
}

/* A group whose members obey nobody here is not ours to write into; and of a native one without any
 * nothing is said. */
static bool wants_status(const struct engine *e, const struct group *group)
{
    return engine_asks(e, EFFECT_SET_GROUP_STATUS) && group->known &&
           group->status != group->written &&
           (group->members == 0 ? !group_is_native(group) : group->obeying > 0);
}

/* What is written already is not written over the same version again. */
static bool wants_change(const struct engine *e, const struct group *group)
{
    return (group->changed_over < 0 || group->changed_over != group->version) &&
           group_follow_changes(e, group);
}

static uint8_t wanted(const void *owner, uint32_t id)
{
    const struct engine *e = owner;
    const struct group *group = group_at(e, id);

    return (uint8_t)(wants_creation(e, group)
                         << (group_is_native(group) ? GROUP_CREATES_NATIVE : GROUP_CREATES) |
                     wants_change(e, group) << GROUP_CHANGES |
                     wants_status(e, group) << GROUP_WRITES_STATUS);
}

static void describe(const void *owner, uint32_t id, uint32_t slot, struct effect *ret)
{
    const struct engine *e = owner;
    const struct group *group = group_at(e, id);

    ret->uid = name_text(e, group->said.uid);
    ret->space = name_text(e, group->space);
    ret->name = name_text(e, group->name);
    ret->resource_version = group->version;
    ret->create = (struct group_effect){0};
    if (slot == GROUP_WRITES_STATUS)
        group_find_status(e, id, &ret->group_status, ret->message);
    else if (group->asker != 0)
        group_follow_describe(e, group, &ret->create);
}

static void leased(void *owner, uint32_t id, uint32_t slot)
{
    struct engine *e = owner;
    struct group *group = group_at(e, id);

    if (slot == GROUP_CHANGES)
        group->change_over = group->version;
    if (slot != GROUP_WRITES_STATUS)
        return;
    group->sent = group->status;
    group->sent_over = group->version;
}

/* A later version than that which was written over is what was written, or what came after. */
static void done(void *owner, uint32_t id, uint32_t slot, int64_t version)
{
    struct engine *e = owner;
    struct group *group = group_at(e, id);

    (void)version;

    if (slot == GROUP_CREATES || slot == GROUP_CREATES_NATIVE)
        group->was_made = true;
    else if (slot == GROUP_CHANGES)
        group->changed_over = group->version == group->change_over ? group->version : -1;
    else if (group->version == group->sent_over)
        group->written = group->sent;
}

/* The owner is gone, or the group, which its own message will say. */
static void gone(void *owner, uint32_t id, uint32_t slot)
{
    struct engine *e = owner;
    struct group *group = group_at(e, id);

    if (slot == GROUP_CREATES || slot == GROUP_CREATES_NATIVE)
        group->owner_gone = true;
    else if (slot == GROUP_CHANGES)
        group->changed_over = group->version;
    else
        group->written = group->status;
    group_sync_effects(e, id);
}

static void set_timer(void *owner, uint32_t id)
{
    struct engine *e = owner;

    group_wake_at(e, id, outbox_due(&e->outbox, EFFECT_OF_GROUP, id));
}

void group_sync_effects(struct engine *e, uint32_t id)
{
    struct group *group = group_at(e, id);
    char message[VERDICT_MESSAGE_MAX];
    struct group_status status;

    group_find_status(e, id, &status, message);
    group->status = number_of(&status, message);
    outbox_sync(&e->outbox, EFFECT_OF_GROUP, id);
    set_timer(e, id);
}

void group_expire(struct engine *e, uint32_t id)
{
    outbox_expire(&e->outbox, EFFECT_OF_GROUP, id);
    set_timer(e, id);
}

const struct outbox_type group_effects = {
    .records = offsetof(struct engine, pods.groups),
    .entry = offsetof(struct group, effects),
    .slots = 4,
    .kinds = {EFFECT_CREATE_GROUP, EFFECT_CHANGE_GROUP, EFFECT_SET_GROUP_STATUS,
              EFFECT_CREATE_NATIVE_GROUP},
    .wanted = wanted,
    .describe = describe,
    .leased = leased,
    .done = done,
    .gone = gone,
    .set_timer = set_timer,
};
