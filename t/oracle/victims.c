/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/victims.h"

#include <string.h>

bool model_evicts(const struct model *model)
{
    return model->config[CONFIG_EVICTS] && !model->config[CONFIG_OBSERVE_ONLY];
}

bool model_goes(const struct model *model, const struct model_claim *claim)
{
    return model_holds(claim) &&
           (claim->victim.chosen || (model_evicts(model) && claim->pod[POD_DELETED]));
}

int model_gang_of(const struct model *model, int uid)
{
    int group = (int)model->claims[uid].pod[POD_GROUP] - 1;

    return model->claims[uid].live && group >= 0 && model->groups[group].seen &&
                   (model->groups[group].facts[GROUP_MINIMUM] > 1 ||
                    model->groups[group].facts[GROUP_GOES_WHOLE])
               ? group
               : -1;
}

int64_t model_keeps(const struct model *model, int group)
{
    const int64_t *facts = model->groups[group].facts;

    return facts[GROUP_GOES_WHOLE] ? model_count_there(model, group) : facts[GROUP_MINIMUM];
}

/* How many of it hold, and do not go. */
static int count_staying(const struct model *model, int group)
{
    int count = model_count_there(model, group);

    for (int uid = 0; uid < UIDS; uid++)
        count -=
            model_is_member(&model->claims[uid], group) && model_goes(model, &model->claims[uid]);
    return count;
}

/* The victim that is looked at before all others of this claim (-1: of nobody alone), but not
 * before this one; -1: none. */
static int next_victim(const struct model *model, int of, int after)
{
    int next = -1;

    for (int uid = 0; uid < UIDS; uid++) {
        const struct model_victim *victim = &model->claims[uid].victim;

        if (!model->claims[uid].live || !victim->chosen || victim->of != of ||
            (after >= 0 && victim->order >= model->claims[after].victim.order))
            continue;
        if (next < 0 || victim->order > model->claims[next].victim.order)
            next = uid;
    }
    return next;
}

void model_end_promise(struct model *model, int uid)
{
    if (!model->claims[uid].promise.made)
        return;
    model->claims[uid].promise.made = false;
    for (int victim = next_victim(model, uid, -1); victim >= 0;
         victim = next_victim(model, uid, -1)) {
        model->claims[victim].victim.of = -1;
        model->claims[victim].victim.order = ++model->orders;
    }
}

void model_end_promises_of(struct model *model, int queue)
{
    for (int uid = 0; uid < UIDS + GROUPS; uid++)
        if (model->claims[uid].promise.made && model_queue_of(&model->claims[uid]) == queue)
            model_end_promise(model, uid);
}

void model_ask_anew(struct model *model, struct model_claim *claim)
{
    model_end_promise(model, (int)(claim - model->claims));
    claim->victim = (struct model_victim){0};
}

void model_show_stamp(struct model *model, struct model_claim *claim)
{
    bool has_flavors = model_kind(model_queue_of(claim)) != QUEUE_VOLCANO;

    for (int r = 0; r < RESOURCES; r++)
        if (has_flavors && claim->pod[POD_STAMPED + r] > 0)
            model_end_promise(model, (int)(claim - model->claims));
    model_read_stamp(claim);
}

void model_end_promises(struct model *model, bool forget)
{
    for (int uid = 0; uid < UIDS + GROUPS; uid++) {
        int64_t spared = forget ? 0 : model->claims[uid].victim.spared;

        model->claims[uid].promise.made = false;
        model->claims[uid].victim = (struct model_victim){.spared = spared};
    }
}

void model_note_promises(struct model *model)
{
    for (int uid = 0; uid < UIDS + GROUPS; uid++) {
        const struct model_claim *claim = &model->claims[uid];

        if (!claim->live || claim->state != CLAIM_WAITING || claim->in_gang)
            model_end_promise(model, uid);
    }
}

bool model_asks_the_same(const struct model_claim *before, const struct model_claim *now)
{
    return before->live && model_queue_of(before) == model_queue_of(now) &&
           !before->pod[POD_GATES] == !now->pod[POD_GATES] &&
           before->pod[POD_PRIORITY] == now->pod[POD_PRIORITY] &&
           before->pod[POD_CREATED] == now->pod[POD_CREATED] &&
           memcmp(before->gang_needs, now->gang_needs, sizeof now->gang_needs) == 0;
}

