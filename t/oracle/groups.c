/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/native.h"
#include "t/oracle/victims.h"

#include <string.h>

/* Groups: what the minimum of each asks for, counted anew from the pods. */

bool model_is_member(const struct model_claim *claim, int group)
{
    return claim->live && claim->pod[POD_GROUP] == group + 1;
}

bool model_ranks_before(const struct model *model, int a, int b)
{
    const int64_t *x = model->claims[a].pod, *y = model->claims[b].pod;

    if (x[POD_PRIORITY] != y[POD_PRIORITY])
        return x[POD_PRIORITY] > y[POD_PRIORITY];
    if (x[POD_CREATED] != y[POD_CREATED])
        return x[POD_CREATED] < y[POD_CREATED];
    if (a >= UIDS && b >= UIDS) { /* groups' uids: letters that come after all digits */
        int64_t uid_a = model->groups[a - UIDS].facts[GROUP_UID];
        int64_t uid_b = model->groups[b - UIDS].facts[GROUP_UID];

        return uid_a != uid_b ? uid_a < uid_b : a < b;
    }
    return a < b;
}

int model_count_succeeded(const struct model *model, int group)
{
    int count = 0;

    for (int uid = 0; uid < UIDS; uid++)
        count += model->finished[uid].live && model->finished[uid].pod[POD_GROUP] == group + 1;
    return count;
}

int model_count_there(const struct model *model, int group)
{
    int there = model_count_succeeded(model, group);

    for (int uid = 0; uid < UIDS; uid++)
        there += model_is_member(&model->claims[uid], group) && model_holds(&model->claims[uid]);
    return there;
}

static bool is_ready(const struct model *model, const struct model_claim *claim)
{
    return !model_holds(claim) && !claim->restoring && !model_is_held(model, claim);
}

int model_next_member(const struct model *model, int group, int after, bool restoring)
{
    int next = -1;

    for (int uid = 0; uid < UIDS; uid++) {
        const struct model_claim *claim = &model->claims[uid];

        if (!model_is_member(claim, group) ||
            !(restoring ? claim->restoring : is_ready(model, claim)))
            continue;
        if (after >= 0 && (uid == after || model_ranks_before(model, uid, after)))
            continue;
        if (next < 0 || model_ranks_before(model, uid, next))
            next = uid;
    }
    return next;
}

/* Its object is there, names a queue, and not all its pods have ended. */
bool model_is_left(const struct model *model, int group)
{
    bool over = model->groups[group].facts[GROUP_PHASE] == PHASE_COMPLETED ||
                model_count_succeeded(model, group) > 0;

    for (int uid = 0; uid < UIDS; uid++)
        over &= !model_is_member(&model->claims[uid], group);
    return model->groups[group].seen && model->groups[group].queue > 0 && !over;
}

static int64_t minimum_of(const struct model *model, int group)
{
    return model->groups[group].facts[GROUP_MINIMUM];
}

bool model_group_is_sound(const struct model *model, int group)
{
    return model->groups[group].seen && minimum_of(model, group) >= 0 &&
           !native_has_other_ranks(model, group);
}

/* How many are to be granted together: what lacks to the minimum; of a native group all that hold
 * nothing. */
static int64_t count_lacks(const struct model *model, int group)
{
    int64_t idle = 0;

    for (int uid = 0; uid < UIDS; uid++)
        idle += model_is_member(&model->claims[uid], group) && !model_holds(&model->claims[uid]);
    if (world_is_native(group))
        return idle;
    return minimum_of(model, group) <= 1
               ? 0
               : minimum_of(model, group) - model_count_there(model, group);
}

static bool is_whole(const struct model *model, int group)
{
    return model_group_is_sound(model, group) && !native_misses_members(model, group) &&
           count_lacks(model, group) <= 0;
}

bool model_waits_for_gang(const struct model *model, int uid)
{
    int64_t group = model->claims[uid].pod[POD_GROUP];

    return group > 0 && !is_whole(model, (int)group - 1);
}

