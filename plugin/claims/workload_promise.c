/* SPDX-License-Identifier: Apache-2.0 */
#include "workload_promise.h"

#include "plugin/notes.h"
#include "plugin/records/holder.h"
#include "plugin/state.h"
#include "rest.h"
#include "workload_change.h"

bool workload_promise_can_stay(const struct engine *e, uint32_t id)
{
    const struct workload *workload = workload_at(e, id);

    return !workload_is_leaving(workload) &&
           !(workload->effects.leased != 0 && workload->writing == LIFE_WRITE_EVICT) &&
           !(workload_is(workload, WORKLOAD_AWAITS) && workload->writing == LIFE_WRITE_EVICT);
}

/* The list of those that go for this holder; or (0) for nobody alone. */
static uint32_t *victims_of(struct engine *e, uint32_t of)
{
    if (of == 0)
        return &e->claims.promises.shared_workloads;
    return holder_is_workload(of) ? &workload_at(e, holder_workload(of))->first
                                  : &pledge_at(e, of)->promise.workloads;
}

static void link_victim(struct engine *e, uint32_t id, uint32_t of)
{
    struct workload *workload = workload_at(e, id);
    uint32_t *first = victims_of(e, of);

    workload->of = of;
    workload->prev = 0;
    workload->next = *first;
    if (*first != 0)
        workload_at(e, *first)->prev = id;
    *first = id;
}

static void unlink_victim(struct engine *e, uint32_t id)
{
    struct workload *workload = workload_at(e, id);

    if (workload->prev != 0)
        workload_at(e, workload->prev)->next = workload->next;
    else
        *victims_of(e, workload->of) = workload->next;
    if (workload->next != 0)
        workload_at(e, workload->next)->prev = workload->prev;
    workload->of = workload->next = workload->prev = 0;
}

/* Whether this need of a pod set is promised within the share. */
static bool is_within(const struct engine *e, uint32_t id, uint32_t set, uint32_t need)
{
    const struct workload *workload = workload_at(e, id);
    const struct demand *demand = demand_at(e, workload->demand);

    return workload_is(workload, WORKLOAD_WITHIN) && workload->counts[set] > 0 &&
           demand->asks[set].needs[need].amount > 0 &&
           workload_flavors(workload, demand->set_count)[demand->sets[set].at + need] !=
               FLAVOR_NONE;
}

/* What it is promised within the share is counted so, or (-1) no longer. */
static void count_within(struct engine *e, uint32_t id, int sign)
{
    const struct workload *workload = workload_at(e, id);
    const struct demand *demand = demand_at(e, workload->demand);

    for (uint32_t s = 0; s < demand->set_count; s++) {
        for (uint32_t i = 0; i < demand->asks[s].need_count; i++) {
            if (is_within(e, id, s, i))
                quota_promise_within(
                    e, demand->queue,
                    workload_flavors(workload, demand->set_count)[demand->sets[s].at + i],
                    demand->asks[s].needs[i].resource, sign);
        }
    }
}

void workload_promise_make(struct engine *e, uint32_t id, const struct assignment *made,
                           bool within)
{
    struct workload *workload = workload_at(e, id);

    workload_take_out(e, id);
    workload_set_flavors(e, id, made);
    workload_set(workload, WORKLOAD_PROMISED, true);
    workload_set(workload, WORKLOAD_WITHIN, within);
    workload_put_in(e, id);
    count_within(e, id, 1);
    cluster_queue_borrows_more(e, workload_queue(e, id));
    queue_victims_changed(e, workload_queue(e, id));
    workload->next = 0;
    workload->prev = e->claims.last_promised;
    if (workload->prev != 0)
        workload_at(e, workload->prev)->next = id;
    else
        e->claims.first_promised = id;
    e->claims.last_promised = id;
}

void workload_promise_let_stay(struct engine *e, uint32_t id)
{
    unlink_victim(e, id);
    workload_take_out(e, id);
    workload_set(workload_at(e, id), WORKLOAD_VICTIM, false);
    workload_put_in(e, id);
    note_workload(e, id);
}

