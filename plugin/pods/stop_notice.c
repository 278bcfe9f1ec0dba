/* SPDX-License-Identifier: Apache-2.0 */
#include "stop_notice.h"

#include "assembly.h"
#include "claim_time.h"
#include "gang.h"
#include "plugin/claims/news.h"
#include "plugin/notes.h"
#include "plugin/pods/claim_rest.h"
#include "plugin/state.h"

static bool holds_back(const struct engine *e, uint32_t queue)
{
    enum queue_state state = (enum queue_state)queue_at(e, queue)->state;

    return state == QUEUE_HOLD || state == QUEUE_HOLD_AND_DRAIN;
}

/* It knows of a stop: it has had notice, or came when its queue was stopped already. */
static bool knows_of_stop(const struct claim *claim)
{
    return (claim->flags & CLAIM_STOPPED) != 0 || claim->news_stands == REASON_QUEUE_SUSPENDED ||
           ((claim->flags & CLAIM_TOLD) != 0 && claim->news_said == REASON_QUEUE_SUSPENDED);
}

static void give_notice(struct engine *e, uint32_t id)
{
    struct claim *claim = claim_at(e, id);
    uint32_t queue = claim_queue(e, id);
    bool stops, stopped = knows_of_stop(claim);

    note_claim_uncounted(e, id);
    if (claim_group(e, claim) != 0 && ((claim->flags & CLAIM_GANG) != 0 ||
                                       group_at(e, claim_group(e, claim))->claims.first == id))
        group_touch(e, claim_group(e, claim)); /* its status names what stops it */
    if (claim->state == CLAIM_ALLOCATED &&
        (queue_drains(e, queue) || (claim->effects.wanted & 1u << CLAIM_EVICT) != 0))
        outbox_sync(&e->outbox, EFFECT_OF_POD, id);
    if ((claim->flags & CLAIM_GANG) != 0)
        gang_tell(e, claim_group(e, claim));
    if ((claim->flags & CLAIM_GANG) != 0 ||
        (claim->state != CLAIM_WAITING && claim->state != CLAIM_RESERVED))
        return;
    news_review(e, id);
    outbox_sync(&e->outbox, EFFECT_OF_POD, id);
    claim_set_timer(e, id);
    stops = queue_stops_granted(e, queue);
    if (stops == stopped && claim->state == CLAIM_WAITING &&
        (!stops || (claim->flags & CLAIM_TOLD) != 0))
        return; /* who was stopped by something else may have a queue that is suspended now */
    claim_set_flag(claim, CLAIM_STOPPED, stops);
    if (claim->state == CLAIM_RESERVED && stops && holds_back(e, queue)) {
        claim_to_rest(e, id);
        return;
    }
    if (stopped && !stops && claim->state == CLAIM_RESERVED)
        claim->since = e->now;
    outbox_sync(&e->outbox, EFFECT_OF_POD, id);
    claim_set_timer(e, id);
}

void stop_notice_some(struct engine *e)
{
    struct stop_notice *notice = &e->pods.stop_notice;

    if (notice->seen != e->queues.stops_changes) {
        notice->seen = e->queues.stops_changes;
        notice->left = slab_end(&e->claims.records);
        assembly_queue_changed(e);
    }
    for (uint32_t budget = STOP_NOTICE_SLICE; budget > 0 && notice->left > 0;
         budget--, notice->left--) {
        if (notice->at >= slab_end(&e->claims.records))
            notice->at = 0;
        if (claim_is_of_pods(e, notice->at))
            give_notice(e, notice->at);
        notice->at++;
    }
}

bool stop_notice_is_due(const struct engine *e)
{
    return e->pods.stop_notice.seen != e->queues.stops_changes || e->pods.stop_notice.left > 0;
}
