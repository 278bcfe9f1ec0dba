/* SPDX-License-Identifier: Apache-2.0 */
#include "workload_sources.h"

#include "plugin/capacity/headroom.h"
#include "plugin/state.h"
#include "policy.h"
#include "workload_share.h"

static struct workload_source *source_at(const struct workload_hunt *hunt, uint32_t queue)
{
    return &queue_at(hunt->e, queue)->cluster.source;
}

static bool may_take(const struct workload *asks, const struct workload *candidate,
                     enum preempt_whom whom)
{
    return policy_takes_rank((struct policy_rank){asks->priority, asks->since},
                             (struct policy_rank){candidate->priority, candidate->since}, whom);
}

static bool uses_contested(const struct workload_hunt *hunt, uint32_t id)
{
    for (uint32_t i = 0; i < hunt->count; i++) {
        if (hunt->contested[i] &&
            workload_amount(hunt->e, id, hunt->needs[i].flavor, hunt->needs[i].resource) > 0)
            return true;
    }
    return false;
}

static enum workload_taken why(const struct workload_hunt *hunt,
                               const struct workload_source *source,
                               const struct workload *candidate)
{
    const struct preempt_policy *policy = &queue_at(hunt->e, hunt->queue)->preempts;

    if (source->common == 0)
        return WORKLOAD_TAKEN_WITHIN;
    if (source->by_share)
        return WORKLOAD_TAKEN_BY_SHARE;
    if (!policy->while_borrowing ||
        candidate->priority >= workload_at(hunt->e, hunt->workload)->priority ||
        (policy->has_threshold && candidate->priority > policy->threshold))
        return WORKLOAD_TAKEN_BY_PRIORITY;
    return WORKLOAD_TAKEN_WHILE_BORROWING;
}

/* Who would go first comes first among those that hold quota: behind the last that may be taken
 * nobody else is. */
static bool ends(const struct workload *asks, const struct workload *candidate,
                 enum preempt_whom whom)
{
    return whom != PREEMPT_ANY && candidate->priority > asks->priority;
}

/* Alone, those of its own queue make room one for one: when nothing is missing any more, once this
 * one has gone too, nobody else is looked for. */
static void count_missing(struct workload_hunt *hunt, uint32_t candidate)
{
    bool any = false;

    for (uint32_t i = 0; i < hunt->count; i++) {
        if (!hunt->contested[i])
            continue;
        hunt->missing[i] -=
            workload_amount(hunt->e, candidate, hunt->needs[i].flavor, hunt->needs[i].resource);
        any = any || hunt->missing[i] > 0;
    }
    hunt->enough = !any;
}

/* The candidate behind this one, or (0) the first. */
static uint32_t find_next(struct workload_hunt *hunt, uint32_t queue, uint32_t id)
{
    const struct engine *e = hunt->e;
    const struct workload *asks = workload_at(e, hunt->workload);
    const struct preempt_policy *policy = &queue_at(e, hunt->queue)->preempts;
    enum preempt_whom whom = queue == hunt->queue ? policy->within : policy->reclaim;

    if (hunt->alone && hunt->enough)
        return 0;
    id = id == 0 ? tree_first(&workloads_that_hold, e, queue_at(e, queue)->cluster.holding)
                 : tree_next(&workloads_that_hold, e, id);
    for (; id != 0; id = tree_next(&workloads_that_hold, e, id)) {
        const struct workload *workload = workload_at(e, id);

        if (ends(asks, workload, whom))
            return 0;
        if (workload_counts_later(workload) && may_take(asks, workload, whom) &&
            uses_contested(hunt, id))
            break;
    }
    if (id != 0 && hunt->alone)
        count_missing(hunt, id);
    return id;
}

static void collect_from(struct workload_hunt *hunt, uint32_t queue, uint32_t common, bool by_share)
{
    struct workload_source *source = source_at(hunt, queue);
    uint32_t first = find_next(hunt, queue, 0);

    if (first == 0)
        return;
    *source = (struct workload_source){
        .first = first, .common = common, .other = hunt->sources, .by_share = by_share};
    hunt->sources = queue;
    hunt->by_share = hunt->by_share || by_share;
    hunt->by_priority = hunt->by_priority || (common != 0 && !by_share);
}

