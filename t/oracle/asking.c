/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/victims.h"

#include <string.h>

/* Who asks for others' room, and in which flavors. */

enum { LOOK = 16 };

static int64_t gang_priority(const struct model *model, int uid)
{
    int gang = model_gang_of(model, uid);

    return gang < 0 || model->groups[gang].facts[GROUP_PRIORITY] == UNSAID
               ? model->claims[uid].pod[POD_PRIORITY]
               : model->groups[gang].facts[GROUP_PRIORITY];
}

static bool policy_takes(int64_t policy, const int64_t *asks, int64_t priority, int64_t created)
{
    switch (policy) {
    case PREEMPT_LOWER:
        return priority < asks[POD_PRIORITY];
    case PREEMPT_LOWER_OR_NEWER:
        return priority < asks[POD_PRIORITY] ||
               (priority == asks[POD_PRIORITY] && created > asks[POD_CREATED]);
    case PREEMPT_ANY:
        return true;
    default:
        return false;
    }
}

/* With its gang's rank as well as with its own: with that one the gang would ask for it again. */
bool model_policy_takes(const struct model *model, int asks, int uid, bool own_queue)
{
    const struct model_claim *asking = &model->claims[asks];
    const int64_t *spec = model->queues[model_queue_of(asking)].spec, *pod = model->claims[uid].pod;
    int64_t policy = own_queue ? spec[QUEUE_WITHIN] : spec[QUEUE_RECLAIM];
    int gang = model_gang_of(model, uid);
    int its_own = asks < UIDS ? model_gang_of(model, asks) : asks - UIDS;
    int64_t created = gang < 0 ? pod[POD_CREATED] : model->groups[gang].facts[GROUP_CREATED];

    return (gang < 0 || gang != its_own) &&
           policy_takes(policy, asking->pod, pod[POD_PRIORITY], pod[POD_CREATED]) &&
           policy_takes(policy, asking->pod, gang_priority(model, uid), created);
}

int64_t model_victim_priority(const struct model *model, int uid)
{
    int64_t own = model->claims[uid].pod[POD_PRIORITY], gang = gang_priority(model, uid);

    return own > gang ? own : gang;
}

/* Of a resource group, the first flavor that needs no victims, else others' alone, else any. */
static bool choose_flavor(struct model *model, int uid, int group, int flavors[RESOURCES])
{
    const struct model_claim *claim = &model->claims[uid];
    int queue = model_queue_of(claim), order[FLAVORS], best = -1, most = 0;
    int count = world_group_order(model->queues[queue].spec, group, order);
    bool asked[RESOURCES], within[RESOURCES];

    for (int r = 0; r < RESOURCES; r++)
        asked[r] = model_need(claim, r) > 0 && model_group_of(model, queue, r) == group;
    for (int n = 0; n < count; n++) {
        int victims[UIDS + 1], quality = 3;

        for (int r = 0; r < RESOURCES; r++)
            flavors[r] = asked[r] ? order[n] : flavors[r];
        if (!model_flavor_serves(model, claim, order[n]) ||
            !model_hunt(model, uid, flavors, asked, victims, within))
            continue;
        for (int v = 0; victims[v] >= 0; v++)
            if (model_queue_of(&model->claims[victims[v]]) == queue)
                quality = 1;
            else
                quality = quality == 3 ? 2 : quality;
        if (quality > most) {
            most = quality;
            best = order[n];
        }
    }
    for (int r = 0; r < RESOURCES; r++)
        flavors[r] = asked[r] ? best : flavors[r];
    return most > 0;
}

