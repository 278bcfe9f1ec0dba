/* SPDX-License-Identifier: Apache-2.0 */
#include "lack.h"

#include "plugin/order/fit.h"
#include "plugin/order/headroom.h"
#include "plugin/state.h"

static void say(const struct engine *e, const struct shortfall *shortfall, wide asked,
                struct lack *ret)
{
    const struct queue *where = queue_at(e, shortfall->queue);

    *ret = (struct lack){.is = true,
                         .kind = where->kind,
                         .name = name_text(e, where->name),
                         .resource = name_text(e, shortfall->resource),
                         .room = amount_clamp(shortfall->free),
                         .asked = amount_clamp(asked),
                         .wanted =
                             amount_clamp(backlog_sum(e, shortfall->queue, shortfall->resource))};
}

static void set_room(struct shortfall *shortfall, uint32_t queue, wide room)
{
    shortfall->queue = queue;
    shortfall->least = shortfall->most = -room;
    shortfall->free = wide_max(room, 0);
}

static bool find_of_line(const struct engine *e, uint32_t id, struct lack *ret,
                         struct shortfall *ret_shortfall)
{
    const struct line *line = claim_line(e, id);
    uint32_t where, need;
    wide room;

    if (!fit_refused(e, claim_at(e, id)->line, &where, &need, &room))
        return false;
    *ret_shortfall = (struct shortfall){.resource = line_resource(e, line, need)};
    set_room(ret_shortfall, where, room);
    say(e, ret_shortfall, line_amount(e, line, need), ret);
    return true;
}

/* A bit for each flavor in which the pods of a set cannot be. Before anybody has looked: none. */
static uint64_t refused_by(const struct engine *e, const struct demand *demand, uint32_t set,
                           const struct queue_group *group)
{
    return demand->judged == e->queues.placements
               ? demand->sets[set].refused[group - queue_at(e, demand->queue)->groups]
               : 0;
}

/* The flavor, of those that it can be in, that has most left; FLAVOR_NONE: there is none. */
static uint16_t best_flavor(const struct engine *e, uint32_t queue,
                            const struct shortfall *shortfall, wide *ret_room)
{
    uint16_t best = FLAVOR_NONE;

    for (uint32_t k = 0; k < shortfall->group->flavor_count; k++) {
        uint16_t flavor = shortfall->group->flavors[k];
        wide room;

        if (!shortfall_is_in(shortfall, flavor) || !flavor_usable(e, flavor))
            continue;
        room = headroom_now(e, queue, flavor, shortfall->resource);
        if (best != FLAVOR_NONE && room <= *ret_room)
            continue;
        best = flavor;
        *ret_room = room;
    }
    return best;
}

/* Of one need: what it lacks of it, and where. */
static bool find_of_need(const struct engine *e, uint32_t id, uint32_t set, uint32_t resource,
                         wide *ret_asked, struct shortfall *ret)
{
    const struct demand *demand = demand_at(e, workload_at(e, id)->demand);
    const struct queue_group *group = queue_group_of(queue_at(e, demand->queue), resource);
    uint32_t where;
    uint16_t flavor;
    wide room;

    if (group == NULL) /* counted by nobody, or never to be had */
        return false;
    *ret = (struct shortfall){
        .resource = resource, .group = group, .refused = refused_by(e, demand, set, group)};
    *ret_asked = lack_asked(e, id, ret);
    flavor = best_flavor(e, demand->queue, ret, &room);
    if (*ret_asked == 0 || flavor == FLAVOR_NONE ||
        !fit_refused_in(e, demand->queue, flavor, resource, *ret_asked, &where, &room))
        return false;
    set_room(ret, where, room);
    return true;
}

/* How long it may take: what is missing, as a part of what is used. */
static bool takes_longer(const struct engine *e, const struct shortfall *a, wide a_asked,
                         const struct shortfall *b, wide b_asked)
{
    int64_t missing_a = amount_clamp(a_asked + a->least),
            missing_b = amount_clamp(b_asked + b->least);
    int64_t used_a = amount_clamp(shortfall_used(e, a->queue, a)),
            used_b = amount_clamp(shortfall_used(e, b->queue, b));

    return (wide)missing_a * used_b > (wide)missing_b * used_a;
}

static bool find_of_workload(const struct engine *e, uint32_t id, struct lack *ret,
                             struct shortfall *ret_shortfall)
{
    const struct demand *demand = demand_at(e, workload_at(e, id)->demand);
    bool found = false;
    wide asked = 0;

    for (uint32_t s = 0; s < demand->set_count; s++) {
        for (uint32_t i = 0; i < demand->sets[s].need_count; i++) {
            struct shortfall next;
            wide next_asked;

            if (!find_of_need(e, id, s, demand->sets[s].needs[i].resource, &next_asked, &next) ||
                (found && !takes_longer(e, &next, next_asked, ret_shortfall, asked)))
                continue;
            *ret_shortfall = next;
            asked = next_asked;
            found = true;
        }
    }
    if (found)
        say(e, ret_shortfall, asked, ret);
    return found;
}

bool lack_find(const struct engine *e, uint32_t id, struct lack *ret,
               struct shortfall *ret_shortfall)
{
    return claim_is_workload(e, id) ? find_of_workload(e, id, ret, ret_shortfall)
                                    : find_of_line(e, id, ret, ret_shortfall);
}

/* Whether the pods of a set can be in one of the flavors. */
static bool is_asked_by(const struct engine *e, const struct demand *demand, uint32_t set,
                        const struct shortfall *shortfall)
{
    const struct queue_group *group = shortfall->group;
    uint64_t refused = group == NULL ? 0 : refused_by(e, demand, set, group) | shortfall->refused;

    return group == NULL || refused != UINT64_MAX >> (FACTS_MAX_FLAVORS - group->flavor_count);
}

static wide asked_by_demand(const struct engine *e, const struct demand *demand,
                            const struct shortfall *shortfall)
{
    wide sum = 0;

    for (uint32_t s = 0; s < demand->set_count; s++) {
        const struct assign_set *set = &demand->sets[s];

        for (uint32_t i = 0; i < set->need_count; i++)
            if (set->needs[i].resource == shortfall->resource &&
                is_asked_by(e, demand, s, shortfall))
                sum += (wide)set->minimum * set->needs[i].amount;
    }
    return sum;
}

wide lack_asked(const struct engine *e, uint32_t id, const struct shortfall *shortfall)
{
    if (claim_is_workload(e, id))
        return asked_by_demand(e, demand_at(e, workload_at(e, id)->demand), shortfall);
    return line_asks(e, claim_line(e, id), shortfall->resource);
}
