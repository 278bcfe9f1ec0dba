/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/workload_model.h"

#include <string.h>

/* Every flavor gets a grade, grades are numbers, the first that stops the search is taken, or else
 * the largest. */
enum { GROUP_COUNT = 2, MOST_ATTEMPTS = 256 };

struct assigning {
    struct workload_model *model;
    int number, queue;
    const struct workload_object *asks;
    const struct step *policy;
    bool victims; /* may be looked for */
    int counts[WORKLOAD_SETS];
    int from[WORKLOAD_SETS][GROUP_COUNT];

    enum workload_how how;
    int height;
    struct grade {
        int flavor; /* -1: none */
        enum workload_how how;
        int height;
    } made[WORKLOAD_SETS][RESOURCES];
    int next[WORKLOAD_SETS][GROUP_COUNT];
    bool goes_on;
};

static bool asks_for(const struct assigning *a, int set, int resource)
{
    return a->asks->sets[set].count > 0 && a->asks->sets[set].asks[resource] > 0;
}

static bool suits(const struct assigning *a, int set, int flavor)
{
    const struct workload_shown *shown = &a->model->scenery->flavors[flavor];
    const struct workload_set *pods = &a->asks->sets[set];

    if (!shown->is || (shown->step.v[FLAVOR_TAINTED] && !pods->tolerates))
        return false;
    return pods->selects < 0 || !shown->step.v[FLAVOR_LABELLED] || pods->selects == flavor;
}

static int worth(const struct assigning *a, enum workload_how how, int height)
{
    if (how == NO_FIT)
        return 0;
    return (how > NO_VICTIMS ? 1000 : 0) + (a->policy->v[QUEUE_BORROWS_LEAST]
                                                ? (9 - height) * 10 + (int)how
                                                : (int)how * 10 + 9 - height);
}

static struct grade grade_one(const struct assigning *a, int set, int resource, int flavor)
{
    const struct workload_cell cell = {flavor, resource};
    struct workload_wanted wanted = {.count = 1, .cells = {cell}};
    struct grade grade = {flavor, NO_FIT, 0};
    struct workload_victims victims;
    wide amount = (wide)a->asks->sets[set].asks[resource] * a->counts[set];
    bool reclaims, any;

    for (int s = 0; s < set; s++)
        if (asks_for(a, s, resource) && a->made[s][resource].flavor == flavor)
            amount += (wide)a->asks->sets[s].asks[resource] * a->counts[s];
    if (amount > workload_model_room_ever(a->model, a->queue, cell))
        return grade;
    grade.height = workload_model_height(a->model, a->queue, cell, amount, false, &reclaims);
    if (amount == 0 || (amount <= workload_model_room(a->model, a->queue, cell, false) &&
                        amount <= workload_model_room(a->model, a->queue, cell, true))) {
        grade.how = FITS;
        return grade;
    }
    if (amount > workload_model_share(a->model, a->queue, cell) && !reclaims &&
        a->policy->v[QUEUE_BORROWS] == 0)
        return grade;
    grade.how = NO_VICTIMS;
    if (!a->victims)
        return grade;
    wanted.amounts[0] = amount;
    workload_model_hunt(a->model, a->number, &wanted, &victims);
    if (victims.found) {
        grade.how = RECLAIMS;
        for (int n = 0; n < victims.count; n++)
            if (victims.causes[n] == FROM_OWN_QUEUE)
                grade.how = PREEMPTS;
        grade.height = workload_model_height(a->model, a->queue, cell, amount, true, &any);
    }
    workload_model_return(a->model);
    return grade;
}

/* Of all that the set asks of the group: the worst. */
static struct grade grade_flavor(const struct assigning *a, int set, int group, int flavor,
                                 struct grade grades[RESOURCES])
{
    struct grade worst = {flavor, FITS, 0};

    for (int r = 0; r < RESOURCES; r++) {
        if (!asks_for(a, set, r) || workload_model_group(a->model, a->queue, r) != group)
            continue;
        grades[r] = grade_one(a, set, r, flavor);
        if (worth(a, grades[r].how, grades[r].height) < worth(a, worst.how, worst.height))
            worst = grades[r];
    }
    return worst;
}

static bool stops(const struct assigning *a, struct grade grade)
{
    return grade.how > NO_VICTIMS && (grade.how == FITS || !a->policy->v[QUEUE_PREEMPTS_LAST]) &&
           (grade.height == 0 || !a->policy->v[QUEUE_BORROWS_LAST]);
}

static bool assign_group(struct assigning *a, int set, int group)
{
    int order[FLAVORS], count = workload_model_order(a->model, a->queue, group, order), best = 0;
    bool last = false;

    for (int k = a->from[set][group] < count ? a->from[set][group] : 0; k < count && !last; k++) {
        struct grade grades[RESOURCES] = {{0}}, worst;

        a->next[set][group] = k + 1 < count ? k + 1 : 0;
        if (!suits(a, set, order[k]))
            continue;
        worst = grade_flavor(a, set, group, order[k], grades);
        last = stops(a, worst);
        if (!last && worth(a, worst.how, worst.height) <= best)
            continue;
        best = worth(a, worst.how, worst.height);
        for (int r = 0; r < RESOURCES; r++)
            if (asks_for(a, set, r) && workload_model_group(a->model, a->queue, r) == group)
                a->made[set][r] = grades[r];
    }
    return best > 0;
}

