/* SPDX-License-Identifier: Apache-2.0 */
#include "preempt.h"

#include "demote.h"
#include "hunt.h"
#include "plugin/capacity/headroom.h"
#include "plugin/claims/turn.h"
#include "plugin/order/fit.h"
#include "plugin/state.h"
#include "review.h"

/* The flavor of a group in which victims are found, best none, then others' alone. The needs of
 * the group are those that hunt->asked names. */
static bool choose_flavor(struct hunt *hunt, const struct queue_group *group)
{
    const struct engine *e = hunt->e;
    const struct line *line = line_at(e, claim_at(e, hunt->claim)->line);
    uint16_t best = FLAVOR_NONE;
    int most = 0;

    for (uint32_t k = 0; k < group->flavor_count && most < 3; k++) {
        bool ever = fit_may_have(e, claim_at(e, hunt->claim)->line, group->flavors[k]);
        int quality = 0;

        for (uint32_t i = 0; i < line_count(e, line); i++) {
            if (!hunt->asked[i])
                continue;
            hunt->flavors[i] = group->flavors[k];
            ever = ever &&
                   line_amount(e, line, i) <=
                       headroom_ever(e, hunt->queue, group->flavors[k], line_resource(e, line, i));
        }
        if (!ever)
            continue;
        if (hunt_begin(hunt))
            quality = hunt->last == 0 ? 3 : hunt_reclaims(hunt) ? 2 : 1;
        hunt_end(hunt);
        if (quality > most) {
            most = quality;
            best = group->flavors[k];
        }
    }
    for (uint32_t i = 0; i < line_count(e, line); i++) {
        if (hunt->asked[i])
            hunt->flavors[i] = best;
    }
    return most > 0;
}

/* Of a ClusterQueue; of each resource group on its own. */
static bool choose_flavors(struct hunt *hunt)
{
    const struct engine *e = hunt->e;
    const struct line *line = line_at(e, claim_at(e, hunt->claim)->line);
    const struct queue *queue = queue_at(e, hunt->queue);

    for (uint32_t i = 0; i < line_count(e, line); i++) {
        const struct queue_group *group = queue_group_of(queue, line_resource(e, line, i));
        bool again = false;

        hunt->flavors[i] = group == NULL ? FLAVOR_NONE : hunt->flavors[i];
        if (group == NULL && !fit_counts_nowhere(e, line_resource(e, line, i)))
            return false;
        for (uint32_t k = 0; k < line_count(e, line); k++) {
            hunt->asked[k] =
                group != NULL && queue_group_of(queue, line_resource(e, line, k)) == group;
            again = again || (hunt->asked[k] && k < i);
        }
        if (group != NULL && !again && !choose_flavor(hunt, group))
            return false;
    }
    return true;
}

/* The victims that are bound are to be evicted, and the last that was found stays first, if one
 * can; those that are only reserved give back at once, when the room is promised. */
static void commit(struct hunt *hunt)
{
    struct engine *e = hunt->e;
    uint32_t bound = 0, reserved = 0, before;

    hunt_take(hunt);
    promise_make(e, hunt->claim, hunt->flavors);
    pledge_at(e, hunt->claim)->promise.within = hunt->within;
    for (uint32_t victim = hunt->last; victim != 0; victim = before) {
        uint32_t *list = claim_at(e, victim)->state == CLAIM_ALLOCATED ? &bound : &reserved;

        before = pledge_at(e, victim)->prev;
        pledge_at(e, victim)->prev = 0;
        pledge_at(e, victim)->next = *list;
        *list = victim;
    }
    for (; bound != 0; bound = before) {
        before = pledge_at(e, bound)->next;
        promise_take(e, bound, hunt->claim);
    }
    for (; reserved != 0; reserved = before) {
        before = pledge_at(e, reserved)->next;
        pledge_at(e, reserved)->next = 0;
        if (claim_at(e, reserved)->state == CLAIM_RESERVED)
            demote_one(e, reserved);
    }
    queue_victims_changed(e, hunt->queue);
}

/* A gang takes nobody's room if one of its members does not. */
static bool yields(const struct engine *e, uint32_t claim)
{
    uint32_t id = claim;

    if ((claim_at(e, claim)->flags & CLAIM_GANG) != 0 && claim_at(e, claim)->timeouts > 0)
        return true; /* nobody made use of room that it had */
    if (claim_at(e, claim)->flags & CLAIM_GANG)
        id = group_at(e, claim_group(e, claim_at(e, claim)))->first;
    for (; id != 0; id = id == claim ? 0 : member_after(e, id)) {
        if (claim_at(e, id)->flags & CLAIM_NEVER_PREEMPTS)
            return true;
    }
    return false;
}

/* ret_looked: at how many candidates. */
static bool preempt_for(struct engine *e, uint32_t claim, uint32_t *ret_looked)
{
    struct hunt hunt = {.e = e, .claim = claim, .queue = claim_queue(e, claim)};
    const struct line *line = line_at(e, claim_at(e, claim)->line);
    bool found;

    if ((claim_at(e, claim)->flags & CLAIM_PROMISED) != 0 || yields(e, claim) ||
        !fit_ever(e, claim_at(e, claim)->line))
        return false;
    if (queue_at(e, hunt.queue)->kind != QUEUE_VOLCANO && !choose_flavors(&hunt)) {
        *ret_looked = hunt.looked;
        return false;
    }
    for (uint32_t i = 0; i < line_count(e, line); i++)
        hunt.asked[i] = true;
    found = hunt_begin(&hunt);
    if (found)
        commit(&hunt);
    else
        hunt_end(&hunt);
    *ret_looked = hunt.looked;
    return found;
}

