/* SPDX-License-Identifier: Apache-2.0 */
#include "gang_mode.h"

#include "group_follow.h"
#include "plugin/state.h"

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

/* The scheduler takes a native group whose members are all of its rank. They stand in order. */
static bool has_other_ranks(const struct engine *e, const struct group *group)
{
    return group_is_native(group) && group->has_priority && group->claims.first != 0 &&
           (claim_at(e, group->claims.first)->priority != group->priority ||
            claim_at(e, group->claims.last)->priority != group->priority);
}

enum group_fault gang_fault(const struct engine *e, const struct group *group)
{
    int32_t asked = group_follow_minimum(e, group);
    int32_t minimum = group->known || asked == 0 ? group->minimum : asked;

    if (minimum < 0 || (group->ours && asked < 0))
        return GROUP_BAD_MINIMUM;
    if (group_is_native(group) && group->known && !group->ours && asked != 0 && asked != minimum)
        return GROUP_OTHER_MINIMUM;
    if (has_other_ranks(e, group))
        return GROUP_TWO_RANKS;
    if (group_parts_are_too_deep(group))
        return GROUP_TOO_DEEP;
    return asked != 0 && group->ordered && minimum > 1 ? GROUP_ORDERED : GROUP_SOUND;
}

bool gang_is_one(const struct engine *e, const struct group *group)
{
    return group->known && group_is_gang(group) && gang_fault(e, group) == GROUP_SOUND;
}

/* As it is now, looked at or not since it changed. */
static bool is_whole(const struct engine *e, const struct group *group)
{
    return group->known && gang_fault(e, group) == GROUP_SOUND && !group_follow_moves(e, group) &&
           !group_misses(group) && (!group_is_gang(group) || group_lacks(group) <= 0);
}

bool gang_needs(const struct engine *e, uint32_t id)
{
    uint32_t group = claim_group(e, claim_at(e, id));

    return group != 0 && (claim_is_in_gang(e, id) || !is_whole(e, group_at(e, group)));
}

enum group_mode gang_mode_of(const struct engine *e, struct group *group, struct gang_sum *ret_sum)
{
    group->fault = (uint8_t)gang_fault(e, group);
    if (group->fault != GROUP_SOUND)
        return GROUP_INVALID;
    if (!group->known)
        return GROUP_MISSING;
    if (group_follow_moves(e, group))
        return GROUP_MOVES;
    if (gang_misses_members(group))
        group->fault = (uint8_t)gang_add_missing(e, group, ret_sum);
    if (group->fault != GROUP_SOUND)
        return GROUP_INVALID;
    if (group_misses(group))
        return GROUP_INCOMPLETE;
    if (!group_is_gang(group) || group_lacks(group) <= 0)
        return GROUP_WHOLE;
    if ((int64_t)group->ready + group->superseded < group_lacks(group))
        return GROUP_INCOMPLETE;
    group->fault = (uint8_t)gang_add_up(e, group, ret_sum);
    return group->fault == GROUP_SOUND ? GROUP_WAITS : GROUP_INVALID;
}
