/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/workload_model.h"

#include <string.h>

/* What becomes of workloads that wait: whoever may be asked is asked, one thing happens, and all
 * are asked again. */
enum { NOTHING, RESERVES, PREEMPTS_OTHERS };

struct choice {
    int what, number;
    struct naive_choice made;
};

bool workload_model_ranks_before(const struct workload_model *model, int a, int b)
{
    const struct workload_object *x = &model->workloads[a].seen, *y = &model->workloads[b].seen;

    if (x->priority != y->priority)
        return x->priority > y->priority;
    if (workload_model_since(x) != workload_model_since(y))
        return workload_model_since(x) < workload_model_since(y);
    return strcmp(workload_world_uid(a, x->object), workload_world_uid(b, y->object)) < 0;
}

/* Those that wait in the queue, in their order. */
static int list(const struct workload_model *model, int node, int ret[WORKLOADS])
{
    int count = 0;

    for (int n = 0; n < WORKLOADS; n++) {
        int at = count;

        if (!workload_model_waits_in(model, n, node))
            continue;
        for (; at > 0 && workload_model_ranks_before(model, n, ret[at - 1]); at--)
            ret[at] = ret[at - 1];
        ret[at] = n;
        count++;
    }
    return count;
}

static int ask(struct workload_model *model, int number, struct naive_choice *ret)
{
    struct model_workload *workload = &model->workloads[number];
    bool would = false;
    int what = NOTHING;

    if (workload_model_decide(model, number, true, ret)) {
        what = ret->how == NAIVE_FITS ? RESERVES : PREEMPTS_OTHERS;
        would = what == PREEMPTS_OTHERS && ret->victims.count > 0;
    }
    if (would && workload_model_closed(model, &workload->seen)) {
        workload->blocked = true;
        return NOTHING;
    }
    /* A signal stays while its victims go. */
    workload->blocked = would && workload->seen.conditions[CONDITION_SIGNAL].is_true;
    return what;
}

/* Whoever asks for the same as one that was refused has no victims either. */
static void silence_alike(struct workload_model *model, const int *waiting, int count)
{
    const struct workload_object *head = &model->workloads[waiting[0]].seen;

    for (int n = 1; n < count; n++) {
        struct model_workload *workload = &model->workloads[waiting[n]];

        if (!workload->promised && workload_model_same_asks(head, &workload->seen) &&
            workload_model_closed(model, head) == workload_model_closed(model, &workload->seen))
            workload->blocked = false;
    }
}

static bool ask_queue(struct workload_model *model, int node, struct choice *ret)
{
    bool strict = workload_model_shown(model, node)->step.v[QUEUE_STRICT];
    int waiting[WORKLOADS], count;

    if (!workload_model_grants(model, node))
        return false;
    count = list(model, node, waiting);
    for (int n = 0; n < count; n++) {
        ret->number = waiting[n];
        ret->what = NOTHING;
        if (!model->workloads[waiting[n]].promised)
            ret->what = ask(model, waiting[n], &ret->made);
        if (ret->what != NOTHING)
            return true;
        if (strict && !model->workloads[waiting[n]].promised &&
            !model->workloads[waiting[n]].blocked)
            silence_alike(model, waiting, count);
        if (strict)
            return false;
    }
    return false;
}

static bool comes_first(const struct workload_model *model, const struct choice *a,
                        const struct choice *b)
{
    const struct workload_object *x = &model->workloads[a->number].seen;
    const struct workload_object *y = &model->workloads[b->number].seen;

    if ((a->made.height > 0) != (b->made.height > 0))
        return a->made.height == 0;
    if (x->priority != y->priority)
        return x->priority > y->priority;
    if (workload_model_since(x) != workload_model_since(y))
        return workload_model_since(x) < workload_model_since(y);
    return workload_model_queue_of(model, a->number) < workload_model_queue_of(model, b->number);
}

static void grants_of(const struct naive_choice *made, struct workload_grant ret[WORKLOAD_SETS])
{
    for (int s = 0; s < WORKLOAD_SETS; s++) {
        ret[s].count = made->counts[s];
        for (int r = 0; r < RESOURCES; r++)
            ret[s].flavors[r] = made->made[s][r].flavor;
    }
}

static void reserve(struct workload_model *model, int number,
                    const struct workload_grant granted[WORKLOAD_SETS])
{
    struct model_workload *workload = &model->workloads[number];

    workload_model_end_promise(model, number);
    memcpy(workload->held, granted, sizeof(workload->held));
    workload->assumed = true;
    workload->blocked = false;
    workload->state = CLAIM_RESERVED;
    workload->stamp = model->now;
}

static void preempt(struct workload_model *model, const struct choice *choice)
{
    struct model_workload *workload = &model->workloads[choice->number];
    const struct naive_victims *victims = &choice->made.victims;

    grants_of(&choice->made, workload->held);
    workload->promised = true;
    workload->within = victims->within[0];
    workload->order = ++model->orders;
    for (int n = 0; n < victims->count; n++) {
        struct model_workload *victim = &model->workloads[victims->claims[n]];

        if (victim->assumed && !victim->leased && !victim->awaits) {
            victim->rests_until = model->now / SECOND + 1;
            workload_model_give_up(model, victims->claims[n]); /* nobody has heard of it */
            continue;
        }
        victim->victim = true;
        victim->of = choice->number;
    }
}

/* Whether there is room for what it is promised, in a world where that is in use later, too, or
 * (now) where it is not. */
