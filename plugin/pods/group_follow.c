/* SPDX-License-Identifier: Apache-2.0 */
#include "group_follow.h"

#include "group.h"
#include "plugin/base/sentence.h"
#include "plugin/state.h"

static struct tree_link *age_link(const void *ctx, uint32_t id)
{
    return &claim_member(ctx, id)->by_age;
}

/* The oldest first: those whose owner has a newer template by now. */
static int compare_age(const void *ctx, uint32_t a, uint32_t b)
{
    const struct engine *e = ctx;
    const struct claim *x = claim_at(e, a), *y = claim_at(e, b);
    bool superseded = claim_member(e, a)->own.superseded;

    if (superseded != claim_member(e, b)->own.superseded)
        return superseded ? -1 : 1;
    if (x->queued != y->queued)
        return x->queued < y->queued ? -1 : 1;
    return text_compare(claim_uid(e, a), claim_uid(e, b));
}

static const struct tree_type askers_by_age = {age_link, compare_age, NULL};

/* Another one may be the newest, or ask for something else. */
static void choose(struct engine *e, uint32_t id)
{
    struct group *group = group_at(e, id);

    group->asker = tree_last(&askers_by_age, e, group->askers);
    group_touch(e, id);
}

void group_follow_leave(struct engine *e, uint32_t id)
{
    uint32_t at = claim_group(e, claim_at(e, id));
    struct group *group = group_at(e, at);

    if (age_link(e, id)->size == 0)
        return;
    tree_remove(&askers_by_age, e, &group->askers, id);
    group->marked -= claim_member(e, id)->own.superseded;
    if (group->asker == id || group->marked > 0)
        choose(e, at);
}

void follow_join(struct engine *e, uint32_t id)
{
    uint32_t at = claim_group(e, claim_at(e, id));
    struct group *group = group_at(e, at);

    if (claim_member(e, id)->own.minimum == 0)
        return;
    tree_insert(&askers_by_age, e, &group->askers, id);
    group->marked += claim_member(e, id)->own.superseded;
    if (tree_last(&askers_by_age, e, group->askers) == id || group->marked > 0)
        choose(e, at);
}

bool follow_supersedes(const struct engine *e, uint32_t id)
{
    const struct claim *claim = claim_at(e, id);
    uint32_t asker;

    if (claim->member == 0 || !claim_member(e, id)->own.superseded ||
        (claim->flags & CLAIM_BOUND) != 0)
        return false;
    asker = group_at(e, claim_group(e, claim))->asker;
    return asker != 0 && !claim_member(e, asker)->own.superseded &&
           !line_same_requests(e, claim->line, claim_at(e, asker)->line);
}

int32_t group_follow_minimum(const struct engine *e, const struct group *group)
{
    return group->asker == 0 ? 0 : claim_member(e, group->asker)->own.minimum;
}

/* A queue of Kueue's is named by no PodGroup. */
static struct text queue_of(const struct engine *e, const struct group *group)
{
    const struct member_own *own = &claim_member(e, group->asker)->own;

    return own->kind == QUEUE_VOLCANO ? name_text(e, own->queue) : text_of("");
}

void group_follow_describe(const struct engine *e, const struct group *group,
                           struct group_effect *ret)
{
    const struct line *line = line_at(e, claim_at(e, group->asker)->line);

    *ret = (struct group_effect){
        .api_version = name_text(e, group->owner.api_version),
        .owner_kind = name_text(e, group->owner.kind),
        .owner_name = name_text(e, group->owner.name),
        .owner_uid = name_text(e, group->owner.uid),
        .queue = queue_of(e, group),
        .priority_class = name_text(e, claim_member(e, group->asker)->own.priority_class),
        .minimum = group_follow_minimum(e, group),
        .kind = (enum group_kind)group->kind,
    };
    for (uint32_t i = 0; i < line_count(e, line); i++) {
        if (line_resource(e, line, i) == e->name_pods)
            continue;
        ret->least[ret->least_count].resource = name_text(e, line_resource(e, line, i));
        ret->least[ret->least_count++].amount =
            amount_clamp((wide)line_amount(e, line, i) * ret->minimum);
    }
}

static int64_t least_of(const struct engine *e, const struct group *group, struct text resource)
{
    for (uint32_t i = 0; i < group->said.least_count; i++) {
        if (text_same(name_text(e, group->said.least[i].resource), resource))
            return group->said.least[i].amount;
    }
    return 0;
}

/* Nothing of a resource is as much as 0 of it. */
static bool same_least(const struct engine *e, const struct group *group,
                       const struct group_effect *asked)
{
    uint32_t named = 0, asked_for = 0;

    for (uint32_t i = 0; i < group->said.least_count; i++)
        named += group->said.least[i].amount != 0;
    for (uint32_t i = 0; i < asked->least_count; i++) {
        asked_for += asked->least[i].amount != 0;
        if (least_of(e, group, asked->least[i].resource) != asked->least[i].amount)
            return false;
    }
    return named == asked_for;
}

static bool may_change(const struct engine *e, const struct group *group)
{
    return group->known && group->ours && group_follow_minimum(e, group) > 0 &&
           engine_asks(e, EFFECT_CHANGE_GROUP) && !e->config.observe_only;
}

/* All else of a native one is settled when it is made, and it names no queue. */
static bool says_other(const struct engine *e, const struct group *group,
                       const struct group_effect *asked)
{
    return group->minimum != asked->minimum ||
           (!group_is_native(group) &&
            (!text_same(name_text(e, group->said.queue), asked->queue) ||
             !text_same(name_text(e, group->said.priority_class), asked->priority_class) ||
             !same_least(e, group, asked)));
}

bool group_follow_changes(const struct engine *e, const struct group *group)
{
    struct group_effect asked;

    if (!may_change(e, group))
        return false;
    group_follow_describe(e, group, &asked);
    return says_other(e, group, &asked);
}

bool group_follow_moves(const struct engine *e, const struct group *group)
{
    return may_change(e, group) && !group_is_native(group) &&
           !text_same(name_text(e, group->said.queue), queue_of(e, group));
}

void follow_say_move(const struct engine *e, const struct group *group, struct sentence *say)
{
    struct text queue = queue_of(e, group);

    sentence_str(say, " is about to be in ");
    sentence_named(say, queue.len > 0 ? "queue " : "its pods' own queues", queue,
                   ", as its newest pod asks");
}

const char *group_follow_check(const struct engine *e, uint32_t id)
{
    const struct group *group = group_at(e, id);

    uint32_t marked = 0;

    if (!tree_check(&askers_by_age, e, group->askers) ||
        group->asker != tree_last(&askers_by_age, e, group->askers))
        return "the newest of its pods says what a group asks for";
    for (uint32_t at = group->claims.first; at != 0; at = member_after(e, at)) {
        const struct claim *claim = claim_at(e, at);

        if ((claim_member(e, at)->own.minimum != 0) != (age_link(e, at)->size != 0))
            return "the pods that ask for a group are known by their age";
        marked += claim_member(e, at)->own.superseded;
        if (follow_supersedes(e, at) ? group_is_ready(claim) || claim->state == CLAIM_RESERVED
                                     : group_is_superseded(claim))
            return "who is superseded is held for that";
    }
    return marked != group->marked ? "a group counts whom its owner supersedes" : NULL;
}
