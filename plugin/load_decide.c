/* SPDX-License-Identifier: Apache-2.0 */
#include "load_decide.h"

#include "borrow.h"
#include "load_hunt.h"
#include "load_promise.h"
#include "load_refusal.h"
#include "wish.h"
#include "state.h"

enum { DECIDE_COST = 8 };

/* A decision about one workload, as the search for flavors sees it. */
struct search {
    struct engine *e;
    struct assign_ask ask;
    struct load_hunt hunt;

    /* What was found last, for what the hunt still says. */
    bool found, none;
};

static enum assign_how victims_of(void *ctx, uint16_t flavor, uint32_t resource, wide amount,
                                  uint32_t *ret_height)
{
    struct search *search = ctx;
    struct load_hunt *hunt = &search->hunt;
    enum assign_how how = ASSIGN_NO_VICTIMS;

    hunt->count = 1;
    hunt->needs[0] = (struct assign_amount){flavor, resource, amount};
    search->found = load_hunt_begin(hunt);
    search->none = hunt->last == 0;
    if (search->found) {
        how = load_hunt_reclaims(hunt) ? ASSIGN_RECLAIMS : ASSIGN_PREEMPTS;
        *ret_height = borrow_height_later(search->e, hunt->queue, flavor, resource, amount);
    }
    load_hunt_end(hunt);
    return how;
}

static bool same_needs(const struct load_hunt *hunt, const struct assign_amount *needs,
                       uint32_t count)
{
    for (uint32_t i = 0; i < count && count == hunt->count; i++) {
        if (needs[i].flavor != hunt->needs[i].flavor ||
            needs[i].resource != hunt->needs[i].resource ||
            needs[i].amount != hunt->needs[i].amount)
            return false;
    }
    return count == hunt->count;
}

/* Whether there are victims for all of it; search->none: none are needed. Mostly it is what was
 * looked for last: then they are known. */
static bool find_all(struct search *search, const struct assignment *made)
{
    struct load_hunt *hunt = &search->hunt;
    struct assign_amount needs[ASSIGN_MAX_AMOUNTS];
    uint32_t count = assign_total(&search->ask, made, needs);

    if (count > 0 && same_needs(hunt, needs, count))
        return search->found;
    hunt->count = count;
    memcpy(hunt->needs, needs, count * sizeof(*needs));
    search->found = load_hunt_begin(hunt);
    search->none = hunt->last == 0;
    load_hunt_end(hunt);
    return search->found;
}

static bool victims_of_all(void *ctx, const struct assignment *made)
{
    struct search *search = ctx;

    return find_all(search, made);
}

/* Of somebody who sends nobody away. */
static struct assign_ask ask_of(struct engine *e, uint32_t id)
{
    const struct wish *wish = wish_at(e, id);
    const struct queue *queue = queue_at(e, wish->queue);

    wish_judge(e, id);
    return (struct assign_ask){
        .e = e,
        .queue = wish->queue,
        .policy = {.skips_borrowing = queue->borrows_last,
                   .skips_preempting = queue->bay.preempts_last,
                   .borrows_least = queue->bay.borrows_least,
                   .preempts_while_borrowing = queue->preempts.while_borrowing},
        .set_count = wish->set_count,
        .sets = wish->asks,
    };
}

static void begin(struct engine *e, uint32_t id, struct search *search)
{
    uint32_t at = load_at(e, id)->wish;
    const struct wish *wish = wish_at(e, at);

    search->e = e;
    search->hunt.e = e;
    search->hunt.count = 0;
    search->hunt.load = id;
    search->hunt.queue = wish->queue;
    search->ask = ask_of(e, at);
    search->ask.victims = (struct assign_victims){search, victims_of, victims_of_all};
    if (wish->yields)
        search->ask.victims = (struct assign_victims){0};
}

void load_decide(struct engine *e, uint32_t id, struct decision *ret)
{
    struct search search;

    ret->what = DECIDE_NOTHING;
    ret->load = id;
    ret->waits_only = false;
    begin(e, id, &search);
    if (!assign_repeatedly(&search.ask, &ret->made))
        return;
    ret->what = ret->made.how == ASSIGN_FITS ? DECIDE_FITS : DECIDE_PREEMPTS;
    if (ret->what == DECIDE_FITS)
        return;
    ret->waits_only = find_all(&search, &ret->made) && search.none;
    ret->hunt = search.hunt.number;
    ret->moves = e->load_moves;
    ret->last = search.hunt.last;
}

bool load_decide_fits_elsewhere(struct engine *e, uint32_t id, uint32_t height,
                                struct assignment *ret)
{
    const struct bay *bay = &queue_at(e, load_queue(e, id))->bay;
    struct search search;