bool model_add_up(const struct model *model, int group, struct model_claim *sum)
{
    const int64_t *facts = model->groups[group].facts;
    int there = model_count_there(model, group), uid = -1;
    wide needs[RESOURCES] = {0};

    *sum = (struct model_claim){
        .managed = true, .confirmed = true, .state = CLAIM_WAITING, .is_gang = true};
    model_forget_flavors(sum);
    if (native_misses_members(model, group))
        return false;
    for (int64_t lacks = count_lacks(model, group); lacks > 0; lacks--) {
        const struct model_claim *claim;

        uid = model_next_member(model, group, uid, false);
        if (uid < 0)
            return false;
        claim = &model->claims[uid];
        if (!sum->live) {
            memcpy(sum->pod, claim->pod, sizeof sum->pod);
            sum->group_queue = claim->group_queue;
            sum->group_bars = claim->group_bars;
            sum->place = claim->place;
        }
        if (model_queue_of(sum) != model_queue_of(claim))
            return false;
        sum->live = true;
        sum->pod[POD_GATES] = sum->pod[POD_GATES] && claim->pod[POD_GATES];
        for (int r = 0; r < RESOURCES; r++)
            needs[r] += model_need(claim, r);
    }
    for (int r = 0; r < RESOURCES; r++) {
        int64_t least = r < RESOURCES - 1 ? facts[GROUP_LEAST + r] : UNSAID;

        if (there == 0 && least != UNSAID)
            needs[r] = wide_max(needs[r], least);
        if (needs[r] > AMOUNT_MAX)
            return false;
        sum->gang_needs[r] = (int64_t)needs[r];
    }
    if (facts[GROUP_PRIORITY] != UNSAID)
        sum->pod[POD_PRIORITY] = facts[GROUP_PRIORITY];
    sum->pod[POD_CREATED] = facts[GROUP_CREATED];
    return true;
}

/* A gang gives back as a whole: if some do, all its members are held first, and then they wait
 * anew. */
static void give_back(struct model *model, int group)
{
    bool some = false;

    for (int uid = 0; uid < UIDS; uid++)
        if (model_is_member(&model->claims[uid], group) &&
            model->claims[uid].state == CLAIM_RESERVED) {
            model_demote(model, uid);
            some = true;
        }
    for (int uid = 0; uid < UIDS && some; uid++)
        if (model_is_member(&model->claims[uid], group) && !model_holds(&model->claims[uid]))
            model->claims[uid].said = false;
}

static void review(struct model *model, int group)
{
    struct model_claim *entry = &model->claims[UIDS + group];
    struct model_claim before = *entry;
    bool whole, waits = false;

    if (!is_whole(model, group))
        native_let_join(model, group);
    whole = is_whole(model, group);
    if (!whole)
        give_back(model, group);
    if (!whole && model_group_is_sound(model, group))
        waits = model_add_up(model, group, entry);
    if (!waits && !model_books(model, group, entry))
        *entry = (struct model_claim){0};
    entry->promise = before.promise;
    if (!entry->live || before.is_booking != entry->is_booking ||
        !model_asks_the_same(&before, entry))
        model_end_promise(model, UIDS + group);
    for (int uid = 0; uid < UIDS; uid++) {
        struct model_claim *claim = &model->claims[uid];

        if (!model_is_member(claim, group) || model_holds(claim) || claim->restoring)
            continue;
        claim->state = is_ready(model, claim) && (whole || waits) ? CLAIM_WAITING : CLAIM_HELD;
        claim->in_gang = waits;
    }
    model_review_booking(model, group, &before, waits);
    if (waits && is_whole(model, group)) /* they took what was kept for them */
        review(model, group);
}

void model_review_groups(struct model *model)
{
    for (int uid = 0; uid < UIDS; uid++)
        model->claims[uid].in_gang = false;
    for (int group = 0; group < GROUPS; group++)
        review(model, group);
}

/* Those that lack to the gang's minimum are granted, in the flavors of the sum. */
void model_grant_gang(struct model *model, int group, const int flavors[RESOURCES])
{
    int64_t lacks = count_lacks(model, group);

    if (model->claims[UIDS + group].is_booking) {
        model_book(model, UIDS + group, flavors);
        return;
    }
    for (; lacks > 0; lacks--) {
        int uid = model_next_member(model, group, -1, false);

        model_give(model, uid, flavors);
    }
}

void model_demote_with_gang(struct model *model, int uid)
{
    int group = (int)model->claims[uid].pod[POD_GROUP] - 1;

    if (uid >= UIDS)
        model->claims[uid].state = CLAIM_WAITING;
    else if (group >= 0 && (world_is_native(group) ||
                            (minimum_of(model, group) > 1 &&
                             model_count_there(model, group) <= minimum_of(model, group))))
        give_back(model, group);
    else
        model_demote(model, uid);
}

