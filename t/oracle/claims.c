/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/victims.h"

#include <string.h>

static bool concerns(const int64_t *pod)
{
    return !pod[POD_SYSTEM] && !pod[POD_FOREIGN_SCHEDULER] && !pod[POD_DAEMON] && !pod[POD_MIRROR];
}

static bool is_over(const int64_t *pod)
{
    return pod[POD_FINISHED] || (pod[POD_DELETED] && pod[POD_NODE] == 0);
}

/* A pod with our stamp was let through by us: it stays ours when its gate is gone. */
static bool manages(const struct model *model, const int64_t *pod)
{
    return model->config[CONFIG_MANAGE_ALL] || pod[POD_OPTED_IN] || pod[POD_GATES] ||
           pod[POD_STAMP] || (pod[POD_GROUP] && !world_is_native((int)pod[POD_GROUP] - 1));
}

/* What holds a claim back that is a matter of its own. */
bool model_is_held(const struct model *model, const struct model_claim *claim)
{
    const int64_t *pod = claim->pod;

    return model_waits_for_others(claim) || claim->again > model->now ||
           (pod[POD_UNSCHEDULABLE] && !model->config[CONFIG_OBSERVE_ONLY] && !claim->keeps_turn);
}

static void let_rest(const struct model *model, struct model_claim *claim)
{
    if (model_holds(claim)) {
        claim->parked = true;
        claim->keeps_turn = model_grants(model);
        model_forget_flavors(claim);
        claim->victim = (struct model_victim){0};
    }
    claim->restoring = claim->lacks_node = claim->tried = false;
    if (model_waits_for_others(claim) || claim->again <= model->now)
        claim->again = 0; /* it waits for something else than the time, or not */
    claim->state = model_is_held(model, claim) ? CLAIM_HELD : CLAIM_WAITING;
    claim->said &= claim->state != CLAIM_HELD;
}

static void hold_room(struct model *model, struct model_claim *claim)
{
    claim->state = CLAIM_RESERVED;
    claim->since = model->now;
}

void model_give_up(struct model *model, int uid, int64_t again)
{
    model->claims[uid].again = again;
    let_rest(model, &model->claims[uid]);
}

void model_lose(struct model *model, int uid)
{
    model_end_promise(model, uid);
    model->claims[uid] = (struct model_claim){0};
}

/* It takes room where it is, whoever let it. */
static void allocate(struct model *model, struct model_claim *claim)
{
    if (!model_holds(claim)) {
        claim->guessed = !claim->stamped;
        model_guess_flavors(model, claim);
    }
    claim->state = CLAIM_ALLOCATED;
    claim->restoring = claim->lacks_node = claim->tried = false;
    claim->again = claim->timeouts = 0;
}

static bool is_rival(const struct model *model, int uid, const int64_t *pod)
{
    const struct model_claim *other = &model->claims[uid];

    return (other->live || other->let_go) && uid != pod[POD_UID] &&
           uid % NAMES == pod[POD_UID] % NAMES && other->pod[POD_SYSTEM] == pod[POD_SYSTEM];
}

bool model_outdated(const struct model *model, const int64_t *pod)
{
    if (!concerns(pod) || is_over(pod) || (!manages(model, pod) && pod[POD_NODE] == 0))
        return false;
    for (int uid = 0; uid < UIDS; uid++)
        if (is_rival(model, uid, pod) && model->claims[uid].pod[POD_CREATED] > pod[POD_CREATED])
            return true;
    return false;
}

static void lose_rivals(struct model *model, const int64_t *pod)
{
    for (int uid = 0; uid < UIDS; uid++)
        if (is_rival(model, uid, pod))
            model_lose(model, uid);
}

void model_join_group(const struct model *model, struct model_claim *claim, const int64_t *pod)
{
    int64_t group = pod[POD_GROUP] - 1;

    claim->group_queue = group < 0 ? 0 : model->groups[group].queue;
    claim->group_bars = group >= 0 && model->groups[group].facts[GROUP_NOT_SELECTED] != 0;
}

static bool asks_the_same(const struct model *model, const struct model_claim *claim,
                          const int64_t *pod, int place)
{
    struct model_claim other = *claim;

    memcpy(other.pod, pod, sizeof other.pod);
    model_join_group(model, &other, pod);
    other.place = place;
    for (int r = 0; r < RESOURCES; r++)
        if (model_need(claim, r) != model_need(&other, r))
            return false;
    return model_queue_of(claim) == model_queue_of(&other);
}

bool model_looks_granted(const int64_t *pod)
{
    if (pod[POD_FOREIGN])
        return false;
    return pod[POD_NOMINATED] ||
           (pod[POD_GATES] == 0 && (pod[POD_STAMP] || pod[POD_UNSCHEDULABLE]));
}

