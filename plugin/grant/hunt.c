/* SPDX-License-Identifier: Apache-2.0 */
#include "hunt.h"

#include "hunt_share.h"
#include "plugin/claims/promise.h"
#include "plugin/claims/rest.h"
#include "plugin/state.h"
#include "policy.h"
#include "reclaim.h"
#include "refused_victims.h"

static void take_away(struct hunt *hunt, uint32_t claim, uint32_t unit, bool whole)
{
    struct pledge *pledge = pledge_at(hunt->e, claim);

    promise_count(hunt->e, claim, -1);
    pledge->removed = true;
    pledge->whole = whole;
    pledge->of = unit;
    pledge->peers.prev = hunt->last;
    hunt->last = claim;
}

static bool stays(const struct engine *e, uint32_t id)
{
    return claim_holds(claim_at(e, id)) && claim_counts_later(claim_at(e, id)) &&
           !pledge_at(e, id)->removed;
}

static int64_t count_stays(const struct engine *e, uint32_t group)
{
    int64_t count = group_at(e, group)->succeeded;

    for (uint32_t id = group_at(e, group)->claims.first; id != 0; id = member_after(e, id))
        count += stays(e, id);
    return count;
}

/* Each member by itself, whichever queue it is in. */
static bool gang_may_go(const struct hunt *hunt, uint32_t group, bool borrowing)
{
    const struct engine *e = hunt->e;

    for (uint32_t id = group_at(e, group)->claims.first; id != 0; id = member_after(e, id)) {
        if (stays(e, id) &&
            (!candidates_have(hunt, id) || (borrowing && !candidates_go_while_borrowing(hunt, id))))
            return false;
    }
    return true;
}

static uint32_t end_of_unit(const struct hunt *hunt, uint32_t claim)
{
    uint32_t unit = pledge_at(hunt->e, claim)->of;

    while (claim != 0 && pledge_at(hunt->e, claim)->of == unit)
        claim = pledge_at(hunt->e, claim)->peers.prev;
    return claim;
}

static void count_unit(struct hunt *hunt, uint32_t from, uint32_t end, int sign)
{
    for (uint32_t id = from; id != end; id = pledge_at(hunt->e, id)->peers.prev) {
        promise_count(hunt->e, id, sign);
        pledge_at(hunt->e, id)->removed = sign < 0;
    }
}

/* They are in no search any more. [counted again] */
static void forget_unit(struct hunt *hunt, uint32_t from, uint32_t end)
{
    for (uint32_t id = from, prev; id != end; id = prev) {
        struct pledge *pledge = pledge_at(hunt->e, id);

        prev = pledge->peers.prev;
        pledge->whole = false;
        pledge->of = pledge->peers.prev = 0;
    }
}

/* The last ones come back, up to this one, which does not; 0: all. */
static void bring_back(struct hunt *hunt, uint32_t end)
{
    count_unit(hunt, hunt->last, end, 1);
    forget_unit(hunt, hunt->last, end);
    hunt->last = end;
}

/* Of the last ones, up to this one, which is none of them. */
static bool leaves_kept(const struct hunt *hunt, uint32_t end)
{
    for (uint32_t id = hunt->last; id != end; id = pledge_at(hunt->e, id)->peers.prev) {
        uint32_t common = queue_at(hunt->e, claim_queue(hunt->e, id))->source.common;

        if (!hunt_share_leaves_kept(hunt, id, common))
            return false;
    }
    return true;
}

static bool take_unit_away(struct hunt *hunt, uint32_t claim, bool borrowing)
{
    const struct engine *e = hunt->e;
    uint32_t gang = policy_gang(e, claim), before = hunt->last;

    if (gang == 0 || count_stays(e, gang) > group_keeps(group_at(e, gang))) {
        take_away(hunt, claim, claim, false);
    } else {
        if (!gang_may_go(hunt, gang, borrowing))
            return false;
        for (uint32_t at = group_at(e, gang)->claims.first; at != 0; at = member_after(e, at)) {
            if (stays(e, at))
                take_away(hunt, at, claim, true);
        }
    }
    if (leaves_kept(hunt, before))
        return true;
    bring_back(hunt, before);
    return false;
}

/* Nobody is left with a part of a gang. */
static bool may_return(const struct hunt *hunt, uint32_t claim)
{
    uint32_t gang = policy_gang(hunt->e, claim);

    return gang == 0 || pledge_at(hunt->e, claim)->whole ||
           count_stays(hunt->e, gang) >= group_keeps(group_at(hunt->e, gang));
}

/* The last of a unit, whose `prev` is in the unit before it. */
static uint32_t last_before(const struct hunt *hunt, uint32_t claim, uint32_t end)
{
    while (pledge_at(hunt->e, claim)->peers.prev != end)
        claim = pledge_at(hunt->e, claim)->peers.prev;
    return claim;
}

