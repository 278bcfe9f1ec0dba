/* SPDX-License-Identifier: Apache-2.0 */
#include "workload_promise.h"

#include "assign.h"
#include "plugin/capacity/borrow.h"
#include "plugin/capacity/headroom.h"
#include "plugin/state.h"
#include "workload_decide.h"

/* Whether it can still be left where it is: nobody wrote to it. */
static bool can_stay(const struct engine *e, uint32_t id)
{
    const struct workload *workload = workload_at(e, id);

    return !workload_is_leaving(workload) &&
           !(workload->effects.leased != 0 && workload->writing == LIFE_WRITE_EVICT) &&
           !(workload_is(workload, WORKLOAD_AWAITS) && workload->writing == LIFE_WRITE_EVICT);
}

static void link_victim(struct engine *e, uint32_t id, uint32_t of)
{
    struct workload *workload = workload_at(e, id);
    uint32_t *first = &workload_at(e, of)->first;

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

    if (workload->of == 0)
        return;
    if (workload->prev != 0)
        workload_at(e, workload->prev)->next = workload->next;
    else
        workload_at(e, workload->of)->first = workload->next;
    if (workload->next != 0)
        workload_at(e, workload->next)->prev = workload->prev;
    workload->of = workload->next = workload->prev = 0;
}

void workload_promise_make(struct engine *e, uint32_t id, const struct assignment *made)
{
    struct workload *workload = workload_at(e, id);

    workload_take_out(e, id);
    workload_set_flavors(e, id, made);
    workload_set(workload, WORKLOAD_PROMISED, true);
    workload_put_in(e, id);
    cluster_queue_borrows_more(e, workload_queue(e, id));
    workload->next = 0;
    workload->prev = e->last_promised;
    if (workload->prev != 0)
        workload_at(e, workload->prev)->next = id;
    else
        e->first_promised = id;
    e->last_promised = id;
}

static void let_stay(struct engine *e, uint32_t id)
{
    workload_take_out(e, id);
    workload_set(workload_at(e, id), WORKLOAD_VICTIM, false);
    workload_put_in(e, id);
    workload_settle(e, id);
}

void workload_promise_spare(struct engine *e, uint32_t id)
{
    if (!workload_is(workload_at(e, id), WORKLOAD_VICTIM) || !can_stay(e, id) ||
        (workload_at(e, id)->of != 0 && !queue_spares(e, workload_queue(e, id))))
        return;
    unlink_victim(e, id);
    let_stay(e, id);
    cluster_queue_changed(e, workload_queue(e, id)); /* its room was thought to be coming */
}

void workload_promise_end(struct engine *e, uint32_t id)
{
    struct workload *workload = workload_at(e, id);
    uint32_t victim;

    if (!workload_is(workload, WORKLOAD_PROMISED))
        return;
    if (workload->prev != 0)
        workload_at(e, workload->prev)->next = workload->next;
    else
        e->first_promised = workload->next;
    if (workload->next != 0)
        workload_at(e, workload->next)->prev = workload->prev;
    else
        e->last_promised = workload->prev;
    workload->next = workload->prev = 0;
    workload_take_out(e, id);
    workload_set(workload, WORKLOAD_PROMISED, false);
    workload_set_flavors(e, id, NULL);
    workload_put_in(e, id);
    while ((victim = workload->first) != 0) {
        unlink_victim(e, victim);
        if (can_stay(e, victim))
            let_stay(e, victim);
    }
    cluster_queue_changed(e, workload_queue(e, id));
}

void workload_promise_end_all(struct engine *e)
{
    while (e->first_promised != 0)
        workload_promise_end(e, e->first_promised);
}

