/* SPDX-License-Identifier: Apache-2.0 */
#include "preempt.h"

#include "asking.h"
#include "choice.h"
#include "hunt_share.h"
#include "plugin/claims/promise.h"
#include "plugin/order/fit.h"
#include "plugin/state.h"
#include "review.h"
#include "victims.h"

/* Which needs of the claim are promised within the share, a bit for each. */
static uint64_t needs_within(const struct choice *choice, const struct assignment *made)
{
    uint64_t within = 0;

    for (uint32_t i = 0, n = 0; i < choice->own.need_count && choice->hunt.within; i++) {
        if (made->needs[0][i].flavor == FLAVOR_NONE)
            continue;
        if (hunt_share_matters(&choice->hunt, n))
            within |= (uint64_t)1 << i;
        n++;
    }
    return within;
}

static void commit(struct choice *choice, uint32_t claim, const struct assignment *made)
{
    struct hunt *hunt = &choice->hunt;

    choice_hunt(choice, made);
    hunt_take(hunt);
    promise_make(hunt->e, claim, made, needs_within(choice, made));
    victims_take(hunt, claim);
    cluster_queue_pod_holds(hunt->e, hunt->queue);
    queue_victims_changed(hunt->e, hunt->queue);
}

/* ret_looked: at how many candidates. */
static bool preempt_for(struct engine *e, uint32_t claim, uint32_t *ret_looked)
{
    struct assignment made;
    struct choice choice;
    bool found;

    if (claim_is_promised(claim_at(e, claim)) || !fit_ever(e, claim_at(e, claim)->line))
        return false;
    choice_begin(&choice, e, claim);
    found = choice_sends_away(&choice) && choice_make(&choice, &made) && made.how != ASSIGN_FITS;
    if (found)
        commit(&choice, claim, &made);
    *ret_looked = choice.hunt.looked;
    return found;
}

static uint32_t cost_of(uint32_t looked)
{
    return PREEMPT_COST + looked / PREEMPT_LOOKS;
}

bool preempt_instead(struct engine *e, uint32_t claim, uint32_t *budget)
{
    uint32_t looked = 0, cost;
    bool found;

    if (e->claims.recount.cells > 0 || !cluster_queue_prefers_victims(e, claim_queue(e, claim)))
        return false;
    found = preempt_for(e, claim, &looked);
    cost = cost_of(looked);
    *budget -= *budget < cost ? *budget : cost;
    return found;
}

/* Whether somebody in the queue may ask, and has not done so since something changed. */
static bool may_ask(const struct engine *e, uint32_t id, uint64_t change)
{
    const struct queue *queue = queue_at(e, id);

    if (queue->preempts.within == PREEMPT_NEVER && queue->preempts.reclaim == PREEMPT_NEVER)
        return false;
    if (queue->looked == change && queue->tried >= ASKING_MOST)
        return false;
    return queue->head != 0 && queue_stops(e, id) == REASON_NONE;
}

static struct pairing_link *asker_link(const void *ctx, uint32_t id)
{
    return &queue_at(ctx, id)->asker;
}

static int compare_askers(const void *ctx, uint32_t a, uint32_t b)
{
    return claim_compare_rank(ctx, queue_at(ctx, a)->head, queue_at(ctx, b)->head);
}

static const struct pairing_type askers_by_rank = {asker_link, compare_askers};

static uint32_t collect_askers(const struct engine *e, uint32_t root, uint32_t *looked)
{
    uint32_t askers = 0;

    for (uint32_t id = root; id != 0; id = queue_after(e, id, root), ++*looked) {
        if (queue_at(e, id)->first_child == 0 && may_ask(e, id, queue_at(e, root)->victims_change))
            pairing_insert(&askers_by_rank, e, &askers, id);
    }
    return askers;
}

/* ret_looked: at how many queues. */
static uint32_t next_to_ask(const struct engine *e, uint32_t id, uint32_t *ret_looked)
{
    struct queue *root = queue_at(e, id);

    *ret_looked = 0;
    if (root->askers_at != root->victims_change)
        root->askers = collect_askers(e, id, ret_looked);
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
    asking_find(e, id, &asking);
    if (queue->tried >= asking.count)
        queue->tried = ASKING_MOST;
    else if (!preempt_for(e, asking.claims[queue->tried], &looked))
        queue->tried++;
    return cost_of(looked);
}

uint32_t preempt_some(struct engine *e, uint32_t budget)
{
    uint32_t root;

    while (budget > 0 && e->queues.todo[TODO_DIRTY].first == 0 &&
           (root = queue_todo_root(e, TODO_PREEMPT)) != 0) {
        uint32_t queue, cost;

        if (review_promises(e, root) || e->queues.todo[TODO_DIRTY].first != 0) {
            /* Who fits in what a promise leaves comes before those who ask. */
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
