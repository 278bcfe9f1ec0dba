/* SPDX-License-Identifier: Apache-2.0 */
#include "promise.h"

#include "claim_change.h"
#include "plugin/base/outbox.h"
#include "plugin/notes.h"
#include "plugin/records/holder.h"
#include "plugin/records/queue_count.h"
#include "plugin/state.h"
#include "workload_promise.h"

int promise_reserve(struct engine *e, uint32_t ids_end)
{
    struct slab *pledges = &e->claims.promises.pledges;

    while (engine_preempts(e) && slab_end(pledges) < ids_end) {
        if (slab_reserve(pledges, 1) < 0)
            return ENGINE_NO_MEMORY;
        slab_take(pledges);
    }
    return 0;
}

void promise_begin(struct engine *e, uint32_t id)
{
    if (engine_preempts(e))
        pledge_at(e, id)->rests_until = 0;
}

void promise_count(struct engine *e, uint32_t id, int sign)
{
    const struct claim *claim = claim_at(e, id);
    const struct line *line = line_at(e, claim->line);
    bool counted = recount_has(e, id);

    for (uint32_t i = 0; i < line_count(e, line); i++)
        quota_charge_later(e, line_queue(e, line), claim_flavors(claim)[i],
                           line_resource(e, line, i), sign * (wide)line_amount(e, line, i),
                           counted);
}

/* Less is used later: that may be what somebody waited for who fits in what there is. */
static void free_later(struct engine *e, uint32_t id)
{
    queue_todo(e, TODO_DIRTY, queue_root(e, claim_queue(e, id)));
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
    if (before) {
        e->claims.promises.apart--;
    } else {
        e->claims.promises.apart++;
        free_later(e, id);
    }
}

static void link(struct engine *e, uint32_t *first, uint32_t id)
{
    struct pledge *pledge = pledge_at(e, id);

    pledge->prev = 0;
    pledge->next = *first;
    if (*first != 0)
        pledge_at(e, *first)->prev = id;
    *first = id;
}

static void unlink(struct engine *e, uint32_t *first, uint32_t id)
{
    struct pledge *pledge = pledge_at(e, id);

    if (pledge->prev != 0)
        pledge_at(e, pledge->prev)->next = pledge->next;
    else
        *first = pledge->next;
    if (pledge->next != 0)
        pledge_at(e, pledge->next)->prev = pledge->prev;
    pledge->next = pledge->prev = 0;
}

/* The list of those that go for this holder. */
static uint32_t *victims_of(struct engine *e, uint32_t of)
{
    if (of == 0)
        return &e->claims.promises.shared;
    return holder_is_workload(of) ? &workload_at(e, holder_workload(of))->claims
                                  : &pledge_at(e, of)->promise.first;
}

static void link_victim(struct engine *e, uint32_t id, uint32_t of)
{
    pledge_at(e, id)->of = of;
    link(e, victims_of(e, of), id);
    e->claims.promises.for_workloads += holder_is_workload(of);
}

static void unlink_victim(struct engine *e, uint32_t id)
{
    uint32_t of = pledge_at(e, id)->of;

    unlink(e, victims_of(e, of), id);
    pledge_at(e, id)->of = 0;
    e->claims.promises.for_workloads -= holder_is_workload(of);
}

/* Whoever goes for this holder goes for nobody alone now. */
static void share_victims(struct engine *e, uint32_t of)
{
    uint32_t victim;

    while ((victim = *victims_of(e, of)) != 0) {
        unlink_victim(e, victim);
        link_victim(e, victim, 0);
    }
}

uint32_t promise_after(const struct engine *e, uint32_t id)
{
    return pledge_at(e, id)->next;
}

/* What is promised counts later, and where within the share it is, or (-1) no longer. */
static void count_promise(struct engine *e, uint32_t id, int sign)
{
    const struct claim *claim = claim_at(e, id);
    const struct line *line = line_at(e, claim->line);

    promise_count(e, id, sign);
    for (uint32_t i = 0; i < line_count(e, line); i++) {
        if (pledge_at(e, id)->promise.within >> i & 1)
            quota_promise_within(e, line_queue(e, line), claim_flavors(claim)[i],
                                 line_resource(e, line, i), sign);
    }
}

