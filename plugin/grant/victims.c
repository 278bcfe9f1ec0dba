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

void victims_take(struct hunt *hunt, uint32_t of)
{
    struct engine *e = hunt->e;
    struct list bound = {0}, reserved = {0};
    uint32_t claim, before;

    for (claim = hunt->last; claim != 0; claim = before) {
        before = pledge_at(e, claim)->peers.prev;
        if (claim_is_workload(e, claim))
            take_workload(hunt, claim, of);
        else
            list_insert(pledge_peers, e,
                        claim_at(e, claim)->state == CLAIM_ALLOCATED ? &bound : &reserved, 0,
                        claim);
    }
    while ((claim = bound.first) != 0) {
        list_remove(pledge_peers, e, &bound, claim);
        promise_take(e, claim, of);
    }
    while ((claim = reserved.first) != 0) {
        list_remove(pledge_peers, e, &reserved, claim);
        if (claim_at(e, claim)->state != CLAIM_RESERVED)
            continue;
        rest_begin(e, claim);
        demote_one(e, claim);
    }
}
