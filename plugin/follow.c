/* SPDX-License-Identifier: Apache-2.0 */
#include "follow.h"

#include "group.h"
#include "state.h"

static const struct member_own *own_of(const struct engine *e, uint32_t claim)
{
    return &member_at(e, claim_at(e, claim)->member)->own;
}

static bool is_newer(const struct engine *e, uint32_t a, uint32_t b)
{
    const struct claim *x = claim_at(e, a), *y = claim_at(e, b);

    if (x->created != y->created)
        return x->created > y->created;
    return text_compare(claim_uid(e, a), claim_uid(e, b)) > 0;
}

/* The newest of the members that ask, but for one that leaves; 0: none. */
static uint32_t find_asker(const struct engine *e, const struct group *group, uint32_t but)
{
    uint32_t found = 0;

    for (uint32_t id = group->first; id != 0; id = member_after(e, id)) {
        if (id != but && own_of(e, id)->minimum != 0 && (found == 0 || is_newer(e, id, found)))
            found = id;
    }
    return found;
}

void follow_note(struct engine *e, uint32_t id)
{
    struct group *group = group_at(e, claim_group(e, claim_at(e, id)));
    bool asked = group->asker == id;

    if (asked)
        group->asker = find_asker(e, group, 0);
    else if (own_of(e, id)->minimum != 0 && (group->asker == 0 || is_newer(e, id, group->asker)))
        group->asker = id;
    if (asked || group->asker == id)
        group_touch(e, claim_group(e, claim_at(e, id)));
}

void follow_leave(struct engine *e, uint32_t id)
{
    struct group *group = group_at(e, claim_group(e, claim_at(e, id)));

    if (group->asker == id)
        group->asker = find_asker(e, group, id);
}

int32_t follow_minimum(const struct engine *e, const struct group *group)
{
    return group->asker == 0 ? 0 : own_of(e, group->asker)->minimum;
}

/* A queue of Kueue's is named by no PodGroup. */
static struct text queue_of(const struct engine *e, const struct group *group)
{
    const struct member_own *own = own_of(e, group->asker);

    return own->kind == QUEUE_VOLCANO ? name_text(e, own->queue) : text_of("");
}

void follow_describe(const struct engine *e, const struct group *group, struct group_effect *ret)
{
    const struct line *line = line_at(e, claim_at(e, group->asker)->line);

    *ret = (struct group_effect){
        .api_version = name_text(e, group->owner.api_version),
        .owner_kind = name_text(e, group->owner.kind),
        .owner_name = name_text(e, group->owner.name),
        .owner_uid = name_text(e, group->owner.uid),
        .queue = queue_of(e, group),
        .priority_class = name_text(e, own_of(e, group->asker)->priority_class),
        .minimum = follow_minimum(e, group),
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
    for (uint32_t i = 0; i < group->least_count; i++) {
        if (text_same(name_text(e, group->least[i].resource), resource))
            return group->least[i].amount;
    }
    return 0;
}

/* Nothing of a resource is as much as 0 of it. */
static bool same_least(const struct engine *e, const struct group *group,
                       const struct group_effect *asked)
{
    uint32_t named = 0, asked_for = 0;

    for (uint32_t i = 0; i < group->least_count; i++)
        named += group->least[i].amount != 0;
    for (uint32_t i = 0; i < asked->least_count; i++) {
        asked_for += asked->least[i].amount != 0;
        if (least_of(e, group, asked->least[i].resource) != asked->least[i].amount)
            return false;
    }
    return named == asked_for;
}

static bool may_change(const struct engine *e, const struct group *group)
{
    return group->known && group->ours && follow_minimum(e, group) > 0 &&
           engine_asks(e, EFFECT_CHANGE_GROUP) && !e->config.observe_only;
}

bool follow_changes(const struct engine *e, const struct group *group)
{
    struct group_effect asked;

    if (!may_change(e, group))
        return false;
    follow_describe(e, group, &asked);
    return group->minimum != asked.minimum || !text_same(name_text(e, group->queue), asked.queue) ||
           !text_same(name_text(e, group->priority_class), asked.priority_class) ||
           !same_least(e, group, &asked);
}

bool follow_moves(const struct engine *e, const struct group *group)
{
    return may_change(e, group) && !text_same(name_text(e, group->queue), queue_of(e, group));
}

const char *follow_check(const struct engine *e, uint32_t id)
{
    const struct group *group = group_at(e, id);

    return group->asker == find_asker(e, group, 0)
               ? NULL
               : "the newest of its pods says what a group asks for";
}
