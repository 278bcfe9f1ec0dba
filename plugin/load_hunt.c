/* SPDX-License-Identifier: Apache-2.0 */
#include "load_hunt.h"

#include "load_share.h"
#include "policy.h"
#include "room.h"
#include "wish.h"
#include "state.h"

static bool may_take(const struct load *asks, const struct load *candidate, enum preempt_whom whom)
{
    return policy_takes_rank((struct policy_rank){asks->priority, asks->since},
                             (struct policy_rank){candidate->priority, candidate->since}, whom);
}

static bool uses_contested(const struct load_hunt *hunt, uint32_t id)
{
    for (uint32_t i = 0; i < hunt->count; i++) {
        if (hunt->contested[i] &&
            load_amount(hunt->e, id, hunt->needs[i].flavor, hunt->needs[i].resource) > 0)
            return true;
    }
    return false;
}

static enum load_taken why(const struct load_hunt *hunt, const struct load *candidate,
                           bool by_share)
{
    const struct preempt_policy *policy = &queue_at(hunt->e, hunt->queue)->preempts;

    if (by_share)
        return LOAD_TAKEN_BY_SHARE;
    if (!policy->while_borrowing || candidate->priority >= load_at(hunt->e, hunt->load)->priority ||
        (policy->has_threshold && candidate->priority > policy->threshold))
        return LOAD_TAKEN_BY_PRIORITY;
    return LOAD_TAKEN_WHILE_BORROWING;
}

static int compare(const struct load_hunt *hunt, uint32_t a, uint32_t b)
{
    static const uint8_t places[] = {
        [LOAD_TAKEN_BY_SHARE] = 0,
        [LOAD_TAKEN_WHILE_BORROWING] = 1,
        [LOAD_TAKEN_BY_PRIORITY] = 1,
        [LOAD_TAKEN_WITHIN] = 2,
    };
    const struct load *x = load_at(hunt->e, a), *y = load_at(hunt->e, b);
    int order = places[x->hunt.why] - places[y->hunt.why];

    if (order != 0)
        return order;
    if (x->priority != y->priority)
        return x->priority < y->priority ? -1 : 1;
    if (x->stamp != y->stamp)
        return x->stamp > y->stamp ? -1 : 1;
    return text_compare(name_text(hunt->e, x->uid), name_text(hunt->e, y->uid));
}

static uint32_t merge(struct load_hunt *hunt, uint32_t a, uint32_t b)
{
    uint32_t first = 0, *end = &first;

    while (a != 0 || b != 0) {
        uint32_t *from = a == 0 || (b != 0 && compare(hunt, b, a) < 0) ? &b : &a;

        *end = *from;
        end = &load_at(hunt->e, *from)->hunt.next;
        *from = *end;
    }
    *end = 0;
    return first;
}

/* Each queue's candidates are in order: runs of 1, 2, 4, ... queues, merged as they become equally
 * long. */
static void add_run(struct load_hunt *hunt, uint32_t run)
{
    uint32_t size = 0;

    for (; hunt->runs[size] != 0; size++) {
        run = merge(hunt, hunt->runs[size], run);
        hunt->runs[size] = 0;
    }
    hunt->runs[size] = run;
}

static void merge_runs(struct load_hunt *hunt)
{
    hunt->first = 0;
    for (uint32_t size = 0; size < LOAD_HUNT_RUNS; size++)
        hunt->first = merge(hunt, hunt->runs[size], hunt->first);
}

/* Who would go first comes first among those that hold quota: behind the last that may be taken
 * nobody else is. */
static bool ends(const struct load *asks, const struct load *candidate, enum preempt_whom whom)
{
    return whom != PREEMPT_ANY && candidate->priority > asks->priority;
}

/* What is missing, once this one has gone too. False: nothing. */
static bool still_missing(const struct load_hunt *hunt, uint32_t candidate, wide *missing)
{
    bool any = false;

    for (uint32_t i = 0; i < hunt->count; i++) {
        if (!hunt->contested[i])
            continue;
        missing[i] -=
            load_amount(hunt->e, candidate, hunt->needs[i].flavor, hunt->needs[i].resource);
        any = any || missing[i] > 0;
    }
    return any;
}

