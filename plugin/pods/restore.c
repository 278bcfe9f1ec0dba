/* SPDX-License-Identifier: Apache-2.0 */
#include "restore.h"

#include "booking.h"
#include "gang.h"
#include "group_follow.h"
#include "plugin/claims/claim_change.h"
#include "plugin/claims/stale_condition.h"
#include "plugin/order/contest.h"
#include "plugin/order/fit.h"
#include "plugin/pods/claim_rest.h"
#include "plugin/state.h"

/* Whether it still fits: in the flavors that its stamp names, or, where it names none, in those
 * that it gets now. */
static bool still_fits(struct engine *e, uint32_t id)
{
    const struct claim *claim = claim_at(e, id);
    const struct line *line = line_at(e, claim->line);
    uint16_t flavors[FACTS_MAX_NEEDS];
    bool stamped = queue_at(e, line_queue(e, line))->kind == QUEUE_VOLCANO;

    for (uint32_t i = 0; i < line_count(e, line); i++)
        stamped = stamped || claim_flavors(claim)[i] != 0;
    if (!stamped) {
        if (!fit_line_again(e, claim->line, flavors))
            return false;
        claim_set_flavors(e, id, flavors);
        return true;
    }
    claim_guess_flavors(e, id);
    return fit_in(e, claim->line, claim_flavors(claim), headroom_again);
}

/* A pod that says Unschedulable was in a cycle before the restart. */
static void reserve(struct engine *e, uint32_t id)
{
    if (claim_at(e, id)->flags & CLAIM_UNSCHEDULABLE)
        claim_set_flag(claim_at(e, id), CLAIM_SEEN_IN_CYCLE, true);
    claim_change(e, id, CLAIM_RESERVED, REASON_NONE);
}

/* It does not get it back, and waits with all others that ask. */
static void give_up(struct engine *e, uint32_t id)
{
    stale_condition_note_loss(e, claim_at(e, id));
    claim_set_flavors(e, id, NULL);
    claim_to_rest(e, id);
}

static void restore_alone(struct engine *e, uint32_t id)
{
    /* Also where its queue is suspended, or not known any more: that takes nothing away. */
    if (still_fits(e, id))
        reserve(e, id);
    else
        give_up(e, id);
}

static bool restore_one(struct engine *e, uint32_t id)
{
    if (!still_fits(e, id))
        return false;
    if ((claim_at(e, id)->flags & (CLAIM_RESTORING | CLAIM_STAMPED)) == 0)
        claim_set_stamp(e, id, e->now);
    reserve(e, id);
    return true;
}

/* Those first that a restart found granted, then others that are ready, in the same queue. Who is
 * superseded stands for who takes its place. */
static bool restore_minimum(struct engine *e, struct group *group)
{
    int64_t lacks = group_lacks(group);
    uint32_t queue = 0;
    bool fits = true;

    for (uint32_t id = group->claims.first; id != 0; id = member_after(e, id)) {
        if ((claim_at(e, id)->flags & CLAIM_RESTORING) != 0 && follow_supersedes(e, id))
            give_up(e, id);
    }
    for (int round = 0; round < 2; round++) {
        for (uint32_t id = group->claims.first; id != 0 && lacks > 0 && fits;
             id = member_after(e, id)) {
            const struct claim *claim = claim_at(e, id);

            if (round == 0 ? (claim->flags & CLAIM_RESTORING) == 0 : !group_is_ready(claim))
                continue;
            if (queue == 0 || round == 0)
                queue = claim_queue(e, id);
            fits = claim_queue(e, id) == queue && restore_one(e, id);
            lacks--;
        }
    }
    if (!fits || lacks > group->superseded)
        return false;
    group->to_come += (int32_t)lacks;
    return true;
}

/* It was not whole, or does not fit any more: nobody was granted anything. */
static void restore_none(struct engine *e, struct group *group)
{
    for (uint32_t id = group->claims.first; id != 0; id = member_after(e, id)) {
        if (claim_at(e, id)->state == CLAIM_RESERVED)
            queue_at(e, claim_queue(e, id))->totals.gave_up--;
    }
    gang_give_back(e, group);
    for (uint32_t id = group->claims.first; id != 0; id = member_after(e, id)) {
        if (claim_at(e, id)->flags & CLAIM_RESTORING)
            give_up(e, id);
    }
}

static void restore_gang(struct engine *e, uint32_t id)
{
    struct group *group = group_at(e, claim_group(e, claim_at(e, id)));

    if (gang_is_one(e, group) && group_lacks(group) > 0) {
        if (restore_minimum(e, group))
            gang_set_mode(e, group, GROUP_WHOLE);
        else
            restore_none(e, group);
    } else if (group->known && gang_fault(e, group) == GROUP_SOUND && !follow_supersedes(e, id)) {
        restore_alone(e, id);
    } else {
        give_up(e, id);
    }
}

void restore_claim(struct engine *e, uint32_t id)
{
    if (claim_at(e, id)->flags & CLAIM_GANG)
        booking_restore(e, id);
    else if (claim_group(e, claim_at(e, id)) != 0)
        restore_gang(e, id);
    else
        restore_alone(e, id);
    group_settle(e);
}

void restore_guess_flavors(struct engine *e)
{
    for (uint32_t id = 1; id < slab_end(&e->claims.records) && slab_count(&e->capacity.flavors) > 0;
         id++) {
        if (claim_is_of_pods(e, id) && claim_at(e, id)->state == CLAIM_ALLOCATED &&
            claim_guess_flavors(e, id))
            contest_refresh(e, claim_queue(e, id));
    }
}
