/* SPDX-License-Identifier: Apache-2.0 */
#include "gang.h"

#include "booking.h"
#include "claim_time.h"
#include "gang_sum.h"
#include "group_follow.h"
#include "group_member.h"
#include "plugin/claims/claim_change.h"
#include "plugin/claims/claim_make.h"
#include "plugin/claims/news.h"
#include "plugin/order/fit.h"
#include "plugin/order/guard.h"
#include "plugin/pods/claim_rest.h"
#include "plugin/state.h"

int gang_make_entry(struct engine *e, uint32_t group, struct text uid, uint32_t *ret_entry)
{
    uint32_t line, place;
    int error = line_make_own(e, &line);

    if (error < 0)
        return error;
    error = slab_reserve(&e->pods.members, 1) < 0 ? ENGINE_NO_MEMORY : 0;
    if (error == 0)
        error = claim_create_entry(e, group_at(e, group), uid, line, ret_entry);
    if (error < 0) {
        line_free_own(e, line);
        return error;
    }
    place = slab_take(&e->pods.members);
    *member_at(e, place) = (struct member){.group = group};
    claim_at(e, *ret_entry)->member = place;
    return 0;
}

void gang_free_entry(struct engine *e, uint32_t entry)
{
    uint32_t line = claim_at(e, entry)->line;

    slab_give(&e->pods.members, claim_at(e, entry)->member);
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
    line_clear_own(e, claim_at(e, group->entry)->line);
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

/* It waits on, and is not told of its queue again. */
static void keep_news(struct claim *claim, const struct claim *before)
{
    claim_set_flag(claim, CLAIM_TOLD, (before->flags & CLAIM_TOLD) != 0);
    claim->news_stands = before->news_stands;
    claim->news_since = before->news_since;
    claim->news_ripe = before->news_ripe;
}

/* Members that nothing of their own holds go where the mode says; those that hold something may go
 * on, or not. When they wait alone, several at once may fit: who of them is next is a matter of
 * their queues. */
void gang_set_mode(struct engine *e, struct group *group, enum group_mode mode)
{
    enum reason reason;
    struct claim before;

    if (group->mode == mode)
        return;
    take_entry_out(e, group);
    group->mode = (uint8_t)mode;
    for (uint32_t id = group->claims.first; id != 0; id = member_after(e, id)) {
        if (claim_holds(claim_at(e, id)))
            outbox_sync(&e->outbox, EFFECT_OF_POD, id);
        if (!group_is_ready(claim_at(e, id)))
            continue;
        before = *claim_at(e, id);
        claim_change(e, id, CLAIM_HELD, REASON_NOT_READY);
        reason = claim_rest(e, id);
        if (reason == REASON_NONE)
            keep_news(claim_at(e, id), &before);
        claim_change(e, id, reason == REASON_NONE ? CLAIM_WAITING : CLAIM_HELD, reason);
        if (mode == GROUP_WHOLE)
            queue_todo(e, TODO_DIRTY, queue_root(e, claim_queue(e, id)));
    }
}

/* Those that are past the reserve hook keep what they have. */
uint32_t gang_give_back(struct engine *e, struct group *group)
{
    uint32_t count = 0;

    group->to_come = 0;
    gang_set_mode(e, group, GROUP_INCOMPLETE);
    for (uint32_t id = group->claims.first; id != 0; id = member_after(e, id)) {
        if (claim_at(e, id)->state == CLAIM_RESERVED) {
            claim_to_rest(e, id);
            count++;
        }
    }
    return count;
}

/* Those past the reserve hook are about to have a node, and go on. */
static void hold_superseded(struct engine *e, struct group *group)
{
    bool some = group->marked + group->superseded > 0;

    for (uint32_t at = group->claims.first; some && at != 0; at = member_after(e, at)) {
        const struct claim *claim = claim_at(e, at);

        if (follow_supersedes(e, at) ? group_is_ready(claim) || claim->state == CLAIM_RESERVED
                                     : group_is_superseded(claim))
            claim_to_rest(e, at);
    }
    if (group->to_come > (int32_t)group->superseded)
        group->to_come = (int32_t)group->superseded;
}

/* The flavors of a member's needs, of those that were found for the sum. */
static void share_flavors(const struct engine *e, const struct line *line, const struct shape *sum,
                          const uint16_t *flavors, uint16_t *ret_flavors)
{
    for (uint32_t i = 0; i < line_count(e, line); i++) {
        for (uint8_t k = 0; k < sum->count; k++) {
            if (sum->requests[k].resource == line_resource(e, line, i))
                ret_flavors[i] = flavors[k];
        }
    }
}

/* The first of its members that are ready are reserved, as many as lack; how many still do. */
static int64_t reserve_ready(struct engine *e, const struct group *group, int64_t lacks,
                             const struct shape *sum, const uint16_t *flavors)
{
    uint16_t own[FACTS_MAX_NEEDS];

    for (uint32_t id = group->claims.first; id != 0 && lacks > 0; id = member_after(e, id)) {
        if (!group_is_ready(claim_at(e, id)))
            continue;
        share_flavors(e, claim_line(e, id), sum, flavors, own);
        claim_reserve(e, id, own);
        lacks--;
    }
    return lacks;
}

static void grant_gang(struct engine *e, uint32_t entry, const uint16_t *flavors)
{
    struct group *group = group_at(e, claim_group(e, claim_at(e, entry)));
    struct shape sum;

    if (group->books) {
        booking_grant(e, entry, flavors);
        return;
    }
    line_shape(e, claim_line(e, entry), &sum);
    take_entry_out(e, group);
    group->to_come += (int32_t)reserve_ready(e, group, group_lacks(group), &sum, flavors);
    gang_set_mode(e, group, GROUP_WHOLE);
}

void claim_grant(struct engine *e, uint32_t id, const uint16_t *flavors)
{
    uint32_t queue = claim_queue(e, id);

    if ((claim_at(e, id)->flags & CLAIM_GANG) == 0) {
        claim_grant_alone(e, id, flavors);
        return;
    }
    grant_gang(e, id, flavors);
    guard_after_grant(e, queue, id);
}

void gang_tell(struct engine *e, uint32_t id)
{
    if (!news_review_gang(e, id))
        return;
    for (uint32_t at = group_at(e, id)->claims.first; at != 0; at = member_after(e, at)) {
        news_review(e, at);
        outbox_sync(&e->outbox, EFFECT_OF_POD, at);
        claim_set_timer(e, at);
    }
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

/* What joins a group comes to its queue, and has the flavors of those that were granted. */
static bool find_flavors(const struct engine *e, const struct group *group,
                         const struct gang_sum *sum, uint16_t *ret_flavors)
{
    uint32_t id = group->claims.first;
    struct claim_need need;
    uint8_t found = 0;

    while (claim_at(e, id)->state != CLAIM_RESERVED)
        id = member_after(e, id);
    if (claim_queue(e, id) != sum->shape.queue)
        return false;
    for (uint8_t k = 0; k < sum->shape.count; k++) {
        for (uint32_t i = 0; claim_need(e, id, i, &need); i++) {
            if (need.resource != sum->shape.requests[k].resource)
                continue;
            ret_flavors[k] = need.flavor;
            found++;
        }
    }
    return found == sum->shape.count;
}

/* Those that come while their group is granted, and fit beside it, are granted before anything that
 * waits. Else it waits again with them: the scheduler would hold it for their sake. */
static bool grant_joining(struct engine *e, struct group *group, const struct gang_sum *sum)
{
    uint16_t flavors[FACTS_MAX_NEEDS];
    bool fits;

    if (!group->at_once || !engine_grants(e) || queue_stops(e, sum->shape.queue) != REASON_NONE ||
        !find_flavors(e, group, sum, flavors))
        return false;
    take_entry_out(e, group); /* a member that gave its node back finds the others waiting */
    gang_sum_put(e, group, sum);
    fits = fit_in(e, claim_at(e, group->entry)->line, flavors, headroom_now);
    line_clear_own(e, claim_at(e, group->entry)->line);
    if (fits)
        reserve_ready(e, group, group_lacks(group), &sum->shape, flavors);
    return fits;
}

void gang_review(struct engine *e, uint32_t id)
{
    struct group *group = group_at(e, id);
    enum group_mode mode;
    struct gang_sum sum;

    hold_superseded(e, group);
    mode = gang_mode_of(e, group, &sum);
    if (mode == GROUP_WAITS && group->reserved > 0 && grant_joining(e, group, &sum))
        return;
    if (mode != GROUP_WHOLE && group->reserved > 0) {
        gang_give_back(e, group);
        mode = gang_mode_of(e, group, &sum);
    }
    gang_set_mode(e, group, mode);
    if (mode == GROUP_WAITS)
        put_entry_in(e, group, &sum, booking_is_over(e, id));
    else
        booking_review(e, id);
    gang_tell(e, id);
}

uint32_t gang_demote(struct engine *e, uint32_t claim)
{
    uint32_t group = claim_group(e, claim_at(e, claim));

    if (claim_at(e, claim)->flags & CLAIM_GANG) {
        booking_end(e, group);
        group_touch(e, group);
        return 1;
    }
    if (group == 0 || !group_is_gang(group_at(e, group)) || group_lacks(group_at(e, group)) < 0)
        return 0;
    return gang_give_back(e, group_at(e, group));
}

void gang_begin(struct engine *e)
{
    for (uint32_t at = 0; slab_step(&e->pods.groups, &at);) {
        struct group *group = group_at(e, at);
        struct gang_sum sum;

        booking_begin(e, at);
        if (group->holding == 0 || gang_mode_of(e, group, &sum) != GROUP_WAITS)
            continue;
        for (uint32_t id = group->claims.first; id != 0; id = member_after(e, id)) {
            if (!group_is_ready(claim_at(e, id)))
                continue;
            if ((claim_at(e, id)->flags & CLAIM_STAMPED) == 0)
                claim_set_stamp(e, id, claim_at(e, id)->queued);
            claim_to_restore(e, id);
        }
    }
}

const char *gang_check(const struct engine *e, uint32_t id)
{
    struct group copy = *group_at(e, id);
    struct gang_sum sum;

    if (copy.mode != gang_mode_of(e, &copy, &sum))
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
