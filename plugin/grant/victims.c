/* SPDX-License-Identifier: Apache-2.0 */
#include "victims.h"

#include "candidates.h"
#include "plugin/claims/promise.h"
#include "plugin/claims/rest.h"
#include "plugin/claims/workload_change.h"
#include "plugin/notes.h"
#include "plugin/state.h"

static enum workload_cause cause_of(const struct hunt *hunt, uint32_t claim)
{
    enum candidate_place place = queue_at(hunt->e, claim_queue(hunt->e, claim))->source.place;

    if (place == CANDIDATE_OF_OWN_QUEUE)
        return CAUSE_OWN_QUEUE;
    return place == CANDIDATE_BY_PRIORITY && candidates_go_while_borrowing(hunt, claim)
               ? CAUSE_RECLAIM_BORROWING
               : CAUSE_RECLAIM;
}

/* A workload of whose reservation nobody has heard gives it back at once. */
static void take_workload(struct hunt *hunt, uint32_t claim, uint32_t of)
{
    struct engine *e = hunt->e;

    if (workload_is_unheard(e, claim)) {
        rest_begin(e, claim);
        workload_give_up(e, claim);
        note_workload(e, claim);
        return;
    }
    workload_at(e, claim)->cause = (uint8_t)cause_of(hunt, claim);
    promise_take(e, claim, of);
}

static void put_before(struct engine *e, uint32_t *list, uint32_t claim)
{
    pledge_at(e, claim)->peers.prev = 0;
    pledge_at(e, claim)->peers.next = *list;
    *list = claim;
}

static uint32_t take_first(struct engine *e, uint32_t *list)
{
    uint32_t claim = *list;

    *list = pledge_at(e, claim)->peers.next;
    pledge_at(e, claim)->peers.next = 0;
    return claim;
}

void victims_take(struct hunt *hunt, uint32_t of)
{
    struct engine *e = hunt->e;
    uint32_t bound = 0, reserved = 0, before;

    for (uint32_t claim = hunt->last; claim != 0; claim = before) {
        before = pledge_at(e, claim)->peers.prev;
        if (claim_is_workload(e, claim))
            take_workload(hunt, claim, of);
        else
            put_before(e, claim_at(e, claim)->state == CLAIM_ALLOCATED ? &bound : &reserved, claim);
    }
    while (bound != 0)
        promise_take(e, take_first(e, &bound), of);
    while (reserved != 0) {
        uint32_t claim = take_first(e, &reserved);

        if (claim_at(e, claim)->state != CLAIM_RESERVED)
            continue;
        rest_begin(e, claim);
        demote_one(e, claim);
    }
}
