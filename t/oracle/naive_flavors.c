/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/naive_flavors.h"

#include <string.h>

enum { MOST_ATTEMPTS = 256 };

struct choosing {
    const struct naive_world *world;
    const struct naive_request *request;
    bool ever; /* as if nobody used anything */
    int queue;
    const int64_t *policy;                                              /* of that queue */
    int from[NAIVE_SETS][NAIVE_GROUPS], next[NAIVE_SETS][NAIVE_GROUPS]; /* of its flavors */
    struct naive_choice made;
};

int naive_group_of(const int64_t *policy, int resource)
{
    int order[FLAVORS], group = (int)policy[QUEUE_GROUP + resource] - 1;

    return group >= 0 && world_group_order(policy, group, order) > 0 ? group : -1;
}

static bool asks_for(const struct choosing *c, int set, int resource)
{
    return c->request->sets[set].count > 0 && c->request->sets[set].asks[resource] > 0;
}

static bool asks_of(const struct choosing *c, int set, int resource, int group)
{
    return asks_for(c, set, resource) && naive_group_of(c->policy, resource) == group;
}

static wide amount_of(const struct choosing *c, int set, int resource)
{
    return asks_for(c, set, resource)
               ? (wide)c->request->sets[set].asks[resource] * c->made.counts[set]
               : 0;
}

/* 0: it cannot be had. */
static int worth(const struct choosing *c, struct naive_grade grade)
{
    int near = 9 - grade.height, how = (int)grade.how;

    if (grade.how == NAIVE_NO_FIT)
        return 0;
    return (grade.how > NAIVE_NO_VICTIMS ? 1000 : 0) +
           (c->policy[QUEUE_BORROWS_LEAST] ? near * 10 + how : how * 10 + near);
}

static bool stops(const struct choosing *c, struct naive_grade grade)
{
    return grade.how > NAIVE_NO_VICTIMS &&
           (grade.how == NAIVE_FITS || !c->policy[QUEUE_PREEMPTS_LAST]) &&
           (grade.height == 0 || !c->policy[QUEUE_BORROWS_LAST]);
}

/* Victims for one resource alone; the height is as it is when they have gone. */
static void grade_victims(const struct choosing *c, int cell, wide amount,
                          struct naive_grade *grade)
{
    const struct naive_wanted wanted = {1, {cell}, {amount}};
    struct naive_victims victims;
    wide used[NAIVE_NODES];
    bool reclaims;

    grade->how = NAIVE_NO_VICTIMS;
    if (!c->request->takes)
        return;
    naive_hunt(c->world, c->request->claim, &wanted, &victims);
    if (!victims.found)
        return;
    grade->how = NAIVE_RECLAIMS;
    for (int n = 0; n < victims.count; n++)
        if (victims.whys[n] == NAIVE_OWN)
            grade->how = NAIVE_PREEMPTS;
    naive_count(c->world, cell, true, victims.away, used);
    grade->height = naive_height(c->world, cell, used, c->queue, amount, &reclaims);
}

/* Of one resource, beside what earlier sets ask of it; what is promised comes first. */
static struct naive_grade grade_one(const struct choosing *c, int set, int resource, int flavor)
{
    wide now[NAIVE_NODES], later[NAIVE_NODES], nothing[NAIVE_NODES] = {0};
    wide amount = amount_of(c, set, resource);
    struct naive_grade grade = {flavor, NAIVE_NO_FIT, 0};
    int cell = naive_cell(flavor, resource), height;
    bool reclaims, any;

    for (int s = 0; s < set; s++)
        if (c->made.made[s][resource].flavor == flavor)
            amount += amount_of(c, s, resource);
    if (amount > naive_room(c->world, cell, false, nothing, c->queue))
        return grade;
    if (c->ever)
        return (struct naive_grade){flavor, NAIVE_FITS, 0};
    naive_count(c->world, cell, false, NULL, now);
    naive_count(c->world, cell, true, NULL, later);
    grade.height = naive_height(c->world, cell, now, c->queue, amount, &reclaims);
    height = naive_height(c->world, cell, later, c->queue, amount, &any);
    grade.height = height > grade.height ? height : grade.height;
    if (amount == 0 || (amount <= naive_room(c->world, cell, false, now, c->queue) &&
                        amount <= naive_room(c->world, cell, true, later, c->queue)))
        grade.how = NAIVE_FITS;
    else if (amount <= c->world->nodes[c->queue].at[cell].share || reclaims ||
             c->policy[QUEUE_BORROWS] != 0)
        grade_victims(c, cell, amount, &grade);
    return grade;
}

/* Of all that the set asks of the group: the worst. */
static struct naive_grade grade_flavor(const struct choosing *c, int set, int group, int flavor,
                                       struct naive_grade grades[RESOURCES])
{
    struct naive_grade worst = {flavor, NAIVE_FITS, 0};

    for (int r = 0; r < RESOURCES; r++) {
        if (!asks_of(c, set, r, group))
            continue;
        grades[r] = grade_one(c, set, r, flavor);
        if (worth(c, grades[r]) < worth(c, worst))
            worst = grades[r];
    }
    return worst;
}

