/* SPDX-License-Identifier: Apache-2.0 */
#include "hunt.h"

#include "plugin/capacity/headroom.h"
#include "plugin/state.h"
#include "refused_victims.h"

static bool fits(const struct hunt *hunt, bool borrowing)
{
    const struct engine *e = hunt->e;
    const struct line *line = line_at(e, claim_at(e, hunt->claim)->line);

    if (!borrowing && candidates_would_borrow(hunt))
        return false;
    for (uint32_t i = 0; i < line_count(e, line); i++) {
        if (hunt->asked[i] && hunt->flavors[i] != FLAVOR_NONE &&
            line_amount(e, line, i) >
                headroom_later(e, hunt->queue, hunt->flavors[i], line_resource(e, line, i)))
            return false;
    }
    return true;
}

static void take_away(struct hunt *hunt, uint32_t id, uint32_t unit, bool whole)
{
    struct pledge *pledge = pledge_at(hunt->e, id);

    promise_count(hunt->e, id, -1);
    pledge->removed = true;
    pledge->whole = whole;
    pledge->of = unit;
    pledge->prev = hunt->last;
    hunt->last = id;
}

static bool stays(const struct engine *e, uint32_t id)
{
    return claim_holds(claim_at(e, id)) && claim_counts_later(claim_at(e, id)) &&
           !pledge_at(e, id)->removed;
}

/* 0: it is in no gang. */
static uint32_t gang_of(const struct engine *e, uint32_t id)
{
    uint32_t group = claim_group(e, claim_at(e, id));

    return group != 0 && group_at(e, group)->known && group_at(e, group)->minimum > 1 ? group : 0;
}

static int64_t count_stays(const struct engine *e, uint32_t group)
{
    int64_t count = group_at(e, group)->succeeded;

    for (uint32_t id = group_at(e, group)->first; id != 0; id = member_after(e, id))
        count += stays(e, id);
    return count;
}

static bool gang_may_go(const struct hunt *hunt, uint32_t group)
{
    const struct engine *e = hunt->e;

    for (uint32_t id = group_at(e, group)->first; id != 0; id = member_after(e, id)) {
        if (stays(e, id) && !candidates_have(hunt, id))
            return false;
    }
    return true;
}

/* It is in no search any more. */
static void forget(struct pledge *pledge)
{
    pledge->removed = pledge->whole = false;
    pledge->of = pledge->prev = 0;
}

/* The last unit comes back. */
static void bring_back(struct hunt *hunt)
{
    uint32_t unit = hunt->last == 0 ? 0 : pledge_at(hunt->e, hunt->last)->of;

    while (hunt->last != 0 && pledge_at(hunt->e, hunt->last)->of == unit) {
        struct pledge *pledge = pledge_at(hunt->e, hunt->last);

        promise_count(hunt->e, hunt->last, 1);
        hunt->last = pledge->prev;
        forget(pledge);
    }
}

static bool leaves_kept(const struct hunt *hunt, uint32_t unit)
{
    for (uint32_t id = hunt->last; id != 0 && pledge_at(hunt->e, id)->of == unit;
         id = pledge_at(hunt->e, id)->prev) {
        if (!candidates_leave_kept(hunt, id))
            return false;
    }
    return true;
}

static bool take_unit_away(struct hunt *hunt, uint32_t id)
{
    const struct engine *e = hunt->e;
    uint32_t gang = gang_of(e, id);

    if (gang == 0 || count_stays(e, gang) > group_at(e, gang)->minimum) {
        take_away(hunt, id, id, false);
    } else {
        if (!gang_may_go(hunt, gang))
            return false;
        for (uint32_t at = group_at(e, gang)->first; at != 0; at = member_after(e, at)) {
            if (stays(e, at))
                take_away(hunt, at, id, true);
        }
    }
    if (leaves_kept(hunt, id))
        return true;
    bring_back(hunt);
    return false;
}

static uint32_t end_of_unit(const struct hunt *hunt, uint32_t id)
{
    uint32_t unit = pledge_at(hunt->e, id)->of;

    while (id != 0 && pledge_at(hunt->e, id)->of == unit)
        id = pledge_at(hunt->e, id)->prev;
    return id;
}