void model_settle_claim(struct model *model, struct model_claim *claim, bool is_new)
{
    struct model_claim before = *claim;

    if (claim->bound) {
        allocate(model, claim);
    } else if (!model_grants(model) || is_new) {
        let_rest(model, claim);
        claim->restoring = model_looks_granted(claim->pod);
        if (claim->restoring) {
            claim->state = CLAIM_HELD;
            claim->again = 0;
            claim->said = false;
        }
        if (claim->restoring && claim->stamped && model_holds(&before)) {
            memcpy(claim->flavor, before.flavor, sizeof claim->flavor);
            claim->kept = true;
        }
        if (claim->restoring && !claim->stamped)
            claim->stamp = claim->pod[POD_CREATED];
    } else if (!model_holds(claim)) {
        let_rest(model, claim);
    }
}

static bool can_keep_flavors(const struct model *model, const struct model_claim *before,
                             const struct model_claim *after)
{
    bool moves = model_queue_of(before) != model_queue_of(after);

    for (int r = 0; r < RESOURCES; r++)
        if (model_need(after, r) > 0 &&
            (model_need(before, r) == 0 ||
             (moves && !model_offers(model, after, r, before->flavor[r]))))
            return false;
    return true;
}

/* What it asks for, or where, changed: it gives back and asks anew. Who was granted keeps the grant
 * if it still fits in the same queue, or goes with its stamp, best in the flavors that it has. */
static void reenter(struct model *model, struct model_claim *claim,
                    const struct model_claim *before, bool goes_with_stamp)
{
    struct limits limits;
    int flavors[RESOURCES];
    bool fits;

    model_ask_anew(model, claim);
    let_rest(model, claim);
    claim->said = false;
    model_forget_flavors(claim);
    model_read_stamp(claim);
    if (before->state == CLAIM_ALLOCATED) {
        claim->parked = before->parked;
        allocate(model, claim);
        return;
    }
    if (before->state != CLAIM_RESERVED ||
        (model_queue_of(claim) != model_queue_of(before) && !goes_with_stamp))
        return;
    limits_count(model, &limits);
    memcpy(flavors, before->flavor, sizeof flavors);
    fits =
        (can_keep_flavors(model, before, claim) && limits_fit_in(model, &limits, claim, flavors)) ||
        limits_fit(model, &limits, claim, flavors);
    if (!fits)
        return;
    model_give(model, (int)(claim - model->claims), flavors);
    claim->parked = before->parked;
}

/* It is another claim now: what the time did to the old one does not count. */
static bool asks_anew(const struct model *model, const struct model_claim *claim,
                      const struct model_claim *before)
{
    const int64_t *now = claim->pod, *then = before->pod;

    return now[POD_PRIORITY] != then[POD_PRIORITY] || now[POD_CREATED] != then[POD_CREATED] ||
           !asks_the_same(model, before, now, claim->place) ||
           (now[POD_KIND] && !model_holds(before) && !now[POD_GATES] != !then[POD_GATES]);
}

void model_note_stamp(struct model_claim *claim)
{
    claim->stamped = claim->pod[POD_STAMP] > 0;
    if (claim->stamped || !model_holds(claim))
        claim->stamp = claim->pod[claim->stamped ? POD_STAMP : POD_CREATED];
}

bool model_is_old(const struct model_claim *claim, const int64_t *pod, bool observed)
{
    int64_t version = pod[POD_VERSION]; /* 0: not told */

    if (version == 0 || (!claim->live && !claim->let_go))
        return false;
    return version < claim->pod[POD_VERSION] ||
           (version == claim->pod[POD_VERSION] && !observed && claim->live);
}

/* It claims nothing, or no more. */
static void see_nothing(struct model *model, const int64_t *pod, bool observed)
{
    struct model_claim *claim = &model->claims[pod[POD_UID]], before = *claim;
    bool waits = concerns(pod) && !is_over(pod) && !before.bound && before.parked;

    model_lose(model, (int)pod[POD_UID]);
    if (waits && !model->config[CONFIG_OBSERVE_ONLY]) {
        *claim = (struct model_claim){.let_go = true,
                                      .parked = true,
                                      .confirmed = before.confirmed || observed,
                                      .forget_at = before.forget_at};
        memcpy(claim->pod, pod, sizeof claim->pod);
        claim->pod[POD_CREATED] = before.pod[POD_CREATED];
    }
    if (concerns(pod) && pod[POD_FINISHED]) { /* it counts in the group that it names now */
        model->finished[pod[POD_UID]].live = pod[POD_GROUP] != 0;
        memcpy(model->finished[pod[POD_UID]].pod, pod, sizeof claim->pod);
    }
}

void model_tell(struct model *model, int uid)
{
    model->claims[uid].parked = false;
    if (model->claims[uid].let_go)
        model_lose(model, uid);
}

