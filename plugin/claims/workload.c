/* SPDX-License-Identifier: Apache-2.0 */
#include "workload.h"

#include "plugin/grant/assign.h"
#include "plugin/grant/workload_promise.h"
#include "plugin/order/contest.h"
#include "plugin/state.h"
#include "turn.h"

static struct tree_link *link_of(const void *ctx, uint32_t id)
{
    return &workload_at(ctx, id)->link;
}

static struct tree_link *peer_of(const void *ctx, uint32_t id)
{
    return &workload_at(ctx, id)->peer;
}

/* Objects have uids of their own; messages may say the same one twice. */
static int compare_identity(const struct engine *e, const struct workload *x,
                            const struct workload *y)
{
    int order = text_compare(name_text(e, x->uid), name_text(e, y->uid));

    if (order == 0)
        order = text_compare(name_text(e, x->space), name_text(e, y->space));
    return order != 0 ? order : text_compare(name_text(e, x->name), name_text(e, y->name));
}

int workload_compare_rank(const struct engine *e, uint32_t a, uint32_t b)
{
    const struct workload *x = workload_at(e, a), *y = workload_at(e, b);

    if (x->priority != y->priority)
        return x->priority > y->priority ? -1 : 1;
    if (x->since != y->since)
        return x->since < y->since ? -1 : 1;
    return compare_identity(e, x, y);
}

static int compare_rank(const void *ctx, uint32_t a, uint32_t b)
{
    return workload_compare_rank(ctx, a, b);
}

static int compare_holders(const void *ctx, uint32_t a, uint32_t b)
{
    const struct engine *e = ctx;
    const struct workload *x = workload_at(e, a), *y = workload_at(e, b);

    if (x->priority != y->priority)
        return x->priority < y->priority ? -1 : 1;
    if (x->stamp != y->stamp)
        return x->stamp > y->stamp ? -1 : 1;
    return compare_identity(e, x, y);
}

const struct tree_type workloads_by_rank = {peer_of, compare_rank, NULL};
const struct tree_type workloads_of_queue = {link_of, compare_rank, NULL};
const struct tree_type workloads_that_hold = {link_of, compare_holders, NULL};

bool workload_before(const void *ctx, uint32_t a, uint32_t b)
{
    const struct engine *e = ctx;

    return compare_identity(e, workload_at(e, a), workload_at(e, b)) < 0;
}

struct name_question {
    const struct engine *e;
    struct text space, name;
};

static bool same_name(const void *ctx, uint32_t id)
{
    const struct name_question *q = ctx;
    const struct workload *workload = workload_at(q->e, id);

    return text_same(name_text(q->e, workload->name), q->name) &&
           text_same(name_text(q->e, workload->space), q->space);
}

uint32_t workload_name_hash(struct text space, struct text name)
{
    return hash_bytes(name.at, name.len, hash_bytes(space.at, space.len, 19));
}

uint32_t workload_find(const struct engine *e, struct text space, struct text name)
{
    struct name_question q = {e, space, name};

    return index_find(&e->workloads_by_name, workload_name_hash(space, name), same_name, &q);
}

uint32_t workload_queue(const struct engine *e, uint32_t id)
{
    return demand_at(e, workload_at(e, id)->demand)->queue;
}

/* What a pod set is granted of one of its needs. */
static wide amount_of(const struct workload *workload, const struct demand *demand, uint32_t set,
                      uint32_t need)
{
    return (wide)demand->asks[set].needs[need].amount * workload->counts[set];
}

static void charge(struct engine *e, uint32_t id, int reserved, int allocated, int later)
{
    const struct workload *workload = workload_at(e, id);
    const struct demand *demand = demand_at(e, workload->demand);
    const uint16_t *flavors = workload_flavors(workload, demand->set_count);

    for (uint32_t s = 0; s < demand->set_count; s++) {
        for (uint32_t i = 0; i < demand->asks[s].need_count; i++) {
            wide amount = amount_of(workload, demand, s, i);

            quota_charge(e, demand->queue, flavors[demand->sets[s].at + i],
                         demand->asks[s].needs[i].resource, reserved * amount, allocated * amount,
                         later * amount, false);
        }
    }
}

void workload_count_later(struct engine *e, uint32_t id, int sign)
{
    charge(e, id, 0, 0, sign);
}

/* With the pods that it holds, or with as few of them as it takes. */
static wide sum_of(const struct engine *e, uint32_t id, uint16_t flavor, uint32_t resource,
                   bool least)
{
    const struct workload *workload = workload_at(e, id);
    const struct demand *demand = demand_at(e, workload->demand);
    const uint16_t *flavors = workload_flavors(workload, demand->set_count);
    wide sum = 0;

    for (uint32_t s = 0; s < demand->set_count; s++) {
        const struct assign_set *set = &demand->asks[s];
        bool fewer = least && set->minimum < workload->counts[s];

        for (uint32_t i = 0; i < set->need_count; i++) {
            if (set->needs[i].resource == resource && flavors[demand->sets[s].at + i] == flavor)
                sum += fewer ? (wide)set->needs[i].amount * set->minimum
                             : amount_of(workload, demand, s, i);
        }
    }
    return sum;
}

wide workload_amount(const struct engine *e, uint32_t id, uint16_t flavor, uint32_t resource)
{
    return sum_of(e, id, flavor, resource, false);
}

wide workload_least_amount(const struct engine *e, uint32_t id, uint16_t flavor, uint32_t resource)
{
    return sum_of(e, id, flavor, resource, true);
}