void promise_make(struct engine *e, uint32_t id, const uint16_t *flavors, uint64_t within)
{
    struct pledge *pledge = pledge_at(e, id);

    claim_set_flavors(e, id, flavors);
    claim_set_flag(claim_at(e, id), CLAIM_PROMISED, true);
    pledge->promise.within = within;
    count_promise(e, id, 1);
    queue_count_promised(e, claim_queue(e, id), 1);
    e->claims.promises.apart++;
    pledge->promise.first = pledge->promise.workloads = pledge->next = 0;
    pledge->prev = e->claims.promises.last;
    if (pledge->prev != 0)
        pledge_at(e, pledge->prev)->next = id;
    else
        e->claims.promises.first = id;
    e->claims.promises.last = id;
}

void promise_end(struct engine *e, uint32_t id)
{
    struct pledge *pledge;

    if ((claim_at(e, id)->flags & CLAIM_PROMISED) == 0)
        return;
    pledge = pledge_at(e, id);
    count_promise(e, id, -1);
    queue_count_promised(e, claim_queue(e, id), -1);
    claim_set_flag(claim_at(e, id), CLAIM_PROMISED, false);
    claim_set_flavors(e, id, NULL);
    e->claims.promises.apart--;
    if (e->claims.promises.last == id)
        e->claims.promises.last = pledge->prev;
    unlink(e, &e->claims.promises.first, id);
    share_victims(e, id);
    while (pledge->promise.workloads != 0)
        workload_promise_share(e, pledge->promise.workloads);
    free_later(e, id);
}

void promise_end_of_queue(struct engine *e, uint32_t queue)
{
    for (uint32_t id = e->claims.promises.first, next; id != 0; id = next) {
        next = promise_after(e, id);
        if (claim_queue(e, id) == queue)
            promise_end(e, id);
    }
}

void promise_take(struct engine *e, uint32_t victim, uint32_t of)
{
    set_going(e, victim, CLAIM_VICTIM, true);
    pledge_at(e, victim)->at = e->now;
    link_victim(e, victim, of);
    outbox_sync(&e->outbox, EFFECT_OF_POD, victim);
    note_claim_deadline(e, victim);
}

void promise_release(struct engine *e, uint32_t workload)
{
    uint32_t of = holder_of_workload(workload);

    if (*victims_of(e, of) == 0)
        return;
    share_victims(e, of);
    queue_victims_changed(e, workload_queue(e, workload));
}

bool promise_can_stay(const struct engine *e, uint32_t id)
{
    const struct claim *claim = claim_at(e, id);

    return (claim->flags & (CLAIM_VICTIM | CLAIM_EVICTED | CLAIM_ENDING)) == CLAIM_VICTIM &&
           (claim->effects.leased & 1u << CLAIM_EVICT) == 0;
}

void promise_let_stay(struct engine *e, uint32_t id)
{
    unlink_victim(e, id);
    set_going(e, id, CLAIM_VICTIM, false);
    claim_set_flag(claim_at(e, id), CLAIM_EVICTED, false);
    outbox_sync(&e->outbox, EFFECT_OF_POD, id);
    note_claim_deadline(e, id);
    cluster_queue_changed(e, claim_queue(e, id)); /* its room was thought to be coming */
}

void promise_end_all(struct engine *e)
{
    while (e->claims.promises.first != 0)
        promise_end(e, e->claims.promises.first);
    while (e->claims.promises.shared != 0)
        promise_let_stay(e, e->claims.promises.shared);
}

void promise_spare(struct engine *e, uint32_t id)
{
    promise_let_stay(e, id);
    claim_set_flag(claim_at(e, id), CLAIM_SPARED, true);
    removable_review(e, id);
    pledge_at(e, id)->at = e->now + PROMISE_SPARED_SECONDS * SECOND;
    note_claim_deadline(e, id);
    queue_candidates_changed(e, claim_queue(e, id));
}

void promise_spare_no_longer(struct engine *e, uint32_t id)
{
    claim_set_flag(claim_at(e, id), CLAIM_SPARED, false);
    removable_review(e, id);
    note_claim_deadline(e, id);
    queue_candidates_changed(e, claim_queue(e, id));
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
    if (claim->flags & CLAIM_VICTIM)
        unlink_victim(e, id);
    claim->flags &= ~(uint32_t)(CLAIM_VICTIM | CLAIM_EVICTED | CLAIM_SPARED);
}

