/* SPDX-License-Identifier: Apache-2.0 */
#include "promise_fit.h"

#include "plugin/capacity/borrow.h"
#include "plugin/claims/promise.h"
#include "plugin/order/headroom.h"
#include "plugin/state.h"
#include "workload_decide.h"

/* Whether there is room for all of it in the flavors that it is promised. */
static bool fits(const struct engine *e, uint32_t claim, headroom_function *room)
{
    uint32_t queue = claim_queue(e, claim);
    struct claim_need need;

    for (uint32_t i = 0; claim_need(e, claim, i, &need); i++) {
        if (need.flavor == FLAVOR_NONE)
            continue;
        if (claim_is_workload(e, claim) && !flavor_usable(e, need.flavor))
            return false;
        if (!headroom_holds(room(e, queue, need.flavor, need.resource),
                            claim_amount(e, claim, need.flavor, need.resource)))
            return false;
    }
    return true;
}

bool promise_fit_later(struct engine *e, uint32_t claim)
{
    bool ret;

    if (!claim_is_workload(e, claim) && queue_stops(e, claim_queue(e, claim)) != REASON_NONE)
        return false;
    promise_count(e, claim, -1);
    ret = fits(e, claim, headroom_later);
    promise_count(e, claim, 1);
    return ret;
}

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
        for (uint32_t i = 0; i < demand->sets[s].need_count; i++) {
            uint16_t flavor = flavors[demand->set_details[s].at + i];

            ret->at[s][i] =
                flavor == FLAVOR_NONE
                    ? 0
                    : (uint8_t)borrow_height_later(e, demand->queue, flavor,
                                                   demand->sets[s].needs[i].resource, 0);
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
        const struct assign_set *asks = &demand->sets[s];

        for (uint32_t i = 0; i < asks->need_count; i++) {
            if (made->needs[s][i].height > farthest(queue,
                                                    queue_group_of(queue, asks->needs[i].resource),
                                                    asks, heights->at[s]))
                return false;
        }
    }
    return true;
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

static void copy_of_workload(const struct engine *e, uint32_t id, struct assignment *ret)
{
    const struct workload *workload = workload_at(e, id);
    const struct demand *demand = demand_at(e, workload->demand);

    for (uint32_t s = 0; s < demand->set_count; s++) {
        ret->counts[s] = workload->counts[s];
        for (uint32_t i = 0; i < demand->sets[s].need_count; i++)
            ret->needs[s][i].flavor =
                workload_flavors(workload, demand->set_count)[demand->set_details[s].at + i];
    }
}

/* What it is promised. */
static void copy(const struct engine *e, uint32_t claim, struct assignment *ret)
{
    struct claim_need need;

    memset(ret, 0, sizeof(*ret));
    if (claim_is_workload(e, claim)) {
        copy_of_workload(e, claim, ret);
        return;
    }
    ret->counts[0] = 1;
    for (uint32_t i = 0; claim_need(e, claim, i, &need); i++)
        ret->needs[0][i].flavor = need.flavor;
}

/* Also if its victims stay. */
static bool workload_fits(struct engine *e, uint32_t id, struct assignment *ret)
{
    const struct cluster_queue *cluster = &queue_at(e, claim_queue(e, id))->cluster;
    struct heights heights;
    bool now, elsewhere;

    if (cluster->borrows_least)
        find_heights(e, id, &heights);
    promise_suppose_end(e, id, 1);
    now = fits(e, id, headroom_now);
    elsewhere = !now && workload_decide_fits_elsewhere(e, id, ret) && is_as_much(e, id, ret) &&
                (!cluster->borrows_least || borrows_no_farther(e, id, &heights, ret));
    promise_suppose_end(e, id, -1);
    if (now)
        copy(e, id, ret);
    return now || elsewhere;
}

bool promise_fit_now(struct engine *e, uint32_t claim, struct assignment *ret)
{
    if (claim_is_workload(e, claim))
        return workload_fits(e, claim, ret);
    if (!fits(e, claim, headroom_present))
        return false;
    copy(e, claim, ret);
    return true;
}
