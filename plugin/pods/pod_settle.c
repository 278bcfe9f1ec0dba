/* SPDX-License-Identifier: Apache-2.0 */
#include "pod_settle.h"

#include "claim_rest.h"
#include "plugin/claims/claim_change.h"
#include "plugin/state.h"

bool pod_looks_granted(const struct claim *claim)
{
    if (claim->obstacle != 0)
        return false;
    if (claim->flags & CLAIM_NOMINATED)
        return true;
    return claim->gates == 0 && (claim->flags & (CLAIM_STAMPED | CLAIM_UNSCHEDULABLE)) != 0;
}

/* Its place among those to restore is what the object alone tells. */
static void forget_grant(struct engine *e, uint32_t id)
{
    if ((claim_at(e, id)->flags & (CLAIM_STAMPED | CLAIM_RESTORING)) == 0)
        claim_set_stamp(e, id, claim_at(e, id)->queued);
    claim_to_restore(e, id);
}

/* Of those that were granted, whose ResourceClaim has gone: the scheduler takes them no more. */
static bool has_lost_claim(const struct claim *claim)
{
    return claim->misses_claim && claim->state == CLAIM_RESERVED;
}

void pod_settle(struct engine *e, uint32_t id)
{
    struct claim *claim = claim_at(e, id);
    bool leads = e->synced && e->leads;

    if (claim->flags & CLAIM_BOUND)
        claim_allocate(e, id);
    else if (leads && claim_holds(claim) && !has_lost_claim(claim))
        claim_change(e, id, claim->state, REASON_NONE);
    else if (pod_looks_granted(claim) && !leads)
        forget_grant(e, id);
    else
        claim_to_rest(e, id);
}