/* missing: of each need; when nothing of it is, nobody else is looked for. NULL: all are. */
static void collect_from(struct load_hunt *hunt, uint32_t from, uint32_t common, bool by_share,
                         wide *missing)
{
    const struct engine *e = hunt->e;
    const struct load *asks = load_at(e, hunt->load);
    const struct preempt_policy *policy = &queue_at(e, hunt->queue)->preempts;
    uint32_t run = 0, *end = &run;
    enum preempt_whom whom = common == 0 ? policy->within : policy->reclaim;

    for (uint32_t id = tree_first(&loads_that_hold, e, queue_at(e, from)->bay.holding); id != 0;
         id = tree_next(&loads_that_hold, e, id)) {
        struct load *load = load_at(e, id);

        if (ends(asks, load, whom))
            break;
        if (!load_counts_later(load) || !may_take(asks, load, whom) || !uses_contested(hunt, id))
            continue;
        load->hunt.why = (uint8_t)(common == 0 ? LOAD_TAKEN_WITHIN : why(hunt, load, by_share));
        load->hunt.next = 0;
        load->hunt.common = common;
        load->hunt.removed = false;
        *end = id;
        end = &load->hunt.next;
        hunt->by_share = hunt->by_share || load->hunt.why == LOAD_TAKEN_BY_SHARE;
        hunt->by_priority = hunt->by_priority || (load->hunt.why != LOAD_TAKEN_BY_SHARE &&
                                                  load->hunt.why != LOAD_TAKEN_WITHIN);
        if (missing != NULL && !still_missing(hunt, id, missing))
            break;
    }
    if (run != 0)
        add_run(hunt, run);
}

/* Recursion is as deep as the tree of queues. */
static void collect_below(struct load_hunt *hunt, uint32_t id, uint32_t common, uint32_t skipped,
                          bool by_share)
{
    const struct engine *e = hunt->e;
    bool unnamed = load_share_has_unnamed(hunt, id);

    for (uint32_t child = queue_at(e, id)->first_child; child != 0;
         child = queue_at(e, child)->next_sibling) {
        if (child == skipped || child == hunt->queue ||
            !(load_share_exceeds(hunt, child) ||
              (unnamed && load_share_exceeds_unnamed(hunt, child))))
            continue;
        if (queue_at(e, child)->first_child != 0)
            collect_below(hunt, child, common, skipped, by_share);
        else
            collect_from(hunt, child, common, by_share, NULL);
    }
}

static void collect(struct load_hunt *hunt)
{
    const struct engine *e = hunt->e;
    const struct queue *queue = queue_at(e, hunt->queue);
    wide arrives[ASSIGN_MAX_AMOUNTS];
    bool within = queue->preempts.while_borrowing || load_share_is_under(hunt), by_share;
    uint32_t below = 0;

    for (uint32_t i = 0; i < hunt->count; i++)
        arrives[i] = hunt->needs[i].amount;
    by_share = load_share_holds(hunt, hunt->queue, arrives);
    for (uint32_t up = queue->parent; up != 0 && queue->preempts.reclaim != PREEMPT_NEVER;
         up = queue_at(e, up)->parent) {
        if (by_share || within) /* else nobody there could be taken away */
            collect_below(hunt, up, up, below, by_share);
        by_share = load_share_holds(hunt, up, arrives) || by_share;
        below = up;
    }
    /* Alone, those of its own queue make room one for one: as many as that takes are enough. */
    for (uint32_t i = 0; i < hunt->count; i++)
        arrives[i] = hunt->needs[i].amount -
                     room_later(e, hunt->queue, hunt->needs[i].flavor, hunt->needs[i].resource);
    if (queue->preempts.within != PREEMPT_NEVER)
        collect_from(hunt, hunt->queue, 0, false,
                     hunt->by_share || hunt->by_priority ? NULL : arrives);
    merge_runs(hunt);
}

/* Whether it is still a candidate, now that others were taken away. */
static bool is_still(const struct load_hunt *hunt, uint32_t id, bool borrowing)
{
    const struct load *load = load_at(hunt->e, id);

    if (load->hunt.why == LOAD_TAKEN_WITHIN)
        return true;
    if (borrowing && load->hunt.why == LOAD_TAKEN_BY_PRIORITY)
        return false;
    for (uint32_t at = load_queue(hunt->e, id); at != load->hunt.common;
         at = queue_at(hunt->e, at)->parent) {
        if (!load_share_exceeds(hunt, at) && !load_share_exceeds_unnamed(hunt, at))
            return false;
    }
    return true;
}

