/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/victims.h"

#include <string.h>

/* Kueue's way to find the fewest victims, with everything counted anew at each step. */
enum why { BY_SHARE, WHILE_BORROWING, BY_PRIORITY, OWN };

struct hunt {
    struct model *model;
    int uid, queue;
    const int *flavors;
    bool asked[RESOURCES], contested[RESOURCES];
    struct {
        bool is;
        enum why why;
        int common; /* the lowest queue above both */
        int unit;   /* those who were thought away together have one */
        bool whole;
    } candidates[UIDS];
    int away[UIDS], away_count; /* in the order in which they were thought away */
};

wide model_share(int queue, const struct number *number)
{
    wide given = number->promised - number->kept;

    return model_kind(queue) == QUEUE_VOLCANO ? wide_max(number->share, number->promised) - given
                                              : number->share;
}

static int64_t need(const struct hunt *hunt, int r)
{
    return model_need(&hunt->model->claims[hunt->uid], r);
}

static const struct number *at(const struct hunt *hunt, const struct limits *limits, int queue,
                               int r)
{
    return hunt->flavors[r] < 0 ? NULL : &limits->at[queue][model_cell(hunt->flavors[r], r)];
}

static bool has_room(const struct hunt *hunt, const struct limits *limits, int r)
{
    return need(hunt, r) <=
           limits_room_at(hunt->model, limits, hunt->queue, model_cell(hunt->flavors[r], r), true);
}

/* In Volcano's trees only what is contested is compared with shares. */
static bool matters(const struct hunt *hunt, int r)
{
    return model_kind(hunt->queue) == QUEUE_VOLCANO ? hunt->contested[r] : hunt->asked[r];
}

static bool exceeds(const struct hunt *hunt, const struct limits *limits, int queue)
{
    for (int r = 0; r < RESOURCES; r++) {
        const struct number *number = at(hunt, limits, queue, r);

        if (!hunt->contested[r])
            continue;
        if (number->present ? number->later > model_share(queue, number)
                            : model_kind(queue) == QUEUE_VOLCANO)
            return true;
    }
    return false;
}

/* Whether the claim's own queue, or one above it up to this one, could hold it within its share. */
static bool held_within_share(const struct hunt *hunt, const struct limits *limits, int top)
{
    wide arrives[RESOURCES];

    for (int r = 0; r < RESOURCES; r++)
        arrives[r] = need(hunt, r);
    for (int queue = hunt->queue;; queue = hunt->model->queues[queue].parent) {
        bool holds = true;

        for (int r = 0; r < RESOURCES; r++) {
            const struct number *number = at(hunt, limits, queue, r);

            if (!matters(hunt, r))
                continue;
            if (number->present ? number->later + arrives[r] > model_share(queue, number)
                                : arrives[r] > 0)
                holds = false;
            if (number->present)
                arrives[r] = wide_max(0, arrives[r] - wide_max(0, number->kept - number->later));
        }
        if (holds)
            return true;
        if (queue == top)
            return false;
    }
}

static bool uses(const struct hunt *hunt, const struct model_claim *claim, int r)
{
    return model_need(claim, r) > 0 && claim->flavor[r] == hunt->flavors[r];
}

/* The queues from the candidate's own up to below the common one. */
static bool path_exceeds(const struct hunt *hunt, const struct limits *limits, int queue,
                         int common)
{
    for (; queue != common; queue = hunt->model->queues[queue].parent)
        if (!exceeds(hunt, limits, queue))
            return false;
    return true;
}

static void look_at(struct hunt *hunt, const struct limits *limits, int uid)
{
    const struct model *model = hunt->model;
    const struct model_claim *claim = &model->claims[uid];
    const int64_t *spec = model->queues[hunt->queue].spec;
    int queue = model_queue_of(claim), common, below;
    bool own = queue == hunt->queue, contests = false;

    if (!model_holds(claim) || !claim->managed || model_goes(model, claim) ||
        claim->victim.spared > 0 || !model_policy_takes(model, hunt->uid, uid, own))
        return;
    for (int r = 0; r < RESOURCES; r++)
        contests |= hunt->contested[r] && uses(hunt, claim, r);
    if (!contests)
        return;
    hunt->candidates[uid].why = OWN;
    hunt->candidates[uid].is = own;
    if (own)
        return;
    for (common = hunt->queue; common >= 0 && !model_is_below(model, queue, common);)
        common = model->queues[common].parent;
    if (common < 0 || model_has_children(model, queue) || !model->queues[queue].known ||
        model_spares(model, queue) ||
        (model_kind(queue) == QUEUE_VOLCANO && model->queues[queue].spec[QUEUE_UNRECLAIMABLE]) ||
        !path_exceeds(hunt, limits, queue, common))
        return;
    for (below = hunt->queue; model->queues[below].parent != common;)
        below = model->queues[below].parent;
    hunt->candidates[uid].is = true;
    hunt->candidates[uid].common = common;
    if (held_within_share(hunt, limits, below))
        hunt->candidates[uid].why = BY_SHARE;
    else if (spec[QUEUE_BORROWS] == 0 ||
             model_victim_priority(model, uid) >= model->claims[hunt->uid].pod[POD_PRIORITY] ||
             (spec[QUEUE_BORROWS] > 1 && model_victim_priority(model, uid) > 0))
        hunt->candidates[uid].why = BY_PRIORITY;
    else
        hunt->candidates[uid].why = WHILE_BORROWING;
}

