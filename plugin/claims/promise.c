/* SPDX-License-Identifier: Apache-2.0 */
#include "promise.h"

#include "claim_change.h"
#include "plugin/notes.h"
#include "plugin/records/queue_count.h"
#include "plugin/state.h"
#include "workload_change.h"

void promise_count(struct engine *e, uint32_t claim, int sign)
{
    uint32_t queue = claim_queue(e, claim);
    bool counted = recount_has(e, claim);
    struct claim_need need;

    for (uint32_t i = 0; claim_need(e, claim, i, &need); i++)
        quota_charge_later(e, queue, need.flavor, need.resource, sign * need.amount, counted);
}

/* Less is used later, or a share need not be kept any more: that may be what somebody waited for
 * who fits in what there is. */
static void free_later(struct engine *e, uint32_t claim)
{
    queue_todo(e, TODO_DIRTY, queue_root(e, claim_queue(e, claim)));
}

/* A claim that holds room begins or ends to go. */
static void set_going(struct engine *e, uint32_t id, enum claim_flag flag, bool on)
{
    struct claim *claim = claim_at(e, id);
    bool before = claim_goes(claim);

    claim_set_flag(claim, flag, on);
    removable_review(e, id);
    if (claim_goes(claim) == before)
        return;
    promise_count(e, id, before ? 1 : -1);
    e->claims.promises.apart += before ? UINT32_MAX : 1;
    if (!before)
        free_later(e, id);
}

static void set_victim(struct engine *e, uint32_t claim, bool on)
{
    if (!claim_is_workload(e, claim)) {
        set_going(e, claim, CLAIM_VICTIM, on);
        return;
    }
    workload_take_out(e, claim);
    claim_set_flag(claim_at(e, claim), CLAIM_VICTIM, on);
    workload_put_in(e, claim);
    if (on)
        free_later(e, claim);
}

/* What is to be written into it may be something else, or when it must be looked at again. */
static void note(struct engine *e, uint32_t claim)
{
    if (claim_is_workload(e, claim)) {
        note_workload(e, claim);
        return;
    }
    outbox_sync(&e->outbox, EFFECT_OF_POD, claim);
    note_claim_deadline(e, claim);
}

/* Whether this need is promised within the share. */
static bool is_within(const struct engine *e, uint32_t claim, uint32_t i,
                      const struct claim_need *need)
{
    uint64_t within = pledge_at(e, claim)->promise.within;

    if (need->flavor == FLAVOR_NONE || need->amount == 0)
        return false;
    return claim_is_workload(e, claim) ? within != 0 : within >> i & 1;
}

/* What it is promised within the share is counted so, or (-1) no longer. */
static void count_within(struct engine *e, uint32_t claim, int sign)
{
    uint32_t queue = claim_queue(e, claim);
    struct claim_need need;

    for (uint32_t i = 0; claim_need(e, claim, i, &need); i++) {
        if (is_within(e, claim, i, &need))
            quota_promise_within(e, queue, need.flavor, need.resource, sign);
    }
}

/* A pod, or a gang, has the flavors in hand that it is promised. */
static void set_promised(struct engine *e, uint32_t id, bool on)
{
    claim_set_flag(claim_at(e, id), CLAIM_PROMISED, on);
    promise_count(e, id, on ? 1 : -1);
    queue_count_promised(e, claim_queue(e, id), on ? 1 : -1);
    e->claims.promises.apart += on ? 1 : UINT32_MAX;
}

/* made: where; NULL: nowhere any more. */
static void promise_place(struct engine *e, uint32_t id, const struct assignment *made)
{
    uint16_t flavors[FACTS_MAX_NEEDS];

    if (claim_is_workload(e, id)) {
        workload_take_out(e, id);
        workload_set_flavors(e, id, made);
        claim_set_flag(claim_at(e, id), CLAIM_PROMISED, made != NULL);
        workload_put_in(e, id);
    } else if (made == NULL) {
        set_promised(e, id, false);
        claim_set_flavors(e, id, NULL);
    } else {
        for (uint32_t i = 0; i < line_count(e, line_at(e, claim_at(e, id)->line)); i++)
            flavors[i] = made->needs[0][i].flavor;
        claim_set_flavors(e, id, flavors);
        set_promised(e, id, true);
    }
}

