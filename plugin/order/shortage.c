/* SPDX-License-Identifier: Apache-2.0 */
#include "shortage.h"

#include "plugin/base/policy_rank.h"
#include "plugin/order/headroom.h"
#include "plugin/state.h"

/* Behind so many that might be sent away, all that their queue uses is taken for theirs. */
enum { SHORTAGE_LOOKS = 1024 };

/* By what is lacked, whatever the amount. */
static int compare_lacked(const struct shortage *a, const struct shortage *b)
{
    if (a->placements != b->placements)
        return wide_compare(a->placements, b->placements);
    if (a->flavor != b->flavor)
        return wide_compare(a->flavor, b->flavor);
    return wide_compare(a->resource, b->resource);
}

static int compare(const void *ctx, uint32_t a, uint32_t b)
{
    const struct shortage *x = &demand_at(ctx, a)->shortage, *y = &demand_at(ctx, b)->shortage;
    int order = compare_lacked(x, y);

    if (order == 0)
        order = wide_compare(x->amount, y->amount);
    return order != 0 ? order
                      : claim_compare_rank(ctx, demand_at(ctx, a)->head, demand_at(ctx, b)->head);
}

uint32_t shortage_first_of(const struct engine *e, uint32_t a, uint32_t b)
{
    if (a == 0 || b == 0 || a == b)
        return a == 0 ? b : a;
    return claim_compare_rank(e, demand_at(e, a)->head, demand_at(e, b)->head) < 0 ? a : b;
}

static uint32_t first_below(const struct engine *e, uint32_t id)
{
    return id == 0 ? 0 : demand_at(e, id)->shortage.first;
}

static uint32_t first_with(const struct engine *e, uint32_t id)
{
    const struct tree_link *link = demand_link(e, id);

    return shortage_first_of(
        e, id, shortage_first_of(e, first_below(e, link->left), first_below(e, link->right)));
}

static bool update(void *ctx, uint32_t id)
{
    uint32_t before = demand_at(ctx, id)->shortage.first, first = first_with(ctx, id);

    demand_at(ctx, id)->shortage.first = first;
    return first != before;
}

const struct tree_type demands_by_shortage = {demand_link, compare, update};

/* Most that it could get by what its queue, or one above it, does not use of its share: who takes
 * others' room back never has more than that. */
static wide claimable(const struct engine *e, uint32_t id, uint16_t flavor, uint32_t resource)
{
    wide most = 0, spare = 0;

    for (; id != 0; id = queue_at(e, id)->parent) {
        const struct cell *cell = quota_cell(queue_at(e, id), flavor, resource);

        most = wide_max(most, spare + (cell == NULL ? 0 : cell->share - cell->later));
        spare += cell_spares(cell, true);
    }
    return most;
}

/* What it could get by sending others of its own queue away, or as much of it as is enough. */
static wide removable(const struct engine *e, uint32_t asker, uint32_t id, uint16_t flavor,
                      uint32_t resource, wide enough)
{
    const struct queue *queue = queue_at(e, id);
    const struct cell *cell = quota_cell(queue, flavor, resource);
    struct policy_rank rank = {claim_at(e, asker)->priority, claim_at(e, asker)->queued};
    uint32_t at = tree_first(&workloads_that_hold, e, queue->cluster.holding);
    wide sum = 0;

    /* Pods are not looked at one by one. */
    if (engine_preempts(e) && (queue->reserved != 0 || queue->allocated != 0))
        return cell == NULL ? HEADROOM_UNLIMITED : wide_max(0, cell->later);
    for (int looks = 0; at != 0 && sum < enough;
         at = tree_next(&workloads_that_hold, e, at), looks++) {
        const struct claim *claim = claim_at(e, at);

        if (queue->preempts.within != PREEMPT_ANY && claim->priority > rank.priority)
            break;
        if (looks == SHORTAGE_LOOKS)
            return cell == NULL ? HEADROOM_UNLIMITED : wide_max(0, cell->later);
        if (workload_counts_later(e, at) &&
            policy_takes_rank(rank, (struct policy_rank){claim->priority, claim->queued},
                              queue->preempts.within))
            sum += claim_amount(e, at, flavor, resource);
    }
    return sum;
}

