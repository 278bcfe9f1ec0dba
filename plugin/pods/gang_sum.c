/* SPDX-License-Identifier: Apache-2.0 */
#include "gang_sum.h"

#include "plugin/state.h"

static enum group_fault add(const struct engine *e, struct shape *shape, uint32_t resource,
                            int64_t amount)
{
    struct request *request = shape_request(e, shape, resource);

    if (request == NULL)
        return GROUP_TOO_MANY;
    if (request->amount > AMOUNT_MAX - amount)
        return GROUP_TOO_MUCH;
    request->amount += amount;
    return GROUP_SOUND;
}

static enum group_fault add_members(const struct engine *e, struct gang_sum *sum, uint32_t id,
                                    int64_t count)
{
    const struct claim *claim = claim_at(e, id);
    const struct line *line = line_at(e, claim->line);
    struct shape *shape = &sum->shape;
    enum group_fault fault = GROUP_SOUND;

    if (shape->queue != 0 && shape->queue != line_queue(e, line))
        return GROUP_TWO_QUEUES;
    if (shape->queue == 0)
        sum->priority = claim->priority; /* the first has the highest */
    shape->queue = line_queue(e, line);
    shape->bare = shape->bare || line_bare(e, line);
    for (uint32_t i = 0; i < line_count(e, line) && fault == GROUP_SOUND; i++)
        fault = add(e, shape, line_resource(e, line, i),
                    amount_clamp((wide)line_amount(e, line, i) * count));
    return fault;
}

/* What the object says that the minimum needs at least counts as long as nobody has any of it. One
 * that we made says no more than its members do. */
static enum group_fault add_least(const struct engine *e, const struct group *group,
                                  struct shape *sum)
{
    enum group_fault fault = GROUP_SOUND;

    for (uint32_t i = 0; i < group->said.least_count && fault == GROUP_SOUND; i++) {
        const struct group_amount *least = &group->said.least[i];
        int64_t has = 0;

        for (uint8_t k = 0; k < sum->count; k++)
            has = sum->requests[k].resource == least->resource ? sum->requests[k].amount : has;
        if (least->amount > has)
            fault = add(e, sum, least->resource, least->amount - has);
    }
    return fault;
}

enum group_fault gang_add_up(const struct engine *e, const struct group *group,
                             struct gang_sum *ret_sum)
{
    int64_t lacks = group_lacks(group);
    enum group_fault fault = GROUP_SOUND;

    *ret_sum = (struct gang_sum){0};
    for (uint32_t id = group->claims.first; id != 0 && lacks > 0 && fault == GROUP_SOUND;
         id = member_after(e, id)) {
        if (!group_is_ready(claim_at(e, id)))
            continue;
        fault = add_members(e, ret_sum, id, 1);
        lacks--;
    }
    if (lacks > 0 && fault == GROUP_SOUND)
        fault = add_members(e, ret_sum, group->asker, lacks);
    if (group->has_priority)
        ret_sum->priority = group->priority;
    if (fault == GROUP_SOUND && !group->ours && group->holding + group->succeeded == 0)
        fault = add_least(e, group, &ret_sum->shape);
    return fault;
}

bool gang_misses_members(const struct group *group)
{
    int64_t there = (int64_t)group->members + group->succeeded + group->failed;

    return group->known && !group->ours && !group_is_native(group) && group->home != 0 &&
           !group->not_selected && group->minimum >= 0 && group->holding == 0 &&
           !group_is_over(group) && there < (group->minimum > 1 ? group->minimum : 1);
}

enum group_fault gang_add_missing(const struct engine *e, const struct group *group,
                                  struct gang_sum *ret_sum)
{
    int64_t pods = (group->minimum > 1 ? group->minimum : 1) - (int64_t)group->succeeded;
    enum group_fault fault;

    *ret_sum = (struct gang_sum){.priority = group->has_priority ? group->priority : 0,
                                 .shape = {.queue = group->home}};
    fault = add(e, &ret_sum->shape, e->name_pods, pods);
    return fault == GROUP_SOUND ? add_least(e, group, &ret_sum->shape) : fault;
}

bool gang_sum_stands(const struct engine *e, const struct group *group, const struct gang_sum *sum)
{
    const struct claim *entry = claim_at(e, group->entry);

    return line_asks_for(e, line_at(e, entry->line), &sum->shape) &&
           entry->priority == sum->priority && entry->queued == group->created;
}

void gang_sum_put(struct engine *e, const struct group *group, const struct gang_sum *sum)
{
    struct claim *entry = claim_at(e, group->entry);

    line_set_own(e, entry->line, &sum->shape);
    entry->priority = sum->priority;
    entry->queued = group->created;
}
