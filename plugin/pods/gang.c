/* SPDX-License-Identifier: Apache-2.0 */
#include "gang.h"

#include "booking.h"
#include "claim_time.h"
#include "gang_sum.h"
#include "group_follow.h"
#include "group_member.h"
#include "plugin/claims/claim_change.h"
#include "plugin/claims/claim_make.h"
#include "plugin/order/guard.h"
#include "plugin/pods/claim_rest.h"
#include "plugin/state.h"
#include "restore.h"

int gang_make_entry(struct engine *e, uint32_t group, struct text uid, uint32_t *ret_entry)
{
    uint32_t line;
    int error = line_make_own(e, &line);

    if (error < 0)
        return error;
    error = group_reserve_member(e);
    if (error == 0)
        error = claim_create_entry(e, group, uid, line, ret_entry);
    if (error < 0)
        line_free_own(e, line);
    return error;
}

void gang_free_entry(struct engine *e, uint32_t entry)
{
    uint32_t line = claim_at(e, entry)->line;

    claim_destroy_entry(e, entry);
    line_free_own(e, line);
}

static bool entry_waits(const struct engine *e, const struct group *group)
{
    return group->entry != 0 && !group->books && claim_at(e, group->entry)->state == CLAIM_WAITING;
}

static void take_entry_out(struct engine *e, const struct group *group)
{
    if (!entry_waits(e, group))
        return;
    claim_leave_line(e, group->entry);
    line_set_own(e, claim_at(e, group->entry)->line, 0, NULL, 0, false);
}

void gang_set_entry(struct engine *e, uint32_t id, uint32_t entry)
{
    struct group *group = group_at(e, id);

    booking_end(e, id);
    take_entry_out(e, group);
    if (group->entry != 0)
        gang_free_entry(e, group->entry);
    group->entry = entry;
    if (entry != 0)
        claim_set_timer(e, entry); /* the group's turn, or its pause, goes on */
}

enum reason gang_holds(const struct engine *e, uint32_t id)
{
    static const enum reason reasons[] = {
        [GROUP_MISSING] = REASON_GROUP_MISSING,
        [GROUP_MOVES] = REASON_GROUP_CHANGING,
        [GROUP_INVALID] = REASON_GROUP_INVALID,
        [GROUP_INCOMPLETE] = REASON_GROUP_INCOMPLETE,
        [GROUP_WAITS] = REASON_NONE,
        [GROUP_WHOLE] = REASON_NONE,
    };

    return reasons[group_at(e, id)->mode];
}

/* What is wrong with it, whatever its members ask for. */
static enum group_fault fault_of(const struct engine *e, const struct group *group)
{
    int32_t asked = group_follow_minimum(e, group);
    int32_t minimum = group->known || asked == 0 ? group->minimum : asked;

    if (minimum < 0 || (group->ours && asked < 0))
        return GROUP_BAD_MINIMUM;
    return asked != 0 && group->ordered && minimum > 1 ? GROUP_ORDERED : GROUP_SOUND;
}

static bool is_gang(const struct engine *e, const struct group *group)
{
    return group->known && group->minimum > 1 && fault_of(e, group) == GROUP_SOUND;
}

/* As it is now, looked at or not since it changed. */
static bool is_whole(const struct engine *e, const struct group *group)
{
    return group->known && fault_of(e, group) == GROUP_SOUND && !group_follow_moves(e, group) &&
           (group->minimum <= 1 || group_lacks(group) <= 0);
}

bool gang_needs(const struct engine *e, uint32_t id)
{
    uint32_t group = claim_group(e, claim_at(e, id));

    return group != 0 && (claim_is_in_gang(e, id) || !is_whole(e, group_at(e, group)));
}

static enum group_mode mode_of(const struct engine *e, struct group *group, struct gang_sum *sum)
{
    group->fault = (uint8_t)fault_of(e, group);
    if (group->fault != GROUP_SOUND)
        return GROUP_INVALID;
    if (!group->known)
        return GROUP_MISSING;
    if (group_follow_moves(e, group))
        return GROUP_MOVES;
    if (booking_is_asked(group))
        group->fault = (uint8_t)gang_add_missing(e, group, sum);
    if (group->fault != GROUP_SOUND)
        return GROUP_INVALID;
    if (group->minimum <= 1 || group_lacks(group) <= 0)
        return GROUP_WHOLE;
    if ((int64_t)group->ready + group->superseded < group_lacks(group))
        return GROUP_INCOMPLETE;
    group->fault = (uint8_t)gang_add_up(e, group, sum);
    return group->fault == GROUP_SOUND ? GROUP_WAITS : GROUP_INVALID;
}

/* Members that nothing of their own holds go where the mode says; those that hold something may go
 * on, or not. When they wait alone, several at once may fit: who of them is next is a matter of
 * their queues. */
