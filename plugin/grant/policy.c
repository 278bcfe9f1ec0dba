/* SPDX-License-Identifier: Apache-2.0 */
#include "policy.h"

#include "plugin/state.h"

static struct policy_rank own_rank(const struct engine *e, uint32_t claim)
{
    return (struct policy_rank){claim_at(e, claim)->priority, claim_at(e, claim)->queued};
}

uint32_t policy_gang(const struct engine *e, uint32_t claim)
{
    uint32_t group = claim_group(e, claim_at(e, claim));

    return group != 0 && group_goes_as_gang(group_at(e, group)) ? group : 0;
}

/* The group whose members ask as one, if the claim is one of them; 0: it asks alone. */
static uint32_t asks_within(const struct engine *e, uint32_t claim)
{
    uint32_t group = claim_group(e, claim_at(e, claim));
    bool together = group != 0 && group_at(e, group)->known && group_is_gang(group_at(e, group));

    return together ? group : policy_gang(e, claim);
}

/* Where all members give back with one of them, each is as important as the first. */
struct policy_rank policy_rank_of(const struct engine *e, uint32_t id)
{
    struct policy_rank rank = own_rank(e, id);
    uint32_t group = asks_within(e, id);

    if (group == 0)
        return rank;
    rank.since = group_at(e, group)->created;
    if (group_at(e, group)->has_priority)
        rank.priority = group_at(e, group)->priority;
    else if (group_at(e, group)->at_once)
        rank.priority = claim_at(e, group_at(e, group)->claims.first)->priority;
    return rank;
}

bool policy_takes(const struct engine *e, struct policy_rank asks, uint32_t group, uint32_t claim,
                  enum preempt_whom whom)
{
    uint32_t gang = asks_within(e, claim);

    return (gang == 0 || gang != group) && policy_takes_rank(asks, own_rank(e, claim), whom) &&
           (gang == 0 || policy_takes_rank(asks, policy_rank_of(e, claim), whom));
}

bool policy_takes_nobody_behind(const struct engine *e, struct policy_rank asks, uint32_t claim,
                                enum preempt_whom whom)
{
    int32_t priority = claim_at(e, claim)->priority;

    return whom == PREEMPT_NEVER ||
           (whom != PREEMPT_ANY &&
            (priority > asks.priority || (priority == asks.priority && whom == PREEMPT_LOWER)));
}

int32_t policy_priority(const struct engine *e, uint32_t claim)
{
    int32_t own = own_rank(e, claim).priority, gang = policy_rank_of(e, claim).priority;

    return own > gang ? own : gang;
}