static void count_unit(struct hunt *hunt, uint32_t from, uint32_t end, int sign)
{
    for (uint32_t id = from; id != end; id = pledge_at(hunt->e, id)->prev) {
        promise_count(hunt->e, id, sign);
        pledge_at(hunt->e, id)->removed = sign < 0;
    }
}

static void forget_unit(struct hunt *hunt, uint32_t from, uint32_t end)
{
    for (uint32_t id = from, prev; id != end; id = prev) {
        prev = pledge_at(hunt->e, id)->prev;
        forget(pledge_at(hunt->e, id));
    }
}

/* Nobody is left with a part of a gang. */
static bool may_return(const struct hunt *hunt, uint32_t id)
{
    uint32_t gang = gang_of(hunt->e, id);

    return gang == 0 || pledge_at(hunt->e, id)->whole ||
           count_stays(hunt->e, gang) >= group_at(hunt->e, gang)->minimum;
}

static void give_back(struct hunt *hunt, bool borrowing)
{
    uint32_t newer = hunt->last, end = end_of_unit(hunt, newer), from;
    struct refused_victims refused = {0};

    while (pledge_at(hunt->e, newer)->prev != end)
        newer = pledge_at(hunt->e, newer)->prev;
    while ((from = pledge_at(hunt->e, newer)->prev) != 0) {
        end = end_of_unit(hunt, from);
        if (!refused_victims_has(&refused, hunt->e, from)) {
            count_unit(hunt, from, end, 1);
            if (may_return(hunt, from) && fits(hunt, borrowing)) {
                pledge_at(hunt->e, newer)->prev = end;
                forget_unit(hunt, from, end);
                continue;
            }
            count_unit(hunt, from, end, -1);
            refused_victims_add(&refused, hunt->e, from);
        }
        while (pledge_at(hunt->e, newer)->prev != end)
            newer = pledge_at(hunt->e, newer)->prev;
    }
}

static bool run(struct hunt *hunt, bool borrowing)
{
    uint32_t id;

    while ((id = candidates_next(hunt, borrowing)) != 0) {
        if (take_unit_away(hunt, id) && fits(hunt, borrowing)) {
            give_back(hunt, borrowing);
            hunt->within = borrowing ? 0 : candidates_within(hunt);
            return true;
        }
    }
    while (hunt->last != 0)
        bring_back(hunt);
    return false;
}

static bool run_both(struct hunt *hunt, bool borrowing_first)
{
    if (run(hunt, borrowing_first))
        return true;
    candidates_collect(hunt);
    return run(hunt, !borrowing_first);
}

static bool find(struct hunt *hunt)
{
    bool forbidden = !queue_at(hunt->e, hunt->queue)->preempts.while_borrowing;

    if ((!hunt->by_share && !hunt->by_priority) || (forbidden && !candidates_under_share(hunt)))
        return run(hunt, true);
    return run_both(hunt, !forbidden || hunt->by_share);
}

bool hunt_begin(struct hunt *hunt)
{
    bool found;

    hunt->last = 0;
    hunt->within = 0;
    if (!candidates_contest(hunt))
        return true;
    candidates_collect(hunt);
    found = candidates_suffice(hunt) && find(hunt);
    for (uint32_t id = hunt->last; id != 0; id = pledge_at(hunt->e, id)->prev)
        promise_count(hunt->e, id, 1);
    return found;
}

void hunt_take(struct hunt *hunt)
{
    for (uint32_t id = hunt->last; id != 0; id = pledge_at(hunt->e, id)->prev) {
        struct pledge *pledge = pledge_at(hunt->e, id);

        pledge->removed = pledge->whole = false;
        pledge->of = 0;
    }
}

void hunt_end(struct hunt *hunt)
{
    while (hunt->last != 0) {
        struct pledge *pledge = pledge_at(hunt->e, hunt->last);

        hunt->last = pledge->prev;
        forget(pledge);
    }
}

bool hunt_reclaims(const struct hunt *hunt)
{
    for (uint32_t id = hunt->last; id != 0; id = pledge_at(hunt->e, id)->prev) {
        if (claim_queue(hunt->e, id) == hunt->queue)
            return false;
    }
    return true;
}