void workload_promise_spare(struct engine *e, uint32_t id)
{
    if (!workload_is(workload_at(e, id), WORKLOAD_VICTIM) || !workload_promise_can_stay(e, id) ||
        (workload_at(e, id)->of != 0 && !queue_spares(e, workload_queue(e, id))))
        return;
    workload_promise_let_stay(e, id);
    cluster_queue_changed(e, workload_queue(e, id)); /* its room was thought to be coming */
}

/* Less is used later, or a share need not be kept any more: somebody may have waited for that. */
static void free_later(struct engine *e, uint32_t id)
{
    queue_todo(e, TODO_DIRTY, queue_root(e, workload_queue(e, id)));
}

void workload_promise_share(struct engine *e, uint32_t id)
{
    unlink_victim(e, id);
    link_victim(e, id, 0);
}

/* Those that go for this workload do so no more: who can stays. It may have moved into another
 * tree, where somebody relies on its room. */
static void release(struct engine *e, uint32_t id)
{
    uint32_t victim;

    while ((victim = workload_at(e, id)->first) != 0) {
        if (workload_promise_can_stay(e, victim)) {
            workload_promise_let_stay(e, victim);
            cluster_queue_has_newcomer(e, workload_queue(e, victim));
        } else {
            workload_promise_share(e, victim);
        }
    }
}

void workload_promise_end(struct engine *e, uint32_t id)
{
    struct workload *workload = workload_at(e, id);

    if (!workload_is(workload, WORKLOAD_PROMISED))
        return;
    if (workload->prev != 0)
        workload_at(e, workload->prev)->next = workload->next;
    else
        e->claims.first_promised = workload->next;
    if (workload->next != 0)
        workload_at(e, workload->next)->prev = workload->prev;
    else
        e->claims.last_promised = workload->prev;
    workload->next = workload->prev = 0;
    count_within(e, id, -1);
    workload_take_out(e, id);
    workload_set(workload, WORKLOAD_PROMISED, false);
    workload_set(workload, WORKLOAD_WITHIN, false);
    workload_set_flavors(e, id, NULL);
    workload_put_in(e, id);
    release(e, id);
    promise_release(e, id);
    free_later(e, id);
}

void workload_promise_end_all(struct engine *e)
{
    while (e->claims.first_promised != 0)
        workload_promise_end(e, e->claims.first_promised);
}

void workload_promise_end_of_queue(struct engine *e, uint32_t queue)
{
    for (uint32_t id = e->claims.first_promised, next; id != 0; id = next) {
        next = workload_at(e, id)->next;
        if (workload_queue(e, id) == queue)
            workload_promise_end(e, id);
    }
}

/* Nobody has heard of its reservation: the write is neither under way nor to be seen. */
static bool is_unheard(const struct workload *workload)
{
    return workload_is(workload, WORKLOAD_ASSUMED) && workload->effects.leased == 0 &&
           !workload_is(workload, WORKLOAD_AWAITS);
}

void workload_promise_take(struct engine *e, uint32_t id, uint8_t cause, uint32_t of)
{
    struct workload *workload = workload_at(e, id);

    if (is_unheard(workload)) {
        rest_begin(e, holder_of_workload(id));
        workload_give_up(e, id);
        note_workload(e, id);
        return;
    }
    workload_take_out(e, id);
    workload_set(workload, WORKLOAD_VICTIM, true);
    workload_put_in(e, id);
    free_later(e, id);
    workload->cause = cause;
    link_victim(e, id, of);
    note_workload(e, id);
}

static bool must_give_way(const struct workload *workload)
{
    return workload_is(workload, WORKLOAD_VICTIM) && is_unheard(workload);
}

void workload_promise_give_way(struct engine *e, uint32_t id)
{
    if (must_give_way(workload_at(e, id)))
        workload_give_up(e, id);
}