static bool comes_before(const struct hunt *hunt, int a, int b)
{
    static const int places[] = {
        [BY_SHARE] = 0, [WHILE_BORROWING] = 1, [BY_PRIORITY] = 1, [OWN] = 2};
    const struct model_claim *x = &hunt->model->claims[a], *y = &hunt->model->claims[b];
    int place_a = places[hunt->candidates[a].why], place_b = places[hunt->candidates[b].why];

    if (place_a != place_b)
        return place_a < place_b;
    if (x->pod[POD_PRIORITY] != y->pod[POD_PRIORITY])
        return x->pod[POD_PRIORITY] < y->pod[POD_PRIORITY];
    return x->stamp != y->stamp ? x->stamp > y->stamp : a < b;
}

static int next_candidate(const struct hunt *hunt, int after)
{
    int next = -1;

    for (int uid = 0; uid < UIDS; uid++)
        if (hunt->candidates[uid].is && (after < 0 || comes_before(hunt, after, uid)) &&
            (next < 0 || comes_before(hunt, uid, next)))
            next = uid;
    return next;
}

static bool would_borrow(const struct hunt *hunt, const struct limits *limits)
{
    for (int r = 0; r < RESOURCES; r++) {
        const struct number *number = at(hunt, limits, hunt->queue, r);

        if (!matters(hunt, r))
            continue;
        if (!number->present || number->later + need(hunt, r) > model_share(hunt->queue, number))
            return true;
    }
    return false;
}

static bool fits(const struct hunt *hunt, bool borrowing)
{
    struct limits limits;

    limits_count(hunt->model, &limits);
    for (int r = 0; r < RESOURCES; r++)
        if (hunt->asked[r] && !has_room(hunt, &limits, r))
            return false;
    return borrowing || !would_borrow(hunt, &limits);
}

static void think_away(struct hunt *hunt, int uid, int unit, bool whole)
{
    hunt->model->claims[uid].victim.away = true;
    hunt->candidates[uid].unit = unit;
    hunt->candidates[uid].whole = whole;
    hunt->away[hunt->away_count++] = uid;
}

static void think_unit(struct hunt *hunt, int unit, bool away)
{
    for (int n = 0; n < hunt->away_count; n++)
        if (hunt->candidates[hunt->away[n]].unit == unit)
            hunt->model->claims[hunt->away[n]].victim.away = away;
}

static void drop_unit(struct hunt *hunt, int unit)
{
    int count = hunt->away_count;

    think_unit(hunt, unit, false);
    hunt->away_count = 0;
    for (int n = 0; n < count; n++)
        if (hunt->candidates[hunt->away[n]].unit != unit)
            hunt->away[hunt->away_count++] = hunt->away[n];
}

/* Of Volcano's queues: none is left with less than is kept for it. */
static bool leaves_kept(const struct hunt *hunt, int unit)
{
    struct limits limits;

    limits_count(hunt->model, &limits);
    for (int n = 0; n < hunt->away_count; n++) {
        int uid = hunt->away[n], queue = model_queue_of(&hunt->model->claims[uid]);

        if (hunt->candidates[uid].unit != unit || hunt->candidates[uid].why == OWN ||
            model_kind(queue) != QUEUE_VOLCANO)
            continue;
        for (; queue != hunt->candidates[uid].common; queue = hunt->model->queues[queue].parent)
            for (int r = 0; r < RESOURCES; r++) {
                const struct number *number = at(hunt, &limits, queue, r);

                if (!hunt->contested[r] || !uses(hunt, &hunt->model->claims[uid], r))
                    continue;
                if (number->present && number->later < number->kept)
                    return false;
            }
    }
    return true;
}

static int64_t surplus(const struct model *model, int gang)
{
    return model_count_staying(model, gang) - model->groups[gang].facts[GROUP_MINIMUM];
}

static bool stays_in(const struct model *model, int uid, int gang)
{
    return model_gang_of(model, uid) == gang && model_holds(&model->claims[uid]) &&
           !model_goes(model, &model->claims[uid]);
}