void model_see(struct model *model, const int64_t *pod, bool observed)
{
    struct model_claim *claim = &model->claims[pod[POD_UID]];
    struct model_claim before = *claim;
    int64_t version = pod[POD_VERSION]; /* 0: not told */
    int place = model_find_place(model, &before, pod);
    bool is_new = !claim->live, same = !is_new && asks_the_same(model, claim, pod, place);

    if (model_is_old(claim, pod, observed)) {
        claim->confirmed |= observed;
        return;
    }
    if (!concerns(pod) || is_over(pod) || (!manages(model, pod) && pod[POD_NODE] == 0)) {
        see_nothing(model, pod, observed);
        return;
    }
    if (model_outdated(model, pod))
        return;
    model_lose_finished(model, (int)pod[POD_UID]);
    lose_rivals(model, pod);
    if (is_new) {
        *claim = (struct model_claim){.live = true,
                                      .forget_at = model->now - model->now % SECOND + 60 * SECOND};
        if (before.let_go) {
            claim->parked = before.parked;
            claim->confirmed = before.confirmed;
            claim->forget_at = before.forget_at;
        }
        model_forget_flavors(claim);
    }
    memcpy(claim->pod, pod, sizeof claim->pod);
    model_join_group(model, claim, pod);
    claim->place = place;
    claim->managed = manages(model, pod);
    claim->confirmed |= observed;
    claim->bound = pod[POD_NODE] > 0;
    model_note_stamp(claim);
    if (pod[POD_PRIORITY] != before.pod[POD_PRIORITY] ||
        pod[POD_CREATED] != before.pod[POD_CREATED]) {
        claim->lacks_node = claim->tried = false;
        claim->since = model->now;
        claim->said = false;
    }
    if (!is_new && pod[POD_GROUP] != before.pod[POD_GROUP])
        model_end_promise(model, (int)pod[POD_UID]); /* it asks anew, after those that fit */
    if (!is_new && asks_anew(model, claim, &before)) {
        claim->again = 0;
        claim->said = false;
        model_ask_anew(model, claim);
    }
    if (!is_new && !same)
        reenter(model, claim, &before, model_names_place(pod));
    else if (!model_holds(claim))
        model_show_stamp(model, claim);
    model_note_stamp(claim);
    model_note_place(model, claim);
    model_note_condition(model, claim, version == 0 || version > before.pod[POD_VERSION]);
    model_settle_claim(model, claim, is_new);
}

void model_lose_finished(struct model *model, int uid)
{
    model->finished[uid].live = false;
}

void model_move(struct model *model, int uid)
{
    struct model_claim *claim = &model->claims[uid], before = *claim;
    int place = model_find_place_in_group(model, claim);

    model_join_group(model, claim, claim->pod);
    claim->place = place;
    if (!model_names_place(claim->pod))
        model_note_place(model, claim);
    if (model_queue_of(claim) == model_queue_of(&before))
        return;
    claim->stamp_is_wrong |= model_names_place(claim->pod);
    claim->again = 0; /* of the other queue */
    reenter(model, claim, &before, false);
    if (before.restoring) {
        claim->restoring = true;
        claim->state = CLAIM_HELD;
    } else {
        model_settle_claim(model, claim, false);
    }
}

void model_unreserve(struct model *model, int uid)
{
    struct model_claim *claim = &model->claims[uid];

    if (claim->live && claim->state == CLAIM_ALLOCATED && !claim->bound)
        hold_room(model, claim);
}

void model_post_bind(struct model *model, int uid)
{
    struct model_claim *claim = &model->claims[uid];

    if (!claim->live)
        return;
    claim->bound = true;
    model_settle_claim(model, claim, false);
}

void model_demote(struct model *model, int uid)
{
    model->claims[uid].keeps_turn = true;
    let_rest(model, &model->claims[uid]);
}

void model_restore(struct model *model, int uid)
{
    struct model_claim *claim = &model->claims[uid];
    struct limits limits;
    int flavors[RESOURCES];
    bool fits;

    limits_count(model, &limits);
    limits.again = true;
    if (model_kind(model_queue_of(claim)) == QUEUE_VOLCANO || claim->kept) {
        model_guess_flavors(model, claim);
        memcpy(flavors, claim->flavor, sizeof flavors);
        fits = limits_fit_in(model, &limits, claim, flavors);
    } else {
        fits = limits_fit(model, &limits, claim, flavors);
    }
    claim->keeps_turn |= fits || claim->restoring; /* one that only waits was never granted */
    let_rest(model, claim);
    if (!fits) {
        model_forget_flavors(claim);
        return;
    }
    memcpy(claim->flavor, flavors, sizeof flavors);
    hold_room(model, claim);
    claim->tried = claim->pod[POD_UNSCHEDULABLE] != 0; /* in its cycle before the restart */
}