/* Recursion is as deep as the tree of queues. */
static void collect_below(struct workload_hunt *hunt, uint32_t id, uint32_t common,
                          uint32_t skipped, bool by_share)
{
    const struct engine *e = hunt->e;
    bool unnamed = workload_share_has_unnamed(hunt, id);

    for (uint32_t child = queue_at(e, id)->first_child; child != 0;
         child = queue_at(e, child)->next_sibling) {
        if (child == skipped || child == hunt->queue ||
            !(workload_share_exceeds(hunt, child) ||
              (unnamed && workload_share_exceeds_unnamed(hunt, child))))
            continue;
        if (queue_at(e, child)->first_child != 0)
            collect_below(hunt, child, common, skipped, by_share);
        else if (!queue_spares(e, child))
            collect_from(hunt, child, common, by_share);
    }
}

void workload_sources_collect(struct workload_hunt *hunt)
{
    const struct engine *e = hunt->e;
    const struct queue *queue = queue_at(e, hunt->queue);
    wide arrives[ASSIGN_MAX_AMOUNTS];
    bool within = queue->preempts.while_borrowing || workload_share_is_under(hunt), by_share;
    uint32_t below = 0;

    hunt->sources = 0;
    hunt->by_share = hunt->by_priority = hunt->alone = hunt->enough = false;
    for (uint32_t i = 0; i < hunt->count; i++)
        arrives[i] = hunt->needs[i].amount;
    by_share = workload_share_holds(hunt, hunt->queue, arrives);
    for (uint32_t up = queue->parent; up != 0 && queue->preempts.reclaim != PREEMPT_NEVER;
         up = queue_at(e, up)->parent) {
        if (by_share || within) /* else nobody there could be taken away */
            collect_below(hunt, up, up, below, by_share);
        by_share = workload_share_holds(hunt, up, arrives) || by_share;
        below = up;
    }
    if (queue->preempts.within == PREEMPT_NEVER)
        return;
    hunt->alone = hunt->sources == 0;
    for (uint32_t i = 0; i < hunt->count && hunt->alone; i++)
        hunt->missing[i] =
            hunt->needs[i].amount -
            headroom_later(e, hunt->queue, hunt->needs[i].flavor, hunt->needs[i].resource);
    collect_from(hunt, hunt->queue, 0, false);
}

static struct pairing_link *link_of(const void *ctx, uint32_t queue)
{
    return &source_at(ctx, queue)->link;
}

static int compare(const void *ctx, uint32_t a, uint32_t b)
{
    const struct workload_hunt *hunt = ctx;
    const struct workload_source *x = source_at(hunt, a), *y = source_at(hunt, b);

    if ((x->common == 0) != (y->common == 0))
        return x->common == 0 ? 1 : -1;
    if (x->by_share != y->by_share)
        return x->by_share ? -1 : 1;
    return workloads_that_hold.compare(hunt->e, x->next, y->next);
}

static const struct pairing_type sources_by_next = {link_of, compare};

void workload_sources_rewind(struct workload_hunt *hunt)
{
    hunt->heap = 0;
    hunt->taken = false;
    for (uint32_t queue = hunt->sources; queue != 0; queue = source_at(hunt, queue)->other) {
        source_at(hunt, queue)->next = source_at(hunt, queue)->first;
        pairing_insert(&sources_by_next, hunt, &hunt->heap, queue);
    }
}

static bool may_still(const struct workload_hunt *hunt, uint32_t queue, enum workload_taken taken,
                      bool borrowing)
{
    uint32_t common = source_at(hunt, queue)->common;

    if (borrowing && taken == WORKLOAD_TAKEN_BY_PRIORITY)
        return false;
    for (uint32_t at = queue; common != 0 && at != common; at = queue_at(hunt->e, at)->parent) {
        if (!workload_share_exceeds(hunt, at) && !workload_share_exceeds_unnamed(hunt, at))
            return false;
    }
    return true;
}

/* The queue at the top goes on behind the candidate that was taken. */
static void go_on(struct workload_hunt *hunt)
{
    uint32_t queue = hunt->heap;
    struct workload_source *source = source_at(hunt, queue);

    source->next = find_next(hunt, queue, source->next);
    pairing_remove_first(&sources_by_next, hunt, &hunt->heap);
    if (source->next != 0)
        pairing_insert(&sources_by_next, hunt, &hunt->heap, queue);
    hunt->taken = false;
}

uint32_t workload_sources_next(struct workload_hunt *hunt, bool borrowing)
{
    if (hunt->taken)
        go_on(hunt);
    for (; hunt->heap != 0; pairing_remove_first(&sources_by_next, hunt, &hunt->heap)) {
        const struct workload_source *source = source_at(hunt, hunt->heap);
        struct workload *workload = workload_at(hunt->e, source->next);
        enum workload_taken taken = why(hunt, source, workload);

        if (!may_still(hunt, hunt->heap, taken, borrowing))
            continue;
        workload->hunt.why = (uint8_t)taken;
        hunt->taken = true;
        return source->next;
    }
    return 0;
}