static bool choose_flavors(struct model *model, int uid, int flavors[RESOURCES])
{
    const struct model_claim *claim = &model->claims[uid];
    int queue = model_queue_of(claim);
    bool asked[2] = {false, false};

    for (int r = 0; r < RESOURCES; r++) {
        int group = model_kind(queue) == QUEUE_VOLCANO ? -1 : model_group_of(model, queue, r);

        flavors[r] = -1;
        if (model_need(claim, r) == 0)
            continue;
        if (model_kind(queue) == QUEUE_VOLCANO)
            flavors[r] = FLAVOR_DEFAULT;
        else if (group >= 0)
            asked[group] = true;
        else if (r != RESOURCES - 1 && !model->config[CONFIG_UNDECLARED])
            return false;
    }
    for (int group = 0; group < 2; group++)
        if (asked[group] && !choose_flavor(model, uid, group, flavors))
            return false;
    return true;
}

static bool preempt_for(struct model *model, int uid)
{
    const bool all[RESOURCES] = {true, true, true, true};
    struct model_claim *claim = &model->claims[uid];
    int flavors[RESOURCES], victims[UIDS + 1];
    bool within[RESOURCES];

    if ((claim->is_booking && claim->timeouts > 0) || !choose_flavors(model, uid, flavors) ||
        !model_hunt(model, uid, flavors, all, victims, within))
        return false;
    claim->promise = (struct model_promise){.made = true, .order = ++model->orders};
    memcpy(claim->promise.flavor, flavors, sizeof flavors);
    memcpy(claim->promise.within, within, sizeof within);
    for (int n = 0; victims[n] >= 0; n++)
        if (model->claims[victims[n]].state == CLAIM_ALLOCATED)
            model->claims[victims[n]].victim =
                (struct model_victim){.chosen = true,
                                      .of = uid,
                                      .order = ++model->orders,
                                      .since = model->now,
                                      .evicting = model->claims[victims[n]].victim.evicting};
    for (int n = 0; victims[n] >= 0; n++)
        if (model->claims[victims[n]].state == CLAIM_RESERVED) {
            model_demote_with_gang(model, victims[n]);
            model_review_groups(model);
        }
    model_note_promises(model);
    return true;
}

static bool same_line(const struct model *model, int a, int b)
{
    const struct model_claim *x = &model->claims[a], *y = &model->claims[b];
    bool kueue = model_kind(model_queue_of(x)) != QUEUE_VOLCANO;

    for (int r = 0; r < RESOURCES; r++)
        if (model_need(x, r) != model_need(y, r))
            return false;
    return a < UIDS && b < UIDS && (!kueue || !x->pod[POD_GATES] == !y->pod[POD_GATES]);
}

/* The first claims of the queue's lines that are promised nothing, in order. */
static int find_asking(const struct model *model, int queue, int ret_uids[LOOK])
{
    int count = 0;

    for (int uid = model_next_waiting(model, queue, -1); uid >= 0 && count < LOOK;
         uid = model_next_waiting(model, queue, uid)) {
        bool again = model->claims[uid].promise.made;

        for (int n = 0; n < count; n++)
            again |= same_line(model, ret_uids[n], uid);
        if (!again)
            ret_uids[count++] = uid;
        if (model_is_strict(model, queue))
            break;
    }
    return count;
}

bool model_preempt(struct model *model, int root)
{
    bool asked[QUEUES] = {false};

    for (int next = 0; model_evicts(model) && next >= 0;) {
        int uids[LOOK], count;

        next = -1;
        for (int queue = 0; queue < QUEUES; queue++)
            if (!asked[queue] && model_is_below(model, queue, root) &&
                model_stops(model, queue) == STOP_NOTHING &&
                model_next_waiting(model, queue, -1) >= 0 &&
                (model->queues[queue].spec[QUEUE_WITHIN] ||
                 model->queues[queue].spec[QUEUE_RECLAIM]) &&
                (next < 0 || model_ranks_before(model, model_next_waiting(model, queue, -1),
                                                model_next_waiting(model, next, -1))))
                next = queue;
        if (next < 0)
            break;
        asked[next] = true;
        count = find_asking(model, next, uids);
        for (int n = 0; n < count; n++)
            if (preempt_for(model, uids[n]))
                return true;
    }
    return false;
}
