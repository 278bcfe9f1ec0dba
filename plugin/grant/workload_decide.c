/* SPDX-License-Identifier: Apache-2.0 */
#include "workload_decide.h"

#include "plugin/capacity/borrow.h"
#include "plugin/order/demand.h"
#include "plugin/state.h"
#include "workload_hunt.h"
#include "workload_promise.h"

/* A decision about one workload, as the search for flavors sees it. */
struct search {
    struct engine *e;
    struct assign_ask ask;
    struct workload_hunt hunt;

    /* What was found last, for what the hunt still says. */
    bool found, none;
};

static enum assign_how victims_of(void *ctx, uint16_t flavor, uint32_t resource, wide amount,
                                  uint32_t *ret_height)
{
    struct search *search = ctx;
    struct workload_hunt *hunt = &search->hunt;
    enum assign_how how = ASSIGN_NO_VICTIMS;

    hunt->count = 1;
    hunt->needs[0] = (struct assign_amount){flavor, resource, amount};
    search->found = workload_hunt_begin(hunt);
    search->none = hunt->last == 0;
    if (search->found) {
        how = workload_hunt_reclaims(hunt) ? ASSIGN_RECLAIMS : ASSIGN_PREEMPTS;
        *ret_height = borrow_height_later(search->e, hunt->queue, flavor, resource, amount);
    }
    workload_hunt_end(hunt);
    return how;
}

static bool same_needs(const struct workload_hunt *hunt, const struct assign_amount *needs,
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
    struct workload_hunt *hunt = &search->hunt;
    struct assign_amount needs[ASSIGN_MAX_AMOUNTS];
    uint32_t count = assign_total(&search->ask, made, needs);

    if (count > 0 && same_needs(hunt, needs, count))
        return search->found;
    hunt->count = count;
    memcpy(hunt->needs, needs, count * sizeof(*needs));
    search->found = workload_hunt_begin(hunt);
    search->none = hunt->last == 0;
    workload_hunt_end(hunt);
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
    const struct demand *demand = demand_at(e, id);
    const struct queue *queue = queue_at(e, demand->queue);

    demand_judge(e, id);
    return (struct assign_ask){
        .e = e,
        .queue = demand->queue,
        .policy = {.skips_borrowing = queue->borrows_last,
                   .skips_preempting = queue->cluster.preempts_last,
                   .borrows_least = queue->cluster.borrows_least,
                   .preempts_while_borrowing = queue->preempts.while_borrowing},
        .set_count = demand->set_count,
        .sets = demand->asks,
    };
}

static void begin(struct engine *e, uint32_t id, struct search *search)
{
    uint32_t at = workload_at(e, id)->demand;
    const struct demand *demand = demand_at(e, at);

    search->e = e;
    search->hunt.e = e;
    search->hunt.count = 0;
    search->hunt.workload = id;
    search->hunt.queue = demand->queue;
    search->ask = ask_of(e, at);
    search->ask.victims = (struct assign_victims){search, victims_of, victims_of_all};
    if (demand->yields)
        search->ask.victims = (struct assign_victims){0};
}

void workload_decide(struct engine *e, uint32_t id, struct decision *ret)
{
    struct search search;

    ret->what = DECIDE_NOTHING;
    ret->workload = id;
    ret->waits_only = false;
    begin(e, id, &search);
    if (!assign_repeatedly(&search.ask, &ret->made))
        return;
    ret->what = ret->made.how == ASSIGN_FITS ? DECIDE_FITS : DECIDE_PREEMPTS;
    if (ret->what == DECIDE_FITS)
        return;
    ret->waits_only = find_all(&search, &ret->made) && search.none;
    ret->hunt = search.hunt.number;
    ret->moves = e->workload_moves;
    ret->last = search.hunt.last;
}

bool workload_decide_fits_elsewhere(struct engine *e, uint32_t id, uint32_t height,
                                    struct assignment *ret)
{
    const struct cluster_queue *cluster = &queue_at(e, workload_queue(e, id))->cluster;
    struct search search;

    if (!cluster->preempts_last)
        return false;
    begin(e, id, &search);
    search.ask.victims = (struct assign_victims){0};
    return assign_repeatedly(&search.ask, ret) && ret->how == ASSIGN_FITS &&
           (!cluster->borrows_least || ret->height <= height);
}

bool workload_decide_ever(struct engine *e, uint32_t demand)
{
    struct assign_ask ask = ask_of(e, demand);
    struct assignment made;

    ask.ever = true;
    return assign_repeatedly(&ask, &made);
}

/* It took room: others that signal may have no victims any more, or some at last. */
static void took(struct engine *e, uint32_t id)
{
    cluster_queue_borrows_more(e, workload_queue(e, id));
    cluster_queue_took_room(e, workload_queue(e, id));
    if (e->gated_demands > 0)
        cluster_queue_changed(e, workload_queue(e, id));
}

void workload_decide_reserve(struct engine *e, uint32_t id, const struct assignment *made)
{
    struct workload *workload = workload_at(e, id);

    workload_take_out(e, id);
    workload_set_flavors(e, id, made);
    workload_set(workload, WORKLOAD_ASSUMED, true);
    workload_set(workload, WORKLOAD_BLOCKED, false);
    workload->state = CLAIM_RESERVED;
    workload->stamp = e->now;
    workload_put_in(e, id);
    queue_at(e, workload_queue(e, id))->totals.granted++;
    took(e, id);
    workload_settle(e, id);
}

/* Who goes for it; of each whom before it: workload->hunt.prev. They are known from its decision,
 * unless others were looked for since, or anybody moved. */
static uint32_t find_victims(struct engine *e, const struct decision *decision)
{
    struct search search;

    if (decision->hunt == e->workload_hunts && decision->moves == e->workload_moves)
        return decision->last;
    begin(e, decision->workload, &search);
    search.hunt.count = assign_total(&search.ask, &decision->made, search.hunt.needs);
    workload_hunt_begin(&search.hunt);
    workload_hunt_end(&search.hunt);
    return search.hunt.last;
}

uint32_t workload_decide_victims(struct engine *e, const struct decision *decision,
                                 struct workload_name *ret_names, uint32_t max)
{
    uint32_t count = 0;

    for (uint32_t id = find_victims(e, decision); id != 0 && count < max;
         id = workload_at(e, id)->hunt.prev) {
        const struct workload *workload = workload_at(e, id);

        ret_names[count++] =
            (struct workload_name){name_text(e, workload->uid), name_text(e, workload->space),
                                   name_text(e, workload->name)};
    }
    return count;
}

static enum workload_cause cause_of(uint8_t why)
{
    return why == WORKLOAD_TAKEN_WITHIN            ? CAUSE_OWN_QUEUE
           : why == WORKLOAD_TAKEN_WHILE_BORROWING ? CAUSE_RECLAIM_BORROWING
                                                   : CAUSE_RECLAIM;
}

void workload_decide_preempt(struct engine *e, const struct decision *decision)
{
    uint32_t id = find_victims(e, decision), before;

    workload_promise_make(e, decision->workload, &decision->made);
    for (; id != 0; id = before) {
        before = workload_at(e, id)->hunt.prev;
        workload_promise_take(e, id, (uint8_t)cause_of(workload_at(e, id)->hunt.why),
                              decision->workload);
    }
    workload_settle(e, decision->workload);
    cluster_queue_changed(
        e, workload_queue(e, decision->workload)); /* its victims may leave more than it takes */
}
