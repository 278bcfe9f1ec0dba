/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/victims.h"

#include <string.h>

/* Who asks for others' room, and in which flavors. */

static bool preempt_for(struct model *model, int uid)
{
    struct model_claim *claim = &model->claims[uid];
    struct naive_victims victims;
    int flavors[RESOURCES];
    bool within[RESOURCES];

    if (claim->promise.made || (claim->is_booking && claim->timeouts > 0) ||
        !model_find_victims(model, uid, flavors, within, &victims))
        return false;
    claim->promise = (struct model_promise){.made = true, .order = ++model->orders};
    memcpy(claim->promise.flavor, flavors, sizeof flavors);
    memcpy(claim->promise.within, within, sizeof within);
    for (int n = 0; n < victims.count; n++) {
        struct model_claim *victim = &model->claims[victims.claims[n]];

        if (victim->state == CLAIM_ALLOCATED)
            victim->victim = (struct model_victim){.chosen = true,
                                                   .of = uid,
                                                   .order = ++model->orders,
                                                   .since = model->now,
                                                   .evicting = victim->victim.evicting};
    }
    for (int n = 0; n < victims.count; n++)
        if (model->claims[victims.claims[n]].state == CLAIM_RESERVED) {
            model->claims[victims.claims[n]].rests_until = model->now / SECOND + 1;
            model_demote_with_gang(model, victims.claims[n]);
            model_review_groups(model);
        }
    model_note_promises(model);
    return true;
}

bool model_preempt_instead(struct model *model, int uid)
{
    return model_prefers_victims(model, model_queue_of(&model->claims[uid])) &&
           preempt_for(model, uid);
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

int model_find_asking(const struct model *model, int queue, int ret_uids[MODEL_LOOK])
{
    int count = 0;

    for (int uid = model_next_waiting(model, queue, -1); uid >= 0 && count < MODEL_LOOK;
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
        int uids[MODEL_LOOK], count;

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
        count = model_find_asking(model, next, uids);
        for (int n = 0; n < count; n++)
            if (preempt_for(model, uids[n]))
                return true;
    }
    return false;
}
