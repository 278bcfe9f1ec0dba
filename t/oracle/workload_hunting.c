/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/workload_model.h"

#include <string.h>

/* Kueue's search for victims, in its words: every candidate, every share and every sum is looked at
 * anew each time. */
struct hunting {
    struct workload_model *model;
    int number, queue;
    const struct step *policy;
    const struct workload_wanted *wanted;
    bool contested[WORKLOAD_CELLS];
    int count;
    struct candidate {
        int number, common; /* -1: of the own queue */
        enum { BY_SHARE, WHILE_BORROWING, BY_PRIORITY, WITHIN } why;
    } candidates[LOADS];
    struct workload_victims *found;
};

static wide usage(const struct hunting *h, int node, int i)
{
    return workload_model_usage(h->model, node, h->wanted->cells[i], true);
}

static wide share(const struct hunting *h, int node, int i)
{
    return workload_model_share(h->model, node, h->wanted->cells[i]);
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
    for (; node != common; node = workload_model_parent(h->model, node))
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
    wide arrives[WORKLOAD_CELLS];

    memcpy(arrives, h->wanted->amounts, sizeof(arrives));
    for (int at = h->queue; at != common; at = workload_model_parent(h->model, at)) {
        bool within = true;

        for (int i = 0; i < h->wanted->count; i++) {
            within = within && usage(h, at, i) + arrives[i] <= share(h, at, i);
            arrives[i] = wide_max(
                0, arrives[i] - wide_max(0, workload_model_kept(h->model, at, h->wanted->cells[i]) -
                                                usage(h, at, i)));
        }
        if (within)
            return true;
    }
    return false;
}

static int common_node(const struct workload_model *model, int a, int b)
{
    for (; a >= 0; a = workload_model_parent(model, a))
        for (int up = b; up >= 0; up = workload_model_parent(model, up))
            if (up == a)
                return a;
    return -1;
}

static bool policy_allows(enum preempt_whom whom, const struct workload_object *asks,
                          const struct workload_object *candidate)
{
    if (whom == PREEMPT_ANY)
        return true;
    if (whom == PREEMPT_NEVER)
        return false;
    return candidate->priority < asks->priority ||
           (whom == PREEMPT_LOWER_OR_NEWER && candidate->priority == asks->priority &&
            workload_model_since(candidate) > workload_model_since(asks));
}

static bool uses_contested(const struct hunting *h, const struct model_load *workload)
{
    for (int i = 0; i < h->wanted->count; i++)
        if (h->contested[i] && workload_model_amount(workload, h->wanted->cells[i].flavor,
                                                     h->wanted->cells[i].resource) > 0)
            return true;
    return false;
}

static bool make_candidate(const struct hunting *h, int number, struct candidate *ret)
{
    const struct model_load *workload = &h->model->workloads[number];
    const struct workload_object *asks = &h->model->workloads[h->number].seen;
    int queue = workload_model_queue_of(h->model, number);
    bool borrows = h->policy->v[QUEUE_BORROWS] > 0;

    *ret = (struct candidate){number, -1, WITHIN};
    if (!workload->known || !workload_model_holds(workload) ||
        !workload_model_holds_later(workload) || !uses_contested(h, workload))
        return false;
    if (queue == h->queue)
        return policy_allows((enum preempt_whom)h->policy->v[QUEUE_WITHIN], asks, &workload->seen);
    if (workload_model_stop(h->model, queue) == LIFE_HOLDS)
        return false; /* it could not come back */
    ret->common = queue < 0 ? -1 : common_node(h->model, h->queue, queue);
    if (ret->common < 0 || !all_exceed(h, queue, ret->common) ||
        !policy_allows((enum preempt_whom)h->policy->v[QUEUE_RECLAIM], asks, &workload->seen))
        return false;
    if (is_within_share_below(h, ret->common))
        ret->why = BY_SHARE;
    else if (!borrows && !is_under_share(h))
        return false;
    else if (borrows && workload->seen.priority < asks->priority &&
             !(h->policy->v[QUEUE_BORROWS] > 1 && workload->seen.priority > 0))
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
    const struct model_load *x = &h->model->workloads[a->number],
                            *y = &h->model->workloads[b->number];

    if (places[a->why] != places[b->why])
        return places[a->why] < places[b->why];
    if (x->seen.priority != y->seen.priority)
        return x->seen.priority < y->seen.priority;
    if (x->stamp != y->stamp)
        return x->stamp > y->stamp;
    return strcmp(workload_world_uid(a->number, x->seen.object),
                  workload_world_uid(b->number, y->seen.object)) < 0;
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
        if (h->wanted->amounts[i] >
            workload_model_room(h->model, h->queue, h->wanted->cells[i], true))
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
           all_exceed(h, workload_model_queue_of(h->model, candidate->number), candidate->common);
}

