/* SPDX-License-Identifier: Apache-2.0 */
#include "restore.h"

#include "booking.h"
#include "gang.h"
#include "plugin/claims/claim_change.h"
#include "plugin/claims/stale_condition.h"
#include "plugin/order/contest.h"
#include "plugin/order/fit.h"
#include "plugin/pods/claim_rest.h"
#include "plugin/records/claim.h"
#include "plugin/state.h"

bool restore_fits(struct engine *e, uint32_t id)
{
    const struct claim *claim = claim_at(e, id);
    const struct line *line = line_at(e, claim->line);
    uint16_t flavors[FACTS_MAX_NEEDS];
    bool stamped = queue_at(e, line_queue(e, line))->kind == QUEUE_VOLCANO;

    for (uint32_t i = 0; i < line_count(e, line); i++)
        stamped = stamped || claim_flavors(claim)[i] != 0;
    if (!stamped) {
        if (!fit_line_again(e, claim->line, flavors))
            return false;
        claim_set_flavors(e, id, flavors);
        return true;
    }
    claim_guess_flavors(e, id);
    return fit_in_again(e, claim->line, claim_flavors(claim));
}

void restore_reserve(struct engine *e, uint32_t id)
{
    if (claim_at(e, id)->flags & CLAIM_UNSCHEDULABLE)
        claim_set_flag(claim_at(e, id), CLAIM_SEEN_IN_CYCLE, true);
    claim_change(e, id, CLAIM_RESERVED, REASON_NONE);
}

void restore_claim(struct engine *e, uint32_t id)
{
    if (claim_at(e, id)->flags & CLAIM_GANG)
        booking_restore(e, id);
    else if (claim_group(e, claim_at(e, id)) != 0)
        gang_restore(e, id);
    else
        restore_alone(e, id);
    group_settle(e);
}

void restore_alone(struct engine *e, uint32_t id)
{
    /* Also where its queue is suspended, or not known any more: that takes nothing away. */
    if (restore_fits(e, id)) {
        restore_reserve(e, id);
        return;
    }
    restore_nothing(e, id);
}

void restore_nothing(struct engine *e, uint32_t id)
{
    stale_condition_note_loss(e, claim_at(e, id));
    claim_set_flavors(e, id, NULL);
    claim_to_rest(e, id);
}

void restore_guess_flavors(struct engine *e)
{
    for (uint32_t id = 1; id < slab_end(&e->claims.records) && slab_count(&e->capacity.flavors) > 0;
         id++) {
        if (slab_live(&e->claims.records, id) && claim_at(e, id)->state == CLAIM_ALLOCATED &&
            claim_guess_flavors(e, id))
            contest_refresh(e, claim_queue(e, id));
    }
}