/* What is said of resources in no group, and of flavors in no order, is not written. */
static bool same_groups(const int64_t *a, const int64_t *b)
{
    bool same = a[QUEUE_BORROWS_LAST] == b[QUEUE_BORROWS_LAST];

    for (int r = 0; r < RESOURCES; r++) {
        int group = (int)a[QUEUE_GROUP + r] - 1, order[FLAVORS];
        int count = group < 0 ? 0 : world_group_order(a, group, order);

        same = same && a[QUEUE_GROUP + r] == b[QUEUE_GROUP + r] &&
               (group < 0 || a[QUEUE_ORDER + group] == b[QUEUE_ORDER + group]);
        for (int n = 0; n < count; n++)
            for (int of = QUEUE_NOMINAL; of <= QUEUE_LENDING; of += FLAVORS * RESOURCES)
                same = same && a[of + order[n] * RESOURCES + r] == b[of + order[n] * RESOURCES + r];
    }
    return same;
}

bool model_edit_queue(struct model *model, int queue, const int64_t *spec)
{
    const struct model_queue *q = &model->queues[queue];
    bool volcano = model_kind(queue) == QUEUE_VOLCANO;
    bool same = q->seen && (volcano || same_groups(q->spec, spec));

    for (int field = QUEUE_PARENT; field < QUEUE_FIELDS; field++)
        if (field == QUEUE_PARENT || field == QUEUE_PRIORITY || field == QUEUE_STRICT ||
            (volcano && field >= QUEUE_CAPABILITY && field < QUEUE_GROUP) || field >= QUEUE_WITHIN)
            same = same && q->spec[field] == spec[field];
    if (!same)
        model_end_promises_of(model, queue);
    return !same;
}

static int root_of(const struct model *model, int uid)
{
    return model_root(model, model_queue_of(&model->claims[uid]));
}

/* Whether it could be promised now what it is, had it not been. */
static bool is_sound(struct model *model, int uid)
{
    struct model_claim *claim = &model->claims[uid];
    int queue = model_queue_of(claim);
    bool sound = model_stops(model, queue) == STOP_NOTHING;
    struct limits limits;

    claim->promise.made = false;
    limits_count(model, &limits);
    for (int r = 0; r < RESOURCES; r++) {
        int cell = naive_cell(claim->promise.flavor[r], r);
        const struct number *number;

        if (claim->promise.flavor[r] < 0)
            continue;
        number = &limits.at[queue][cell];
        if (model_need(claim, r) > limits_room_at(model, &limits, queue, cell, true))
            sound = false;
        if (claim->promise.within[r] && number->present &&
            number->later + model_need(claim, r) > limits_share(queue, number))
            sound = false;
    }
    claim->promise.made = true;
    return sound;
}

/* The next promise below a root (-1: of all): the first that was made, or the last. */
static int next_promise(const struct model *model, int root, int after, bool backward)
{
    int next = -1;

    for (int uid = 0; uid < UIDS + GROUPS; uid++) {
        int64_t order = model->claims[uid].promise.order * (backward ? -1 : 1);

        if (!model->claims[uid].promise.made || (root >= 0 && root_of(model, uid) != root) ||
            (after >= 0 && order <= model->claims[after].promise.order * (backward ? -1 : 1)))
            continue;
        if (next < 0 || order < model->claims[next].promise.order * (backward ? -1 : 1))
            next = uid;
    }
    return next;
}

static bool all_sound(struct model *model, int root)
{
    for (int uid = 0; uid < UIDS + GROUPS; uid++)
        if (model->claims[uid].promise.made && root_of(model, uid) == root && !is_sound(model, uid))
            return false;
    return true;
}

static bool can_stay(const struct model_claim *claim)
{
    const struct model_victim *victim = &claim->victim;

    return claim->live && victim->chosen && !victim->evicted && victim->evicting == 0 &&
           !claim->pod[POD_DELETED];
}

static void let_stay(struct model_claim *claim)
{
    claim->victim = (struct model_victim){0};
}

/* With it stay all of its gang that can, if it would not be whole otherwise. One that is needed
 * stays only if its queue spares it. */
