/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/load_model.h"

#include <string.h>

/* Kueue's search for victims, in its words: every candidate, every share and every sum is looked at
 * anew each time. */
struct hunting {
    struct load_model *model;
    int number, queue;
    const struct step *policy;
    const struct load_wanted *wanted;
    bool contested[LOAD_CELLS];
    int count;
    struct candidate {
        int number, common; /* -1: of the own queue */
        enum { BY_SHARE, WHILE_BORROWING, BY_PRIORITY, WITHIN } why;
    } candidates[LOADS];
    struct load_victims *found;
};

static wide usage(const struct hunting *h, int node, int i)
{
    return load_model_usage(h->model, node, h->wanted->cells[i], true);
}

static wide share(const struct hunting *h, int node, int i)
{
    return load_model_share(h->model, node, h->wanted->cells[i]);
}

static bool exceeds(const struct hunting *h, int node)
{
    for (int i = 0; i < h->wanted->count; i++)
        if (h->contested[i] && usage(h, node, i) > share(h, node, i))
            return true;
    return false;
}

/* All nodes from the candidate's queue to below the common one use more than their share. */
static bool all_exceed(const struct hunting *h, int node, int common)
{
    for (; node != common; node = load_model_parent(h->model, node))
        if (!exceeds(h, node))
            return false;
    return true;
}

static bool is_under_share(const struct hunting *h)
{
    for (int i = 0; i < h->wanted->count; i++)
        if (h->contested[i] && usage(h, h->queue, i) >= share(h, h->queue, i))
            return false;
    return true;
}

/* Somewhere on the way from the queue to below the common node what arrives there is within its
 * share. */
static bool is_within_share_below(const struct hunting *h, int common)
{
    wide arrives[LOAD_CELLS];

    memcpy(arrives, h->wanted->amounts, sizeof(arrives));
    for (int at = h->queue; at != common; at = load_model_parent(h->model, at)) {
        bool within = true;

        for (int i = 0; i < h->wanted->count; i++) {
            within = within && usage(h, at, i) + arrives[i] <= share(h, at, i);
            arrives[i] = wide_max(
                0, arrives[i] - wide_max(0, load_model_kept(h->model, at, h->wanted->cells[i]) -
                                                usage(h, at, i)));
        }
        if (within)
            return true;
    }
    return false;
}

static int common_node(const struct load_model *model, int a, int b)
{
    for (; a >= 0; a = load_model_parent(model, a))
        for (int up = b; up >= 0; up = load_model_parent(model, up))
            if (up == a)
                return a;
    return -1;
}

static bool policy_allows(enum preempt_whom whom, const struct load_object *asks,
                          const struct load_object *candidate)
{
    if (whom == PREEMPT_ANY)
        return true;
    if (whom == PREEMPT_NEVER)
        return false;
    return candidate->priority < asks->priority ||
           (whom == PREEMPT_LOWER_OR_NEWER && candidate->priority == asks->priority &&
            load_model_since(candidate) > load_model_since(asks));
}

static bool uses_contested(const struct hunting *h, const struct model_load *load)
{
    for (int i = 0; i < h->wanted->count; i++)
        if (h->contested[i] &&
            load_model_amount(load, h->wanted->cells[i].flavor, h->wanted->cells[i].resource) > 0)
            return true;
    return false;
}

static bool make_candidate(const struct hunting *h, int number, struct candidate *ret)
{
    const struct model_load *load = &h->model->loads[number];
    const struct load_object *asks = &h->model->loads[h->number].seen;
    int queue = load_model_queue_of(h->model, number);
    bool borrows = h->policy->v[QUEUE_BORROWS] > 0;

    *ret = (struct candidate){number, -1, WITHIN};
    if (!load->known || !load_model_holds(load) || !load_model_holds_later(load) ||
        !uses_contested(h, load))
        return false;
    if (queue == h->queue)
        return policy_allows((enum preempt_whom)h->policy->v[QUEUE_WITHIN], asks, &load->seen);
    if (load_model_stop(h->model, queue) == LIFE_HOLDS)
        return false; /* it could not come back */
    ret->common = queue < 0 ? -1 : common_node(h->model, h->queue, queue);
    if (ret->common < 0 || !all_exceed(h, queue, ret->common) ||
        !policy_allows((enum preempt_whom)h->policy->v[QUEUE_RECLAIM], asks, &load->seen))
        return false;
    if (is_within_share_below(h, ret->common))
        ret->why = BY_SHARE;
    else if (!borrows && !is_under_share(h))
        return false;
    else if (borrows && load->seen.priority < asks->priority &&
             !(h->policy->v[QUEUE_BORROWS] > 1 && load->seen.priority > 0))
        ret->why = WHILE_BORROWING;
    else
        ret->why = BY_PRIORITY;
    return true;
}