    if (!bay->preempts_last)
        return false;
    begin(e, id, &search);
    search.ask.victims = (struct assign_victims){0};
    return assign_repeatedly(&search.ask, ret) && ret->how == ASSIGN_FITS &&
           (!bay->borrows_least || ret->height <= height);
}

bool load_decide_ever(struct engine *e, uint32_t wish)
{
    struct assign_ask ask = ask_of(e, wish);
    struct assignment made;

    ask.ever = true;
    return assign_repeatedly(&ask, &made);
}

/* It took room: others that signal may have no victims any more, or some at last. */
static void took(struct engine *e, uint32_t id)
{
    bay_stir_excess(e, load_queue(e, id));
    bay_stir_choosers(e, load_queue(e, id));
    if (e->gated_wishes > 0)
        bay_stir(e, load_queue(e, id));
}

void load_decide_reserve(struct engine *e, uint32_t id, const struct assignment *made)
{
    struct load *load = load_at(e, id);

    load_take_out(e, id);
    load_set_flavors(e, id, made);
    load_set(load, LOAD_ASSUMED, true);
    load_set(load, LOAD_BLOCKED, false);
    load->state = CLAIM_RESERVED;
    load->stamp = e->now;
    load_put_in(e, id);
    queue_at(e, load_queue(e, id))->totals.granted++;
    took(e, id);
    load_settle(e, id);
}

/* Who goes for it; of each whom before it: load->hunt.prev. They are known from its decision,
 * unless others were looked for since, or anybody moved. */
static uint32_t find_victims(struct engine *e, const struct decision *decision)
{
    struct search search;

    if (decision->hunt == e->load_hunts && decision->moves == e->load_moves)
        return decision->last;
    begin(e, decision->load, &search);
    search.hunt.count = assign_total(&search.ask, &decision->made, search.hunt.needs);
    load_hunt_begin(&search.hunt);
    load_hunt_end(&search.hunt);
    return search.hunt.last;
}

uint32_t load_decide_victims(struct engine *e, const struct decision *decision,
                             struct load_name *ret_names, uint32_t max)
{
    uint32_t count = 0;

    for (uint32_t id = find_victims(e, decision); id != 0 && count < max;
         id = load_at(e, id)->hunt.prev) {
        const struct load *load = load_at(e, id);

        ret_names[count++] = (struct load_name){name_text(e, load->uid), name_text(e, load->space),
                                                name_text(e, load->name)};
    }
    return count;
}

static enum load_cause cause_of(uint8_t why)
{
    return why == LOAD_TAKEN_WITHIN            ? CAUSE_OWN_QUEUE
           : why == LOAD_TAKEN_WHILE_BORROWING ? CAUSE_RECLAIM_BORROWING
                                               : CAUSE_RECLAIM;
}

/* It is promised what its victims hold. */
static void preempt(struct engine *e, const struct decision *decision)
{
    uint32_t id = find_victims(e, decision), before;

    load_promise_make(e, decision->load, &decision->made);
    for (; id != 0; id = before) {
        before = load_at(e, id)->hunt.prev;
        load_promise_take(e, id, (uint8_t)cause_of(load_at(e, id)->hunt.why), decision->load);
    }
    load_settle(e, decision->load);
    bay_stir(e, load_queue(e, decision->load)); /* its victims may leave more than it takes */
}

/* The signal says whether its gates alone keep it from preempting. True: they do not. */
static bool passes_gates(struct engine *e, const struct decision *decision)
{
    struct load *load = load_at(e, decision->load);
    enum preemption_decision came = DECIDED_NO_VICTIMS;
    bool blocked = load_is(load, LOAD_BLOCKED), passes;
    enum signal signal;

    if (decision->what == DECIDE_FITS)
        came = DECIDED_RESERVES;
    else if (decision->what == DECIDE_PREEMPTS && !decision->waits_only)
        came = DECIDED_PREEMPTS;
    passes = preemption_gates_pass(&load->gates, e->config.preemption_gates, came, &signal);
    load_set(load, LOAD_BLOCKED,
             signal == SIGNAL_STAYS ? load_is(load, LOAD_SIGNALS) : signal == SIGNAL_SET);
    if (blocked != load_is(load, LOAD_BLOCKED)) /* another one may be first, and change the rest */
        load_settle(e, decision->load);
    else if (came == DECIDED_PREEMPTS && !passes && !blocked)
        load_settle(e, decision->load);
    return came != DECIDED_PREEMPTS || passes;
}

/* Neither this one nor who comes behind it in its wish could take anybody's room: so they do not
 * signal that they would. True: where gates do not count, somebody still does. */
static bool end_signals(struct engine *e, struct decision decision)
{
    bool signals = false;

    for (uint32_t next; decision.load != 0; decision.load = next) {
        next = tree_next(&loads_by_rank, e, decision.load);
        passes_gates(e, &decision);
        signals = signals || load_is(load_at(e, decision.load), LOAD_BLOCKED);
    }
    return signals;
}

