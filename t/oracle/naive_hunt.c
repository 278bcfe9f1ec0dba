/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/naive_hunting.h"

#include <string.h>

static bool takes_rank(int64_t whom, struct naive_rank asks, struct naive_rank other)
{
    return whom == PREEMPT_ANY || (whom != PREEMPT_NEVER && other.priority < asks.priority) ||
           (whom == PREEMPT_LOWER_OR_NEWER && other.priority == asks.priority &&
            other.since > asks.since);
}

/* With its gang's rank as well as with its own: with that one the gang would ask for it again. */
bool naive_takes(int64_t whom, const struct naive_claim *asks, const struct naive_claim *other)
{
    return (other->gang < 0 || other->gang != asks->gang) &&
           takes_rank(whom, asks->rank, other->rank) &&
           takes_rank(whom, asks->rank, other->gang_rank);
}

static bool uses_contested(const struct hunting *h, int n)
{
    for (int i = 0; i < h->wanted->count; i++)
        if (h->contested[i] && hunting_uses(h, n, i) > 0)
            return true;
    return false;
}

/* Its own queue may exceed its share for it. */
static bool goes_while_borrowing(const struct hunting *h, int n)
{
    const struct naive_claim *claim = hunting_claim(h, n);
    int64_t priority = claim->rank.priority > claim->gang_rank.priority ? claim->rank.priority
                                                                        : claim->gang_rank.priority;

    return h->policy[QUEUE_BORROWS] != 0 && priority < hunting_claim(h, h->asks)->rank.priority &&
           !(h->policy[QUEUE_BORROWS] > 1 && priority > 0);
}

static void look_at(struct hunting *h, int n)
{
    const struct naive_claim *claim = hunting_claim(h, n);
    bool own = claim->node == h->queue;
    wide amounts[NAIVE_CELLS];
    int common;

    if (!claim->may_go || claim->node < 0 || !uses_contested(h, n) ||
        !naive_takes(h->policy[own ? QUEUE_WITHIN : QUEUE_RECLAIM], hunting_claim(h, h->asks),
                     claim))
        return;
    h->candidates[n].why = NAIVE_OWN;
    h->candidates[n].is = own;
    common = naive_common(h->world, h->queue, claim->node);
    if (own || common < 0 || h->world->nodes[claim->node].spares ||
        !hunting_all_exceed(h, claim->node, common))
        return;
    for (int i = 0; i < h->wanted->count; i++)
        amounts[i] = hunting_matters(h, i) ? h->wanted->amounts[i] : 0;
    h->candidates[n].is = true;
    h->candidates[n].common = common;
    h->candidates[n].why = hunting_holds(h, h->queue, common, amounts) ? NAIVE_BY_SHARE
                           : goes_while_borrowing(h, n)                ? NAIVE_WHILE_BORROWING
                                                                       : NAIVE_BY_PRIORITY;
}

static bool goes_before(const struct hunting *h, int a, int b)
{
    static const int places[] = {[NAIVE_BY_SHARE] = 0,
                                 [NAIVE_WHILE_BORROWING] = 1,
                                 [NAIVE_BY_PRIORITY] = 1,
                                 [NAIVE_OWN] = 2};
    const struct naive_claim *x = hunting_claim(h, a), *y = hunting_claim(h, b);
    int place_a = places[h->candidates[a].why], place_b = places[h->candidates[b].why];

    if (place_a != place_b)
        return place_a < place_b;
    if (x->rank.priority != y->rank.priority)
        return x->rank.priority < y->rank.priority;
    return x->stamp != y->stamp ? x->stamp > y->stamp : strcmp(x->uid, y->uid) < 0;
}

static int next_candidate(const struct hunting *h, int after)
{
    int next = -1;

    for (int n = 0; n < h->world->claim_count; n++)
        if (h->candidates[n].is && (after < 0 || goes_before(h, after, n)) &&
            (next < 0 || goes_before(h, n, next)))
            next = n;
    return next;
}

static bool may_go(const struct hunting *h, int n, bool borrowing)
{
    return h->candidates[n].is && !(borrowing && h->candidates[n].why == NAIVE_BY_PRIORITY);
}

/* Also after others have gone. */
static bool is_still(const struct hunting *h, int n, bool borrowing)
{
    return may_go(h, n, borrowing) &&
           (h->candidates[n].why == NAIVE_OWN ||
            hunting_all_exceed(h, hunting_claim(h, n)->node, h->candidates[n].common));
}

static bool stays_in(const struct hunting *h, int n, int gang)
{
    const struct naive_claim *claim = hunting_claim(h, n);

    return claim->gang == gang && !claim->is_minimum && claim->now && claim->later && !h->away[n];
}

