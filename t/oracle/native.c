/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/native.h"

#include "t/oracle/limits.h"

bool native_has_other_ranks(const struct model *model, int group)
{
    int64_t priority = model->groups[group].facts[GROUP_PRIORITY];
    bool others = false;

    for (int uid = 0; uid < UIDS; uid++)
        others |= model_is_member(&model->claims[uid], group) &&
                  model->claims[uid].pod[POD_PRIORITY] != priority;
    return others && world_is_native(group) && priority != UNSAID;
}

/* Whether as many of its parts as it needs have as many pods as they need, ended ones apart. */
static bool is_complete(const struct model *model, int group)
{
    const int64_t *facts = model->groups[group].facts;
    int64_t there[PARTS + 1] = {0}, complete = 0;

    for (int uid = 0; uid < UIDS; uid++)
        there[world_part(uid)] += model_is_member(&model->claims[uid], group);
    for (int part = 0; part < PARTS; part++)
        complete += facts[GROUP_PART + part] > 0 && there[part] >= facts[GROUP_PART + part];
    return complete >= facts[GROUP_WANTS_PARTS] && complete > 0;
}

bool native_misses_members(const struct model *model, int group)
{
    int64_t there = model_count_succeeded(model, group);
    bool any = false, some_run = false;

    for (int uid = 0; uid < UIDS; uid++) {
        bool is = model_is_member(&model->claims[uid], group);

        any |= is;
        some_run |= is && model->claims[uid].state == CLAIM_ALLOCATED;
        there += is;
    }
    return world_is_native(group) && any && !some_run &&
           (there < model->groups[group].facts[GROUP_MINIMUM] ||
            (world_is_composite(group) && !is_complete(model, group)));
}

/* Of the first member, by rank, that was granted: the flavors, for all that is asked for. */
static bool find_flavors(const struct model *model, int group, const struct model_claim *sum,
                         int ret_flavors[RESOURCES])
{
    int first = -1;

    for (int uid = 0; uid < UIDS; uid++)
        if (model_is_member(&model->claims[uid], group) &&
            model->claims[uid].state == CLAIM_RESERVED &&
            (first < 0 || model_ranks_before(model, uid, first)))
            first = uid;
    if (first < 0 || model_queue_of(&model->claims[first]) != model_queue_of(sum))
        return false;
    for (int r = 0; r < RESOURCES; r++) {
        ret_flavors[r] = model->claims[first].flavor[r];
        if (model_need(sum, r) > 0 && model_need(&model->claims[first], r) == 0)
            return false;
    }
    return true;
}

void native_let_join(struct model *model, int group)
{
    struct limits limits;
    struct model_claim sum;
    int flavors[RESOURCES];

    if (!world_is_native(group) || !model_group_is_sound(model, group) || !model_grants(model) ||
        !model_add_up(model, group, &sum) ||
        model_stops(model, model_queue_of(&sum)) != STOP_NOTHING ||
        !find_flavors(model, group, &sum, flavors))
        return;
    limits_count(model, &limits);
    for (int uid = -1; limits_fit_in(model, &limits, &sum, flavors) &&
                       (uid = model_next_member(model, group, -1, false)) >= 0;)
        model_give(model, uid, flavors);
}