uint32_t promise_victims(const struct engine *e, uint32_t claim)
{
    uint32_t count = 0;

    if ((claim_at(e, claim)->flags & CLAIM_PROMISED) == 0)
        return 0;
    for (uint32_t id = pledge_at(e, claim)->promise.first; id != 0; id = pledge_at(e, id)->next)
        count++;
    for (uint32_t id = pledge_at(e, claim)->promise.workloads; id != 0;
         id = workload_at(e, id)->next)
        count++;
    return count;
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
    if (claim_at(e, id)->flags & CLAIM_SPARED)
        promise_spare_no_longer(e, id);
    else
        promise_spare(e, id);
}

static const char *check_victims(const struct engine *e, uint32_t first, uint32_t of,
                                 uint32_t *victims)
{
    for (uint32_t id = first; id != 0; id = pledge_at(e, id)->next, ++*victims) {
        if ((claim_at(e, id)->flags & CLAIM_VICTIM) == 0 || pledge_at(e, id)->of != of)
            return "a victim is among those of the claim that it goes for";
    }
    return NULL;
}

/* Of all that is promised. */
static bool withins_are_counted(const struct engine *e)
{
    int64_t balance = workload_promise_withins(e);

    for (uint32_t id = e->claims.promises.first; id != 0; id = promise_after(e, id)) {
        for (uint64_t within = pledge_at(e, id)->promise.within; within != 0; within &= within - 1)
            balance++;
    }
    for (uint32_t id = 1; id < slab_end(&e->queues.records); id++) {
        for (uint32_t i = 0; slab_live(&e->queues.records, id) && i < queue_at(e, id)->cell_count;
             i++)
            balance -= queue_at(e, id)->cells[i].within;
    }
    return balance == 0;
}

bool promise_comes(const struct engine *e, uint32_t queue)
{
    for (uint32_t id = 1; id < slab_end(&e->claims.workloads); id++) {
        if (slab_live(&e->claims.workloads, id) && workload_holds(workload_at(e, id)) &&
            !workload_counts_later(workload_at(e, id)) &&
            queue_root(e, workload_queue(e, id)) == queue_root(e, queue))
            return true;
    }
    for (uint32_t id = 1; id < slab_end(&e->claims.records); id++) {
        if (slab_live(&e->claims.records, id) && claim_goes(claim_at(e, id)) &&
            queue_root(e, claim_queue(e, id)) == queue_root(e, queue))
            return true;
    }
    return false;
}

const char *promise_check(const struct engine *e, bool at_rest)
{
    uint32_t promised = 0, listed = 0, victims = 0, chosen = 0, apart = 0;
    const char *broken = check_victims(e, e->claims.promises.shared, 0, &listed);

    for (uint32_t id = e->claims.promises.first; id != 0 && broken == NULL;
         id = promise_after(e, id)) {
        promised++;
        broken = check_victims(e, pledge_at(e, id)->promise.first, id, &listed);
    }
    for (uint32_t id = 1; id < slab_end(&e->claims.records) && broken == NULL; id++) {
        const struct claim *claim;

        if (!slab_live(&e->claims.records, id))
            continue;
        claim = claim_at(e, id);
        chosen += (claim->flags & CLAIM_PROMISED) != 0;
        victims += (claim->flags & CLAIM_VICTIM) != 0;
        apart += (claim->flags & CLAIM_PROMISED) != 0 || claim_goes(claim);
        if ((claim->flags & CLAIM_PROMISED) != 0 && claim->state != CLAIM_WAITING)
            broken = "who is promised room waits";
        if ((claim->flags & CLAIM_PROMISED) != 0 && at_rest &&
            !promise_comes(e, claim_queue(e, id)))
            broken = "who is promised room waits for somebody who goes";
        if ((claim->flags & (CLAIM_VICTIM | CLAIM_SPARED)) != 0 && !claim_holds(claim))
            broken = "a victim holds room";
    }
    for (uint32_t id = e->claims.first_promised; id != 0 && broken == NULL;
         id = workload_at(e, id)->next)
        broken = check_victims(e, workload_at(e, id)->claims, holder_of_workload(id), &listed);
    if (broken != NULL)
        return broken;
    if (promised != chosen || listed != victims)
        return "whoever is promised room, or goes, is listed once";
    if (!withins_are_counted(e))
        return "what is promised within a share is counted there";
    return apart == e->claims.promises.apart ? NULL : "claims that go or come are counted";
}