/* How many of a gang are there beyond its minimum. */
static int64_t surplus(const struct hunting *h, int gang)
{
    int64_t count = h->world->gangs[gang].finished - h->world->gangs[gang].minimum;

    for (int n = 0; n < h->world->claim_count; n++)
        count += stays_in(h, n, gang);
    return count;
}

static void think_away(struct hunting *h, int n, int unit, bool whole)
{
    h->candidates[n].unit = unit;
    h->candidates[n].whole = whole;
    h->order[h->count++] = n;
    hunting_think(h, n, true);
}

static void think_unit(struct hunting *h, int unit, bool away)
{
    for (int n = 0; n < h->count; n++)
        if (h->candidates[h->order[n]].unit == unit)
            hunting_think(h, h->order[n], away);
}

static void drop_unit(struct hunting *h, int unit)
{
    int count = h->count;

    think_unit(h, unit, false);
    h->count = 0;
    for (int n = 0; n < count; n++)
        if (h->candidates[h->order[n]].unit != unit)
            h->order[h->count++] = h->order[n];
}

/* Of Volcano's queues: none is left with less than is kept for it. */
static bool leaves_kept(const struct hunting *h, int unit)
{
    for (int k = 0; k < h->count && h->world->nodes[h->queue].is_volcano; k++) {
        int n = h->order[k], node = hunting_claim(h, n)->node;

        if (h->candidates[n].unit != unit || h->candidates[n].why == NAIVE_OWN)
            continue;
        for (; node != h->candidates[n].common; node = hunting_parent(h, node))
            for (int i = 0; i < h->wanted->count; i++)
                if (h->contested[i] && hunting_uses(h, n, i) > 0 &&
                    h->used[i][node] < hunting_quota(h, node, i)->kept)
                    return false;
    }
    return true;
}

/* The claim, or, if it belongs to the minimum of a gang, all of that. */
static bool take_unit(struct hunting *h, int unit, bool borrowing)
{
    int gang = hunting_claim(h, unit)->gang;

    if (gang < 0 || surplus(h, gang) > 0) {
        think_away(h, unit, unit, false);
    } else {
        for (int n = 0; n < h->world->claim_count; n++)
            if (stays_in(h, n, gang) && !may_go(h, n, borrowing))
                return false;
        for (int n = 0; n < h->world->claim_count; n++)
            if (stays_in(h, n, gang))
                think_away(h, n, unit, true);
    }
    if (leaves_kept(h, unit))
        return true;
    drop_unit(h, unit);
    return false;
}

/* Nobody is left with a part of a gang. */
static bool may_return(const struct hunting *h, int n)
{
    int gang = hunting_claim(h, n)->gang;

    return gang < 0 || h->candidates[n].whole || surplus(h, gang) >= 0;
}

/* The last unit is needed; of the others whoever is not comes back, the last one first. */
static void give_back(struct hunting *h, bool borrowing)
{
    int last = h->candidates[h->order[h->count - 1]].unit;

    for (int k = h->count - 1; k >= 0; k--) {
        int n = h->order[k], unit = h->candidates[n].unit;

        if (unit == last || (k > 0 && h->candidates[h->order[k - 1]].unit == unit))
            continue;
        think_unit(h, unit, false);
        if (may_return(h, n) && hunting_fits(h, borrowing))
            drop_unit(h, unit);
        else
            think_unit(h, unit, true);
    }
}

/* It goes for the one that asks. */
static bool goes(const struct hunting *h, int n)
{
    for (int k = 0; k < h->count; k++)
        if (h->order[k] == n)
            return true;
    return false;
}

/* It could send these of its own queue away, once it asks again. */
static void think_own(struct hunting *h, int n, bool away)
{
    const struct naive_claim *claim = hunting_claim(h, n);
    struct naive_claim again = *claim;

    again.rank = claim->gang_rank;
    for (int other = 0; other < h->world->claim_count; other++)
        if (hunting_claim(h, other)->node == claim->node && hunting_claim(h, other)->may_go &&
            !goes(h, other) &&
            naive_takes(h->world->nodes[claim->node].policy[QUEUE_WITHIN], &again,
                        hunting_claim(h, other)))
            hunting_think(h, other, away);
}

/* All that those of this one's unit and queue used would be within the share again, with as few
 * pods as it takes, and without those that they can send away. */
