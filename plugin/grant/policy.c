/* SPDX-License-Identifier: Apache-2.0 */
#include "policy.h"

#include "plugin/state.h"

static struct policy_rank own_rank(const struct engine *e, uint32_t id)
{
    return (struct policy_rank){claim_at(e, id)->priority, claim_at(e, id)->created};
}

/* That of its gang; its own, if it is in none. */
static struct policy_rank gang_rank(const struct engine *e, uint32_t id)
{
    struct policy_rank rank = own_rank(e, id);
    uint32_t group = claim_group(e, claim_at(e, id));

    if (group == 0 || !group_at(e, group)->known || group_at(e, group)->minimum <= 1)
        return rank;
    rank.since = group_at(e, group)->created;
    if (group_at(e, group)->has_priority)
        rank.priority = group_at(e, group)->priority;
    return rank;
}

bool policy_takes_rank(struct policy_rank asks, struct policy_rank candidate,
                       enum preempt_whom whom)
{
    switch (whom) {
    case PREEMPT_LOWER:
        return candidate.priority < asks.priority;
    case PREEMPT_LOWER_OR_NEWER:
        return candidate.priority < asks.priority ||
               (candidate.priority == asks.priority && candidate.since > asks.since);
    case PREEMPT_ANY:
        return true;
    default:
        return false;
    }
}

static bool in_one_gang(const struct engine *e, uint32_t a, uint32_t b)
{
    uint32_t group = claim_group(e, claim_at(e, a));

    return group != 0 && group == claim_group(e, claim_at(e, b)) && group_at(e, group)->known &&
           group_at(e, group)->minimum > 1;
}

bool policy_takes(const struct engine *e, uint32_t asks, uint32_t candidate, enum preempt_whom whom)
{
    return !in_one_gang(e, asks, candidate) &&
           policy_takes_rank(own_rank(e, asks), own_rank(e, candidate), whom) &&
           policy_takes_rank(own_rank(e, asks), gang_rank(e, candidate), whom);
}

bool policy_takes_nobody_behind(const struct engine *e, uint32_t asks, uint32_t candidate,
                                enum preempt_whom whom)
{
    int32_t priority = claim_at(e, candidate)->priority, least = claim_at(e, asks)->priority;

    return whom == PREEMPT_NEVER ||
           (whom != PREEMPT_ANY &&
            (priority > least || (priority == least && whom == PREEMPT_LOWER)));
}

int32_t policy_priority(const struct engine *e, uint32_t candidate)
{
    int32_t own = claim_at(e, candidate)->priority, gang = gang_rank(e, candidate).priority;

    return own > gang ? own : gang;
}
