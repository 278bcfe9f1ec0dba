/* SPDX-License-Identifier: Apache-2.0 */
#include "reclaim.h"

#include "asking.h"
#include "assign.h"
#include "plugin/capacity/quota.h"
#include "plugin/claims/promise.h"
#include "plugin/claims/removable.h"
#include "plugin/order/fit.h"
#include "plugin/order/turn.h"
#include "plugin/queues/admission_check.h"
#include "plugin/state.h"
#include "policy.h"
#include "workload_decide.h"

/* Of so many kinds of workloads of a queue that wait it is known whether they could reclaim. */
enum { RECLAIM_LOOKS = 64 };

/* Whether the queue could hold within its share what arrives at it, of all that the victim used. */
static bool holds(const struct engine *e, uint32_t id, struct reclaim_amount *amounts,
                  uint32_t count)
{
    const struct queue *queue = queue_at(e, id);
    bool all = true;

    for (uint32_t i = 0; i < count; i++) {
        struct reclaim_amount *amount = &amounts[i];
        const struct cell *cell = quota_cell(queue, amount->flavor, amount->resource);

        if (amount->used > 0)
            all = quota_would_hold(queue, cell, &amount->arrives) && all;
    }
    return all;
}

/* At some queue below the common one. */
static bool comes_back(const struct engine *e, uint32_t id, uint32_t common,
                       struct reclaim_amount *amounts, uint32_t count)
{
    for (; id != common; id = queue_at(e, id)->parent) {
        if (holds(e, id, amounts, count))
            return true;
    }
    return false;
}

/* Those of its queue that the victim could send away itself are thought away (-1), or back. */
static void count_own(struct engine *e, uint32_t victim, const struct removable_wanted *wanted,
                      int sign)
{
    uint32_t queue = claim_queue(e, victim), group = claim_group(e, claim_at(e, victim));
    enum preempt_whom within = queue_at(e, queue)->preempts.within;
    struct policy_rank rank = policy_rank_of(e, victim);

    for (uint32_t id = removable_first(e, queue, wanted);
         id != 0 && !policy_takes_nobody_behind(e, rank, id, within);
         id = removable_after(e, id, wanted)) {
        if (!pledge_at(e, id)->removed && policy_takes(e, rank, group, id, within))
            promise_count(e, id, sign);
    }
}

bool reclaim_takes_back(struct engine *e, uint32_t victim, uint32_t common,
                        struct reclaim_amount *amounts, uint32_t count)
{
    uint32_t queue = claim_queue(e, victim);
    struct removable_wanted wanted = {0};
    bool comes;

    if (queue_at(e, queue)->preempts.reclaim != PREEMPT_ANY)
        return false;
    for (uint32_t i = 0; i < count; i++)
        wanted.uses |= removable_uses(amounts[i].flavor, amounts[i].resource);
    count_own(e, victim, &wanted, -1);
    comes = comes_back(e, queue, common, amounts, count);
    count_own(e, victim, &wanted, 1);
    return comes;
}

static wide claim_asks(const struct engine *e, uint32_t id, uint32_t resource)
{
    return line_asks(e, claim_line(e, id), resource);
}

/* With as few pods as it takes. */
static wide demand_asks(const struct engine *e, uint32_t id, uint32_t resource)
{
    const struct demand *demand = demand_at(e, id);
    wide sum = 0;

    for (uint32_t s = 0; s < demand->set_count; s++)
        sum += (wide)assign_set_asks(&demand->sets[s], resource) * demand->sets[s].minimum;
    return sum;
}

/* What a borrower would have, and the queue of somebody who waits, as a search for such sees it. */
struct waiters {
    struct engine *e;
    uint32_t queue, common;
    const struct claim_need *asked;
    uint32_t count;
};

/* Whether one that waits there could reclaim some of it; asks: what that one would have. */
static bool could_reclaim(const struct waiters *waiters, uint32_t id,
                          wide (*asks)(const struct engine *e, uint32_t id, uint32_t resource))
{
    struct reclaim_amount amounts[ASSIGN_MAX_AMOUNTS];
    bool any = false;

    for (uint32_t i = 0; i < waiters->count; i++) {
        const struct claim_need *asked = &waiters->asked[i];
        wide amount = asked->amount > 0 ? asks(waiters->e, id, asked->resource) : 0;

        amounts[i] = (struct reclaim_amount){asked->flavor, asked->resource, amount, amount};
        any = any || amount > 0;
    }
    return any && comes_back(waiters->e, waiters->queue, waiters->common, amounts, waiters->count);
}

static bool some_claim_could(const struct waiters *waiters)
{
    const struct engine *e = waiters->e;
    struct asking asking = {0};

    if (queue_stops(e, waiters->queue) == REASON_NONE)
        asking_find(e, waiters->queue, &asking);
    for (uint32_t i = 0; i < asking.count; i++) {
        uint32_t id = asking.claims[i];

        if (could_reclaim(waiters, id, claim_asks) && fit_ever(e, claim_at(e, id)->line))
            return true;
    }
    return false;
}

static bool demand_could(const struct waiters *waiters, uint32_t id)
{
    return could_reclaim(waiters, id, demand_asks) && workload_decide_ever(waiters->e, id);
}

/* Among the first of a tree of demands. */
static bool some_demand_could(const struct waiters *waiters, const struct tree_type *type,
                              uint32_t root)
{
    uint32_t id = tree_first(type, waiters->e, root);

    for (uint32_t n = 0; id != 0 && n < RECLAIM_LOOKS; id = tree_next(type, waiters->e, id), n++) {
        if (demand_could(waiters, id))
            return true;
    }
    return false;
}

static bool some_workload_could(const struct waiters *waiters)
{
    const struct engine *e = waiters->e;
    const struct queue *queue = queue_at(e, waiters->queue);
    uint32_t head = tree_first(&claims_by_rank, e, queue->cluster.waiting);

    if (head == 0 || queue_stops(e, waiters->queue) != REASON_NONE ||
        cluster_queue_fault(e, waiters->queue, NULL) != CLUSTER_QUEUE_READY)
        return false;
    if (queue->strict)
        return !turn_is_pods(e, waiters->queue) && !claim_is_promised(claim_at(e, head)) &&
               demand_could(waiters, workload_at(e, head)->demand);
    return some_demand_could(waiters, &demands_by_head, queue->cluster.demands) ||
           some_demand_could(waiters, &demands_by_shortage, queue->cluster.short_of);
}

/* In this queue and below. */
static bool some_below_could(struct waiters *waiters, uint32_t top)
{
    for (uint32_t id = top; id != 0; id = queue_after(waiters->e, id, top)) {
        const struct queue *queue = queue_at(waiters->e, id);

        waiters->queue = id;
        if (queue->first_child == 0 && queue->preempts.reclaim == PREEMPT_ANY &&
            (some_claim_could(waiters) || some_workload_could(waiters)))
            return true;
    }
    return false;
}

bool reclaim_is_awaited(struct engine *e, uint32_t borrower, const struct claim_need *asked,
                        uint32_t count)
{
    for (uint32_t below = borrower, up = queue_at(e, borrower)->parent; up != 0;
         below = up, up = queue_at(e, up)->parent) {
        struct waiters waiters = {e, 0, up, asked, count};

        for (uint32_t child = queue_at(e, up)->first_child; child != 0;
             child = queue_at(e, child)->next_sibling) {
            if (child != below && some_below_could(&waiters, child))
                return true;
        }
    }
    return false;
}
