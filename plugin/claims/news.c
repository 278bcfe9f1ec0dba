/* SPDX-License-Identifier: Apache-2.0 */
#include "news.h"

#include "plugin/order/fit.h"
#include "plugin/state.h"

static bool is_of_group(enum reason reason)
{
    return reason == REASON_GROUP_MISSING || reason == REASON_GROUP_INVALID ||
           reason == REASON_GROUP_INCOMPLETE;
}

/* What somebody wanted so, or what has just happened. */
static bool is_told_at_once(enum reason reason)
{
    return reason == REASON_QUEUE_SUSPENDED || reason == REASON_QUEUE_CLOSED ||
           reason == REASON_GRANTED;
}

/* To a host that did not ask for more. */
static enum reason find_suspension(const struct engine *e, const struct claim *claim,
                                   uint32_t queue)
{
    bool stops = (claim->state == CLAIM_WAITING || claim->state == CLAIM_RESERVED) &&
                 queue_stops_granted(e, queue);

    return stops ? queue_stops(e, queue) : REASON_NONE;
}

static enum reason find_waiting(const struct engine *e, uint32_t id, uint32_t queue)
{
    const struct claim *claim = claim_at(e, id);
    enum reason stop = queue_stops(e, queue);
    bool never;

    if (stop != REASON_NONE)
        return stop;
    never = claim_is_in_gang(e, id) ? group_at(e, claim_group(e, claim))->never
                                    : fit_never(e, claim->line);
    return never ? REASON_NEVER_FITS : REASON_NONE;
}

/* What stands now, as it follows from the state of a pod's claim and of its queues. */
static enum reason find(const struct engine *e, uint32_t id)
{
    const struct claim *claim = claim_at(e, id);
    enum reason reason = (enum reason)claim->reason;
    uint32_t queue = claim_queue(e, id);

    if ((claim->flags & (CLAIM_MANAGED | CLAIM_LET_GO)) != CLAIM_MANAGED)
        return REASON_NONE;
    if (!e->config.pod_events)
        return find_suspension(e, claim, queue);
    switch (claim->state) {
    case CLAIM_HELD:
        return is_of_group(reason) || reason == REASON_NAMESPACE_NOT_SELECTED ||
                       reason == REASON_CLAIM_MISSING
                   ? reason
                   : REASON_NONE;
    case CLAIM_WAITING:
        return find_waiting(e, id, queue);
    default:
        if (claim->state == CLAIM_RESERVED && queue_stops_granted(e, queue))
            return queue_stops(e, queue);
        return claim->news_granted ? REASON_GRANTED : REASON_NONE;
    }
}

void news_review(struct engine *e, uint32_t id)
{
    struct claim *claim = claim_at(e, id);
    enum reason stands;

    if ((claim->flags & CLAIM_GANG) != 0)
        return;
    stands = find(e, id);
    if (stands == (enum reason)claim->news_stands)
        return;
    claim->news_stands = (uint16_t)stands & 31u;
    claim->news_since = (uint32_t)(e->now / SECOND);
    claim->news_ripe = is_told_at_once(stands);
    if (stands == REASON_NONE)
        claim_set_flag(claim, CLAIM_TOLD, false);
}

void news_note_grant(const struct engine *e, struct claim *claim, bool holds)
{
    bool waited =
        claim->state == CLAIM_WAITING && e->now - claim->since >= NEWS_WAIT_SECONDS * SECOND;

    if (holds == claim_holds(claim))
        return;
    claim->news_granted =
        holds && (claim->flags & CLAIM_STAMPED) == 0 && (claim->news_complained || waited);
}

int64_t news_deadline(const struct engine *e, uint32_t id)
{
    const struct claim *claim = claim_at(e, id);
    int64_t since = (int64_t)claim->news_since * SECOND;

    if (!e->config.pod_events || e->config.observe_only || claim->news_stands == REASON_NONE ||
        claim->news_ripe)
        return INT64_MAX;
    if (is_of_group((enum reason)claim->news_stands) &&
        group_at(e, claim_group(e, claim))->stirred > since)
        since = group_at(e, claim_group(e, claim))->stirred;
    return since + NEWS_STANDS_SECONDS * SECOND;
}

bool news_ripen(struct engine *e, uint32_t id)
{
    if (news_deadline(e, id) > e->now)
        return false;
    claim_at(e, id)->news_ripe = true;
    return true;
}

bool news_is_to_tell(const struct engine *e, uint32_t id)
{
    const struct claim *claim = claim_at(e, id);
    enum reason stands = (enum reason)claim->news_stands;

    return stands != REASON_NONE && claim->news_ripe &&
           (e->config.pod_events || stands == REASON_QUEUE_SUSPENDED) &&
           !((claim->flags & CLAIM_TOLD) != 0 && claim->news_said == claim->news_stands);
}

void news_note_leased(struct claim *claim)
{
    claim->news_said = claim->news_stands;
    claim->news_ever = true;
}

void news_note_told(struct claim *claim)
{
    claim_set_flag(claim, CLAIM_TOLD, claim->news_stands != REASON_NONE);
    claim->news_complained = claim->news_said != REASON_GRANTED;
}

bool news_review_gang(struct engine *e, uint32_t id)
{
    struct group *group = group_at(e, id);
    bool never = e->config.pod_events && group->mode == GROUP_WAITS && group->entry != 0 &&
                 !group->books && fit_never(e, claim_at(e, group->entry)->line);
    bool changed = never != group->never;

    group->never = never;
    return changed;
}

const char *news_check(const struct engine *e, uint32_t id)
{
    return find(e, id) == (enum reason)claim_at(e, id)->news_stands
               ? NULL
               : "it is known what is the matter with a pod";
}
