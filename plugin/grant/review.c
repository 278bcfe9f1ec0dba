/* SPDX-License-Identifier: Apache-2.0 */
#include "review.h"

#include "plugin/claims/promise.h"
#include "plugin/pods/gang.h"
#include "plugin/queues/admission_check.h"
#include "plugin/records/assignment.h"
#include "plugin/state.h"
#include "plugin/workloads/workload_settle.h"
#include "policy.h"
#include "promise_fit.h"
#include "refused_victims.h"
#include "workload_decide.h"

static bool all_sound(struct engine *e, uint32_t root)
{
    for (uint32_t id = e->claims.promises.all.first; id != 0; id = pledge_at(e, id)->peers.next) {
        if (queue_root(e, claim_queue(e, id)) == root && !promise_fit_later(e, id))
            return false;
    }
    return true;
}

/* The last one that was promised goes first. */
static void end_unsound(struct engine *e, uint32_t root)
{
    for (uint32_t id = e->claims.promises.all.last, prev; id != 0; id = prev) {
        prev = pledge_at(e, id)->peers.prev;
        if (!claim_is_workload(e, id) && queue_root(e, claim_queue(e, id)) == root &&
            !promise_fit_later(e, id))
            promise_end(e, id);
    }
}

/* A gang that would not be whole is not left where it is, but for all that still may. */
static bool would_be_whole(const struct engine *e, uint32_t id, bool *ret_alone)
{
    uint32_t group = policy_gang(e, id);
    int64_t stay = 0, could = 0;

    *ret_alone = true;
    if (group == 0)
        return true;
    for (uint32_t at = group_at(e, group)->claims.first; at != 0; at = member_after(e, at)) {
        stay += claim_holds(claim_at(e, at)) && claim_counts_later(claim_at(e, at));
        could += promise_can_stay(e, at);
    }
    stay += group_at(e, group)->succeeded;
    *ret_alone = stay >= group_keeps(group_at(e, group));
    return stay + could >= group_keeps(group_at(e, group));
}

/* The next one after `at` (0: the first) of those that stay with this one: itself alone, or all of
 * its gang that can. */
static uint32_t next_of_unit(const struct engine *e, uint32_t id, bool alone, uint32_t at)
{
    if (alone)
        return at == 0 ? id : 0;
    at = at == 0 ? group_at(e, claim_group(e, claim_at(e, id)))->claims.first : member_after(e, at);
    while (at != 0 && !promise_can_stay(e, at))
        at = member_after(e, at);
    return at;
}

static void count_unit(struct engine *e, uint32_t id, bool alone, int sign)
{
    for (uint32_t at = 0; (at = next_of_unit(e, id, alone, at)) != 0;)
        promise_count(e, at, sign);
}

static void let_unit_stay(struct engine *e, uint32_t id, bool alone)
{
    for (uint32_t at = 0; (at = next_of_unit(e, id, alone, at)) != 0;)
        promise_let_stay(e, at);
}

static bool give_back(struct engine *e, uint32_t id, uint32_t root, struct refused_victims *refused)
{
    bool alone, needed;

    if (!promise_can_stay(e, id) || refused_victims_has(refused, e, id) ||
        queue_root(e, claim_queue(e, id)) != root || !would_be_whole(e, id, &alone))
        return false;
    count_unit(e, id, alone, 1);
    needed = !all_sound(e, root);
    count_unit(e, id, alone, -1);
    if (needed)
        refused_victims_add(refused, e, id);
    else
        let_unit_stay(e, id, alone);
    return !needed;
}

static bool spare(struct engine *e, uint32_t id, uint32_t root)
{
    uint32_t queue = claim_queue(e, id);
    bool alone;

    if (!promise_can_stay(e, id) || queue_root(e, queue) != root || !queue_spares(e, queue) ||
        !would_be_whole(e, id, &alone))
        return false;
    let_unit_stay(e, id, alone);
    return true;
}

/* The first of those that go for this claim whom nobody may send away any more, whoever needs its
 * room; whether there was one. Workloads that go for a workload are looked at with that one. */
static bool spare_first(struct engine *e, uint32_t of, uint32_t root)
{
    for (uint32_t id = pledge_victims(e, of); id != 0; id = pledge_at(e, id)->peers.next) {
        if (!(claim_is_workload(e, of) && claim_is_workload(e, id)) && spare(e, id, root))
            return true;
    }
    return false;
}

static bool spare_one(struct engine *e, uint32_t root)
{
    if (spare_first(e, 0, root))
        return true;
    for (uint32_t id = e->claims.promises.all.first; id != 0; id = pledge_at(e, id)->peers.next) {
        if (spare_first(e, id, root))
            return true;
    }
    return false;
}