/* The first in the line, from its head on, that was promised nothing yet. */
static uint32_t first_unpromised(const struct engine *e, uint32_t id)
{
    while (id != 0 && (claim_at(e, id)->flags & CLAIM_PROMISED) != 0)
        id = line_next(e, id);
    return id;
}

/* The claims of a queue that ask, in order; at most PREEMPT_LOOK. */
struct asking {
    uint32_t count;
    uint32_t claims[PREEMPT_LOOK];
};

static void add_asking(const struct engine *e, struct asking *asking, uint32_t claim)
{
    uint32_t at = asking->count;

    if (claim == 0 ||
        (at == PREEMPT_LOOK && claim_compare_rank(e, claim, asking->claims[PREEMPT_LOOK - 1]) > 0))
        return;
    at = at < PREEMPT_LOOK ? at : PREEMPT_LOOK - 1;
    for (; at > 0 && claim_compare_rank(e, claim, asking->claims[at - 1]) < 0; at--)
        asking->claims[at] = asking->claims[at - 1];
    asking->claims[at] = claim;
    asking->count += asking->count < PREEMPT_LOOK;
}

/* The first lines of the first kinds: whoever comes behind those is not among the first. */
static void find_asking(const struct engine *e, uint32_t id, struct asking *ret)
{
    const struct queue *queue = queue_at(e, id);
    uint32_t head = line_first_of(e, id), kinds = 0;

    ret->count = 0;
    if (turn_is_workloads(e, id))
        return;
    if (queue->strict || queue->guarding) {
        if ((claim_at(e, head)->flags & CLAIM_PROMISED) == 0)
            ret->claims[ret->count++] = head;
        return;
    }
    for (uint32_t kind = tree_first(&size_classes_by_head, e, queue->kinds);
         kind != 0 && kinds < PREEMPT_LOOK;
         kind = tree_next(&size_classes_by_head, e, kind), kinds++) {
        uint32_t lines = 0;

        for (uint32_t at = size_class_at(e, kind)->head; at != 0 && lines < PREEMPT_LOOK;
             at = tree_next(&heads_by_rank, e, at), lines++)
            add_asking(e, ret, first_unpromised(e, at));
    }
}

/* Whether somebody in the queue may ask, and has not done so since something changed. */
static bool may_ask(const struct engine *e, uint32_t id, uint64_t change)
{
    const struct queue *queue = queue_at(e, id);

    if (queue->preempts.within == PREEMPT_NEVER && queue->preempts.reclaim == PREEMPT_NEVER)
        return false;
    if (queue->looked == change && queue->tried >= PREEMPT_LOOK)
        return false;
    return queue->head != 0 && queue_stops(e, id) == REASON_NONE;
}

static struct pairing_link *asker_link(const void *ctx, uint32_t id)
{
    return &queue_at(ctx, id)->asker;
}

static int compare_askers(const void *ctx, uint32_t a, uint32_t b)
{
    return claim_compare_rank(ctx, line_first_of(ctx, a), line_first_of(ctx, b));
}

static const struct pairing_type askers_by_rank = {asker_link, compare_askers};

/* Recursion is as deep as the tree of queues. */
static uint32_t collect_askers(const struct engine *e, uint32_t id, uint64_t change,
                               uint32_t *looked)
{
    uint32_t askers = 0;

    ++*looked;
    if (queue_at(e, id)->first_child == 0 && may_ask(e, id, change))
        pairing_insert(&askers_by_rank, e, &askers, id);
    for (uint32_t child = queue_at(e, id)->first_child; child != 0;
         child = queue_at(e, child)->next_sibling)
        askers = pairing_meld(&askers_by_rank, e, askers, collect_askers(e, child, change, looked));
    return askers;
}

/* ret_looked: at how many queues. */
static uint32_t next_to_ask(const struct engine *e, uint32_t id, uint32_t *ret_looked)
{
    struct queue *root = queue_at(e, id);

    *ret_looked = 0;
    if (root->askers_at != root->victims_change)
        root->askers = collect_askers(e, id, root->victims_change, ret_looked);
    root->askers_at = root->victims_change;
    while (root->askers != 0 && !may_ask(e, root->askers, root->victims_change))
        pairing_remove_first(&askers_by_rank, e, &root->askers);
    return root->askers;
}

/* Returns what that cost, in claims of a slice. */
static uint32_t ask(struct engine *e, uint32_t id, uint64_t change)
{
    struct queue *queue = queue_at(e, id);
    struct asking asking;
    uint32_t looked = 0;

    if (queue->looked != change)
        queue->tried = 0;
    queue->looked = change;
    find_asking(e, id, &asking);
    if (queue->tried >= asking.count)
        queue->tried = PREEMPT_LOOK;
    else if (!preempt_for(e, asking.claims[queue->tried], &looked))
        queue->tried++;
    return PREEMPT_COST + looked / PREEMPT_LOOKS;
}

uint32_t preempt_some(struct engine *e, uint32_t budget)
{
    uint32_t root;

    while (budget > 0 && e->todo[TODO_DIRTY].first == 0 &&
           (root = queue_todo_root(e, TODO_PREEMPT)) != 0) {
        uint32_t queue, cost;

        if (review_promises(e, root)) {
            group_settle(e);
            budget--;
            continue;
        }
        queue = next_to_ask(e, root, &cost);
        if (queue == 0) {
            queue_done(e, TODO_PREEMPT, root);
            continue;
        }
        cost = cost / PREEMPT_LOOKS + ask(e, queue, queue_at(e, root)->victims_change);
        group_settle(e);
        budget -= budget < cost ? budget : cost;
    }
    return budget;
}