static void bring_back(struct load_hunt *hunt)
{
    struct load *load = load_at(hunt->e, hunt->last);

    load_count_later(hunt->e, hunt->last, 1);
    load->hunt.removed = false;
    hunt->last = load->hunt.prev;
    load->hunt.prev = 0;
}

/* The last one, with whom it came to fit, is needed. */
static void give_back(struct load_hunt *hunt, bool borrowing)
{
    struct load *newer = load_at(hunt->e, hunt->last);

    while (newer->hunt.prev != 0) {
        struct load *load = load_at(hunt->e, newer->hunt.prev);

        load_count_later(hunt->e, newer->hunt.prev, 1);
        if (!load_share_fits(hunt, borrowing)) {
            load_count_later(hunt->e, newer->hunt.prev, -1);
            newer = load;
            continue;
        }
        load->hunt.removed = false;
        newer->hunt.prev = load->hunt.prev;
        load->hunt.prev = 0;
    }
}

/* Whether, with its room borrowed, one of those taken by priority could reclaim it at once: that
 * one would send the asking workload away, come back with the others, and so on for ever. */
static bool is_reclaimed(const struct load_hunt *hunt)
{
    if (load_share_fits(hunt, false))
        return false;
    for (uint32_t id = hunt->last; id != 0; id = load_at(hunt->e, id)->hunt.prev) {
        if (load_at(hunt->e, id)->hunt.why == LOAD_TAKEN_WHILE_BORROWING &&
            queue_at(hunt->e, load_queue(hunt->e, id))->preempts.reclaim == PREEMPT_ANY &&
            load_share_returns(hunt, id))
            return true;
    }
    return false;
}

static bool run(struct load_hunt *hunt, bool borrowing)
{
    for (uint32_t id = hunt->first; id != 0; id = load_at(hunt->e, id)->hunt.next) {
        if (!is_still(hunt, id, borrowing))
            continue;
        load_count_later(hunt->e, id, -1);
        load_at(hunt->e, id)->hunt.removed = true;
        load_at(hunt->e, id)->hunt.prev = hunt->last;
        hunt->last = id;
        if (load_share_fits(hunt, borrowing)) {
            give_back(hunt, borrowing);
            if (!is_reclaimed(hunt))
                return true;
            break;
        }
    }
    while (hunt->last != 0)
        bring_back(hunt);
    return false;
}

bool load_hunt_begin(struct load_hunt *hunt)
{
    bool forbidden = !queue_at(hunt->e, hunt->queue)->preempts.while_borrowing;

    hunt->first = hunt->last = 0;
    memset(hunt->runs, 0, sizeof(hunt->runs));
    hunt->by_share = hunt->by_priority = false;
    if (!load_share_find_contested(hunt))
        return true;
    collect(hunt);
    if ((!hunt->by_share && !hunt->by_priority) || (forbidden && !load_share_is_under(hunt)))
        return run(hunt, true);
    if (forbidden && !hunt->by_share)
        return run(hunt, false) || run(hunt, true);
    return run(hunt, true) || run(hunt, false);
}

void load_hunt_return(struct load_hunt *hunt)
{
    for (uint32_t id = hunt->last; id != 0; id = load_at(hunt->e, id)->hunt.prev) {
        if (load_at(hunt->e, id)->hunt.removed)
            load_count_later(hunt->e, id, 1);
        load_at(hunt->e, id)->hunt.removed = false;
    }
}

void load_hunt_end(struct load_hunt *hunt)
{
    load_hunt_return(hunt);
    while (hunt->last != 0) {
        struct load *load = load_at(hunt->e, hunt->last);

        hunt->last = load->hunt.prev;
        load->hunt.prev = 0;
    }
}

bool load_hunt_reclaims(const struct load_hunt *hunt)
{
    for (uint32_t id = hunt->last; id != 0; id = load_at(hunt->e, id)->hunt.prev) {
        if (load_at(hunt->e, id)->hunt.why == LOAD_TAKEN_WITHIN)
            return false;
    }
    return true;
}
