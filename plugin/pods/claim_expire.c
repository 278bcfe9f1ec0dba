/* SPDX-License-Identifier: Apache-2.0 */
#include "claim_expire.h"

#include "assembly.h"
#include "booking.h"
#include "claim_rest.h"
#include "claim_time.h"
#include "group.h"
#include "plugin/claims/claim_change.h"
#include "plugin/claims/claim_make.h"
#include "plugin/claims/news.h"
#include "plugin/claims/promise.h"
#include "plugin/state.h"

void claim_expire(struct engine *e, uint32_t id, int64_t due)
{
    struct claim *claim = claim_at(e, id);

    outbox_expire(&e->outbox, EFFECT_OF_POD, id);
    if ((claim->flags & CLAIM_GANG) == 0 && news_ripen(e, id))
        outbox_sync(&e->outbox, EFFECT_OF_POD, id);
    if (claim_deadline(e, id) > due) {
        claim_set_timer(e, id);
        return;
    }
    if ((claim->flags & CLAIM_GANG) != 0 && claim_booked_until(e, id) <= e->now) {
        booking_expire(e, id);
    } else if (claim->flags & CLAIM_GANG) {
        assembly_expire(e, id);
    } else if (claim_is_over(e, id) ||
               ((claim->flags & CLAIM_PROVISIONAL) && claim_confirm_by(claim) <= e->now)) {
        claim_destroy(e, id);
    } else if (promise_deadline(e, id) <= e->now) {
        promise_expire(e, id);
        if (claim->member != 0) /* others of its gang may go with it again */
            group_touch(e, claim_group(e, claim));
    } else if (claim->state == CLAIM_RESERVED) {
        claim_count_timeout(claim);
        claim_change(e, id, CLAIM_HELD, REASON_BACKOFF);
        claim_to_rest(e, id); /* what others hold waits for them, not for the time */
    } else {
        claim_to_rest(e, id);
        group_settle(e); /* its gang, before the next one that comes back, which may be behind it */
    }
}
