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

enum reason claim_rest(const struct engine *e, uint32_t id)
{
    const struct claim *claim = claim_at(e, id);

    if (claim->flags & CLAIM_LET_GO)
        return REASON_NOT_READY;
    if (claim->obstacle != 0)
        return claim->misses_claim ? REASON_CLAIM_MISSING : REASON_FOREIGN_GATE;
    if (is_not_selected(e, claim))
        return REASON_NAMESPACE_NOT_SELECTED;
    if (claim->state == CLAIM_HELD && claim->reason == REASON_BACKOFF &&
        claim_deadline(e, id) > e->now)
        return REASON_BACKOFF;
    if (stale_condition_holds(e, claim))
        return REASON_CONDITION_STALE;
    if (follow_supersedes(e, id))
        return REASON_SUPERSEDED;
    return claim_group(e, claim) == 0 ? REASON_NONE : gang_holds(e, claim_group(e, claim));
}

bool claim_may_pass_now(struct engine *e, uint32_t id, uint16_t *ret_flavors)
{
    const struct claim *claim = claim_at(e, id);
    uint32_t queue = claim_queue(e, id);

    if (!engine_grants(e) || queue_stops(e, queue) != REASON_NONE || queue_below_dirty(e, queue))
        return false;
    if ((queue_at(e, queue)->strict || queue_at(e, queue)->guarding) &&
        (queue_at(e, queue)->head != id || turn_is_workloads(e, queue)))
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
    enum reason reason = claim_rest(e, id);

    claim_change(e, id, reason == REASON_NONE ? CLAIM_WAITING : CLAIM_HELD, reason);
    if (reason == REASON_NONE && !gang_needs(e, id) && claim_may_pass_now(e, id, flavors))
        claim_grant_alone(e, id, flavors);
}