/* More than this nobody gets who asks with this one's rank, or comes behind it; if it is as much as
 * is enough, it may be less. */
static wide reach_in(const struct engine *e, uint32_t asker, uint32_t id, uint16_t flavor,
                     uint32_t resource, wide enough)
{
    const struct preempt_policy *policy = &queue_at(e, id)->preempts;
    wide most = headroom_later(e, id, flavor, resource);

    if (policy->reclaim != PREEMPT_NEVER) {
        if (policy->while_borrowing) /* then it is a matter of others' priorities */
            return HEADROOM_UNLIMITED;
        most = wide_max(most, claimable(e, id, flavor, resource));
    }
    if (policy->within != PREEMPT_NEVER)
        most += removable(e, asker, id, flavor, resource, enough - most);
    return most;
}

static wide reach(const struct engine *e, uint32_t asker, uint32_t id, uint16_t flavor,
                  uint32_t resource, wide enough)
{
    const struct queue_group *group = queue_group_of(queue_at(e, id), resource);
    wide most = -HEADROOM_UNLIMITED;

    if (flavor != FLAVOR_NONE)
        return reach_in(e, asker, id, flavor, resource, enough);
    for (uint32_t k = 0; group != NULL && k < group->flavor_count; k++) {
        if (flavor_usable(e, group->flavors[k]))
            most = wide_max(most, reach_in(e, asker, id, group->flavors[k], resource, enough));
    }
    return most;
}

/* How many flavors of the group a pod set can be in; FLAVOR_NONE unless it is only one. */
static uint32_t count_flavors(const struct engine *e, const struct queue *queue,
                              const struct assign_set *set, const struct queue_group *group,
                              uint16_t *ret_only)
{
    uint32_t count = 0;

    *ret_only = FLAVOR_NONE;
    for (uint32_t k = 0; k < group->flavor_count; k++) {
        if ((set->refused[group - queue->groups] >> k & 1) == 0 &&
            flavor_usable(e, group->flavors[k])) {
            *ret_only = count == 0 ? group->flavors[k] : (uint16_t)FLAVOR_NONE;
            count++;
        }
    }
    return count;
}

static wide least_of(const struct assign_set *set, uint32_t resource)
{
    return (wide)assign_set_asks(set, resource) * set->minimum;
}

/* The least that all pod sets together ask for in this flavor, which is the only one for them. */
static wide least_in(const struct engine *e, const struct demand *demand, uint16_t flavor,
                     uint32_t resource)
{
    const struct queue *queue = queue_at(e, demand->queue);
    const struct queue_group *group = queue_group_of(queue, resource);
    wide sum = 0;
    uint16_t only;

    for (uint32_t s = 0; s < demand->set_count; s++) {
        count_flavors(e, queue, &demand->sets[s], group, &only);
        if (only == flavor)
            sum += least_of(&demand->sets[s], resource);
    }
    return sum;
}

/* Of a pod set, and in whichever flavor, or in the only one. */
static bool lacks(const struct engine *e, const struct demand *demand, uint32_t set,
                  uint32_t resource, struct shortage *ret)
{
    const struct queue *queue = queue_at(e, demand->queue);
    const struct queue_group *group = queue_group_of(queue, resource);
    uint32_t count;

    *ret = (struct shortage){
        .placements = e->queues.placements, .flavor = FLAVOR_NONE, .resource = resource};
    if (group == NULL) /* counted by nobody, or never to be had */
        return false;
    count = count_flavors(e, queue, &demand->sets[set], group, &ret->flavor);
    if (count == 0) {
        ret->resource = 0;
        return true;
    }
    ret->amount = count == 1 ? least_in(e, demand, ret->flavor, resource)
                             : least_of(&demand->sets[set], resource);
    return ret->amount > 0 &&
           ret->amount > reach(e, demand->head, demand->queue, ret->flavor, resource, ret->amount);
}