void promise_make(struct engine *e, uint32_t claim, const struct assignment *made, uint64_t within)
{
    promise_place(e, claim, made);
    pledge_at(e, claim)->promise.within = within;
    count_within(e, claim, 1);
    pledge_enlist(e, claim);
}

/* Those that go for this claim do so no more. Who is in another tree by now may be relied on there
 * by somebody else. */
static void release_victims(struct engine *e, uint32_t of)
{
    uint32_t victim;

    while ((victim = pledge_victims(e, of)) != 0) {
        if (claim_is_workload(e, of) && claim_is_workload(e, victim) &&
            promise_can_stay(e, victim)) {
            promise_let_stay(e, victim);
            cluster_queue_has_newcomer(e, claim_queue(e, victim));
        } else {
            pledge_remove_victim(e, victim);
            pledge_add_victim(e, victim, 0);
        }
    }
}

void promise_end(struct engine *e, uint32_t claim)
{
    if (!claim_is_promised(claim_at(e, claim)))
        return;
    if (claim_is_workload(e, claim) && pledge_count_victims(e, claim, false) > 0)
        queue_victims_changed(e, claim_queue(e, claim));
    count_within(e, claim, -1);
    pledge_strike(e, claim);
    promise_place(e, claim, NULL);
    release_victims(e, claim);
    free_later(e, claim);
}

void promise_end_of_queue(struct engine *e, uint32_t queue)
{
    for (uint32_t id = e->claims.promises.all.first, next; id != 0; id = next) {
        next = pledge_at(e, id)->peers.next;
        if (claim_queue(e, id) == queue)
            promise_end(e, id);
    }
}

void promise_take(struct engine *e, uint32_t victim, uint32_t of)
{
    set_victim(e, victim, true);
    pledge_at(e, victim)->at = e->now;
    pledge_add_victim(e, victim, of);
    note(e, victim);
}

void promise_lose_victim(struct engine *e, uint32_t victim)
{
    if (!claim_is_victim(claim_at(e, victim)))
        return;
    pledge_remove_victim(e, victim);
    claim_set_flag(claim_at(e, victim), CLAIM_VICTIM, false);
}

static bool is_written_to(const struct engine *e, uint32_t id)
{
    const struct workload *workload = workload_at(e, id);
    bool is_on_its_way =
        claim_at(e, id)->effects.leased != 0 || workload_is(workload, WORKLOAD_AWAITS);

    return workload_is_leaving(workload) ||
           (is_on_its_way && workload->writing == LIFE_WRITE_EVICT);
}

bool promise_can_stay(const struct engine *e, uint32_t victim)
{
    const struct claim *claim;

    if (claim_is_workload(e, victim))
        return !is_written_to(e, victim);
    claim = claim_at(e, victim);
    return (claim->flags & (CLAIM_VICTIM | CLAIM_EVICTED | CLAIM_ENDING)) == CLAIM_VICTIM &&
           (claim->effects.leased & 1u << CLAIM_EVICT) == 0;
}

void promise_let_stay(struct engine *e, uint32_t victim)
{
    pledge_remove_victim(e, victim);
    set_victim(e, victim, false);
    if (!claim_is_workload(e, victim)) {
        claim_set_flag(claim_at(e, victim), CLAIM_EVICTED, false);
        cluster_queue_changed(e, claim_queue(e, victim)); /* its room was thought to be coming */
    }
    note(e, victim);
}

void promise_end_all(struct engine *e)
{
    while (e->claims.promises.all.first != 0)
        promise_end(e, e->claims.promises.all.first);
    for (uint32_t id = e->claims.promises.shared.first, next; id != 0; id = next) {
        next = pledge_at(e, id)->peers.next;
        if (!claim_is_workload(e, id))
            promise_let_stay(e, id);
    }
}

void promise_reconsider(struct engine *e, uint32_t victim)
{
    uint32_t queue = claim_queue(e, victim);

    if (!claim_is_victim(claim_at(e, victim)) || !promise_can_stay(e, victim) ||
        (pledge_at(e, victim)->of != 0 && !queue_spares(e, queue)))
        return;
    promise_let_stay(e, victim);
    cluster_queue_changed(e, queue); /* its room was thought to be coming */
}

void promise_set_ending(struct engine *e, uint32_t id, bool ending)
{
    if (ending != ((claim_at(e, id)->flags & CLAIM_ENDING) != 0)) {
        set_going(e, id, CLAIM_ENDING, ending);
        queue_candidates_changed(e, claim_queue(e, id));
    }
}