static void give_back(struct hunt *hunt, bool borrowing)
{
    uint32_t newer = last_before(hunt, hunt->last, end_of_unit(hunt, hunt->last)), from;
    struct refused_victims refused = {0};

    while ((from = pledge_at(hunt->e, newer)->peers.prev) != 0) {
        uint32_t end = end_of_unit(hunt, from);

        if (!refused_victims_has(&refused, hunt->e, from)) {
            count_unit(hunt, from, end, 1);
            if (may_return(hunt, from) && hunt_share_fits(hunt, borrowing)) {
                pledge_at(hunt->e, newer)->peers.prev = end;
                forget_unit(hunt, from, end);
                continue;
            }
            count_unit(hunt, from, end, -1);
            refused_victims_add(&refused, hunt->e, from);
        }
        newer = last_before(hunt, newer, end);
    }
}

/* Those of the victims from..end that are of this one's queue, which come back as one. */
static bool takes_back(const struct hunt *hunt, uint32_t from, uint32_t end, uint32_t victim)
{
    const struct engine *e = hunt->e;
    uint32_t queue = claim_queue(e, victim);
    struct reclaim_amount amounts[ASSIGN_MAX_AMOUNTS];

    for (uint32_t i = 0; i < hunt->count; i++) {
        const struct claim_need *need = &hunt->needs[i];

        amounts[i] = (struct reclaim_amount){need->flavor, need->resource, 0, 0};
        for (uint32_t at = from; at != end; at = pledge_at(e, at)->peers.prev) {
            if (claim_queue(e, at) != queue)
                continue;
            amounts[i].used += claim_amount(e, at, need->flavor, need->resource);
            amounts[i].arrives += claim_least_amount(e, at, need->flavor, need->resource);
        }
    }
    return reclaim_takes_back(hunt->e, victim, queue_at(e, queue)->source.common, amounts,
                              hunt->count);
}

/* Whether it borrows what those that it sends away by priority, or others that wait, would take
 * back (reclaim.h). */
static bool is_reclaimed(const struct hunt *hunt)
{
    const struct engine *e = hunt->e;
    bool by_priority = false;

    if (hunt_share_fits(hunt, false))
        return false;
    for (uint32_t from = hunt->last, end; from != 0; from = end) {
        uint32_t looked = 0;

        end = end_of_unit(hunt, from);
        for (uint32_t id = from; id != end; id = pledge_at(e, id)->peers.prev) {
            uint32_t queue = claim_queue(e, id);

            if (queue == looked || queue_at(e, queue)->source.place != CANDIDATE_BY_PRIORITY)
                continue;
            by_priority = true;
            looked = queue;
            if (takes_back(hunt, from, end, id))
                return true;
        }
    }
    return by_priority && reclaim_is_awaited(hunt->e, hunt->queue, hunt->needs, hunt->count);
}

static bool run(struct hunt *hunt, bool borrowing)
{
    uint32_t claim;

    while ((claim = candidates_next(hunt, borrowing)) != 0) {
        if (take_unit_away(hunt, claim, borrowing) && hunt_share_fits(hunt, borrowing)) {
            give_back(hunt, borrowing);
            if (borrowing && is_reclaimed(hunt))
                break;
            hunt->within = !borrowing;
            return true;
        }
    }
    bring_back(hunt, 0);
    return false;
}

static bool find(struct hunt *hunt)
{
    bool forbidden = !queue_at(hunt->e, hunt->queue)->preempts.while_borrowing,
         borrowing_first = !forbidden || hunt->by_share;

    if ((!hunt->by_share && !hunt->by_priority) || (forbidden && !hunt_share_is_under(hunt)))
        return run(hunt, true);
    if (run(hunt, borrowing_first))
        return true;
    candidates_collect(hunt);
    return run(hunt, !borrowing_first);
}

static bool one_rests(const struct hunt *hunt)
{
    uint32_t claim = hunt->last;

    while (claim != 0 && !rest_holds(hunt->e, claim))
        claim = pledge_at(hunt->e, claim)->peers.prev;
    return claim != 0;
}

bool hunt_begin(struct hunt *hunt)
{
    hunt->last = 0;
    hunt->within = false;
    if (!hunt_share_contest(hunt))
        return true;
    candidates_collect(hunt);
    if (!candidates_suffice(hunt) || !find(hunt))
        return false;
    if (!one_rests(hunt))
        return true;
    hunt_end(hunt);
    return false;
}

void hunt_take(struct hunt *hunt)
{
    count_unit(hunt, hunt->last, 0, 1);
    for (uint32_t id = hunt->last; id != 0; id = pledge_at(hunt->e, id)->peers.prev) {
        pledge_at(hunt->e, id)->whole = false;
        pledge_at(hunt->e, id)->of = 0;
    }
}

void hunt_end(struct hunt *hunt)
{
    bring_back(hunt, 0);
}

bool hunt_reclaims(const struct hunt *hunt)
{
    for (uint32_t id = hunt->last; id != 0; id = pledge_at(hunt->e, id)->peers.prev) {
        if (claim_queue(hunt->e, id) == hunt->queue)
            return false;
    }
    return true;
}
