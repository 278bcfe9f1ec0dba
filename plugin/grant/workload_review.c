/* SPDX-License-Identifier: Apache-2.0 */
#include "workload_review.h"

#include "plugin/capacity/borrow.h"
#include "plugin/claims/promise.h"
#include "plugin/order/headroom.h"
#include "plugin/queues/admission_check.h"
#include "plugin/state.h"
#include "plugin/workloads/workload_settle.h"
#include "workload_decide.h"

/* From how far up each need is borrowed. */
struct heights {
    uint8_t at[ASSIGN_MAX_SETS][FACTS_MAX_NEEDS];
};

/* Of what it is promised, which counts in what is used later. */
static void find_heights(const struct engine *e, uint32_t id, struct heights *ret)
{
    const struct workload *workload = workload_at(e, id);
    const struct demand *demand = demand_at(e, workload->demand);
    const uint16_t *flavors = workload_flavors(workload, demand->set_count);

    for (uint32_t s = 0; s < demand->set_count; s++) {
        for (uint32_t i = 0; i < demand->asks[s].need_count; i++) {
            uint16_t flavor = flavors[demand->sets[s].at + i];

            ret->at[s][i] =
                flavor == FLAVOR_NONE
                    ? 0
                    : (uint8_t)borrow_height_later(e, demand->queue, flavor,
                                                   demand->asks[s].needs[i].resource, 0);
        }
    }
}

/* From how far up a pod set borrows some of what it asks of this resource group, which has one
 * flavor. */
static uint8_t farthest(const struct queue *queue, const struct queue_group *group,
                        const struct assign_set *asks, const uint8_t *heights)
{
    uint8_t most = 0;

    for (uint32_t i = 0; i < asks->need_count; i++) {
        if (queue_group_of(queue, asks->needs[i].resource) == group && heights[i] > most)
            most = heights[i];
    }
    return most;
}

/* Who would rather preempt than borrow waits for what it is promised, if it would borrow any of it
 * from farther up. */
static bool borrows_no_farther(const struct engine *e, uint32_t id, const struct heights *heights,
                               const struct assignment *made)
{
    const struct demand *demand = demand_at(e, workload_at(e, id)->demand);
    const struct queue *queue = queue_at(e, demand->queue);

    for (uint32_t s = 0; s < demand->set_count; s++) {
        const struct assign_set *asks = &demand->asks[s];

        for (uint32_t i = 0; i < asks->need_count; i++) {
            if (made->needs[s][i].height > farthest(queue,
                                                    queue_group_of(queue, asks->needs[i].resource),
                                                    asks, heights->at[s]))
                return false;
        }
    }
    return true;
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

bool workload_review_is_sound(const struct engine *e, uint32_t id)
{
    return fits(e, id, true);
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
    const struct cluster_queue *cluster = &queue_at(e, workload_queue(e, id))->cluster;
    struct heights heights;
    bool now, elsewhere;

    if (cluster->borrows_least)
        find_heights(e, id, &heights);
    promise_suppose_end(e, holder_of_workload(id), 1);
    now = fits(e, id, false);
    elsewhere = !now && workload_decide_fits_elsewhere(e, id, ret) && is_as_much(e, id, ret) &&
                (!cluster->borrows_least || borrows_no_farther(e, id, &heights, ret));
    promise_suppose_end(e, holder_of_workload(id), -1);
    if (now)
        copy_assignment(e, id, ret);
    return now || elsewhere;
}

/* It comes to nothing: its object says that it waits for somebody to go. */
static void break_promise(struct engine *e, uint32_t id)
{
    promise_end(e, holder_of_workload(id));
    workload_settle(e, id);
}

/* Its victims that nobody may send away any more. */
static void spare_victims(struct engine *e, uint32_t holder)
{
    for (uint32_t victim = pledge_victims(e, holder), next; victim != 0; victim = next) {
        next = pledge_at(e, victim)->next;
        if (holder_is_workload(victim) && queue_spares(e, holder_queue(e, victim)))
            promise_reconsider(e, victim);
    }
}

static bool review(struct engine *e, uint32_t id)
{
    struct assignment made;
    struct text what;

    spare_victims(e, holder_of_workload(id));
    if (cluster_queue_fault(e, workload_queue(e, id), &what) != CLUSTER_QUEUE_READY) {
        break_promise(e, id);
        return true;
    }
    if (fits_now(e, id, &made)) {
        for (uint32_t s = 0; s < ASSIGN_MAX_SETS; s++) { /* the flavors outlive the promise */
            for (uint32_t i = 0; i < FACTS_MAX_NEEDS; i++)
                flavor_ref(e, made.needs[s][i].flavor);
        }
        promise_end(e, holder_of_workload(id));
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

bool workload_review_promises(struct engine *e, uint32_t root)
{
    for (uint32_t id = e->claims.promises.first, next; id != 0; id = next) {
        next = pledge_at(e, id)->next;
        if (holder_is_workload(id) && queue_root(e, holder_queue(e, id)) == root &&
            review(e, holder_workload(id)))
            return true;
    }
    return false;
}