void promise_note_change(struct engine *e, uint32_t id, bool went_before)
{
    struct claim *claim = claim_at(e, id);

    e->claims.promises.apart += (uint32_t)claim_goes(claim) - (uint32_t)went_before;
    if (claim_holds(claim)) {
        removable_review(e, id);
        return;
    }
    promise_lose_victim(e, id);
    claim->flags &= ~(uint32_t)(CLAIM_EVICTED | CLAIM_SPARED);
}

void promise_suppose_end(struct engine *e, uint32_t claim, int sign)
{
    promise_count(e, claim, -sign);
    count_within(e, claim, -sign);
    for (uint32_t id = pledge_victims(e, claim); id != 0; id = pledge_at(e, id)->peers.next) {
        if (promise_can_stay(e, id))
            promise_count(e, id, sign);
    }
}

int64_t promise_deadline(const struct engine *e, uint32_t id)
{
    const struct claim *claim = claim_at(e, id);

    if (claim->flags & CLAIM_SPARED)
        return pledge_at(e, id)->at;
    return promise_can_stay(e, id) ? pledge_at(e, id)->at + PROMISE_PATIENCE_SECONDS * SECOND
                                   : INT64_MAX;
}

void promise_expire(struct engine *e, uint32_t id)
{
    bool spares = (claim_at(e, id)->flags & CLAIM_SPARED) == 0;

    if (spares)
        promise_let_stay(e, id);
    claim_set_flag(claim_at(e, id), CLAIM_SPARED, spares);
    removable_review(e, id);
    if (spares)
        pledge_at(e, id)->at = e->now + PROMISE_SPARED_SECONDS * SECOND;
    note_claim_deadline(e, id);
    queue_candidates_changed(e, claim_queue(e, id));
}

/* Whether it holds room, and will not for long. */
static bool goes(const struct engine *e, uint32_t id)
{
    return claim_is_workload(e, id) ? workload_holds(e, id) && !workload_counts_later(e, id)
                                    : claim_goes(claim_at(e, id));
}

bool promise_comes(const struct engine *e, uint32_t queue)
{
    for (uint32_t id = 0; slab_step(&e->claims.records, &id);) {
        if (goes(e, id) && queue_root(e, claim_queue(e, id)) == queue_root(e, queue))
            return true;
    }
    return false;
}

/* Of all that is promised. */
static bool withins_are_counted(const struct engine *e)
{
    int64_t balance = 0;

    for (uint32_t id = e->claims.promises.all.first; id != 0; id = pledge_at(e, id)->peers.next) {
        struct claim_need need;

        for (uint32_t i = 0; claim_need(e, id, i, &need); i++)
            balance += is_within(e, id, i, &need);
    }
    for (uint32_t id = 0; slab_step(&e->queues.records, &id);) {
        for (uint32_t i = 0; i < queue_at(e, id)->cell_count; i++)
            balance -= queue_at(e, id)->cells[i].within;
    }
    return balance == 0;
}

static const char *check_claim(const struct engine *e, uint32_t id, bool at_rest)
{
    const struct claim *claim = claim_at(e, id);

    if ((claim->flags & CLAIM_PROMISED) != 0 && claim->state != CLAIM_WAITING)
        return "who is promised room waits";
    if ((claim->flags & CLAIM_PROMISED) != 0 && at_rest && !promise_comes(e, claim_queue(e, id)))
        return "who is promised room waits for somebody who goes";
    if ((claim->flags & (CLAIM_VICTIM | CLAIM_SPARED)) != 0 && !claim_holds(claim))
        return "a victim holds room";
    return NULL;
}

const char *promise_check(const struct engine *e, bool at_rest)
{
    uint32_t apart = 0;
    const char *broken = pledge_check(e);

    for (uint32_t id = 0; broken == NULL && slab_step(&e->claims.records, &id);) {
        apart += claim_is_promised(claim_at(e, id)) || (claim_queue(e, id) != 0 && goes(e, id));
        broken = claim_is_workload(e, id) ? NULL : check_claim(e, id, at_rest);
    }
    if (broken != NULL)
        return broken;
    if (!withins_are_counted(e))
        return "what is promised within a share is counted there";
    return apart == e->claims.promises.apart ? NULL : "who goes or comes is counted";
}
