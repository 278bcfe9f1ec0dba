/* SPDX-License-Identifier: Apache-2.0 */
#include "workload_change.h"

#include "plugin/order/contest.h"
#include "plugin/order/turn.h"
#include "plugin/records/queue_count.h"
#include "plugin/state.h"
#include "promise.h"

/* What it holds, or is promised, begins (1) or ceases (-1) to count in its queue. */
static void charge(struct engine *e, uint32_t id, int sign)
{
    uint32_t queue = claim_queue(e, id);
    int reserved = claim_at(e, id)->state == CLAIM_RESERVED;
    int allocated = claim_at(e, id)->state == CLAIM_ALLOCATED;
    bool later = workload_counts_later(e, id);
    struct claim_need need;

    for (uint32_t i = 0; claim_need(e, id, i, &need); i++) {
        wide amount = sign * need.amount;

        quota_charge(e, queue, need.flavor, need.resource, reserved * amount, allocated * amount,
                     later * amount, false);
    }
}

void workload_set_flavors(struct engine *e, uint32_t id, const struct assignment *made)
{
    struct workload *workload = workload_at(e, id);
    const struct demand *demand = demand_at(e, workload->demand);
    uint16_t *flavors = workload_flavors(workload, demand->set_count);

    for (uint32_t s = 0; s < demand->set_count; s++) {
        workload->counts[s] = made == NULL ? 0 : made->counts[s];
        for (uint32_t i = 0; i < demand->sets[s].need_count; i++) {
            uint16_t next = made == NULL ? (uint16_t)FLAVOR_NONE : made->needs[s][i].flavor;

            flavor_ref(e, next);
            flavor_unref(e, flavors[demand->set_details[s].at + i]);
            flavors[demand->set_details[s].at + i] = next;
        }
    }
}

void workload_count_idle(struct engine *e, uint32_t id, int more)
{
    uint32_t queue = claim_queue(e, id);

    if (!workload_is(workload_at(e, id), WORKLOAD_PLACED) || workload_holds(e, id) ||
        !workload_is_idle(e, id))
        return;
    local_queue_at(e, workload_at(e, id)->local_queue)->counts[LOCAL_IDLE] += (uint32_t)more;
    if (queue != 0)
        queue_at(e, queue)->cluster.idle += (uint32_t)more;
}

/* Counts it in its LocalQueue and its queue, or (-1) no longer. */
static void count(struct engine *e, uint32_t id, int more)
{
    const struct workload *workload = workload_at(e, id);
    uint32_t *counts = local_queue_at(e, workload->local_queue)->counts, queue = claim_queue(e, id);
    bool holds = workload_holds(e, id),
         admitted = holds && claim_at(e, id)->state == CLAIM_ALLOCATED;

    workload_count_idle(e, id, more);
    counts[LOCAL_PENDING] += holds ? 0 : (uint32_t)more;
    counts[LOCAL_RESERVING] += holds ? (uint32_t)more : 0;
    counts[LOCAL_ADMITTED] += admitted ? (uint32_t)more : 0;
    if (queue == 0)
        return;
    e->claims.promises.apart += holds != workload_counts_later(e, id) ? (uint32_t)more : 0;
    queue_at(e, queue)->cluster.admitted += admitted ? (uint32_t)more : 0;
    queue_count_workloads(e, queue, holds || claim_is_promised(claim_at(e, id)) ? more : 0,
                          !holds && claim_at(e, id)->state == CLAIM_WAITING ? more : 0);
}

/* Others in the tree have more room, or less. */
static void others_see(struct engine *e, uint32_t id)
{
    uint32_t queue = claim_queue(e, id);

    if (workload_holds(e, id)) {
        contest_refresh(e, queue);
        queue_victims_changed(e, queue);
    }
}

void workload_take_out(struct engine *e, uint32_t id)
{
    struct workload *workload = workload_at(e, id);
    uint32_t queue = claim_queue(e, id);

    if (!workload_is(workload, WORKLOAD_PLACED))
        return;
    count(e, id, -1);
    if (queue != 0 && workload_holds(e, id)) {
        removable_leave(e, id);
        tree_remove(&workloads_that_hold, e, &queue_at(e, queue)->cluster.holding, id);
        charge(e, id, -1);
        others_see(e, id);
    } else if (queue != 0 && claim_at(e, id)->state == CLAIM_WAITING) {
        backlog_count_demand(e, workload->demand, -1);
        if (claim_is_promised(claim_at(e, id)))
            charge(e, id, -1);
        else
            demand_leave(e, id);
        tree_remove(&claims_by_rank, e, &queue_at(e, queue)->cluster.waiting, id);
        if (queue_at(e, queue)->preempts.reclaim == PREEMPT_ANY) {
            cluster_queue_asks_less(e, queue);
            queue_victims_changed(e, queue);
        }
        if (queue_at(e, queue)->strict) /* the next one may be its head now, and be asked */
            cluster_queue_has_newcomer(e, queue);
        turn_changes(e, queue);
    } else if (queue != 0) {
        tree_remove(&claims_by_rank, e, &queue_at(e, queue)->cluster.held, id);
    }
    workload_set(workload, WORKLOAD_PLACED, false);
}

void workload_put_in(struct engine *e, uint32_t id)
{
    struct workload *workload = workload_at(e, id);
    uint32_t queue = claim_queue(e, id);

    workload_set(workload, WORKLOAD_PLACED, true);
    count(e, id, 1);
    if (queue != 0 && workload_holds(e, id)) {
        tree_insert(&workloads_that_hold, e, &queue_at(e, queue)->cluster.holding, id);
        removable_review(e, id);
        charge(e, id, 1);
        others_see(e, id);
    } else if (queue != 0 && claim_at(e, id)->state == CLAIM_WAITING) {
        tree_insert(&claims_by_rank, e, &queue_at(e, queue)->cluster.waiting, id);
        turn_changes(e, queue);
        backlog_count_demand(e, workload->demand, 1);
        if (claim_is_promised(claim_at(e, id)))
            charge(e, id, 1);
        else
            demand_join(e, id);
        cluster_queue_asks_more(e, queue);
    } else if (queue != 0) {
        tree_insert(&claims_by_rank, e, &queue_at(e, queue)->cluster.held, id);
    }
}

void workload_count_release(struct engine *e, uint32_t id)
{
    if (claim_queue(e, id) != 0)
        queue_at(e, claim_queue(e, id))->totals.gave_up++;
}

void workload_retract(struct engine *e, uint32_t id)
{
    struct workload *workload = workload_at(e, id);

    promise_end(e, id);
    if (!workload_is(workload, WORKLOAD_ASSUMED))
        return;
    workload_take_out(e, id);
    workload_set(workload, WORKLOAD_ASSUMED, false);
    promise_lose_victim(e, id);
    claim_at(e, id)->state = CLAIM_WAITING;
    workload_set_flavors(e, id, NULL);
    workload_put_in(e, id);
    queue_todo(e, TODO_DIRTY, queue_root(e, claim_queue(e, id)));
}

void workload_give_up(struct engine *e, uint32_t id)
{
    if (workload_is(workload_at(e, id), WORKLOAD_ASSUMED))
        workload_count_release(e, id);
    workload_retract(e, id);
}
