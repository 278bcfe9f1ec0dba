/* SPDX-License-Identifier: Apache-2.0 */
#include "workload_next.h"

#include "plugin/order/contest.h"
#include "plugin/order/turn.h"
#include "plugin/queues/admission_check.h"
#include "plugin/state.h"
#include "plugin/workloads/workload_refusal.h"
#include "plugin/workloads/workload_settle.h"
#include "review.h"
#include "workload_decide.h"

/* What a decision costs of a slice, counted in claims. */
enum { DECIDE_COST = 8 };

/* The signal says whether its gates alone keep it from preempting. True: they do not. */
static bool passes_gates(struct engine *e, const struct decision *decision)
{
    struct workload *workload = workload_at(e, decision->workload);
    bool preempts = decision->what == DECIDE_PREEMPTS && !decision->waits_only;
    bool blocked = workload_is(workload, WORKLOAD_BLOCKED), passes;
    enum signal signal;

    passes = preemption_gates_pass(&workload->gates, e->config.preemption_gates, preempts, &signal);
    workload_set(workload, WORKLOAD_BLOCKED,
                 signal == SIGNAL_STAYS ? workload_is(workload, WORKLOAD_SIGNALS)
                                        : signal == SIGNAL_SET);
    if (blocked != workload_is(workload, WORKLOAD_BLOCKED))
        workload_settle(e, decision->workload); /* another one may be first, and change the rest */
    return !preempts || passes;
}

/* Neither this one nor who comes behind it in its demand could take anybody's room: so they do not
 * signal that they would. True: where gates do not count, somebody still does. */
static bool end_signals(struct engine *e, struct decision decision)
{
    bool signals = false;

    for (uint32_t next; decision.workload != 0; decision.workload = next) {
        next = tree_next(&workloads_by_rank, e, decision.workload);
        passes_gates(e, &decision);
        signals = signals || workload_is(workload_at(e, decision.workload), WORKLOAD_BLOCKED);
    }
    return signals;
}

/* What would become of the first of this demand. True: something would. Who is gated does not keep
 * the others of its demand from saying the same. */
static bool ask_demand(struct engine *e, uint32_t id, bool alone, struct decision *ret)
{
    bool signals = false;

    for (uint32_t workload = demand_at(e, id)->head; workload != 0;
         workload = tree_next(&workloads_by_rank, e, workload)) {
        workload_decide(e, workload, ret);
        if (passes_gates(e, ret)) {
            if (ret->what != DECIDE_NOTHING)
                return true;
            signals = signals || workload_is(workload_at(e, workload), WORKLOAD_BLOCKED);
            if (demand_at(e, id)->signals)
                signals = end_signals(e, *ret) || signals;
            demand_set_signals(e, id, signals);
            return false;
        }
        signals = true;
        demand_set_signals(e, id, true);
        if (alone)
            break;
    }
    return false;
}

/* The head of this demand is refused; `gated`: because of its gates alone. */
static void refuse(struct engine *e, uint32_t demand, bool gated)
{
    enum workload_refusal why = WORKLOAD_REFUSAL_GATED;

    if (!e->config.waiting_reasons)
        return;
    if (!gated)
        why = workload_decide_ever(e, demand) ? WORKLOAD_REFUSAL_QUOTA : WORKLOAD_REFUSAL_NEVER;
    workload_refusal_note(e, demand, why);
}

/* The first of the queue for whom something would come of it; who is refused is put aside. Only
 * that uses up the budget: so whoever goes on later has less to look at. */
