/* SPDX-License-Identifier: Apache-2.0 */
#include "booking.h"

#include "claim_rest.h"
#include "claim_time.h"
#include "gang_sum.h"
#include "plugin/claims/claim_change.h"
#include "plugin/order/fit.h"
#include "plugin/state.h"

static bool asks(const struct group *group)
{
    return gang_misses_members(group) &&
           (group->mode == GROUP_INCOMPLETE || group->mode == GROUP_WHOLE);
}

bool booking_waits(const struct engine *e, const struct group *group)
{
    return group->books && claim_at(e, group->entry)->state == CLAIM_WAITING;
}

bool booking_holds(const struct engine *e, const struct group *group)
{
    return group->books && claim_holds(claim_at(e, group->entry));
}

bool booking_pauses(const struct engine *e, const struct group *group)
{
    return group->entry != 0 && claim_at(e, group->entry)->reason == REASON_BACKOFF;
}

uint32_t booking_end(struct engine *e, uint32_t id)
{
    struct group *group = group_at(e, id);
    uint32_t entry = group->entry, queue = 0;

    if (!group->books)
        return 0;
    if (booking_holds(e, group)) {
        queue = claim_queue(e, entry);
        claim_hold_entry(e, entry, NULL);
    } else if (claim_at(e, entry)->flags & CLAIM_RESTORING) {
        claim_leave_restoring(e, entry);
    } else {
        claim_leave_line(e, entry);
    }
    line_clear_own(e, claim_at(e, entry)->line);
    group->books = false;
    return queue;
}

bool booking_passes_on(const struct engine *e, uint32_t queue, uint32_t line, uint16_t *ret_flavors)
{
    return queue != 0 && line_queue(e, line_at(e, line)) == queue &&
           queue_stops(e, queue) == REASON_NONE && fit_line(e, line, ret_flavors);
}

/* The members go each alone: the first of them has what was kept for it. */
static void pass_on(struct engine *e, const struct group *group, uint32_t queue)
{
    uint16_t flavors[FACTS_MAX_NEEDS];
    uint32_t id = group->claims.first;

    while (id != 0 && claim_at(e, id)->state != CLAIM_WAITING)
        id = member_after(e, id);
    if (group->mode == GROUP_WHOLE && group->holding == 0 && id != 0 &&
        booking_passes_on(e, queue, claim_at(e, id)->line, flavors))
        claim_grant_alone(e, id, flavors);
}

uint32_t booking_is_over(struct engine *e, uint32_t id)
{
    uint32_t entry = group_at(e, id)->entry;
    bool had_timer = group_at(e, id)->books || booking_pauses(e, group_at(e, id));
    uint32_t had = booking_end(e, id);

    if (entry == 0)
        return had;
    if (booking_pauses(e, group_at(e, id)))
        claim_at(e, entry)->reason = REASON_NOT_READY;
    claim_at(e, entry)->timeouts = 0;
    if (had_timer)
        claim_set_timer(e, entry);
    return had;
}

/* A queue that stops takes nothing from pods; but here nobody has come yet. */
static bool may_stay(const struct engine *e, const struct group *group, const struct gang_sum *sum)
{
    if (!group->books || !gang_sum_stands(e, group, sum))
        return false;
    return booking_waits(e, group) || queue_stops(e, sum->shape.queue) == REASON_NONE;
}

void booking_review(struct engine *e, uint32_t id)
{
    struct group *group = group_at(e, id);
    uint16_t flavors[FACTS_MAX_NEEDS];
    struct gang_sum sum;
    uint32_t had;

    if (!asks(group)) {
        pass_on(e, group, booking_is_over(e, id));
        return;
    }
    gang_add_missing(e, group, &sum);
    if (booking_pauses(e, group) || may_stay(e, group, &sum))
        return;
    had = booking_end(e, id);
    gang_sum_put(e, group, &sum);
    group->books = true;
    claim_enter_line(e, group->entry);
    if (booking_passes_on(e, had, claim_at(e, group->entry)->line, flavors))
        booking_grant(e, group->entry, flavors);
    else
        queue_todo(e, TODO_DIRTY, queue_root(e, sum.shape.queue));
}

void booking_grant(struct engine *e, uint32_t entry, const uint16_t *flavors)
{
    claim_leave_line(e, entry);
    claim_hold_entry(e, entry, flavors);
    group_touch(e, claim_group(e, claim_at(e, entry)));
}

/* No object says when it was granted. */
void booking_begin(struct engine *e, uint32_t id)
{
    struct group *group = group_at(e, id);
    struct gang_sum sum;

    if (!group->inqueue || !asks(group) || booking_pauses(e, group))
        return;
    booking_end(e, id);
    gang_add_missing(e, group, &sum);
    gang_sum_put(e, group, &sum);
    group->books = true;
    claim_at(e, group->entry)->stamp = group->created;
    claim_join_restoring(e, group->entry);
}

void booking_restore(struct engine *e, uint32_t entry)
{
    uint32_t id = claim_group(e, claim_at(e, entry));
    uint16_t flavors[FACTS_MAX_NEEDS];

    if (queue_stops(e, claim_queue(e, entry)) == REASON_NONE &&
        fit_line_again(e, claim_at(e, entry)->line, flavors)) {
        claim_leave_restoring(e, entry);
        claim_hold_entry(e, entry, flavors);
    } else {
        booking_end(e, id);
    }
    group_touch(e, id);
}

void booking_stand_by(struct engine *e, uint32_t id)
{
    struct group *group = group_at(e, id);

    if (!group->books || booking_waits(e, group))
        return;
    booking_end(e, id);
    group_touch(e, id);
}

void booking_expire(struct engine *e, uint32_t entry)
{
    struct claim *claim = claim_at(e, entry);
    uint32_t id = claim_group(e, claim);

    if (claim->state == CLAIM_RESERVED) {
        claim_count_timeout(claim);
        booking_end(e, id);
        claim->reason = REASON_BACKOFF;
    } else {
        claim->reason = REASON_NOT_READY;
    }
    claim_set_timer(e, entry);
    group_touch(e, id);
}

const char *booking_check(const struct engine *e, uint32_t id)
{
    const struct group *group = group_at(e, id);
    struct gang_sum sum;

    if (group->entry == 0)
        return group->books || asks(group) ? "a group that asks for room has an entry" : NULL;
    if (group->books != (asks(group) && !booking_pauses(e, group)))
        return "a group asks for room while members of its minimum are missing";
    if (booking_pauses(e, group) && !asks(group))
        return "a group pauses only that would ask for room";
    if (!group->books)
        return NULL;
    gang_add_missing(e, group, &sum);
    if (!gang_sum_stands(e, group, &sum))
        return "a group asks for what its object says that it needs";
    if (booking_holds(e, group) && !stop_notice_is_due(e) &&
        queue_stops(e, sum.shape.queue) != REASON_NONE)
        return "a queue that stops keeps no room for pods that are not there";
    return NULL;
}