bool shortage_find(const struct engine *e, uint32_t id, struct shortage *ret)
{
    const struct demand *demand = demand_at(e, id);

    for (uint32_t s = 0; s < demand->set_count; s++) {
        for (uint32_t i = 0; i < demand->sets[s].need_count; i++) {
            if (lacks(e, demand, s, demand->sets[s].needs[i].resource, ret))
                return true;
        }
    }
    return false;
}

/* Whether a demand stands before (below 0) or behind all that lack this, and no more of it. */
static int place(const struct engine *e, uint32_t id, const struct shortage *lacked, wide most)
{
    const struct shortage *shortage = &demand_at(e, id)->shortage;
    int order = compare_lacked(shortage, lacked);

    return order != 0 ? order : shortage->amount > most;
}

static uint32_t first_up_to(const struct engine *e, uint32_t id, const struct shortage *lacked,
                            wide most)
{
    uint32_t first, at;
    int order;

    while (id != 0 && (order = place(e, id, lacked, most)) != 0)
        id = order < 0 ? demand_link(e, id)->right : demand_link(e, id)->left;
    if (id == 0)
        return 0;
    first = id;
    for (at = demand_link(e, id)->left; at != 0;) {
        if (place(e, at, lacked, most) < 0) {
            at = demand_link(e, at)->right;
            continue;
        }
        first = shortage_first_of(
            e, first, shortage_first_of(e, at, first_below(e, demand_link(e, at)->right)));
        at = demand_link(e, at)->left;
    }
    for (at = demand_link(e, id)->right; at != 0;) {
        if (place(e, at, lacked, most) > 0) {
            at = demand_link(e, at)->left;
            continue;
        }
        first = shortage_first_of(
            e, first, shortage_first_of(e, at, first_below(e, demand_link(e, at)->left)));
        at = demand_link(e, at)->right;
    }
    return first;
}

/* Those that come behind one have no longer a reach than it has. */
static uint32_t first_lacking(const struct engine *e, uint32_t queue, const struct shortage *lacked)
{
    uint32_t root = queue_at(e, queue)->cluster.short_of;
    uint32_t asker = first_up_to(e, root, lacked, 2 * HEADROOM_UNLIMITED), found;
    wide most;

    if (lacked->placements != e->queues.placements)
        return asker;
    while (lacked->resource != 0) {
        most = reach(e, demand_at(e, asker)->head, queue, lacked->flavor, lacked->resource,
                     HEADROOM_UNLIMITED);
        found = first_up_to(e, root, lacked, most);
        if (found == 0 || found == asker)
            return found;
        asker = found;
    }
    return 0;
}

static uint32_t first_behind(const struct engine *e, uint32_t id, const struct shortage *lacked)
{
    uint32_t found = 0;

    while (id != 0) {
        if (compare_lacked(&demand_at(e, id)->shortage, lacked) > 0) {
            found = id;
            id = demand_link(e, id)->left;
        } else {
            id = demand_link(e, id)->right;
        }
    }
    return found;
}

uint32_t shortage_first(const struct engine *e, uint32_t queue)
{
    uint32_t root = queue_at(e, queue)->cluster.short_of, first = 0;

    for (uint32_t id = tree_first(&demands_by_shortage, e, root); id != 0;
         id = first_behind(e, root, &demand_at(e, id)->shortage))
        first = shortage_first_of(e, first, first_lacking(e, queue, &demand_at(e, id)->shortage));
    return first;
}

const char *shortage_check(const struct engine *e, uint32_t id)
{
    const struct demand *demand = demand_at(e, id);
    const struct shortage *shortage = &demand->shortage;
    bool found = false;

    if (shortage->first != first_with(e, id))
        return "a demand that lacks something knows who comes first of those below it";
    if (shortage->placements > e->queues.placements)
        return "what a demand lacks was found before now";
    if (shortage->placements < e->queues.placements || shortage->resource == 0)
        return NULL;
    for (uint32_t s = 0; s < demand->set_count; s++)
        found = found || shortage->amount ==
                             (shortage->flavor == FLAVOR_NONE
                                  ? least_of(&demand->sets[s], shortage->resource)
                                  : least_in(e, demand, shortage->flavor, shortage->resource));
    return found ? NULL : "a demand asks for no less than it lacks";
}