void workload_promise_lose_victim(struct engine *e, uint32_t id)
{
    if (!workload_is(workload_at(e, id), WORKLOAD_VICTIM))
        return;
    unlink_victim(e, id);
    workload_set(workload_at(e, id), WORKLOAD_VICTIM, false);
}

uint32_t workload_promise_withins(const struct engine *e)
{
    uint32_t count = 0;

    for (uint32_t id = e->claims.first_promised; id != 0; id = workload_at(e, id)->next) {
        const struct demand *demand = demand_at(e, workload_at(e, id)->demand);

        for (uint32_t s = 0; s < demand->set_count; s++) {
            for (uint32_t i = 0; i < demand->asks[s].need_count; i++)
                count += is_within(e, id, s, i);
        }
    }
    return count;
}

uint32_t workload_promise_victims(const struct engine *e, uint32_t id)
{
    uint32_t count = 0;

    if (!workload_is(workload_at(e, id), WORKLOAD_PROMISED))
        return 0;
    for (uint32_t at = workload_at(e, id)->first; at != 0; at = workload_at(e, at)->next)
        count++;
    return count + workload_promise_pods(e, id);
}

uint32_t workload_promise_pods(const struct engine *e, uint32_t id)
{
    uint32_t count = 0;

    if (!workload_is(workload_at(e, id), WORKLOAD_PROMISED))
        return 0;
    for (uint32_t at = workload_at(e, id)->claims; at != 0; at = pledge_at(e, at)->next)
        count++;
    return count;
}

void workload_promise_suppose_end(struct engine *e, uint32_t id, int sign)
{
    workload_count_later(e, id, -sign);
    count_within(e, id, -sign);
    for (uint32_t at = workload_at(e, id)->first; at != 0; at = workload_at(e, at)->next) {
        if (workload_promise_can_stay(e, at))
            workload_count_later(e, at, sign);
    }
    for (uint32_t at = workload_at(e, id)->claims; at != 0; at = pledge_at(e, at)->next) {
        if (promise_can_stay(e, at))
            promise_count(e, at, sign);
    }
}

static const char *check_victims(const struct engine *e, uint32_t first, uint32_t of,
                                 uint32_t *listed)
{
    for (uint32_t id = first; id != 0; id = workload_at(e, id)->next) {
        if (!workload_is(workload_at(e, id), WORKLOAD_VICTIM) || workload_at(e, id)->of != of ||
            ++*listed > slab_count(&e->claims.workloads))
            return "a victim is among those of the holder that it goes for";
    }
    return NULL;
}

const char *workload_promise_check(const struct engine *e)
{
    uint32_t promised = 0, listed = 0;
    const char *broken = check_victims(e, e->claims.promises.shared_workloads, 0, &listed);

    for (uint32_t id = e->claims.first_promised; id != 0 && broken == NULL;
         id = workload_at(e, id)->next) {
        if (!workload_is(workload_at(e, id), WORKLOAD_PROMISED) ||
            ++promised > slab_count(&e->claims.workloads))
            return "workloads that are promised something are listed once";
        broken = check_victims(e, workload_at(e, id)->first, holder_of_workload(id), &listed);
    }
    for (uint32_t id = e->claims.promises.first; id != 0 && broken == NULL;
         id = promise_after(e, id))
        broken = check_victims(e, pledge_at(e, id)->promise.workloads, id, &listed);
    for (uint32_t id = 1; id < slab_end(&e->claims.workloads) && broken == NULL; id++) {
        if (!slab_live(&e->claims.workloads, id))
            continue;
        if (must_give_way(workload_at(e, id)))
            return "a reservation that is to go again is under way, or was made";
        promised -= workload_is(workload_at(e, id), WORKLOAD_PROMISED);
        listed -= workload_is(workload_at(e, id), WORKLOAD_VICTIM);
    }
    if (broken != NULL)
        return broken;
    return promised == 0 && listed == 0 ? NULL : "who is promised something, or goes, is listed";
}
