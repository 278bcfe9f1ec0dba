/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/workload_model.h"

#include <string.h>

/* What becomes of workloads that wait: whoever may be asked is asked, one thing happens, and all
 * are asked again. */
enum { NOTHING, RESERVES, PREEMPTS_OTHERS };

struct choice {
    int what, number;
    struct workload_assigned made;
};

static bool waits(const struct workload_model *model, int number, int node)
{
    const struct model_load *workload = &model->workloads[number];

    return workload->known && !workload->over && workload->state == CLAIM_WAITING &&
           workload_model_queue_of(model, number) == node;
}

static bool ranks_before(const struct workload_model *model, int a, int b)
{
    const struct workload_object *x = &model->workloads[a].seen, *y = &model->workloads[b].seen;

    if (x->priority != y->priority)
        return x->priority > y->priority;
    if (workload_model_since(x) != workload_model_since(y))
        return workload_model_since(x) < workload_model_since(y);
    return strcmp(workload_world_uid(a, x->object), workload_world_uid(b, y->object)) < 0;
}

/* Those that wait in the queue, in their order. */
static int list(const struct workload_model *model, int node, int ret[LOADS])
{
    int count = 0;

    for (int n = 0; n < LOADS; n++) {
        int at = count;

        if (!waits(model, n, node))
            continue;
        for (; at > 0 && ranks_before(model, n, ret[at - 1]); at--)
            ret[at] = ret[at - 1];
        ret[at] = n;
        count++;
    }
    return count;
}

static int ask(struct workload_model *model, int number, struct workload_assigned *ret)
{
    struct model_load *workload = &model->workloads[number];
    bool would = false;
    int what = NOTHING;

    if (workload_model_decide(model, number, true, ret)) {
        what = ret->how == FITS ? RESERVES : PREEMPTS_OTHERS;
        would = what == PREEMPTS_OTHERS && !ret->waits_only;
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
        struct model_load *workload = &model->workloads[waiting[n]];

        if (!workload->promised && workload_model_same_asks(head, &workload->seen) &&
            workload_model_closed(model, head) == workload_model_closed(model, &workload->seen))
            workload->blocked = false;
    }
}

