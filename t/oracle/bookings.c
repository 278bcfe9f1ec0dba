/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/victims.h"

#include <string.h>

/* Groups whose members are still to be made ask for room by what their objects say. */

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* It is left in a queue, members of its minimum are missing, and none of the others holds. */
static bool is_asked(const struct model *model, int group)
{
    int64_t minimum = model->groups[group].facts[GROUP_MINIMUM];
    int there = model_count_succeeded(model, group);

    for (int uid = 0; uid < UIDS; uid++) {
        if (!model_is_member(&model->claims[uid], group))
            continue;
        if (model_holds(&model->claims[uid]))
            return false;
        there++;
    }
    return !world_is_native(group) && model_is_left(model, group) &&
           model->groups[group].facts[GROUP_NOT_SELECTED] == 0 && minimum >= 0 &&
           there < most(minimum, 1);
}

bool model_books(const struct model *model, int group, struct model_claim *ret)
{
    const int64_t *facts = model->groups[group].facts;

    if (!is_asked(model, group))
        return false;
    *ret = (struct model_claim){
        .live = true, .managed = true, .confirmed = true, .state = CLAIM_WAITING};
    ret->is_gang = ret->is_booking = true;
    ret->group_queue = model->groups[group].queue;
    model_forget_flavors(ret);
    for (int r = 0; r < RESOURCES - 1; r++)
        ret->gang_needs[r] = most(facts[GROUP_LEAST + r], 0);
    ret->gang_needs[RESOURCES - 1] =
        most(facts[GROUP_MINIMUM], 1) - model_count_succeeded(model, group);
    ret->pod[POD_PRIORITY] = facts[GROUP_PRIORITY] == UNSAID ? 0 : facts[GROUP_PRIORITY];
    ret->pod[POD_CREATED] = ret->stamp = facts[GROUP_CREATED];
    return true;
}

static bool fits(const struct model *model, const struct model_claim *claim, bool again,
                 int flavors[RESOURCES])
{
    struct limits limits;

    limits_count(model, &limits);
    limits.again = again;
    return model_stops(model, model_queue_of(claim)) == STOP_NOTHING &&
           limits_fit(model, &limits, claim, flavors);
}

void model_book(struct model *model, int uid, const int flavors[RESOURCES])
{
    struct model_claim *entry = &model->claims[uid];

    entry->state = CLAIM_RESERVED;
    entry->restoring = false;
    entry->since = model->now;
    memcpy(entry->flavor, flavors, sizeof entry->flavor);
}

/* The first of those that go each alone has what was kept for it. */
static void pass_on(struct model *model, int group, int queue)
{
    int first = -1, flavors[RESOURCES];

    for (int uid = 0; uid < UIDS; uid++) {
        if (!model_is_member(&model->claims[uid], group))
            continue;
        if (model_holds(&model->claims[uid]))
            return;
        if (model->claims[uid].state == CLAIM_WAITING && !model_waits_for_gang(model, uid) &&
            (first < 0 || model_ranks_before(model, uid, first)))
            first = uid;
    }
    if (first >= 0 && model_queue_of(&model->claims[first]) == queue &&
        fits(model, &model->claims[first], false, flavors))
        model_give(model, first, flavors);
}

/* What it asked for before, it may go on to hold, or to wait for. */
void model_review_booking(struct model *model, int group, const struct model_claim *before,
                          bool waits_as_one)
{
    struct model_claim *entry = &model->claims[UIDS + group];
    bool had = before->live && before->is_booking && before->state == CLAIM_RESERVED;
    bool same_queue = had && model_queue_of(before) == model_queue_of(entry);
    int flavors[RESOURCES];

    if (entry->live && entry->is_booking) {
        bool stops = model_stops(model, model_queue_of(entry)) != STOP_NOTHING;
        bool same = before->is_booking && model_asks_the_same(before, entry);

        entry->again = before->again > model->now ? before->again : 0;
        entry->timeouts = before->timeouts;
        if (entry->again > 0) {
            entry->state = CLAIM_HELD;
        } else if (same && !stops && (had || before->restoring)) {
            *entry = *before;
        } else if (same_queue && fits(model, entry, false, flavors)) {
            model_book(model, UIDS + group, flavors);
        }
    } else if (entry->live && waits_as_one) {
        if (same_queue && fits(model, entry, false, flavors))
            model_grant_gang(model, group, flavors);
    } else if (had) {
        pass_on(model, group, model_queue_of(before));
    }
}

void model_restore_booking(struct model *model, int group)
{
    struct model_claim *entry = &model->claims[UIDS + group];
    int flavors[RESOURCES];

    entry->restoring = false;
    entry->state = CLAIM_WAITING;
    if (fits(model, entry, true, flavors))
        model_book(model, UIDS + group, flavors);
}

void model_rebuild_bookings(struct model *model)
{
    for (int uid = UIDS; uid < UIDS + GROUPS; uid++) {
        model->claims[uid].restoring = false;
        if (model_holds(&model->claims[uid]))
            model->claims[uid].state = CLAIM_WAITING;
    }
}

/* Its status says that it had room. */
void model_begin_booking(struct model *model, int group)
{
    struct model_claim *entry = &model->claims[UIDS + group], before = *entry;

    if (model->groups[group].facts[GROUP_PHASE] != PHASE_INQUEUE || before.again > model->now ||
        !model_books(model, group, entry))
        return;
    entry->timeouts = before.timeouts;
    entry->restoring = true;
    entry->state = CLAIM_HELD;
}

/* Whether its status says whether it holds room, and it does not pause. */
bool model_booking_is_written(const struct model *model, int group)
{
    const struct model_claim *entry = &model->claims[UIDS + group];
    bool says = model->groups[group].facts[GROUP_PHASE] == PHASE_INQUEUE;

    return !entry->live || !entry->is_booking ||
           (entry->again == 0 && says == (entry->state == CLAIM_RESERVED));
}