static bool has_room(const struct workload_model *model, const struct naive_world *world,
                     const struct naive_claim *promised, bool now)
{
    for (int cell = 0; cell < NAIVE_CELLS; cell++) {
        wide used[NAIVE_NODES], amount = promised->uses[cell], later;

        if (amount == 0)
            continue;
        if (!model->scenery->flavors[cell / RESOURCES].is)
            return false;
        naive_count(world, cell, true, NULL, used);
        later = naive_room(world, cell, true, used, promised->node);
        if (now ? amount > later : later < 0)
            return false;
        naive_count(world, cell, false, NULL, used);
        if (now && amount > naive_room(world, cell, false, used, promised->node))
            return false;
    }
    return true;
}

/* From how far up it borrows what it is promised. */
static int promised_height(const struct workload_model *model, const struct naive_world *world,
                           int number, int set, int resource)
{
    int flavor = model->workloads[number].held[set].flavors[resource];
    wide used[NAIVE_NODES];
    bool any;

    if (flavor < 0)
        return 0;
    naive_count(world, naive_cell(flavor, resource), true, NULL, used);
    return naive_height(world, naive_cell(flavor, resource), used, world->claims[number].node, 0,
                        &any);
}

/* Whether a pod set would borrow what it asks of a resource group from farther up than as promised.
 */
static bool borrows_farther(const struct workload_model *model, const struct naive_world *world,
                            int number, int set, int group, const struct naive_choice *other)
{
    int queue = workload_model_queue_of(model, number), promised = 0, would = 0;

    for (int r = 0; r < RESOURCES; r++) {
        int height = promised_height(model, world, number, set, r);

        if (workload_model_group(model, queue, r) != group)
            continue;
        promised = height > promised ? height : promised;
        would = other->made[set][r].height > would ? other->made[set][r].height : would;
    }
    return would > promised;
}

/* Whether it could be granted something at once by somebody who is promised nothing: with nobody
 * going for it who need not. Who would rather borrow less waits for that, and nobody takes fewer
 * pods than it is promised. */
static bool fits_now(const struct workload_model *model, const struct naive_world *world,
                     int number, struct workload_grant ret[WORKLOAD_SETS])
{
    struct workload_model without = *model;
    struct naive_world world_without;
    struct naive_choice other;
    const int64_t *policy = world->nodes[world->claims[number].node].policy;

    memcpy(ret, model->workloads[number].held, sizeof(model->workloads[number].held));
    workload_model_end_promise(&without, number);
    workload_model_fill_tables(&without, &world_without);
    if (has_room(model, &world_without, &world->claims[number], true))
        return true;
    if (!policy[QUEUE_PREEMPTS_LAST] || !workload_model_decide(&without, number, false, &other))
        return false;
    for (int s = 0; s < WORKLOAD_SETS; s++)
        if (other.counts[s] < ret[s].count)
            return false;
    for (int set = 0; set < WORKLOAD_SETS; set++)
        for (int group = 0; group < NAIVE_GROUPS; group++)
            if (policy[QUEUE_BORROWS_LEAST] &&
                borrows_farther(model, world, number, set, group, &other))
                return false;
    grants_of(&other, ret);
    return true;
}

/* Who is promised room gets it, keeps waiting for it, or can get it no more. True: not the second.
 */
static bool review(struct workload_model *model, int number)
{
    struct workload_grant now[WORKLOAD_SETS];
    struct naive_world world;

    for (int n = 0; n < WORKLOADS; n++)
        if (model->workloads[n].known && model->workloads[n].of == number)
            workload_model_spare(model, n);
    if (!workload_model_grants(model, workload_model_queue_of(model, number))) {
        workload_model_end_promise(model, number);
        return true;
    }
    workload_model_fill_tables(model, &world);
    if (fits_now(model, &world, number, now)) {
        reserve(model, number, now);
        return true;
    }
    if (has_room(model, &world, &world.claims[number], false))
        return false;
    workload_model_end_promise(model, number);
    return true;
}

static bool review_below(struct workload_model *model, int root)
{
    int64_t after = 0;

    for (;;) {
        int next = -1;

        for (int n = 0; n < WORKLOADS; n++)
            if (model->workloads[n].promised && model->workloads[n].order > after &&
                workload_model_root(model, workload_model_queue_of(model, n)) == root &&
                (next < 0 || model->workloads[n].order < model->workloads[next].order))
                next = n;
        if (next < 0)
            return false;
        if (review(model, next))
            return true;
        after = model->workloads[next].order;
    }
}

static bool one_thing(struct workload_model *model, int root)
{
    struct choice best = {.what = NOTHING, .number = -1}, choice;
    struct workload_grant granted[WORKLOAD_SETS];

    if (review_below(model, root))
        return true;
    for (int node = QUEUE_NAMES; node < WORKLOAD_NODES; node++)
        if (workload_model_root(model, node) == root && ask_queue(model, node, &choice) &&
            (best.what == NOTHING || comes_first(model, &choice, &best)))
            best = choice;
    if (best.what == RESERVES) {
        grants_of(&best.made, granted);
        reserve(model, best.number, granted);
    } else if (best.what == PREEMPTS_OTHERS) {
        preempt(model, &best);
    }
    return best.what != NOTHING;
}

void workload_model_settle(struct workload_model *model)
{
    workload_model_settle_all(model);
    for (int root = 0; root < WORKLOAD_NODES && model->leads && model->synced; root++)
        while (model->parents[root] < 0 && one_thing(model, root))
            workload_model_settle_all(model);
    workload_model_settle_all(model);
}