void workload_set_flavors(struct engine *e, uint32_t id, const struct assignment *made)
{
    struct workload *workload = workload_at(e, id);
    const struct demand *demand = demand_at(e, workload->demand);
    uint16_t *flavors = workload_flavors(workload, demand->set_count);

    for (uint32_t s = 0; s < demand->set_count; s++) {
        workload->counts[s] = made == NULL ? 0 : made->counts[s];
        for (uint32_t i = 0; i < demand->asks[s].need_count; i++) {
            uint16_t next = made == NULL ? (uint16_t)FLAVOR_NONE : made->needs[s][i].flavor;

            flavor_ref(e, next);
            flavor_unref(e, flavors[demand->sets[s].at + i]);
            flavors[demand->sets[s].at + i] = next;
        }
    }
}

/* Counts it in its LocalQueue and its queue, or (-1) no longer. */
static void count(struct engine *e, uint32_t id, int more)
{
    const struct workload *workload = workload_at(e, id);
    uint32_t *counts = local_queue_at(e, workload->local_queue)->counts,
             queue = workload_queue(e, id);
    bool holds = workload_holds(workload), admitted = holds && workload->state == CLAIM_ALLOCATED;

    counts[LOCAL_PENDING] += holds ? 0 : (uint32_t)more;
    counts[LOCAL_RESERVING] += holds ? (uint32_t)more : 0;
    counts[LOCAL_ADMITTED] += admitted ? (uint32_t)more : 0;
    if (queue == 0)
        return;
    e->workloads_apart += holds != workload_counts_later(workload) ? (uint32_t)more : 0;
    queue_at(e, queue)->cluster.admitted += admitted ? (uint32_t)more : 0;
    cluster_queue_count(e, queue, holds || workload_is(workload, WORKLOAD_PROMISED) ? more : 0,
                        !holds && workload->state == CLAIM_WAITING ? more : 0);
}

/* Others in the tree have more room, or less. */
static void others_see(struct engine *e, uint32_t id)
{
    uint32_t queue = workload_queue(e, id);

    if (workload_holds(workload_at(e, id))) {
        contest_refresh(e, queue);
        queue_victims_changed(e, queue);
    }
}

void workload_take_out(struct engine *e, uint32_t id)
{
    struct workload *workload = workload_at(e, id);
    uint32_t queue = workload_queue(e, id);

    if (!workload_is(workload, WORKLOAD_PLACED))
        return;
    e->workload_moves++;
    count(e, id, -1);
    if (queue != 0 && workload_holds(workload)) {
        tree_remove(&workloads_that_hold, e, &queue_at(e, queue)->cluster.holding, id);
        charge(e, id, -(workload->state == CLAIM_RESERVED), -(workload->state == CLAIM_ALLOCATED),
               -workload_counts_later(workload));
        others_see(e, id);
    } else if (queue != 0 && workload->state == CLAIM_WAITING) {
        backlog_count_demand(e, workload->demand, -1);
        if (workload_is(workload, WORKLOAD_PROMISED))
            charge(e, id, 0, 0, -1);
        else
            demand_leave(e, id);
        if (queue_at(e, queue)->strict) /* the next one may be its head now, and be asked */
            cluster_queue_has_newcomer(e, queue);
        tree_remove(&workloads_of_queue, e, &queue_at(e, queue)->cluster.waiting, id);
        if (queue_at(e, queue)->cluster.waiting == 0)
            cluster_queue_is_deserted(e, queue);
        if (queue_at(e, queue)->strict) /* whoever comes behind it is the head now */
            cluster_queue_has_newcomer(e, queue);
        turn_changes(e, queue);
    } else if (queue != 0) {
        tree_remove(&workloads_of_queue, e, &queue_at(e, queue)->cluster.held, id);
    }
    workload_set(workload, WORKLOAD_PLACED, false);
}

void workload_put_in(struct engine *e, uint32_t id)
{
    struct workload *workload = workload_at(e, id);
    uint32_t queue = workload_queue(e, id);

    e->workload_moves++;
    workload_set(workload, WORKLOAD_PLACED, true);
    count(e, id, 1);
    if (queue != 0 && workload_holds(workload)) {
        tree_insert(&workloads_that_hold, e, &queue_at(e, queue)->cluster.holding, id);
        charge(e, id, workload->state == CLAIM_RESERVED, workload->state == CLAIM_ALLOCATED,
               workload_counts_later(workload));
        others_see(e, id);
    } else if (queue != 0 && workload->state == CLAIM_WAITING) {
        tree_insert(&workloads_of_queue, e, &queue_at(e, queue)->cluster.waiting, id);
        turn_changes(e, queue);
        backlog_count_demand(e, workload->demand, 1);
        if (workload_is(workload, WORKLOAD_PROMISED))
            charge(e, id, 0, 0, 1);
        else
            demand_join(e, id);
    } else if (queue != 0) {
        tree_insert(&workloads_of_queue, e, &queue_at(e, queue)->cluster.held, id);
    }
}

void workload_count_release(struct engine *e, uint32_t id)
{
    if (workload_queue(e, id) != 0)
        queue_at(e, workload_queue(e, id))->totals.gave_up++;
}

void workload_retract(struct engine *e, uint32_t id)
{
    struct workload *workload = workload_at(e, id);

    workload_promise_end(e, id);
    if (!workload_is(workload, WORKLOAD_ASSUMED))
        return;
    workload_take_out(e, id);
    workload_set(workload, WORKLOAD_ASSUMED, false);
    workload_promise_lose_victim(e, id);
    workload->state = CLAIM_WAITING;
    workload_set_flavors(e, id, NULL);
    workload_put_in(e, id);
    queue_todo(e, TODO_DIRTY, queue_root(e, workload_queue(e, id)));
}

void workload_give_up(struct engine *e, uint32_t id)
{
    if (workload_is(workload_at(e, id), WORKLOAD_ASSUMED))
        workload_count_release(e, id);
    workload_retract(e, id);
}