static void set_mode(struct engine *e, struct group *group, enum group_mode mode)
{
    enum claim_state state;
    enum reason reason;
    bool told;

    if (group->mode == mode)
        return;
    take_entry_out(e, group);
    group->mode = (uint8_t)mode;
    for (uint32_t id = group->first; id != 0; id = member_after(e, id)) {
        if (claim_holds(claim_at(e, id)))
            outbox_sync(&e->outbox, EFFECT_OF_POD, id);
        if (!group_is_ready(claim_at(e, id)))
            continue;
        told = (claim_at(e, id)->flags & CLAIM_TOLD) != 0;
        claim_change(e, id, CLAIM_HELD, REASON_NOT_READY);
        state = claim_rest(e, id, &reason);
        if (state == CLAIM_WAITING) /* it waits on, and is not told of its queue again */
            claim_set_flag(claim_at(e, id), CLAIM_TOLD, told);
        claim_change(e, id, state, reason);
        if (mode == GROUP_WHOLE)
            queue_todo(e, TODO_DIRTY, queue_root(e, claim_queue(e, id)));
    }
}

/* Those that are past the reserve hook keep what they have. */
static uint32_t give_back(struct engine *e, struct group *group)
{
    uint32_t count = 0;

    group->to_come = 0;
    set_mode(e, group, GROUP_INCOMPLETE);
    for (uint32_t id = group->first; id != 0; id = member_after(e, id)) {
        if (claim_at(e, id)->state == CLAIM_RESERVED) {
            claim_to_rest(e, id);
            count++;
        }
    }
    return count;
}

/* had: the queue in which it held room until now for members that were not there; 0: none. */
static void put_entry_in(struct engine *e, struct group *group, const struct gang_sum *sum,
                         uint32_t had)
{
    uint16_t flavors[FACTS_MAX_NEEDS];

    if (entry_waits(e, group) && gang_sum_stands(e, group, sum))
        return;
    if (entry_waits(e, group))
        claim_leave_line(e, group->entry);
    gang_sum_put(e, group, sum);
    claim_enter_line(e, group->entry);
    if (booking_passes_on(e, had, claim_at(e, group->entry)->line, flavors) ||
        claim_may_pass_now(e, group->entry, flavors))
        claim_grant(e, group->entry, flavors);
}

void gang_review(struct engine *e, uint32_t id)
{
    struct group *group = group_at(e, id);
    enum group_mode mode;
    struct gang_sum sum;

    follow_supersede(e, id);
    mode = mode_of(e, group, &sum);
    if (mode != GROUP_WHOLE && group->reserved > 0) {
        give_back(e, group);
        mode = mode_of(e, group, &sum);
    }
    set_mode(e, group, mode);
    if (mode == GROUP_WAITS)
        put_entry_in(e, group, &sum, booking_is_over(e, id));
    else
        booking_review(e, id);
}

/* The flavors of a member's needs, of those that were found for the sum. */
static void share_flavors(const struct engine *e, const struct line *line,
                          const struct gang_sum *sum, const uint16_t *flavors,
                          uint16_t *ret_flavors)
{
    for (uint32_t i = 0; i < line_count(e, line); i++) {
        for (uint8_t k = 0; k < sum->count; k++) {
            if (sum->requests[k].resource == line_resource(e, line, i))
                ret_flavors[i] = flavors[k];
        }
    }
}

void gang_grant(struct engine *e, uint32_t entry, const uint16_t *flavors)
{
    struct group *group = group_at(e, claim_group(e, claim_at(e, entry)));
    const struct line *line = line_at(e, claim_at(e, entry)->line);
    int64_t lacks = group_lacks(group);
    struct gang_sum sum = {.count = line_count(e, line)};
    uint16_t own[FACTS_MAX_NEEDS];

    if (group->books) {
        booking_grant(e, entry, flavors);
        return;
    }
    for (uint8_t i = 0; i < sum.count; i++)
        sum.requests[i].resource = line_resource(e, line, i);
    take_entry_out(e, group);
    for (uint32_t id = group->first; id != 0 && lacks > 0; id = member_after(e, id)) {
        if (!group_is_ready(claim_at(e, id)))
            continue;
        share_flavors(e, line_at(e, claim_at(e, id)->line), &sum, flavors, own);
        claim_reserve(e, id, own);
        lacks--;
    }
    group->to_come += (int32_t)lacks;
    set_mode(e, group, GROUP_WHOLE);
}

uint32_t gang_demote(struct engine *e, uint32_t claim)
{
    uint32_t group = claim_group(e, claim_at(e, claim));

    if (claim_at(e, claim)->flags & CLAIM_GANG) {
        booking_end(e, group);
        group_touch(e, group);
        return 1;
    }
    if (group == 0 || group_at(e, group)->minimum <= 1 || group_lacks(group_at(e, group)) < 0)
        return 0;
    return give_back(e, group_at(e, group));
}

