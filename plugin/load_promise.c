/* SPDX-License-Identifier: Apache-2.0 */
#include "load_promise.h"

#include "assign.h"
#include "borrow.h"
#include "load_decide.h"
#include "room.h"
#include "state.h"

/* Whether it can still be left where it is: nobody wrote to it. */
static bool can_stay(const struct engine *e, uint32_t id)
{
    const struct load *load = load_at(e, id);

    return !load_is_leaving(load) &&
           !(load->effects.leased != 0 && load->writing == LIFE_WRITE_EVICT) &&
           !(load_is(load, LOAD_AWAITS) && load->writing == LIFE_WRITE_EVICT);
}

static void link_victim(struct engine *e, uint32_t id, uint32_t of)
{
    struct load *load = load_at(e, id);
    uint32_t *first = &load_at(e, of)->first;

    load->of = of;
    load->prev = 0;
    load->next = *first;
    if (*first != 0)
        load_at(e, *first)->prev = id;
    *first = id;
}

static void unlink_victim(struct engine *e, uint32_t id)
{
    struct load *load = load_at(e, id);

    if (load->of == 0)
        return;
    if (load->prev != 0)
        load_at(e, load->prev)->next = load->next;
    else
        load_at(e, load->of)->first = load->next;
    if (load->next != 0)
        load_at(e, load->next)->prev = load->prev;
    load->of = load->next = load->prev = 0;
}

void load_promise_make(struct engine *e, uint32_t id, const struct assignment *made)
{
    struct load *load = load_at(e, id);

    load_take_out(e, id);
    load_set_flavors(e, id, made);
    load_set(load, LOAD_PROMISED, true);
    load_put_in(e, id);
    bay_stir_excess(e, load_queue(e, id));
    load->next = 0;
    load->prev = e->last_promised;
    if (load->prev != 0)
        load_at(e, load->prev)->next = id;
    else
        e->first_promised = id;
    e->last_promised = id;
}

static void let_stay(struct engine *e, uint32_t id)
{
    load_take_out(e, id);
    load_set(load_at(e, id), LOAD_VICTIM, false);
    load_put_in(e, id);
    load_settle(e, id);
}

void load_promise_spare(struct engine *e, uint32_t id)
{
    if (!load_is(load_at(e, id), LOAD_VICTIM) || !can_stay(e, id) ||
        (load_at(e, id)->of != 0 && !queue_spares(e, load_queue(e, id))))
        return;
    unlink_victim(e, id);
    let_stay(e, id);
    bay_stir(e, load_queue(e, id)); /* its room was thought to be coming */
}

void load_promise_end(struct engine *e, uint32_t id)
{
    struct load *load = load_at(e, id);
    uint32_t victim;

    if (!load_is(load, LOAD_PROMISED))
        return;
    if (load->prev != 0)
        load_at(e, load->prev)->next = load->next;
    else
        e->first_promised = load->next;
    if (load->next != 0)
        load_at(e, load->next)->prev = load->prev;
    else
        e->last_promised = load->prev;
    load->next = load->prev = 0;
    load_take_out(e, id);
    load_set(load, LOAD_PROMISED, false);
    load_set_flavors(e, id, NULL);
    load_put_in(e, id);
    while ((victim = load->first) != 0) {
        unlink_victim(e, victim);
        if (can_stay(e, victim))
            let_stay(e, victim);
    }
    bay_stir(e, load_queue(e, id));
}

void load_promise_end_all(struct engine *e)
{
    while (e->first_promised != 0)
        load_promise_end(e, e->first_promised);
}

void load_promise_end_of_queue(struct engine *e, uint32_t queue)
{
    for (uint32_t id = e->first_promised, next; id != 0; id = next) {
        next = load_at(e, id)->next;
        if (load_queue(e, id) == queue)
            load_promise_end(e, id);
    }
}

/* Nobody has heard of its reservation: the write is neither under way nor to be seen. */
static bool is_unheard(const struct load *load)
{
    return load_is(load, LOAD_ASSUMED) && load->effects.leased == 0 && !load_is(load, LOAD_AWAITS);
}

void load_promise_take(struct engine *e, uint32_t id, uint8_t cause, uint32_t of)
{
    struct load *load = load_at(e, id);

    if (is_unheard(load)) {
        load_give_up(e, id);
        load_settle(e, id);
        return;
    }
    load_take_out(e, id);
    load_set(load, LOAD_VICTIM, true);
    load_put_in(e, id);
    load->cause = cause;
    link_victim(e, id, of);
    load_settle(e, id);
}

static bool must_give_way(const struct load *load)
{
    return load_is(load, LOAD_VICTIM) && is_unheard(load);
}

void load_promise_give_way(struct engine *e, uint32_t id)
{
    if (must_give_way(load_at(e, id)))
        load_give_up(e, id);
}

void load_promise_lose_victim(struct engine *e, uint32_t id)
{
    if (!load_is(load_at(e, id), LOAD_VICTIM))
        return;
    unlink_victim(e, id);
    load_set(load_at(e, id), LOAD_VICTIM, false);
}

uint32_t load_promise_victims(const struct engine *e, uint32_t id)
{
    uint32_t count = 0;

    if (!load_is(load_at(e, id), LOAD_PROMISED))
        return 0;
    for (uint32_t at = load_at(e, id)->first; at != 0; at = load_at(e, at)->next)
        count++;
    return count;
}