static bool comes_back(struct hunting *h, int n)
{
    wide amounts[NAIVE_CELLS] = {0};
    bool comes;

    for (int i = 0; i < h->wanted->count; i++)
        for (int k = 0; k < h->count; k++)
            if (h->candidates[h->order[k]].unit == h->candidates[n].unit &&
                hunting_claim(h, h->order[k])->node == hunting_claim(h, n)->node)
                amounts[i] += hunting_claim(h, h->order[k])->least[h->wanted->cells[i]];
    think_own(h, n, true);
    comes = hunting_holds(h, hunting_claim(h, n)->node, h->candidates[n].common, amounts);
    think_own(h, n, false);
    return comes;
}

/* It waits in another queue, which would hold within its share what it asks for of what is wanted.
 */
static bool could_reclaim(const struct hunting *h, int n)
{
    const struct naive_claim *claim = hunting_claim(h, n);
    wide amounts[NAIVE_CELLS];
    int common;

    if (!claim->asks || claim->node == h->queue ||
        h->world->nodes[claim->node].policy[QUEUE_RECLAIM] != PREEMPT_ANY)
        return false;
    for (int i = 0; i < h->wanted->count; i++)
        amounts[i] = claim->least[h->wanted->cells[i]];
    common = naive_common(h->world, h->queue, claim->node);
    return common >= 0 && hunting_holds(h, claim->node, common, amounts);
}

/* Nobody is sent away by priority, for room that is borrowed then, if it could reclaim that at
 * once, or somebody waits who could. */
static bool is_reclaimed(struct hunting *h)
{
    bool by_priority = false;

    if (hunting_fits(h, false))
        return false;
    for (int k = 0; k < h->count; k++) {
        int n = h->order[k];

        if (h->candidates[n].why != NAIVE_WHILE_BORROWING)
            continue;
        by_priority = true;
        if (h->world->nodes[hunting_claim(h, n)->node].policy[QUEUE_RECLAIM] == PREEMPT_ANY &&
            comes_back(h, n))
            return true;
    }
    for (int n = 0; n < h->world->claim_count && by_priority; n++)
        if (could_reclaim(h, n))
            return true;
    return false;
}

static bool run(struct hunting *h, bool borrowing)
{
    for (int n = next_candidate(h, -1); n >= 0; n = next_candidate(h, n)) {
        if (h->away[n] || !is_still(h, n, borrowing) || !take_unit(h, n, borrowing) ||
            !hunting_fits(h, borrowing))
            continue;
        give_back(h, borrowing);
        if (!is_reclaimed(h))
            return true;
        break;
    }
    while (h->count > 0)
        drop_unit(h, h->candidates[h->order[0]].unit);
    return false;
}

/* *ret_borrowing: its queue may exceed its share then. */
static bool find(struct hunting *h, bool *ret_borrowing)
{
    bool forbidden = h->policy[QUEUE_BORROWS] == 0, by_share = false, others = false, first;

    for (int n = 0; n < h->world->claim_count; n++) {
        by_share = by_share || (h->candidates[n].is && h->candidates[n].why == NAIVE_BY_SHARE);
        others = others || (h->candidates[n].is && h->candidates[n].why != NAIVE_OWN);
    }
    if (!others || (forbidden && !hunting_is_under(h)))
        return run(h, *ret_borrowing = true);
    first = !forbidden || by_share;
    return run(h, *ret_borrowing = first) || run(h, *ret_borrowing = !first);
}

void naive_hunt(const struct naive_world *world, int asks, const struct naive_wanted *wanted,
                struct naive_victims *ret)
{
    wide used[NAIVE_CELLS][NAIVE_NODES];
    struct hunting h = {.world = world,
                        .wanted = wanted,
                        .asks = asks,
                        .queue = world->claims[asks].node,
                        .used = used};
    bool contests = false, borrowing = true;

    *ret = (struct naive_victims){.found = true};
    h.policy = world->nodes[h.queue].policy;
    for (int i = 0; i < wanted->count; i++) {
        naive_count(world, wanted->cells[i], true, NULL, h.used[i]);
        h.contested[i] = !hunting_has_room(&h, i);
        contests = contests || h.contested[i];
    }
    if (!contests)
        return;
    for (int n = 0; n < world->claim_count; n++)
        look_at(&h, n);
    ret->found = find(&h, &borrowing);
    for (int k = 0; k < h.count; k++)
        ret->found = ret->found && !world->claims[h.order[k]].rests;
    for (int k = 0; k < h.count && ret->found; k++) {
        ret->claims[ret->count] = h.order[k];
        ret->whys[ret->count++] = h.candidates[h.order[k]].why;
        ret->away[h.order[k]] = true;
    }
    for (int i = 0; i < wanted->count; i++)
        ret->within[i] = ret->found && !borrowing && hunting_matters(&h, i);
}