static bool restore_one(struct engine *e, uint32_t id)
{
    struct claim *claim = claim_at(e, id);
    bool was_granted = (claim->flags & CLAIM_RESTORING) != 0;

    if (!restore_fits(e, id))
        return false;
    if (!was_granted && (claim->flags & CLAIM_STAMPED) == 0)
        claim_set_stamp(e, id, e->now);
    restore_reserve(e, id);
    return true;
}

/* Those first that a restart found granted, then others that are ready. Who is superseded stands
 * for who takes its place. */
static bool restore_minimum(struct engine *e, struct group *group)
{
    int64_t lacks = group_lacks(group);
    bool fits = true;

    for (uint32_t id = group->first; id != 0; id = member_after(e, id)) {
        if ((claim_at(e, id)->flags & CLAIM_RESTORING) != 0 && follow_supersedes(e, id))
            restore_nothing(e, id);
    }
    for (int round = 0; round < 2; round++) {
        for (uint32_t id = group->first; id != 0 && lacks > 0 && fits; id = member_after(e, id)) {
            const struct claim *claim = claim_at(e, id);

            if (round == 0 ? (claim->flags & CLAIM_RESTORING) == 0 : !group_is_ready(claim))
                continue;
            fits = restore_one(e, id);
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
    for (uint32_t id = group->first; id != 0; id = member_after(e, id)) {
        if (claim_at(e, id)->state == CLAIM_RESERVED)
            queue_at(e, claim_queue(e, id))->totals.gave_up--;
    }
    give_back(e, group);
    for (uint32_t id = group->first; id != 0; id = member_after(e, id)) {
        if (claim_at(e, id)->flags & CLAIM_RESTORING)
            restore_nothing(e, id);
    }
}

void gang_restore(struct engine *e, uint32_t id)
{
    struct group *group = group_at(e, claim_group(e, claim_at(e, id)));

    if (is_gang(e, group) && group_lacks(group) > 0) {
        if (restore_minimum(e, group))
            set_mode(e, group, GROUP_WHOLE);
        else
            restore_none(e, group);
    } else if (group->known && fault_of(e, group) == GROUP_SOUND && !follow_supersedes(e, id)) {
        restore_alone(e, id);
    } else {
        restore_nothing(e, id);
    }
}

void gang_begin(struct engine *e)
{
    for (uint32_t at = 1; at < slab_end(&e->pods.groups); at++) {
        const struct group *group;

        if (!slab_live(&e->pods.groups, at))
            continue;
        group = group_at(e, at);
        booking_begin(e, at);
        if (!is_gang(e, group) || group->holding == 0 || group_lacks(group) <= 0)
            continue;
        for (uint32_t id = group->first; id != 0; id = member_after(e, id)) {
            if (!group_is_ready(claim_at(e, id)))
                continue;
            if ((claim_at(e, id)->flags & CLAIM_STAMPED) == 0)
                claim_set_stamp(e, id, claim_at(e, id)->created);
            claim_to_restore(e, id);
        }
    }
}

const char *gang_check(const struct engine *e, uint32_t id)
{
    struct group copy = *group_at(e, id);
    struct gang_sum sum;

    if (copy.mode != mode_of(e, &copy, &sum))
        return "a group's mode follows from its members";
    if (copy.fault != group_at(e, id)->fault)
        return "a group knows what is wrong with it";
    if (copy.mode != GROUP_WHOLE && copy.reserved > 0)
        return "who is reserved belongs to a group that is whole";
    if ((copy.mode == GROUP_WAITS) != entry_waits(e, &copy))
        return "a gang is in its queue's order while it waits";
    if (copy.mode == GROUP_WAITS && !gang_sum_stands(e, &copy, &sum))
        return "a gang waits for what lacks to its minimum";
    return booking_check(e, id);
}

/* For estimates: the mean time between grants, the last ones counting most. */
static void note_grant(struct engine *e, struct queue *queue)
{
    if (queue->grants > 0) {
        int64_t gap = e->now - queue->last_grant;

        queue->grant_gap += (gap - queue->grant_gap) / (queue->grants < 8 ? queue->grants : 8);
    }
    queue->last_grant = e->now;
    queue->grants += queue->grants < UINT32_MAX;
}

void claim_grant(struct engine *e, uint32_t id, const uint16_t *flavors)
{
    uint32_t queue = claim_queue(e, id);

    if (claim_at(e, id)->flags & CLAIM_GANG)
        gang_grant(e, id, flavors);
    else
        claim_reserve(e, id, flavors);
    note_grant(e, queue_at(e, queue));
    guard_after_grant(e, queue, id);
}