/* The first of the pods, or of the workloads, that go for this claim and are not needed stays;
 * whether there was one. */
static bool give_first_back(struct engine *e, uint32_t of, bool workloads, uint32_t root,
                            struct refused_victims *refused)
{
    for (uint32_t id = pledge_victims(e, of); id != 0; id = pledge_at(e, id)->peers.next) {
        if (claim_is_workload(e, id) == workloads && give_back(e, id, root, refused))
            return true;
    }
    return false;
}

/* The last one that was promised first, and workloads after all others. */
static bool give_one_back(struct engine *e, uint32_t root, struct refused_victims *refused)
{
    uint32_t last = e->claims.promises.all.last;

    if (give_first_back(e, 0, false, root, refused) || give_first_back(e, 0, true, root, refused))
        return true;
    for (uint32_t id = last; id != 0; id = pledge_at(e, id)->peers.prev) {
        if (!claim_is_workload(e, id) && (give_first_back(e, id, false, root, refused) ||
                                          give_first_back(e, id, true, root, refused)))
            return true;
    }
    for (uint32_t id = last; id != 0; id = pledge_at(e, id)->peers.prev) {
        if (claim_is_workload(e, id) && give_first_back(e, id, false, root, refused))
            return true;
    }
    return false;
}

/* The flavors outlive the promise. */
static void use_flavors(struct engine *e, const struct assignment *made, bool begins)
{
    for (uint32_t s = 0; s < ASSIGN_MAX_SETS; s++) {
        for (uint32_t i = 0; i < FACTS_MAX_NEEDS; i++)
            (begins ? flavor_ref : flavor_unref)(e, made->needs[s][i].flavor);
    }
}

static void grant(struct engine *e, uint32_t claim, const struct assignment *made)
{
    uint16_t flavors[FACTS_MAX_NEEDS];

    if (claim_is_workload(e, claim)) {
        workload_decide_reserve(e, claim, made);
        return;
    }
    for (uint32_t i = 0; i < FACTS_MAX_NEEDS; i++)
        flavors[i] = made->needs[0][i].flavor;
    claim_grant(e, claim, flavors);
}

/* It is granted what it is promised, or what is as good, if it need not wait for that any more. */
static bool keep(struct engine *e, uint32_t claim)
{
    struct assignment made;

    if (!promise_fit_now(e, claim, &made))
        return false;
    use_flavors(e, &made, true);
    promise_end(e, claim);
    grant(e, claim, &made);
    use_flavors(e, &made, false);
    return true;
}

static bool keep_one(struct engine *e, uint32_t root)
{
    for (uint32_t id = e->claims.promises.all.first; id != 0; id = pledge_at(e, id)->peers.next) {
        if (!claim_is_workload(e, id) && queue_root(e, claim_queue(e, id)) == root && keep(e, id))
            return true;
    }
    return false;
}

bool review_promises(struct engine *e, uint32_t root)
{
    struct refused_victims refused = {0};

    if ((e->claims.promises.all.first == 0 && e->claims.promises.shared.first == 0) ||
        queue_at(e, root)->reviewed == queue_at(e, root)->victims_change)
        return false;
    while (spare_one(e, root))
        ;
    end_unsound(e, root);
    while (give_one_back(e, root, &refused))
        ;
    if (keep_one(e, root))
        return true;
    queue_at(e, root)->reviewed = queue_at(e, root)->victims_change;
    return false;
}

/* The workloads that go for it, and that nobody may send away any more, stay. */
static void spare_workloads(struct engine *e, uint32_t claim)
{
    for (uint32_t victim = pledge_victims(e, claim), next; victim != 0; victim = next) {
        next = pledge_at(e, victim)->peers.next;
        if (claim_is_workload(e, victim) && queue_spares(e, claim_queue(e, victim)))
            promise_reconsider(e, victim);
    }
}

/* Whether it is not promised that any more. */
static bool settle(struct engine *e, uint32_t claim)
{
    spare_workloads(e, claim);
    if (cluster_queue_fault(e, claim_queue(e, claim), NULL) == CLUSTER_QUEUE_READY) {
        if (keep(e, claim))
            return true;
        if (promise_fit_later(e, claim))
            return false;
    }
    promise_end(e, claim); /* its object says that it waits for somebody to go */
    workload_settle(e, claim);
    return true;
}

bool review_workloads(struct engine *e, uint32_t root)
{
    for (uint32_t id = e->claims.promises.all.first, next; id != 0; id = next) {
        next = pledge_at(e, id)->peers.next;
        if (claim_is_workload(e, id) && queue_root(e, claim_queue(e, id)) == root && settle(e, id))
            return true;
    }
    return false;
}
