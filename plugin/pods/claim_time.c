/* SPDX-License-Identifier: Apache-2.0 */
#include "claim_time.h"

#include "assembly_turn.h"
#include "booking.h"
#include "plugin/claims/claim_change.h"
#include "plugin/claims/news.h"
#include "plugin/claims/promise.h"
#include "plugin/state.h"

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The most that are counted: the record has 6 bits for them. */
enum { MOST_TIMEOUTS = 63 };

void claim_count_timeout(struct claim *claim)
{
    if (claim->timeouts < MOST_TIMEOUTS)
        claim->timeouts = (claim->timeouts + 1) & MOST_TIMEOUTS;
}

int64_t claim_pauses_until(const struct claim *claim)
{
    int most = claim->flags & CLAIM_GANG ? BOOKING_BACKOFF_DOUBLINGS : CLAIM_BACKOFF_DOUBLINGS;
    int doublings = claim->timeouts - 1 < most ? claim->timeouts - 1 : most;

    return claim->since + (CLAIM_BACKOFF_SECONDS * SECOND << doublings);
}

int64_t claim_confirm_by(const struct claim *claim)
{
    return ((int64_t)claim->first_second + CLAIM_CONFIRM_SECONDS) * SECOND;
}

bool claim_is_over(const struct engine *e, uint32_t id)
{
    const struct claim *claim = claim_at(e, id);

    return (claim->flags & CLAIM_LET_GO) != 0 && claim->gates == 0 &&
           (claim->flags & CLAIM_PARKED) == 0;
}

int64_t claim_booked_until(const struct engine *e, uint32_t entry)
{
    const struct claim *claim = claim_at(e, entry);
    int64_t timeout = e->config.reservation_timeout;

    if (claim->reason == REASON_BACKOFF)
        return claim_pauses_until(claim);
    if (claim->state != CLAIM_RESERVED || e->config.observe_only)
        return INT64_MAX;
    if (timeout == 0 || timeout > CLAIM_CYCLE_SECONDS * SECOND)
        timeout = CLAIM_CYCLE_SECONDS * SECOND;
    return claim->since + timeout;
}

int64_t claim_deadline(const struct engine *e, uint32_t id)
{
    const struct claim *claim = claim_at(e, id);
    int64_t at = INT64_MAX;

    if (claim->flags & CLAIM_GANG)
        return earlier(assembly_deadline(e, id), claim_booked_until(e, id));
    if (claim_is_over(e, id))
        return e->now;
    at = news_deadline(e, id);
    if (claim->flags & CLAIM_PROVISIONAL)
        at = earlier(at, claim_confirm_by(claim));
    if (claim->flags & (CLAIM_VICTIM | CLAIM_SPARED))
        at = earlier(at, promise_deadline(e, id));
    if (claim->state == CLAIM_RESERVED && !e->config.observe_only &&
        (claim->flags & CLAIM_STOPPED) == 0 && !queue_stops_granted(e, claim_queue(e, id))) {
        if ((claim->flags & CLAIM_SEEN_IN_CYCLE) == 0 && assembly_holds(e, id) == REASON_NONE)
            at = earlier(at, claim->since + CLAIM_CYCLE_SECONDS * SECOND);
        if (e->config.reservation_timeout > 0)
            at = earlier(at, claim->since + e->config.reservation_timeout);
    }
    if (claim->state == CLAIM_HELD && claim->reason == REASON_BACKOFF)
        at = earlier(at, claim_pauses_until(claim));
    return at;
}

void claim_set_timer(struct engine *e, uint32_t id)
{
    claim_wake_at(e, id, earlier(claim_deadline(e, id), outbox_due(&e->outbox, EFFECT_OF_POD, id)));
}