static void give_back(struct hunting *h, bool borrowing)
{
    struct workload_victims *found = h->found;

    for (int n = found->count - 2; n >= 0; n--) {
        h->model->workloads[found->workloads[n]].away = false;
        if (!fits(h, borrowing)) {
            h->model->workloads[found->workloads[n]].away = true;
            continue;
        }
        found->count--;
        for (int k = n; k < found->count; k++) {
            found->workloads[k] = found->workloads[k + 1];
            found->causes[k] = found->causes[k + 1];
        }
    }
}

/* At some level below the common node all that it uses would be within the share again, with as few
 * pods as it takes. */
static bool comes_back(const struct hunting *h, int number, int common)
{
    const struct model_load *workload = &h->model->workloads[number];

    for (int at = workload_model_queue_of(h->model, number); at != common;
         at = workload_model_parent(h->model, at)) {
        bool within = true;

        for (int i = 0; i < h->wanted->count; i++) {
            struct workload_cell cell = h->wanted->cells[i];
            wide arrives = workload_model_least(workload, cell.flavor, cell.resource);
            bool uses = workload_model_amount(workload, cell.flavor, cell.resource) > 0;

            for (int below = workload_model_queue_of(h->model, number); below != at;
                 below = workload_model_parent(h->model, below))
                arrives =
                    wide_max(0, arrives - wide_max(0, workload_model_kept(h->model, below, cell) -
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
    for (int at = workload_model_queue_of(h->model, number); at != common;
         at = workload_model_parent(h->model, at))
        for (int i = 0; i < h->wanted->count; i++)
            if (workload_model_amount(&h->model->workloads[number], h->wanted->cells[i].flavor,
                                      h->wanted->cells[i].resource) > 0 &&
                usage(h, at, i) < share(h, at, i))
                return true;
    return false;
}

static bool anybody_waits(const struct hunting *h, int queue)
{
    for (int n = 0; n < LOADS; n++) {
        const struct model_load *workload = &h->model->workloads[n];

        if (workload->known && !workload->over && workload->state == CLAIM_WAITING &&
            workload_model_queue_of(h->model, n) == queue)
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
        int queue = workload_model_queue_of(h->model, candidate->number);
        const struct step *shown = &workload_model_shown(h->model, queue)->step;

        if (h->model->workloads[candidate->number].away && candidate->why == WHILE_BORROWING &&
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
    static const enum workload_cause_of causes[] = {[BY_SHARE] = FROM_OTHERS,
                                                    [BY_PRIORITY] = FROM_OTHERS,
                                                    [WHILE_BORROWING] = FROM_OTHERS_BORROWING,
                                                    [WITHIN] = FROM_OWN_QUEUE};

    for (int n = 0; n < h->count; n++) {
        const struct candidate *candidate = &h->candidates[n];

        if (!is_still(h, candidate, borrowing))
            continue;
        h->model->workloads[candidate->number].away = true;
        h->found->workloads[h->found->count] = candidate->number;
        h->found->causes[h->found->count++] = causes[candidate->why];
        if (fits(h, borrowing)) {
            give_back(h, borrowing);
            if (!is_reclaimed(h))
                return true;
            break;
        }
    }
    workload_model_return(h->model);
    h->found->count = 0;
    return false;
}

void workload_model_hunt(struct workload_model *model, int number,
                         const struct workload_wanted *wanted, struct workload_victims *ret)
{
    struct hunting h = {.model = model,
                        .number = number,
                        .queue = workload_model_queue_of(model, number),
                        .wanted = wanted,
                        .found = ret};
    bool others = false, by_share = false, forbidden, any = false;

    *ret = (struct workload_victims){.found = true};
    h.policy = &workload_model_shown(model, h.queue)->step;
    forbidden = h.policy->v[QUEUE_BORROWS] == 0;
    for (int i = 0; i < wanted->count; i++) {
        h.contested[i] =
            wanted->amounts[i] > workload_model_room(model, h.queue, wanted->cells[i], true);
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

void workload_model_return(struct workload_model *model)
{
    for (int n = 0; n < LOADS; n++)
        model->workloads[n].away = false;
}