static bool assign_set(struct assigning *a, int set)
{
    bool groups[GROUP_COUNT] = {false};

    for (int r = 0; r < RESOURCES; r++) {
        int group = workload_model_group(a->model, a->queue, r);

        if (!asks_for(a, set, r))
            continue;
        if (group >= 0)
            groups[group] = true;
        else if (r != RESOURCES - 1)
            return false;
    }
    for (int group = 0; group < GROUP_COUNT; group++)
        if (groups[group] && !assign_group(a, set, group))
            return false;
    return true;
}

static void clear_set(struct assigning *a, int set)
{
    memset(a->next[set], 0, sizeof(a->next[set]));
    for (int r = 0; r < RESOURCES; r++)
        a->made[set][r] = (struct grade){-1, FITS, 0};
}

static void assign_all(struct assigning *a)
{
    a->how = FITS;
    a->height = 0;
    a->goes_on = false;
    for (int s = 0; s < WORKLOAD_SETS; s++)
        clear_set(a, s);
    for (int s = 0; s < WORKLOAD_SETS; s++) {
        if (a->asks->sets[s].count == 0)
            continue;
        if (!assign_set(a, s)) {
            clear_set(a, s);
            a->how = NO_FIT;
            return;
        }
        for (int group = 0; group < GROUP_COUNT; group++)
            a->goes_on = a->goes_on || a->next[s][group] > 0;
        for (int r = 0; r < RESOURCES; r++) {
            a->how = a->made[s][r].how < a->how ? a->made[s][r].how : a->how;
            a->height = a->made[s][r].height > a->height ? a->made[s][r].height : a->height;
        }
    }
}

void workload_model_total(const struct workload_model *model, int number,
                          const struct workload_grant granted[WORKLOAD_SETS],
                          struct workload_wanted *ret)
{
    const struct workload_object *asks = &model->workloads[number].seen;

    ret->count = 0;
    for (int flavor = 0; flavor < FLAVORS; flavor++)
        for (int r = 0; r < RESOURCES; r++) {
            wide sum = 0;

            for (int s = 0; s < WORKLOAD_SETS; s++)
                if (asks->sets[s].count > 0 && asks->sets[s].asks[r] > 0 &&
                    granted[s].flavors[r] == flavor)
                    sum += (wide)asks->sets[s].asks[r] * granted[s].count;
            if (sum == 0)
                continue;
            ret->cells[ret->count] = (struct workload_cell){flavor, r};
            ret->amounts[ret->count++] = sum;
        }
}

static void grants_of(const struct assigning *a, struct workload_grant ret[WORKLOAD_SETS])
{
    for (int s = 0; s < WORKLOAD_SETS; s++) {
        ret[s].count = a->asks->sets[s].count > 0 ? a->counts[s] : 0;
        for (int r = 0; r < RESOURCES; r++)
            ret[s].flavors[r] = asks_for(a, s, r) ? a->made[s][r].flavor : -1;
    }
}

/* Whether there are victims for all of it; *ret_none: none are needed. */
static bool victims_for_all(const struct assigning *a, bool *ret_none)
{
    struct workload_grant granted[WORKLOAD_SETS];
    struct workload_wanted wanted;
    struct workload_victims victims;

    grants_of(a, granted);
    workload_model_total(a->model, a->number, granted, &wanted);
    workload_model_hunt(a->model, a->number, &wanted, &victims);
    workload_model_return(a->model);
    *ret_none = victims.count == 0;
    return victims.found;
}

static bool works(const struct assigning *a)
{
    bool none;

    if (a->how == FITS || a->how == NO_FIT)
        return a->how == FITS;
    return a->victims && victims_for_all(a, &none);
}

static bool works_without(struct assigning *a, int spared, int most)
{
    for (int s = 0; s < WORKLOAD_SETS; s++) {
        const struct workload_set *set = &a->asks->sets[s];

        a->counts[s] = set->count - (set->count - set->minimum) * spared / most;
    }
    assign_all(a);
    return works(a);
}

/* With all of its pods, or with as many as a search by halves finds. What does not work is told
 * of all of them. */
static bool assign_most(struct assigning *a)
{
    struct assigning all, best;
    int most = 0, low = 0, high;

    for (int s = 0; s < WORKLOAD_SETS; s++) {
        a->counts[s] = a->asks->sets[s].count;
        most += a->asks->sets[s].count - a->asks->sets[s].minimum;
    }
    assign_all(a);
    if (works(a))
        return true;
    if (most == 0)
        return false;
    all = best = *a;
    for (high = most + 1; low < high;) {
        int middle = (low + high) / 2;

        if (middle <= most && works_without(a, middle, most)) {
            best = *a;
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    *a = low <= most ? best : all;
    return low <= most;
}

bool workload_model_decide(struct workload_model *model, int number, bool victims,
                           struct workload_assigned *ret)
{
    struct assigning a = {.model = model,
                          .number = number,
                          .queue = workload_model_queue_of(model, number),
                          .asks = &model->workloads[number].seen,
                          .victims = victims && !model->workloads[number].seen.yields};
    bool works = false, none;

    a.policy = &workload_model_shown(model, a.queue)->step;
    for (int n = 0; n < MOST_ATTEMPTS && !works; n++) {
        works = assign_most(&a);
        if (!works && !a.goes_on)
            return false;
        if (!works)
            memcpy(a.from, a.next, sizeof(a.from));
    }
    ret->how = a.how;
    ret->height = a.height;
    ret->waits_only = false;
    grants_of(&a, ret->granted);
    if (works && a.how != FITS)
        ret->waits_only = victims_for_all(&a, &none) && none;
    return works;
}