static bool goes_before(const struct hunting *h, const struct candidate *a,
                        const struct candidate *b)
{
    static const int places[] = {
        [BY_SHARE] = 0, [WHILE_BORROWING] = 1, [BY_PRIORITY] = 1, [WITHIN] = 2};
    const struct model_load *x = &h->model->loads[a->number], *y = &h->model->loads[b->number];

    if (places[a->why] != places[b->why])
        return places[a->why] < places[b->why];
    if (x->seen.priority != y->seen.priority)
        return x->seen.priority < y->seen.priority;
    if (x->stamp != y->stamp)
        return x->stamp > y->stamp;
    return strcmp(load_world_uid(a->number, x->seen.object),
                  load_world_uid(b->number, y->seen.object)) < 0;
}

static void collect(struct hunting *h)
{
    for (int n = 0; n < LOADS; n++) {
        struct candidate candidate;
        int at = h->count;

        if (!make_candidate(h, n, &candidate))
            continue;
        for (; at > 0 && goes_before(h, &candidate, &h->candidates[at - 1]); at--)
            h->candidates[at] = h->candidates[at - 1];
        h->candidates[at] = candidate;
        h->count++;
    }
}

static bool fits(const struct hunting *h, bool borrowing)
{
    for (int i = 0; i < h->wanted->count; i++) {
        if (h->wanted->amounts[i] > load_model_room(h->model, h->queue, h->wanted->cells[i], true))
            return false;
        if (!borrowing && usage(h, h->queue, i) + h->wanted->amounts[i] > share(h, h->queue, i))
            return false;
    }
    return true;
}

static bool is_still(const struct hunting *h, const struct candidate *candidate, bool borrowing)
{
    if (candidate->why == WITHIN)
        return true;
    return (!borrowing || candidate->why != BY_PRIORITY) &&
           all_exceed(h, load_model_queue_of(h->model, candidate->number), candidate->common);
}

static void give_back(struct hunting *h, bool borrowing)
{
    struct load_victims *found = h->found;

    for (int n = found->count - 2; n >= 0; n--) {
        h->model->loads[found->loads[n]].away = false;
        if (!fits(h, borrowing)) {
            h->model->loads[found->loads[n]].away = true;
            continue;
        }
        found->count--;
        for (int k = n; k < found->count; k++) {
            found->loads[k] = found->loads[k + 1];
            found->causes[k] = found->causes[k + 1];
        }
    }
}

/* At some level below the common node all that it uses would be within the share again, with as few
 * pods as it takes. */
static bool comes_back(const struct hunting *h, int number, int common)
{
    const struct model_load *load = &h->model->loads[number];

    for (int at = load_model_queue_of(h->model, number); at != common;
         at = load_model_parent(h->model, at)) {
        bool within = true;

        for (int i = 0; i < h->wanted->count; i++) {
            struct load_cell cell = h->wanted->cells[i];
            wide arrives = load_model_least(load, cell.flavor, cell.resource);
            bool uses = load_model_amount(load, cell.flavor, cell.resource) > 0;

            for (int below = load_model_queue_of(h->model, number); below != at;
                 below = load_model_parent(h->model, below))
                arrives = wide_max(0, arrives - wide_max(0, load_model_kept(h->model, below, cell) -
                                                                usage(h, below, i)));
            within = within && (!uses || usage(h, at, i) + arrives <= share(h, at, i));
        }
        if (within)
            return true;
    }
    return false;
}