static bool give_back(struct model *model, int uid, int root, bool spared)
{
    int gang = model_gang_of(model, uid), staying = 0, could = 0;
    struct model_victim before[UIDS];
    bool together;

    if (!can_stay(&model->claims[uid]) || root_of(model, uid) != root ||
        (spared && !model_spares(model, model_queue_of(&model->claims[uid]))))
        return false;
    for (int other = 0; other < UIDS && gang >= 0; other++)
        could += model_gang_of(model, other) == gang && can_stay(&model->claims[other]);
    staying = gang < 0 ? 0 : count_staying(model, gang);
    together = gang >= 0 && staying < model_keeps(model, gang);
    if (together && staying + could < model_keeps(model, gang))
        return false;
    for (int other = 0; other < UIDS; other++) {
        before[other] = model->claims[other].victim;
        if (other == uid ||
            (together && model_gang_of(model, other) == gang && can_stay(&model->claims[other])))
            let_stay(&model->claims[other]);
    }
    if (spared || all_sound(model, root))
        return true;
    for (int other = 0; other < UIDS; other++)
        model->claims[other].victim = before[other];
    return false;
}

/* Whoever it goes for: its queue may be below another root by now. */
static bool give_one_back(struct model *model, int root, bool spared)
{
    for (int uid = next_victim(model, -1, -1); uid >= 0; uid = next_victim(model, -1, uid))
        if (give_back(model, uid, root, spared))
            return true;
    for (int claim = next_promise(model, -1, -1, true); claim >= 0;
         claim = next_promise(model, -1, claim, true))
        for (int uid = next_victim(model, claim, -1); uid >= 0;
             uid = next_victim(model, claim, uid))
            if (give_back(model, uid, root, spared))
                return true;
    return false;
}

void model_grant(struct model *model, int uid, const int flavors[RESOURCES])
{
    if (uid >= UIDS)
        model_grant_gang(model, uid - UIDS, flavors);
    else
        model_give(model, uid, flavors);
    model_review_groups(model);
    model_note_promises(model);
}

bool model_keep_promises(struct model *model, int root)
{
    struct limits limits;

    while (give_one_back(model, root, true))
        ;
    for (int uid = next_promise(model, root, -1, true), next; uid >= 0; uid = next) {
        next = next_promise(model, root, uid, true);
        if (!is_sound(model, uid))
            model_end_promise(model, uid);
    }
    while (give_one_back(model, root, false))
        ;
    if (next_promise(model, root, -1, false) < 0)
        return false;
    limits_count(model, &limits);
    for (int uid = next_promise(model, root, -1, false); uid >= 0;
         uid = next_promise(model, root, uid, false)) {
        const struct model_claim *claim = &model->claims[uid];
        int flavors[RESOURCES];
        bool fits = true;

        memcpy(flavors, claim->promise.flavor, sizeof flavors);
        for (int r = 0; r < RESOURCES; r++)
            fits = fits &&
                   (flavors[r] < 0 ||
                    model_need(claim, r) <= limits_room_at(model, &limits, model_queue_of(claim),
                                                           naive_cell(flavors[r], r), false));
        if (!fits)
            continue;
        model_end_promise(model, uid);
        model_grant(model, uid, flavors);
        return true;
    }
    return false;
}

int64_t model_victim_deadline(const struct model_claim *claim)
{
    if (!claim->live)
        return INT64_MAX;
    if (claim->victim.spared > 0)
        return claim->victim.spared;
    if (claim->victim.evicting > 0)
        return claim->victim.evicting;
    return can_stay(claim) ? claim->victim.since + 60 * SECOND : INT64_MAX;
}

void model_victim_expires(struct model *model, int uid)
{
    struct model_victim *victim = &model->claims[uid].victim;

    if (victim->spared > 0) {
        victim->spared = 0;
    } else if (victim->evicting > 0) {
        victim->evicting = 0;
    } else {
        let_stay(&model->claims[uid]);
        victim->spared = model->now + 300 * SECOND;
    }
}

void model_evict_answered(struct model *model, int uid, bool done)
{
    struct model_victim *victim = &model->claims[uid].victim;

    victim->evicting = 0;
    victim->evicted |= done && victim->chosen;
    if (!done)
        model_set_time(model, model->now);
}

bool model_wants_eviction(const struct model *model, const struct model_claim *claim)
{
    return model_evicts(model) && claim->state == CLAIM_ALLOCATED && claim->victim.chosen &&
           !claim->victim.evicted && !claim->pod[POD_DELETED];
}