static bool choose_of_group(struct choosing *c, int set, int group)
{
    int order[FLAVORS], count = world_group_order(c->policy, group, order), best = 0;
    bool last = false;

    for (int k = c->from[set][group] < count ? c->from[set][group] : 0; k < count && !last; k++) {
        struct naive_grade grades[RESOURCES], worst;

        c->next[set][group] = k + 1 < count ? k + 1 : 0;
        if (!c->request->sets[set].may_have[order[k]])
            continue;
        worst = grade_flavor(c, set, group, order[k], grades);
        last = stops(c, worst);
        if (!last && worth(c, worst) <= best)
            continue;
        best = worth(c, worst);
        for (int r = 0; r < RESOURCES; r++)
            if (asks_of(c, set, r, group))
                c->made.made[set][r] = grades[r];
    }
    return best > 0;
}

/* Of pods as such there are enough wherever nothing is said of them. */
static bool choose_of_set(struct choosing *c, int set)
{
    bool groups[NAIVE_GROUPS] = {false};

    for (int r = 0; r < RESOURCES; r++) {
        int group = naive_group_of(c->policy, r);

        if (!asks_for(c, set, r))
            continue;
        if (group >= 0)
            groups[group] = true;
        else if (r != RESOURCES - 1 && !c->request->undeclared)
            return false;
    }
    for (int group = 0; group < NAIVE_GROUPS; group++)
        if (groups[group] && !choose_of_group(c, set, group))
            return false;
    return true;
}

static void clear_set(struct choosing *c, int set)
{
    memset(c->next[set], 0, sizeof(c->next[set]));
    for (int r = 0; r < RESOURCES; r++)
        c->made.made[set][r] = (struct naive_grade){-1, NAIVE_FITS, 0};
}

static void choose_once(struct choosing *c)
{
    c->made.how = NAIVE_FITS;
    c->made.height = 0;
    for (int s = 0; s < NAIVE_SETS; s++)
        clear_set(c, s);
    for (int s = 0; s < NAIVE_SETS; s++) {
        if (!choose_of_set(c, s)) {
            clear_set(c, s);
            c->made.how = NAIVE_NO_FIT;
            return;
        }
        for (int r = 0; r < RESOURCES; r++) {
            struct naive_grade grade = c->made.made[s][r];

            c->made.how = grade.how < c->made.how ? grade.how : c->made.how;
            c->made.height = grade.height > c->made.height ? grade.height : c->made.height;
        }
    }
}

static void want_all(struct choosing *c)
{
    struct naive_wanted *wanted = &c->made.wanted;

    wanted->count = 0;
    for (int flavor = 0; flavor < FLAVORS; flavor++)
        for (int r = 0; r < RESOURCES; r++) {
            wide sum = 0;

            for (int s = 0; s < NAIVE_SETS; s++)
                if (c->made.made[s][r].flavor == flavor)
                    sum += amount_of(c, s, r);
            if (sum == 0)
                continue;
            wanted->cells[wanted->count] = naive_cell(flavor, r);
            wanted->amounts[wanted->count++] = sum;
        }
}

/* So many pods that may be spared, of all of these, are. Whether it fits then, or there are victims
 * for all of it. */
static bool works_without(struct choosing *c, int spared, int most)
{
    for (int s = 0; s < NAIVE_SETS; s++) {
        const struct naive_set *set = &c->request->sets[s];

        c->made.counts[s] =
            set->count - (most == 0 ? 0 : (set->count - set->minimum) * spared / most);
    }
    choose_once(c);
    want_all(c);
    c->made.victims = (struct naive_victims){.found = c->made.how == NAIVE_FITS};
    if (c->made.how != NAIVE_FITS && c->made.how != NAIVE_NO_FIT && c->request->takes)
        naive_hunt(c->world, c->request->claim, &c->made.wanted, &c->made.victims);
    return c->made.victims.found;
}

/* With all of its pods, or with as many as a search by halves finds. What does not work is told of
 * all of them. */
static bool choose_most(struct choosing *c)
{
    struct choosing all, best;
    int most = 0, low = 0, high;

    for (int s = 0; s < NAIVE_SETS; s++)
        most += c->request->sets[s].count - c->request->sets[s].minimum;
    if (works_without(c, 0, most) || most == 0)
        return c->made.victims.found;
    all = best = *c;
    for (high = most + 1; low < high;) {
        int middle = (low + high) / 2;

        if (middle <= most && works_without(c, middle, most)) {
            best = *c;
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    *c = low <= most ? best : all;
    return low <= most;
}

static bool goes_on(const struct choosing *c)
{
    for (int s = 0; s < NAIVE_SETS; s++)
        for (int group = 0; group < NAIVE_GROUPS; group++)
            if (c->next[s][group] > 0)
                return true;
    return false;
}

static bool choose(const struct naive_world *world, const struct naive_request *request, bool ever,
                   struct naive_choice *ret)
{
    struct choosing c = {.world = world,
                         .request = request,
                         .ever = ever,
                         .queue = world->claims[request->claim].node};
    bool works = false;

    c.policy = world->nodes[c.queue].policy;
    for (int n = 0; n < MOST_ATTEMPTS && !works; n++) {
        works = choose_most(&c);
        if (!works && !goes_on(&c))
            return false;
        if (!works)
            memcpy(c.from, c.next, sizeof(c.from));
    }
    *ret = c.made;
    return works;
}

bool naive_choose(const struct naive_world *world, const struct naive_request *request,
                  struct naive_choice *ret)
{
    return choose(world, request, false, ret);
}

bool naive_could_ever(const struct naive_world *world, const struct naive_request *request)
{
    struct naive_choice choice;

    return choose(world, request, true, &choice);
}