/* What would become of the first of this wish. True: something would. Who is gated does not keep
 * the others of its wish from saying the same. */
static bool ask_wish(struct engine *e, uint32_t id, bool alone, struct decision *ret)
{
    bool signals = false;

    for (uint32_t load = wish_at(e, id)->head; load != 0;
         load = tree_next(&loads_by_rank, e, load)) {
        load_decide(e, load, ret);
        if (passes_gates(e, ret)) {
            if (ret->what != DECIDE_NOTHING)
                return true;
            signals = signals || load_is(load_at(e, load), LOAD_BLOCKED);
            if (wish_at(e, id)->signals)
                signals = end_signals(e, *ret) || signals;
            wish_set_signals(e, id, signals);
            return false;
        }
        signals = true;
        wish_set_signals(e, id, true);
        if (alone)
            break;
    }
    return false;
}

/* The first of the queue for whom something would come of it; who is refused is put aside. Only
 * that uses up the budget: so whoever goes on later has less to look at. */
static bool ask_queue(struct engine *e, uint32_t id, uint32_t *budget, struct decision *ret)
{
    const struct queue *queue = queue_at(e, id);
    uint64_t change = bay_change(e, id);
    struct text what;

    if (queue->bay.waiting == 0 || bay_fault(e, id, &what) != BAY_READY ||
        queue_stops(e, id) != REASON_NONE)
        return false;
    if (queue->strict) {
        uint32_t head = tree_first(&loads_of_queue, e, queue->bay.waiting);
        uint32_t wish = load_at(e, head)->wish;

        if (load_is(load_at(e, head), LOAD_PROMISED) || wish_at(e, wish)->refused >= change)
            return false;
        if (ask_wish(e, wish, true, ret))
            return true;
        load_refusal_note(e, wish, ret->what == DECIDE_PREEMPTS);
        wish_refuse(e, wish, change);
        *budget -= *budget > 0;
        return false;
    }
    for (uint32_t wish; *budget > 0 && (wish = wish_first(e, id, change)) != 0; --*budget) {
        if (wish_pass_over(e, wish, change)) {
            load_refusal_note(e, wish, false);
            continue;
        }
        if (ask_wish(e, wish, false, ret))
            return true;
        load_refusal_note(e, wish, ret->what == DECIDE_PREEMPTS);
        wish_refuse(e, wish, change);
    }
    return false;
}

/* The order between queues. */
static bool comes_first(const struct engine *e, const struct decision *a, const struct decision *b)
{
    const struct load *x = load_at(e, a->load), *y = load_at(e, b->load);
    bool borrows_a = a->made.height > 0, borrows_b = b->made.height > 0;

    if (borrows_a != borrows_b)
        return !borrows_a;
    if (x->priority != y->priority)
        return x->priority > y->priority;
    if (x->since != y->since)
        return x->since < y->since;
    return text_compare(name_text(e, queue_at(e, load_queue(e, a->load))->name),
                        name_text(e, queue_at(e, load_queue(e, b->load))->name)) < 0;
}

/* Recursion is as deep as the tree of queues. */
static void find_next(struct engine *e, uint32_t id, uint32_t *budget, struct decision *best)
{
    struct decision decision;

    if (queue_at(e, id)->first_child == 0) {
        if (queue_at(e, id)->kind == QUEUE_CLUSTER && ask_queue(e, id, budget, &decision) &&
            (best->what == DECIDE_NOTHING || comes_first(e, &decision, best)))
            *best = decision;
        return;
    }
    for (uint32_t child = queue_at(e, id)->first_child; child != 0;
         child = queue_at(e, child)->next_sibling)
        find_next(e, child, budget, best);
}

uint32_t load_decide_some(struct engine *e, uint32_t budget)
{
    while (budget > 0 && e->todo[TODO_LOADS].first != 0) {
        uint32_t root = e->todo[TODO_LOADS].first;
        struct decision best = {.what = DECIDE_NOTHING};

        if (queue_at(e, root)->parent != 0) { /* it is a root no more */
            queue_done(e, TODO_LOADS, root);
            queue_todo(e, TODO_LOADS, queue_root(e, root));
            continue;
        }
        if (load_promise_review(e, root)) {
            budget--;
            continue;
        }
        find_next(e, root, &budget, &best);
        if (budget == 0) /* not all were asked: somebody else may come first */
            break;
        if (best.what == DECIDE_NOTHING) {
            queue_done(e, TODO_LOADS, root);
            continue;
        }
        if (best.what == DECIDE_FITS)
            load_decide_reserve(e, best.load, &best.made);
        else if (best.what == DECIDE_PREEMPTS)
            preempt(e, &best);
        budget -= budget < DECIDE_COST ? budget : DECIDE_COST;
    }
    return budget;
}