void workload_promise_end_of_queue(struct engine *e, uint32_t queue)
{
    for (uint32_t id = e->first_promised, next; id != 0; id = next) {
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
        workload_give_up(e, id);
        workload_settle(e, id);
        return;
    }
    workload_take_out(e, id);
    workload_set(workload, WORKLOAD_VICTIM, true);
    workload_put_in(e, id);
    workload->cause = cause;
    link_victim(e, id, of);
    workload_settle(e, id);
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

uint32_t workload_promise_victims(const struct engine *e, uint32_t id)
{
    uint32_t count = 0;

    if (!workload_is(workload_at(e, id), WORKLOAD_PROMISED))
        return 0;
    for (uint32_t at = workload_at(e, id)->first; at != 0; at = workload_at(e, at)->next)
        count++;
    return count;
}

/* From how far up it borrows what it is promised, which counts in what is used later. */
static uint32_t promised_height(const struct engine *e, uint32_t id)
{
    const struct workload *workload = workload_at(e, id);
    const struct demand *demand = demand_at(e, workload->demand);
    const uint16_t *flavors = workload_flavors(workload, demand->set_count);
    uint32_t most = 0;

    for (uint32_t s = 0; s < demand->set_count; s++) {
        for (uint32_t i = 0; i < demand->asks[s].need_count; i++) {
            uint16_t flavor = flavors[demand->sets[s].at + i];
            uint32_t height = flavor == FLAVOR_NONE
                                  ? 0
                                  : borrow_height_later(e, demand->queue, flavor,
                                                        demand->asks[s].needs[i].resource, 0);

            most = height > most ? height : most;
        }
    }
    return most;
}

/* In what is used later: as if its promise had ended, and who need not go stayed; or (-1) as it is
 * again. */
static void suppose_end(struct engine *e, uint32_t id, int sign)
{
    workload_count_later(e, id, -sign);
    for (uint32_t at = workload_at(e, id)->first; at != 0; at = workload_at(e, at)->next) {
        if (can_stay(e, at))
            workload_count_later(e, at, sign);
    }
}

/* Whether there is room for all of it: for who is promised nothing, or once what goes has gone. */
static bool fits(const struct engine *e, uint32_t id, bool later)
{
    const struct workload *workload = workload_at(e, id);
    const struct demand *demand = demand_at(e, workload->demand);
    const uint16_t *flavors = workload_flavors(workload, demand->set_count);

    for (uint32_t s = 0; s < demand->set_count; s++) {
        for (uint32_t i = 0; i < demand->asks[s].need_count; i++) {
            uint32_t resource = demand->asks[s].needs[i].resource;
            uint16_t flavor = flavors[demand->sets[s].at + i];
            wide amount;

            if (flavor == FLAVOR_NONE)
                continue;
            if (!flavor_usable(e, flavor))
                return false;
            amount = workload_amount(e, id, flavor, resource);
            /* What it is promised is in what is used later. */
            if (!headroom_holds(later ? amount + headroom_later(e, demand->queue, flavor, resource)
                                      : headroom_now(e, demand->queue, flavor, resource),
                                amount))
                return false;
        }
    }
    return true;
}

static void copy_assignment(const struct engine *e, uint32_t id, struct assignment *ret)
{
    const struct workload *workload = workload_at(e, id);
    const struct demand *demand = demand_at(e, workload->demand);

    memset(ret, 0, sizeof(*ret));
    for (uint32_t s = 0; s < demand->set_count; s++) {
        ret->counts[s] = workload->counts[s];
        for (uint32_t i = 0; i < demand->asks[s].need_count; i++)
            ret->needs[s][i].flavor =
                workload_flavors(workload, demand->set_count)[demand->sets[s].at + i];
    }
}

/* Whether it has all the pods that it is promised: with fewer of them its victims would have gone
 * for nothing. */
static bool is_as_much(const struct engine *e, uint32_t id, const struct assignment *made)
{
    const struct workload *workload = workload_at(e, id);

    for (uint32_t s = 0; s < demand_at(e, workload->demand)->set_count; s++) {
        if (made->counts[s] < workload->counts[s])
            return false;
    }
    return true;
}

/* Whether it has no need to wait any longer: nobody else who is promised something loses it by
 * that, also if its victims stay. */
static bool fits_now(struct engine *e, uint32_t id, struct assignment *ret)
{
    uint32_t height = promised_height(e, id);
    bool now, elsewhere;

    suppose_end(e, id, 1);
    now = fits(e, id, false);
    elsewhere =
        !now && workload_decide_fits_elsewhere(e, id, height, ret) && is_as_much(e, id, ret);
    suppose_end(e, id, -1);
    if (now)
        copy_assignment(e, id, ret);
    return now || elsewhere;
}

/* It comes to nothing: its object says that it waits for somebody to go. */
static void break_promise(struct engine *e, uint32_t id)
{
    workload_promise_end(e, id);
    workload_settle(e, id);
}

/* Its victims that nobody may send away any more. */
static void spare_victims(struct engine *e, uint32_t id)
{
    for (uint32_t victim = workload_at(e, id)->first, next; victim != 0; victim = next) {
        next = workload_at(e, victim)->next;
        if (queue_spares(e, workload_queue(e, victim)))
            workload_promise_spare(e, victim);
    }
}

static bool review(struct engine *e, uint32_t id)
{
    struct assignment made;
    struct text what;

    spare_victims(e, id);
    if (cluster_queue_fault(e, workload_queue(e, id), &what) != CLUSTER_QUEUE_READY) {
        break_promise(e, id);
        return true;
    }
    if (fits_now(e, id, &made)) {
        for (uint32_t s = 0; s < ASSIGN_MAX_SETS; s++) { /* the flavors outlive the promise */
            for (uint32_t i = 0; i < FACTS_MAX_NEEDS; i++)
                flavor_ref(e, made.needs[s][i].flavor);
        }
        workload_promise_end(e, id);
        workload_decide_reserve(e, id, &made);
        for (uint32_t s = 0; s < ASSIGN_MAX_SETS; s++) {
            for (uint32_t i = 0; i < FACTS_MAX_NEEDS; i++)
                flavor_unref(e, made.needs[s][i].flavor);
        }
        return true;
    }
    if (!fits(e, id, true)) {
        break_promise(e, id);
        return true;
    }
    return false;
}

bool workload_promise_review(struct engine *e, uint32_t root)
{
    for (uint32_t id = e->first_promised, next; id != 0; id = next) {
        next = workload_at(e, id)->next;
        if (queue_root(e, workload_queue(e, id)) == root && review(e, id))
            return true;
    }
    return false;
}

const char *workload_promise_check(const struct engine *e)
{
    uint32_t promised = 0, listed = 0;

    for (uint32_t id = e->first_promised; id != 0; id = workload_at(e, id)->next) {
        if (!workload_is(workload_at(e, id), WORKLOAD_PROMISED) ||
            ++promised > slab_count(&e->workloads))
            return "workloads that are promised something are listed once";
        for (uint32_t at = workload_at(e, id)->first; at != 0; at = workload_at(e, at)->next) {
            if (!workload_is(workload_at(e, at), WORKLOAD_VICTIM) || workload_at(e, at)->of != id ||
                ++listed > slab_count(&e->workloads))
                return "a victim is among those of the workload that it goes for";
        }
    }
    for (uint32_t id = 1; id < slab_end(&e->workloads); id++) {
        if (!slab_live(&e->workloads, id))
            continue;
        if (must_give_way(workload_at(e, id)))
            return "a reservation that is to go again is under way, or was made";
        promised -= workload_is(workload_at(e, id), WORKLOAD_PROMISED);
        listed -= workload_at(e, id)->of != 0;
    }
    return promised == 0 && listed == 0 ? NULL : "who is promised something, or goes, is listed";
}
