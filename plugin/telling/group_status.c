/* SPDX-License-Identifier: Apache-2.0 */
#include "group_status.h"

#include "explain_queue.h"
#include "plugin/base/sentence.h"
#include "plugin/pods/booking.h"
#include "plugin/pods/gang_sum.h"
#include "plugin/pods/group_follow.h"
#include "plugin/state.h"

void group_say_fault(const struct group *group, struct sentence *say)
{
    static const char *const faults[] = {
        [GROUP_SOUND] = "",
        [GROUP_BAD_MINIMUM] = " has a minimum that is not a number above 0",
        [GROUP_ORDERED] = (" can never be complete: its StatefulSet makes the next pod when the "
                           "one before it runs (podManagementPolicy: Parallel would do)"),
        [GROUP_TWO_QUEUES] = " has members in different queues",
        [GROUP_TWO_RANKS] = " has members of another priority than its own",
        [GROUP_TOO_DEEP] = " is the top of a tree that is deeper than four levels",
        [GROUP_TOO_MANY] = " asks for more than 32 different resources",
        [GROUP_TOO_MUCH] = " asks for more of a resource than can be counted",
        [GROUP_OTHER_MINIMUM] = (" has another minimum than its pods ask for "
                                 "(scheduling.volcano.sh/group-min-member), and others made it"),
    };

    sentence_str(say, faults[group->fault]);
}

void group_say_replicas(const struct group *group, struct sentence *say)
{
    if (group->replicas < 0 || group->replicas >= group->minimum)
        return;
    sentence_number(say, "; its owner makes only ", group->replicas, "");
}

/* Whether none of its members may ask the queue for anything. */
static bool is_held(const struct engine *e, const struct group *group)
{
    if (group->books)
        return booking_holds(e, group);
    return group->mode == GROUP_INVALID || group->mode == GROUP_INCOMPLETE ||
           group->mode == GROUP_MOVES ||
           (group->mode == GROUP_WHOLE && group->ready + group->holding == 0);
}

/* Volcano has a word of its own for what each member is told. */
static const char *word(const struct group *group, enum reason reason)
{
    if (group_is_native(group))
        return reason_name(reason);
    return reason == REASON_GROUP_INCOMPLETE ? "NotEnoughTasks" : "NotEnoughResources";
}

static void say_held(const struct engine *e, const struct group *group, struct group_status *status,
                     struct sentence *say)
{
    status->reason = word(group, REASON_GROUP_INCOMPLETE);
    if (group->home != 0 && group->not_selected) {
        status->reason = reason_name(REASON_NAMESPACE_NOT_SELECTED);
        explain_not_selected(say, e, group->home, group->space);
    } else if (group->mode == GROUP_MOVES) {
        status->reason = reason_name(REASON_GROUP_CHANGING);
        sentence_str(say, "the group");
        follow_say_move(e, group, say);
    } else if (group->mode == GROUP_INVALID) {
        status->reason = reason_name(REASON_GROUP_INVALID);
        sentence_str(say, "the group");
        group_say_fault(group, say);
    } else if (group->mode == GROUP_WHOLE && group->members == 0) {
        sentence_str(say, "it has no members yet");
    } else if (group->mode == GROUP_WHOLE) {
        sentence_str(say, "something of their own holds all of its members");
    } else if (group->misses_parts) {
        sentence_str(say, "the group");
        group_say_missing_part(e, group, say);
    } else {
        sentence_number(say, "fewer than the ", group->minimum,
                        " members that it needs are there and ready");
        group_say_replicas(group, say);
    }
    if (booking_holds(e, group))
        sentence_str(say, "; its queue keeps room for them");
    if (booking_pauses(e, group))
        sentence_str(say, "; nobody made them in time, so it gave its room back for a while");
}

/* What it waits for is its queue's to give, or its nodes'. */
static void say_waits(const struct engine *e, const struct group *group,
                      struct group_status *status, struct sentence *say)
{
    uint32_t queue = claim_queue(e, group->books ? group->entry : group->claims.first);
    enum reason stop = queue_stops(e, queue);

    status->reason = word(group, REASON_QUEUE_CAPACITY);
    if (group->no_nodes) {
        sentence_str(say, "no nodes were found for all members that it needs");
    } else if (stop != REASON_NONE) {
        explain_halt(say, e, queue, stop);
        status->reason = reason_name(stop);
    } else if (group->never) {
        status->reason = reason_name(REASON_NEVER_FITS);
        explain_never(say, e, group->entry);
    } else if (group_is_gang(group)) {
        explain_queue(say, e, queue, " has no room yet for all of the ");
        sentence_number(say, "", group->at_once ? group->members : (uint32_t)group->minimum,
                        group->at_once ? " members that are there" : " members that it needs");
    } else {
        explain_queue(say, e, queue, " has no room yet for one of its members");
    }
}

/* Whether it was granted nothing yet, or not all that it needs. */
static bool waits(const struct group *group)
{
    return group->mode != GROUP_WHOLE || group->no_nodes || group->holding + group->succeeded == 0;
}

static void say_why(const struct engine *e, const struct group *group, struct group_status *ret,
                    char *message)
{
    struct sentence say = sentence_in(message, VERDICT_MESSAGE_MAX);

    if (waits(group) && is_held(e, group))
        say_held(e, group, ret, &say);
    else if (waits(group))
        say_waits(e, group, ret, &say);
}

/* All else of a native one's status is the scheduler's. */
static void find_condition(const struct engine *e, const struct group *group,
                           struct group_status *ret, char *message)
{
    if (group->members == 0)
        return;
    ret->type = "sluice.sh/QuotaReserved";
    ret->status = waits(group) ? "False" : "True";
    ret->reason = "QuotaReserved";
    say_why(e, group, ret, message);
}

void group_find_status(const struct engine *e, uint32_t id, struct group_status *ret, char *message)
{
    const struct group *group = group_at(e, id);
    int64_t minimum = group->minimum > 1 ? group->minimum : 1;

    *ret = (struct group_status){
        .kind = (enum group_kind)group->kind, .phase = "", .type = "", .status = "", .reason = ""};
    message[0] = '\0';
    if (group_is_native(group)) {
        find_condition(e, group, ret, message);
        return;
    }
    ret->running = group->holding - group->reserved - group->at_permit;
    ret->succeeded = group->succeeded;
    ret->failed = group->failed;
    if (group_is_over(group))
        ret->phase = "Completed";
    else if ((int64_t)ret->running + ret->succeeded >= minimum)
        ret->phase = "Running";
    else if (ret->running > 0)
        ret->phase = waits(group) ? "Unknown" : "Inqueue";
    else
        ret->phase = booking_holds(e, group) || (group->mode == GROUP_WHOLE && group->holding > 0)
                         ? "Inqueue"
                         : "Pending";
    if (group->members == 0 && !gang_misses_members(group))
        return;
    ret->type = waits(group) ? "Unschedulable" : "Scheduled";
    ret->status = "True";
    ret->reason = "tasks in gang are ready to be scheduled";
    say_why(e, group, ret, message);
}
