/* SPDX-License-Identifier: Apache-2.0 */
#include "review.h"

#include "plugin/claims/promise.h"
#include "plugin/order/fit.h"
#include "plugin/order/headroom.h"
#include "plugin/pods/gang.h"
#include "plugin/state.h"
#include "refused_victims.h"
#include "workload_review.h"

static bool claim_is_sound(struct engine *e, uint32_t id)
{
    const struct claim *claim = claim_at(e, id);
    const struct line *line = line_at(e, claim->line);
    bool sound = queue_stops(e, line_queue(e, line)) == REASON_NONE;

    promise_count(e, id, -1);
    for (uint32_t i = 0; i < line_count(e, line) && sound; i++) {
        uint16_t flavor = claim_flavors(claim)[i];

        sound = flavor == FLAVOR_NONE ||
                line_amount(e, line, i) <=
                    headroom_later(e, line_queue(e, line), flavor, line_resource(e, line, i));
    }
    promise_count(e, id, 1);
    return sound;
}

/* Whether it could be promised its room as well now, had it not been. */
static bool is_sound(struct engine *e, uint32_t holder)
{
    return holder_is_workload(holder) ? workload_review_is_sound(e, holder_workload(holder))
                                      : claim_is_sound(e, holder);
}

static bool all_sound(struct engine *e, uint32_t root)
{
    for (uint32_t id = e->claims.promises.first; id != 0; id = pledge_at(e, id)->next) {
        if (queue_root(e, holder_queue(e, id)) == root && !is_sound(e, id))
            return false;
    }
    return true;
}

/* The last one that was promised goes first. */
static void end_unsound(struct engine *e, uint32_t root)
{
    for (uint32_t id = e->claims.promises.last, prev; id != 0; id = prev) {
        prev = pledge_at(e, id)->prev;
        if (!holder_is_workload(id) && queue_root(e, claim_queue(e, id)) == root &&
            !is_sound(e, id))
            promise_end(e, id);
    }
}

/* A gang that would not be whole is not left where it is, but for all that still may. */
static bool would_be_whole(const struct engine *e, uint32_t id, bool *ret_alone)
{
    uint32_t group = holder_group(e, id);
    int64_t stay = 0, could = 0;

    *ret_alone = true;
    if (group == 0 || !group_at(e, group)->known || group_at(e, group)->minimum <= 1)
        return true;
    for (uint32_t at = group_at(e, group)->first; at != 0; at = member_after(e, at)) {
        stay += claim_holds(claim_at(e, at)) && claim_counts_later(claim_at(e, at));
        could += promise_can_stay(e, at);
    }
    stay += group_at(e, group)->succeeded;
    *ret_alone = stay >= group_at(e, group)->minimum;
    return stay + could >= group_at(e, group)->minimum;
}

static void count_unit(struct engine *e, uint32_t id, bool alone, int sign)
{
    uint32_t group = holder_group(e, id);

    if (alone) {
        promise_count(e, id, sign);
        return;
    }
    for (uint32_t at = group_at(e, group)->first; at != 0; at = member_after(e, at)) {
        if (promise_can_stay(e, at))
            promise_count(e, at, sign);
    }
}

static void let_unit_stay(struct engine *e, uint32_t id, bool alone)
{
    uint32_t group = holder_group(e, id);

    if (alone) {
        promise_let_stay(e, id);
        return;
    }
    for (uint32_t at = group_at(e, group)->first; at != 0; at = member_after(e, at)) {
        if (promise_can_stay(e, at))
            promise_let_stay(e, at);
    }
}

static bool give_back(struct engine *e, uint32_t id, uint32_t root, struct refused_victims *refused)
{
    bool alone, needed;

    if (!promise_can_stay(e, id) || refused_victims_has(refused, e, id) ||
        queue_root(e, holder_queue(e, id)) != root || !would_be_whole(e, id, &alone))
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
    uint32_t queue = holder_queue(e, id);
    bool alone;

    if (!promise_can_stay(e, id) || queue_root(e, queue) != root || !queue_spares(e, queue) ||
        !would_be_whole(e, id, &alone))
        return false;
    let_unit_stay(e, id, alone);
    return true;
}

/* The first of those that go for this holder whom nobody may send away any more, whoever needs its
 * room; whether there was one. Of workloads that go for a workload workload_review.h knows. */
static bool spare_first(struct engine *e, uint32_t of, uint32_t root)
{
    for (uint32_t id = pledge_victims(e, of); id != 0; id = pledge_at(e, id)->next) {
        if (!(holder_is_workload(of) && holder_is_workload(id)) && spare(e, id, root))
            return true;
    }
    return false;
}

static bool spare_one(struct engine *e, uint32_t root)
{
    if (spare_first(e, 0, root))
        return true;
    for (uint32_t id = e->claims.promises.first; id != 0; id = pledge_at(e, id)->next) {
        if (spare_first(e, id, root))
            return true;
    }
    return false;
}

/* The first of the pods, or of the workloads, that go for this holder and are not needed stays;
 * whether there was one. */
static bool give_first_back(struct engine *e, uint32_t of, bool workloads, uint32_t root,
                            struct refused_victims *refused)
{
    for (uint32_t id = pledge_victims(e, of); id != 0; id = pledge_at(e, id)->next) {
        if (holder_is_workload(id) == workloads && give_back(e, id, root, refused))
            return true;
    }
    return false;
}

/* The last one that was promised first, and workloads after all others. */
static bool give_one_back(struct engine *e, uint32_t root, struct refused_victims *refused)
{
    uint32_t last = e->claims.promises.last;

    if (give_first_back(e, 0, false, root, refused) || give_first_back(e, 0, true, root, refused))
        return true;
    for (uint32_t id = last; id != 0; id = pledge_at(e, id)->prev) {
        if (!holder_is_workload(id) && (give_first_back(e, id, false, root, refused) ||
                                        give_first_back(e, id, true, root, refused)))
            return true;
    }
    for (uint32_t id = last; id != 0; id = pledge_at(e, id)->prev) {
        if (holder_is_workload(id) && give_first_back(e, id, false, root, refused))
            return true;
    }
    return false;
}

static bool keep_one(struct engine *e, uint32_t root)
{
    uint16_t flavors[FACTS_MAX_NEEDS];

    for (uint32_t id = e->claims.promises.first; id != 0; id = pledge_at(e, id)->next) {
        const struct line *line;

        if (holder_is_workload(id))
            continue;
        line = line_at(e, claim_at(e, id)->line);
        if (queue_root(e, line_queue(e, line)) != root ||
            !fit_promised(e, claim_at(e, id)->line, claim_flavors(claim_at(e, id))))
            continue;
        memcpy(flavors, claim_flavors(claim_at(e, id)), line_count(e, line) * sizeof(*flavors));
        for (uint32_t i = 0; i < line_count(e, line); i++)
            flavor_ref(e, flavors[i]);
        promise_end(e, id);
        claim_grant(e, id, flavors);
        for (uint32_t i = 0; i < line_count(e, line); i++)
            flavor_unref(e, flavors[i]);
        return true;
    }
    return false;
}

bool review_promises(struct engine *e, uint32_t root)
{
    struct refused_victims refused = {0};

    if ((e->claims.promises.first == 0 && e->claims.promises.shared == 0) ||
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
