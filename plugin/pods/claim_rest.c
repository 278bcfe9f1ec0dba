/* SPDX-License-Identifier: Apache-2.0 */
#include "claim_rest.h"

#include "claim_time.h"
#include "plugin/claims/claim_change.h"
#include "plugin/claims/stale_condition.h"
#include "plugin/order/fit.h"
#include "plugin/order/guard.h"
#include "plugin/order/turn.h"
#include "plugin/pods/gang_mode.h"
#include "plugin/pods/group_follow.h"
#include "plugin/state.h"

/* Whether the queue that it is in, its group's or its own, is not for its namespace. */
static bool is_not_selected(const struct engine *e, const struct claim *claim)
{
    uint32_t group = claim_group(e, claim);

    return group != 0 && group_at(e, group)->home != 0 ? group_at(e, group)->not_selected
                                                       : (claim->flags & CLAIM_NOT_SELECTED) != 0;
}

enum claim_state claim_rest(const struct engine *e, uint32_t id, enum reason *ret_reason)
{
    const struct claim *claim = claim_at(e, id);

    *ret_reason = REASON_NONE;
    if (claim->flags & CLAIM_LET_GO)
        *ret_reason = REASON_NOT_READY;
    else if (claim->obstacle != 0)
        *ret_reason = claim->misses_claim ? REASON_CLAIM_MISSING : REASON_FOREIGN_GATE;
    else if (is_not_selected(e, claim))
        *ret_reason = REASON_NAMESPACE_NOT_SELECTED;
    else if (claim->state == CLAIM_HELD && claim->reason == REASON_BACKOFF &&
             claim_deadline(e, id) > e->now)
        *ret_reason = REASON_BACKOFF;
    else if (stale_condition_holds(e, claim))
        *ret_reason = REASON_CONDITION_STALE;
    else if (follow_supersedes(e, id))
        *ret_reason = REASON_SUPERSEDED;
    else if (claim_group(e, claim) != 0)
        *ret_reason = gang_holds(e, claim_group(e, claim));
    return *ret_reason == REASON_NONE ? CLAIM_WAITING : CLAIM_HELD;
}

bool claim_may_pass_now(struct engine *e, uint32_t id, uint16_t *ret_flavors)
{
    const struct claim *claim = claim_at(e, id);
    uint32_t queue = claim_queue(e, id);

    if (!engine_grants(e) || queue_stops(e, queue) != REASON_NONE || queue_below_dirty(e, queue))
        return false;
    if ((queue_at(e, queue)->strict || queue_at(e, queue)->guarding) &&
        (line_first_of(e, queue) != id || turn_is_workloads(e, queue)))
        return false;
    if (!fit_line(e, claim->line, ret_flavors))
        return false;
    if (!queue_in_dirty_tree(e, queue) && !cluster_queue_is_to_ask(e, queue) &&
        !cluster_queue_prefers_victims(e, queue))
        return true;
    queue_todo(e, TODO_DIRTY, queue_root(e, queue));
    return false;
}

void claim_grant_alone(struct engine *e, uint32_t id, const uint16_t *flavors)
{
    claim_reserve(e, id, flavors);
    guard_after_grant(e, claim_queue(e, id), id);
}

void claim_to_rest(struct engine *e, uint32_t id)
{
    uint16_t flavors[FACTS_MAX_NEEDS];
    enum reason reason;
    enum claim_state state = claim_rest(e, id, &reason);

    claim_change(e, id, state, reason);
    if (state == CLAIM_WAITING && !gang_needs(e, id) && claim_may_pass_now(e, id, flavors))
        claim_grant_alone(e, id, flavors);
}