/* From how far up it borrows what it is promised, which counts in what is used later. */
static uint32_t promised_height(const struct engine *e, uint32_t id)
{
    const struct load *load = load_at(e, id);
    const struct wish *wish = wish_at(e, load->wish);
    const uint16_t *flavors = load_flavors(load, wish->set_count);
    uint32_t most = 0;

    for (uint32_t s = 0; s < wish->set_count; s++) {
        for (uint32_t i = 0; i < wish->asks[s].need_count; i++) {
            uint16_t flavor = flavors[wish->sets[s].at + i];
            uint32_t height = flavor == FLAVOR_NONE
                                  ? 0
                                  : borrow_height_later(e, wish->queue, flavor,
                                                        wish->asks[s].needs[i].resource, 0);

            most = height > most ? height : most;
        }
    }
    return most;
}

/* In what is used later: as if its promise had ended, and who need not go stayed; or (-1) as it is
 * again. */
static void suppose_end(struct engine *e, uint32_t id, int sign)
{
    load_count_later(e, id, -sign);
    for (uint32_t at = load_at(e, id)->first; at != 0; at = load_at(e, at)->next) {
        if (can_stay(e, at))
            load_count_later(e, at, sign);
    }
}

/* Whether there is room for all of it: for who is promised nothing, or once what goes has gone. */
static bool fits(const struct engine *e, uint32_t id, bool later)
{
    const struct load *load = load_at(e, id);
    const struct wish *wish = wish_at(e, load->wish);
    const uint16_t *flavors = load_flavors(load, wish->set_count);

    for (uint32_t s = 0; s < wish->set_count; s++) {
        for (uint32_t i = 0; i < wish->asks[s].need_count; i++) {
            uint32_t resource = wish->asks[s].needs[i].resource;
            uint16_t flavor = flavors[wish->sets[s].at + i];
            wide amount;

            if (flavor == FLAVOR_NONE)
                continue;
            if (!flavor_usable(e, flavor))
                return false;
            amount = load_amount(e, id, flavor, resource);
            /* What it is promised is in what is used later. */
            if (!room_holds(later ? amount + room_later(e, wish->queue, flavor, resource)
                                  : room_now(e, wish->queue, flavor, resource),
                            amount))
                return false;
        }
    }
    return true;
}

static void copy_assignment(const struct engine *e, uint32_t id, struct assignment *ret)
{
    const struct load *load = load_at(e, id);
    const struct wish *wish = wish_at(e, load->wish);

    memset(ret, 0, sizeof(*ret));
    for (uint32_t s = 0; s < wish->set_count; s++) {
        ret->counts[s] = load->counts[s];
        for (uint32_t i = 0; i < wish->asks[s].need_count; i++)
            ret->needs[s][i].flavor = load_flavors(load, wish->set_count)[wish->sets[s].at + i];
    }
}

/* Whether it has all the pods that it is promised: with fewer of them its victims would have gone
 * for nothing. */
static bool is_as_much(const struct engine *e, uint32_t id, const struct assignment *made)
{
    const struct load *load = load_at(e, id);

    for (uint32_t s = 0; s < wish_at(e, load->wish)->set_count; s++) {
        if (made->counts[s] < load->counts[s])
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
    elsewhere = !now && load_decide_fits_elsewhere(e, id, height, ret) && is_as_much(e, id, ret);
    suppose_end(e, id, -1);
    if (now)
        copy_assignment(e, id, ret);
    return now || elsewhere;
}

/* It comes to nothing: its object says that it waits for somebody to go. */
static void break_promise(struct engine *e, uint32_t id)
{
    load_promise_end(e, id);
    load_settle(e, id);
}

/* Its victims that nobody may send away any more. */
static void spare_victims(struct engine *e, uint32_t id)
{
    for (uint32_t victim = load_at(e, id)->first, next; victim != 0; victim = next) {
        next = load_at(e, victim)->next;
        if (queue_spares(e, load_queue(e, victim)))
            load_promise_spare(e, victim);
    }
}

static bool review(struct engine *e, uint32_t id)
{
    struct assignment made;
    struct text what;

    spare_victims(e, id);
    if (bay_fault(e, load_queue(e, id), &what) != BAY_READY) {
        break_promise(e, id);
        return true;
    }
    if (fits_now(e, id, &made)) {
        for (uint32_t s = 0; s < ASSIGN_MAX_SETS; s++) { /* the flavors outlive the promise */
            for (uint32_t i = 0; i < FACTS_MAX_NEEDS; i++)
                flavor_ref(e, made.needs[s][i].flavor);
        }
        load_promise_end(e, id);
        load_decide_reserve(e, id, &made);
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

bool load_promise_review(struct engine *e, uint32_t root)
{
    for (uint32_t id = e->first_promised, next; id != 0; id = next) {
        next = load_at(e, id)->next;
        if (queue_root(e, load_queue(e, id)) == root && review(e, id))
            return true;
    }
    return false;
}

const char *load_promise_check(const struct engine *e)
{
    uint32_t promised = 0, listed = 0;

    for (uint32_t id = e->first_promised; id != 0; id = load_at(e, id)->next) {
        if (!load_is(load_at(e, id), LOAD_PROMISED) || ++promised > slab_count(&e->loads))
            return "workloads that are promised something are listed once";
        for (uint32_t at = load_at(e, id)->first; at != 0; at = load_at(e, at)->next) {
            if (!load_is(load_at(e, at), LOAD_VICTIM) || load_at(e, at)->of != id ||
                ++listed > slab_count(&e->loads))
                return "a victim is among those of the workload that it goes for";
        }
    }
    for (uint32_t id = 1; id < slab_end(&e->loads); id++) {
        if (!slab_live(&e->loads, id))
            continue;
        if (must_give_way(load_at(e, id)))
            return "a reservation that is to go again is under way, or was made";
        promised -= load_is(load_at(e, id), LOAD_PROMISED);
        listed -= load_at(e, id)->of != 0;
    }
    return promised == 0 && listed == 0 ? NULL : "who is promised something, or goes, is listed";
}