static bool ask_queue(struct engine *e, uint32_t id, uint32_t *budget, struct decision *ret)
{
    const struct queue *queue = queue_at(e, id);
    uint64_t change = cluster_queue_change(e, id);

    if (queue->cluster.waiting == 0 || cluster_queue_fault(e, id, NULL) != CLUSTER_QUEUE_READY ||
        queue_stops(e, id) != REASON_NONE || turn_is_pods(e, id))
        return false;
    if (queue->strict) {
        uint32_t head = tree_first(&claims_by_rank, e, queue->cluster.waiting);
        uint32_t demand = workload_at(e, head)->demand;

        if (claim_is_promised(claim_at(e, head)) || demand_at(e, demand)->refused >= change)
            return false;
        if (ask_demand(e, demand, true, ret))
            return true;
        refuse(e, demand, ret->what == DECIDE_PREEMPTS);
        demand_refuse(e, demand, change);
        *budget -= *budget > 0;
        return false;
    }
    for (uint32_t demand; *budget > 0 && (demand = demand_first(e, id, change)) != 0; --*budget) {
        if (demand_pass_over(e, demand, change)) {
            refuse(e, demand, false);
            continue;
        }
        if (ask_demand(e, demand, false, ret))
            return true;
        refuse(e, demand, ret->what == DECIDE_PREEMPTS);
        demand_refuse(e, demand, change);
    }
    return false;
}

/* The order between queues. */
static bool comes_first(const struct engine *e, const struct decision *a, const struct decision *b)
{
    const struct claim *x = claim_at(e, a->workload), *y = claim_at(e, b->workload);
    bool borrows_a = a->made.height > 0, borrows_b = b->made.height > 0;

    if (borrows_a != borrows_b)
        return !borrows_a;
    if (x->priority != y->priority)
        return x->priority > y->priority;
    if (x->queued != y->queued)
        return x->queued < y->queued;
    return text_compare(name_text(e, queue_at(e, claim_queue(e, a->workload))->name),
                        name_text(e, queue_at(e, claim_queue(e, b->workload))->name)) < 0;
}

static void find_next(struct engine *e, uint32_t root, uint32_t *budget, struct decision *best)
{
    struct decision decision;

    for (uint32_t id = root; id != 0; id = queue_after(e, id, root)) {
        if (queue_at(e, id)->first_child == 0 && queue_at(e, id)->kind == QUEUE_CLUSTER &&
            ask_queue(e, id, budget, &decision) &&
            (best->what == DECIDE_NOTHING || comes_first(e, &decision, best)))
            *best = decision;
    }
}

static void act(struct engine *e, const struct decision *decision, uint32_t *budget)
{
    if (decision->what == DECIDE_FITS)
        workload_decide_reserve(e, decision->workload, &decision->made);
    else
        workload_decide_preempt(e, decision);
    *budget -= *budget < DECIDE_COST ? *budget : DECIDE_COST;
}

/* The order between queues, of a workload and a claim. */
static bool comes_before_claim(const struct engine *e, const struct decision *decision,
                               uint32_t claim, bool claim_borrows)
{
    bool borrows = decision->made.height > 0;

    return borrows != claim_borrows ? claim_borrows
                                    : !claim_is_before(e, claim, decision->workload);
}

/* The first workload below a root of whom something becomes. Nobody: there is nothing left to do.
 * False: that is not known yet, as who is promised something came first, or the budget ended before
 * all were asked. */
static bool find_first(struct engine *e, uint32_t root, uint32_t *budget, struct decision *ret)
{
    ret->what = DECIDE_NOTHING;
    if (review_workloads(e, root)) {
        --*budget;
        return false;
    }
    find_next(e, root, budget, ret);
    if (*budget == 0)
        return false;
    if (ret->what == DECIDE_NOTHING)
        queue_done(e, TODO_WORKLOADS, root);
    return true;
}

bool workload_next_before(struct engine *e, uint32_t claim, const uint16_t *flavors,
                          uint32_t *budget)
{
    uint32_t queue = claim_queue(e, claim);
    struct decision first;

    if (!cluster_queue_is_to_ask(e, queue))
        return false;
    if (!find_first(e, queue_root(e, queue), budget, &first))
        return true;
    if (first.what == DECIDE_NOTHING ||
        !comes_before_claim(e, &first, claim, contest_borrows(e, claim, flavors)))
        return false;
    act(e, &first, budget);
    return true;
}

uint32_t workload_next_some(struct engine *e, uint32_t budget)
{
    struct decision first;
    uint32_t root;

    while (budget > 0 && (root = queue_todo_root(e, TODO_WORKLOADS)) != 0) {
        if (find_first(e, root, &budget, &first) && first.what != DECIDE_NOTHING)
            act(e, &first, &budget);
    }
    return budget;
}