/* With it away, something that it used is used less than its share at some level below the common
 * node. */
static bool leaves_room(const struct hunting *h, int number, int common)
{
    for (int at = load_model_queue_of(h->model, number); at != common;
         at = load_model_parent(h->model, at))
        for (int i = 0; i < h->wanted->count; i++)
            if (load_model_amount(&h->model->loads[number], h->wanted->cells[i].flavor,
                                  h->wanted->cells[i].resource) > 0 &&
                usage(h, at, i) < share(h, at, i))
                return true;
    return false;
}

static bool anybody_waits(const struct hunting *h, int queue)
{
    for (int n = 0; n < LOADS; n++) {
        const struct model_load *load = &h->model->loads[n];

        if (load->known && !load->over && load->state == CLAIM_WAITING &&
            load_model_queue_of(h->model, n) == queue)
            return true;
    }
    return false;
}

/* Nobody is sent away by priority for room that is borrowed then, who could reclaim it at once, or
 * send away whoever waits in its queue and could. */
static bool is_reclaimed(const struct hunting *h)
{
    if (fits(h, false))
        return false;
    for (int n = 0; n < h->count; n++) {
        const struct candidate *candidate = &h->candidates[n];
        int queue = load_model_queue_of(h->model, candidate->number);
        const struct step *shown = &load_model_shown(h->model, queue)->step;

        if (h->model->loads[candidate->number].away && candidate->why == WHILE_BORROWING &&
            shown->v[QUEUE_RECLAIM] == PREEMPT_ANY &&
            (comes_back(h, candidate->number, candidate->common) ||
             (shown->v[QUEUE_WITHIN] != PREEMPT_NEVER && anybody_waits(h, queue) &&
              leaves_room(h, candidate->number, candidate->common))))
            return true;
    }
    return false;
}

static bool attempt(struct hunting *h, bool borrowing)
{
    static const enum load_cause_of causes[] = {[BY_SHARE] = FROM_OTHERS,
                                                [BY_PRIORITY] = FROM_OTHERS,
                                                [WHILE_BORROWING] = FROM_OTHERS_BORROWING,
                                                [WITHIN] = FROM_OWN_QUEUE};

    for (int n = 0; n < h->count; n++) {
        const struct candidate *candidate = &h->candidates[n];

        if (!is_still(h, candidate, borrowing))
            continue;
        h->model->loads[candidate->number].away = true;
        h->found->loads[h->found->count] = candidate->number;
        h->found->causes[h->found->count++] = causes[candidate->why];
        if (fits(h, borrowing)) {
            give_back(h, borrowing);
            if (!is_reclaimed(h))
                return true;
            break;
        }
    }
    load_model_return(h->model);
    h->found->count = 0;
    return false;
}

void load_model_hunt(struct load_model *model, int number, const struct load_wanted *wanted,
                     struct load_victims *ret)
{
    struct hunting h = {.model = model,
                        .number = number,
                        .queue = load_model_queue_of(model, number),
                        .wanted = wanted,
                        .found = ret};
    bool others = false, by_share = false, forbidden, any = false;

    *ret = (struct load_victims){.found = true};
    h.policy = &load_model_shown(model, h.queue)->step;
    forbidden = h.policy->v[QUEUE_BORROWS] == 0;
    for (int i = 0; i < wanted->count; i++) {
        h.contested[i] =
            wanted->amounts[i] > load_model_room(model, h.queue, wanted->cells[i], true);
        any = any || h.contested[i];
    }
    if (!any)
        return;
    collect(&h);
    for (int n = 0; n < h.count; n++) {
        others = others || h.candidates[n].why != WITHIN;
        by_share = by_share || h.candidates[n].why == BY_SHARE;
    }
    if (!others || (forbidden && !is_under_share(&h)))
        ret->found = attempt(&h, true);
    else if (forbidden && !by_share)
        ret->found = attempt(&h, false) || attempt(&h, true);
    else
        ret->found = attempt(&h, true) || attempt(&h, false);
}

void load_model_return(struct load_model *model)
{
    for (int n = 0; n < LOADS; n++)
        model->loads[n].away = false;
}
