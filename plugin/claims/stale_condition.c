/* SPDX-License-Identifier: Apache-2.0 */
#include "stale_condition.h"

#include "plugin/base/sentence.h"
#include "plugin/state.h"

/* Who begins to lead does not know what earlier leaders granted, but by its pod. */
static bool remembers(const struct engine *e)
{
    return e->synced && e->leads;
}

bool stale_condition_holds(const struct engine *e, const struct claim *claim)
{
    bool granted = (claim_holds(claim) && remembers(e)) || (claim->flags & CLAIM_KEEPS_TURN) != 0;

    return (claim->flags & CLAIM_UNSCHEDULABLE) != 0 && !granted && !e->config.observe_only;
}

void stale_condition_note_loss(const struct engine *e, struct claim *claim)
{
    claim_set_flag(claim, CLAIM_KEEPS_TURN, remembers(e));
}

void stale_condition_forget(struct claim *claim)
{
    claim->flags &= ~(uint32_t)(CLAIM_KEEPS_TURN | CLAIM_OVERWRITING);
}

void stale_condition_note_write(struct claim *claim)
{
    claim->flags |= CLAIM_OVERWRITING | CLAIM_PARKED;
}

void stale_condition_note_sight(struct claim *claim, bool unschedulable, bool newer)
{
    if (!unschedulable || newer)
        claim->flags &= ~(uint32_t)(CLAIM_OVERWRITTEN | CLAIM_OVERWRITING);
}

bool stale_condition_awaits(const struct claim *claim)
{
    const uint32_t flags = CLAIM_UNSCHEDULABLE | CLAIM_OVERWRITING;

    return claim->state == CLAIM_RESERVED && (claim->flags & flags) == flags;
}

enum reason stale_condition_explain(const struct claim *claim, struct sentence *say)
{
    sentence_str(say,
                 stale_condition_awaits(claim)
                     ? "it is granted; the scheduler hears of it when its old Unschedulable is "
                       "seen to be overwritten"
                     : "its condition still says Unschedulable, and is being overwritten");
    return REASON_CONDITION_STALE;
}

const char *stale_condition_check(const struct claim *claim)
{
    const uint32_t flags = CLAIM_UNSCHEDULABLE | CLAIM_KEEPS_TURN;

    if (claim->state == CLAIM_HELD && claim->reason == REASON_CONDITION_STALE &&
        (claim->flags & flags) != CLAIM_UNSCHEDULABLE)
        return "a condition holds who has one, and was granted nothing before";
    return NULL;
}