static bool ask_queue(struct workload_model *model, int node, struct choice *ret)
{
    bool strict = workload_model_shown(model, node)->step.v[QUEUE_STRICT];
    int waiting[LOADS], count;

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

static void reserve(struct workload_model *model, int number,
                    const struct workload_grant granted[WORKLOAD_SETS])
{
    struct model_load *workload = &model->workloads[number];

    workload_model_end_promise(model, number);
    memcpy(workload->held, granted, sizeof(workload->held));
    workload->assumed = true;
    workload->blocked = false;
    workload->state = CLAIM_RESERVED;
    workload->stamp = model->now;
}

static void preempt(struct workload_model *model, const struct choice *choice)
{
    struct model_load *workload = &model->workloads[choice->number];
    struct workload_wanted wanted;
    struct workload_victims victims;

    workload_model_total(model, choice->number, choice->made.granted, &wanted);
    workload_model_hunt(model, choice->number, &wanted, &victims);
    workload_model_return(model);
    memcpy(workload->held, choice->made.granted, sizeof(workload->held));
    workload->promised = true;
    workload->order = ++model->orders;
    for (int n = 0; n < victims.count; n++) {
        struct model_load *victim = &model->workloads[victims.workloads[n]];

        if (victim->assumed && !victim->leased && !victim->awaits) {
            workload_model_give_up(model, victims.workloads[n]); /* nobody has heard of it */
            continue;
        }
        victim->victim = true;
        victim->of = choice->number;
        victim->cause = victims.causes[n];
    }
}

/* Whether there is room for what it is promised. */
static bool has_room(const struct workload_model *model, int number,
                     const struct workload_grant held[WORKLOAD_SETS], bool now)
{
    int queue = workload_model_queue_of(model, number);
    struct workload_wanted wanted;

    workload_model_total(model, number, held, &wanted);
    for (int i = 0; i < wanted.count; i++) {
        wide later = workload_model_room(model, queue, wanted.cells[i], true);

        if (!model->scenery->flavors[wanted.cells[i].flavor].is)
            return false;
        if (wanted.amounts[i] == 0)
            continue;
        if (now ? wanted.amounts[i] > later ||
                      wanted.amounts[i] > workload_model_room(model, queue, wanted.cells[i], false)
                : later < 0)
            return false;
    }
    return true;
}

/* From how far up it borrows what it is promised. */
static int promised_height(const struct workload_model *model, int number)
{
    struct workload_wanted wanted;
    int most = 0;
    bool any;

    workload_model_total(model, number, model->workloads[number].held, &wanted);
    for (int i = 0; i < wanted.count; i++) {
        int height = workload_model_height(model, workload_model_queue_of(model, number),
                                           wanted.cells[i], 0, true, &any);

        most = height > most ? height : most;
    }
    return most;
}

/* Whether it could be granted something at once by somebody who is promised nothing: with nobody
 * going for it who need not. Who would rather borrow less waits for that, and nobody takes fewer
 * pods than it is promised. */
static bool fits_now(const struct workload_model *model, int number,
                     struct workload_grant ret[WORKLOAD_SETS])
{
    struct workload_model without = *model;
    struct workload_assigned other;
    const int64_t *policy =
        workload_model_shown(model, workload_model_queue_of(model, number))->step.v;

    memcpy(ret, model->workloads[number].held, sizeof(model->workloads[number].held));
    workload_model_end_promise(&without, number);
    if (has_room(&without, number, ret, true))
        return true;
    if (!policy[QUEUE_PREEMPTS_LAST] || !workload_model_decide(&without, number, false, &other))
        return false;
    for (int s = 0; s < WORKLOAD_SETS; s++)
        if (other.granted[s].count < ret[s].count)
            return false;
    if (policy[QUEUE_BORROWS_LEAST] && other.height > promised_height(model, number))
        return false;
    memcpy(ret, other.granted, sizeof(other.granted));
    return true;
}

/* Who is promised room gets it, keeps waiting for it, or can get it no more. True: not the second.
 */
static bool review(struct workload_model *model, int number)
{
    struct workload_grant now[WORKLOAD_SETS];

    for (int n = 0; n < LOADS; n++)
        if (model->workloads[n].known && model->workloads[n].of == number)
            workload_model_spare(model, n);
    if (!workload_model_grants(model, workload_model_queue_of(model, number))) {
        workload_model_end_promise(model, number);
        return true;
    }
    if (fits_now(model, number, now)) {
        reserve(model, number, now);
        return true;
    }
    if (has_room(model, number, model->workloads[number].held, false))
        return false;
    workload_model_end_promise(model, number);
    return true;
}

static bool review_below(struct workload_model *model, int root)
{
    int64_t after = 0;

    for (;;) {
        int next = -1;

        for (int n = 0; n < LOADS; n++)
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

    if (review_below(model, root))
        return true;
    for (int node = QUEUE_NAMES; node < WORKLOAD_NODES; node++)
        if (workload_model_root(model, node) == root && ask_queue(model, node, &choice) &&
            (best.what == NOTHING || comes_first(model, &choice, &best)))
            best = choice;
    if (best.what == RESERVES)
        reserve(model, best.number, best.made.granted);
    else if (best.what == PREEMPTS_OTHERS)
        preempt(model, &best);
    return best.what != NOTHING;
}

void workload_model_settle(struct workload_model *model)
{
    workload_model_settle_all(model);
    for (int root = 0; root < WORKLOAD_NODES && model->leads && model->synced; root++)
        while (workload_model_parent(model, root) < 0 && one_thing(model, root))
            workload_model_settle_all(model);
    workload_model_settle_all(model);
}