static bool restore_one(struct model *model, int uid)
{
    struct model_claim *claim = &model->claims[uid];
    bool was_granted = claim->restoring;

    model_restore(model, uid);
    if (!was_granted && !claim->stamped && model_holds(claim))
        claim->stamp = model->now;
    return model_holds(claim);
}

static bool restore_minimum(struct model *model, int group)
{
    int64_t lacks = count_lacks(model, group);
    int queue = -1;

    for (; lacks > 0; lacks--) {
        int uid = model_next_member(model, group, -1, true);
        bool was_granted = uid >= 0;

        if (!was_granted)
            uid = model_next_member(model, group, -1, false);
        if (uid < 0)
            return false;
        if (queue < 0 || was_granted)
            queue = model_queue_of(&model->claims[uid]);
        if (model_queue_of(&model->claims[uid]) != queue || !restore_one(model, uid))
            return false;
    }
    return true;
}

void model_restore_member(struct model *model, int uid)
{
    int group = (int)model->claims[uid].pod[POD_GROUP] - 1;

    if (is_whole(model, group)) {
        restore_one(model, uid);
        return;
    }
    if (model_group_is_sound(model, group) && restore_minimum(model, group))
        return;
    for (int other = 0; other < UIDS; other++)
        if (model_is_member(&model->claims[other], group) && model->claims[other].restoring) {
            model_demote(model, other);
            model_forget_flavors(&model->claims[other]);
        }
    give_back(model, group);
}

void model_begin_gangs(struct model *model)
{
    for (int group = 0; group < GROUPS; group++) {
        struct model_claim sum;
        bool begun = model_group_is_sound(model, group) && !is_whole(model, group) &&
                     model_add_up(model, group, &sum);
        bool holds = false;

        model_begin_booking(model, group);
        for (int uid = 0; uid < UIDS; uid++)
            holds |=
                model_is_member(&model->claims[uid], group) && model_holds(&model->claims[uid]);
        for (int uid = 0; uid < UIDS && begun && holds; uid++) {
            struct model_claim *claim = &model->claims[uid];

            if (!model_is_member(claim, group) || !is_ready(model, claim))
                continue;
            claim->restoring = true;
            claim->state = CLAIM_HELD;
            if (!claim->stamped)
                claim->stamp = claim->pod[POD_CREATED];
        }
    }
}

/* Whether a restart would find all as it is. */
bool model_groups_are_written(const struct model *model)
{
    for (int group = 0; group < GROUPS; group++) {
        if (!model_booking_is_written(model, group))
            return false;
        for (int uid = 0; uid < UIDS; uid++) {
            const struct model_claim *claim = &model->claims[uid];

            if (!model_is_member(claim, group))
                continue;
            if (!is_whole(model, group) && model_holds(claim))
                return false;
        }
    }
    return true;
}

/* First those that run, by rank: each takes room that the next one lacks. */
static void move_members(struct model *model, int group)
{
    bool moved[UIDS] = {false};

    for (int running = 1; running >= 0; running--) {
        for (;;) {
            int next = -1;

            for (int uid = 0; uid < UIDS; uid++) {
                const struct model_claim *claim = &model->claims[uid];

                if (model_is_member(claim, group) && !moved[uid] &&
                    (!running || claim->state == CLAIM_ALLOCATED) &&
                    (next < 0 || model_ranks_before(model, uid, next)))
                    next = uid;
            }
            if (next < 0)
                break;
            moved[next] = true;
            model_move(model, next);
        }
    }
}

void model_set_group(struct model *model, const int64_t *facts)
{
    int group = (int)facts[GROUP_NUMBER];

    if (model->groups[group].facts[GROUP_UID] != facts[GROUP_UID]) { /* another group */
        model_end_promise(model, UIDS + group);
        model->claims[UIDS + group] = (struct model_claim){0};
    }
    memcpy(model->groups[group].facts, facts, sizeof model->groups[group].facts);
    model->groups[group].seen = true;
    model->groups[group].queue = (int)facts[GROUP_QUEUE];
    move_members(model, group);
}

void model_lose_group(struct model *model, int group)
{
    if (!model->groups[group].seen) /* that is news for nobody */
        return;
    model->groups[group].seen = false;
    model->groups[group].queue = 0;
    move_members(model, group);
}
