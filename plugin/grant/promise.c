/* SPDX-License-Identifier: Apache-2.0 */
#include "promise.h"

#include "plugin/base/outbox.h"
#include "plugin/state.h"

int promise_reserve(struct engine *e, uint32_t ids_end)
{
    struct slab *pledges = &e->promises.pledges;

    while (engine_preempts(e) && slab_end(pledges) < ids_end) {
        if (slab_reserve(pledges, 1) < 0)
            return ENGINE_NO_MEMORY;
        slab_take(pledges);
    }
    return 0;
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
        e->promises.apart--;
    } else {
        e->promises.apart++;
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

uint32_t promise_after(const struct engine *e, uint32_t id)
{
    return pledge_at(e, id)->next;
}

void promise_count_queue(struct engine *e, uint32_t id, int more)
{
    for (; id != 0; id = queue_at(e, id)->parent)
        queue_at(e, id)->promised += (uint32_t)more;
}

void promise_make(struct engine *e, uint32_t id, const uint16_t *flavors)
{
    struct pledge *pledge = pledge_at(e, id);

    claim_set_flavors(e, id, flavors);
    claim_set_flag(claim_at(e, id), CLAIM_PROMISED, true);
    promise_count(e, id, 1);
    promise_count_queue(e, claim_queue(e, id), 1);
    e->promises.apart++;
    pledge->promise.within = 0;
    pledge->promise.first = pledge->next = 0;
    pledge->prev = e->promises.last;
    if (pledge->prev != 0)
        pledge_at(e, pledge->prev)->next = id;
    else
        e->promises.first = id;
    e->promises.last = id;
}

void promise_end(struct engine *e, uint32_t id)
{
    struct pledge *pledge;
    uint32_t victim;

    if ((claim_at(e, id)->flags & CLAIM_PROMISED) == 0)
        return;
    pledge = pledge_at(e, id);
    promise_count(e, id, -1);
    promise_count_queue(e, claim_queue(e, id), -1);
    claim_set_flag(claim_at(e, id), CLAIM_PROMISED, false);
    claim_set_flavors(e, id, NULL);
    e->promises.apart--;
    if (e->promises.last == id)
        e->promises.last = pledge->prev;
    unlink(e, &e->promises.first, id);
    while ((victim = pledge->promise.first) != 0) {
        unlink(e, &pledge->promise.first, victim);
        pledge_at(e, victim)->of = 0;
        link(e, &e->promises.shared, victim);
    }
    free_later(e, id);
}

void promise_end_of_queue(struct engine *e, uint32_t queue)
{
    for (uint32_t id = e->promises.first, next; id != 0; id = next) {
        next = promise_after(e, id);
        if (claim_queue(e, id) == queue)
            promise_end(e, id);
    }
}

void promise_take(struct engine *e, uint32_t victim, uint32_t claim)
{
    struct pledge *pledge = pledge_at(e, victim);

    set_going(e, victim, CLAIM_VICTIM, true);
    pledge->of = claim;
    pledge->at = e->now;
    link(e, &pledge_at(e, claim)->promise.first, victim);
    outbox_sync(&e->outbox, EFFECT_OF_POD, victim);
    claim_set_timer(e, victim);
}

static void unlink_victim(struct engine *e, uint32_t id)
{
    uint32_t of = pledge_at(e, id)->of;

    unlink(e, of == 0 ? &e->promises.shared : &pledge_at(e, of)->promise.first, id);
    pledge_at(e, id)->of = 0;
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
    claim_set_timer(e, id);
}

void promise_end_all(struct engine *e)
{
    while (e->promises.first != 0)
        promise_end(e, e->promises.first);
    while (e->promises.shared != 0)
        promise_let_stay(e, e->promises.shared);
}

void promise_spare(struct engine *e, uint32_t id)
{
    promise_let_stay(e, id);
    claim_set_flag(claim_at(e, id), CLAIM_SPARED, true);
    removable_review(e, id);
    pledge_at(e, id)->at = e->now + PROMISE_SPARED_SECONDS * SECOND;
    claim_set_timer(e, id);
    queue_victims_changed(e, claim_queue(e, id));
}

void promise_spare_no_longer(struct engine *e, uint32_t id)
{
    claim_set_flag(claim_at(e, id), CLAIM_SPARED, false);
    removable_review(e, id);
    claim_set_timer(e, id);
    queue_victims_changed(e, claim_queue(e, id));
}

void promise_set_ending(struct engine *e, uint32_t id, bool ending)
{
    if (ending != ((claim_at(e, id)->flags & CLAIM_ENDING) != 0)) {
        set_going(e, id, CLAIM_ENDING, ending);
        queue_victims_changed(e, claim_queue(e, id));
    }
}

void promise_note_change(struct engine *e, uint32_t id, bool went_before)
{
    struct claim *claim = claim_at(e, id);

    e->promises.apart += (uint32_t)claim_goes(claim) - (uint32_t)went_before;
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

bool promise_comes(const struct engine *e, uint32_t queue)
{
    for (uint32_t id = 1; id < slab_end(&e->workloads); id++) {
        if (slab_live(&e->workloads, id) && workload_holds(workload_at(e, id)) &&
            !workload_counts_later(workload_at(e, id)) &&
            queue_root(e, workload_queue(e, id)) == queue_root(e, queue))
            return true;
    }
    for (uint32_t id = 1; id < slab_end(&e->claims); id++) {
        if (slab_live(&e->claims, id) && claim_goes(claim_at(e, id)) &&
            queue_root(e, claim_queue(e, id)) == queue_root(e, queue))
            return true;
    }
    return false;
}

const char *promise_check(const struct engine *e)
{
    uint32_t promised = 0, listed = 0, victims = 0, chosen = 0, apart = 0;
    const char *broken = check_victims(e, e->promises.shared, 0, &listed);

    for (uint32_t id = e->promises.first; id != 0 && broken == NULL; id = promise_after(e, id)) {
        promised++;
        broken = check_victims(e, pledge_at(e, id)->promise.first, id, &listed);
    }
    for (uint32_t id = 1; id < slab_end(&e->claims) && broken == NULL; id++) {
        const struct claim *claim;

        if (!slab_live(&e->claims, id))
            continue;
        claim = claim_at(e, id);
        chosen += (claim->flags & CLAIM_PROMISED) != 0;
        victims += (claim->flags & CLAIM_VICTIM) != 0;
        apart += (claim->flags & CLAIM_PROMISED) != 0 || claim_goes(claim);
        if ((claim->flags & CLAIM_PROMISED) != 0 && claim->state != CLAIM_WAITING)
            broken = "who is promised room waits";
        if ((claim->flags & CLAIM_PROMISED) != 0 && !engine_more(e) &&
            !promise_comes(e, claim_queue(e, id)))
            broken = "who is promised room waits for somebody who goes";
        if ((claim->flags & (CLAIM_VICTIM | CLAIM_SPARED)) != 0 && !claim_holds(claim))
            broken = "a victim holds room";
    }
    if (broken != NULL)
        return broken;
    if (promised != chosen || listed != victims)
        return "whoever is promised room, or goes, is listed once";
    return apart == e->promises.apart ? NULL : "claims that go or come are counted";
}