/* The pod, or, if it belongs to the minimum of a gang, all of it. */
static bool take_unit(struct hunt *hunt, int uid)
{
    struct model *model = hunt->model;
    int gang = model_gang_of(model, uid);

    if (gang < 0 || surplus(model, gang) > 0) {
        think_away(hunt, uid, uid, false);
    } else {
        for (int other = 0; other < UIDS; other++)
            if (stays_in(model, other, gang) && !hunt->candidates[other].is)
                return false;
        for (int other = 0; other < UIDS; other++)
            if (stays_in(model, other, gang))
                think_away(hunt, other, uid, true);
    }
    if (leaves_kept(hunt, uid))
        return true;
    drop_unit(hunt, uid);
    return false;
}

static void give_back(struct hunt *hunt, bool borrowing)
{
    int last = hunt->candidates[hunt->away[hunt->away_count - 1]].unit;

    for (int n = hunt->away_count - 1; n >= 0; n--) {
        int uid = hunt->away[n], unit = hunt->candidates[uid].unit;
        int gang = model_gang_of(hunt->model, uid);
        bool whole = hunt->candidates[uid].whole;

        if (unit == last || (n > 0 && hunt->candidates[hunt->away[n - 1]].unit == unit))
            continue;
        think_unit(hunt, unit, false);
        if ((gang < 0 || whole || surplus(hunt->model, gang) >= 0) && fits(hunt, borrowing))
            drop_unit(hunt, unit);
        else
            think_unit(hunt, unit, true);
    }
}

static bool run(struct hunt *hunt, bool borrowing)
{
    for (int uid = next_candidate(hunt, -1); uid >= 0; uid = next_candidate(hunt, uid)) {
        struct limits limits;

        limits_count(hunt->model, &limits);
        if (hunt->model->claims[uid].victim.away ||
            (hunt->candidates[uid].why != OWN &&
             ((borrowing && hunt->candidates[uid].why == BY_PRIORITY) ||
              !path_exceeds(hunt, &limits, model_queue_of(&hunt->model->claims[uid]),
                            hunt->candidates[uid].common))) ||
            !take_unit(hunt, uid) || !fits(hunt, borrowing))
            continue;
        give_back(hunt, borrowing);
        return true;
    }
    while (hunt->away_count > 0)
        drop_unit(hunt, hunt->candidates[hunt->away[0]].unit);
    return false;
}

static bool is_under_share(const struct hunt *hunt, const struct limits *limits)
{
    for (int r = 0; r < RESOURCES; r++) {
        const struct number *number = at(hunt, limits, hunt->queue, r);

        if (!hunt->contested[r])
            continue;
        if (!number->present || number->later >= model_share(hunt->queue, number))
            return false;
    }
    return true;
}

static bool find(struct hunt *hunt, const struct limits *limits, bool *ret_borrowing)
{
    bool forbidden = hunt->model->queues[hunt->queue].spec[QUEUE_BORROWS] == 0;
    bool by_share = false, others = false, first;

    for (int uid = 0; uid < UIDS; uid++) {
        by_share |= hunt->candidates[uid].is && hunt->candidates[uid].why == BY_SHARE;
        others |= hunt->candidates[uid].is && hunt->candidates[uid].why != OWN;
    }
    if (!others || (forbidden && !is_under_share(hunt, limits)))
        return run(hunt, *ret_borrowing = true);
    first = !forbidden || by_share;
    return run(hunt, *ret_borrowing = first) || run(hunt, *ret_borrowing = !first);
}

bool model_hunt(struct model *model, int uid, const int flavors[RESOURCES],
                const bool asked[RESOURCES], int ret_victims[UIDS + 1], bool ret_within[RESOURCES])
{
    struct hunt hunt = {.model = model, .uid = uid, .flavors = flavors};
    bool contests = false, found, borrowing = true;
    struct limits limits;

    hunt.queue = model_queue_of(&model->claims[uid]);
    limits_count(model, &limits);
    for (int r = 0; r < RESOURCES; r++) {
        hunt.asked[r] = asked[r] && need(&hunt, r) > 0 && flavors[r] >= 0;
        hunt.contested[r] = hunt.asked[r] && !has_room(&hunt, &limits, r);
        contests |= hunt.contested[r];
    }
    ret_victims[0] = -1;
    memset(ret_within, 0, RESOURCES * sizeof *ret_within);
    if (!contests)
        return true;
    for (int other = 0; other < UIDS; other++)
        look_at(&hunt, &limits, other);
    found = find(&hunt, &limits, &borrowing);
    for (int n = 0; n < hunt.away_count; n++) {
        ret_victims[n] = hunt.away[n];
        model->claims[hunt.away[n]].victim.away = false;
    }
    ret_victims[hunt.away_count] = -1;
    for (int r = 0; r < RESOURCES; r++)
        ret_within[r] = found && !borrowing && matters(&hunt, r);
    return found;
}
