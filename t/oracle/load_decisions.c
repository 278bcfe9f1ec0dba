/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/load_model.h"

#include <string.h>

/* What becomes of workloads that wait: whoever may be asked is asked, one thing happens, and all
 * are asked again. */
enum { NOTHING, RESERVES, PREEMPTS_OTHERS };

struct choice {
    int what, number;
    struct load_assigned made;
};

static bool waits(const struct load_model *model, int number, int node)
{
    const struct model_load *load = &model->loads[number];

    return load->known && !load->over && load->state == CLAIM_WAITING &&
           load_model_queue_of(model, number) == node;
}

static bool ranks_before(const struct load_model *model, int a, int b)
{
    const struct load_object *x = &model->loads[a].seen, *y = &model->loads[b].seen;

    if (x->priority != y->priority)
        return x->priority > y->priority;
    if (load_model_since(x) != load_model_since(y))
        return load_model_since(x) < load_model_since(y);
    return strcmp(load_world_uid(a, x->object), load_world_uid(b, y->object)) < 0;
}

/* Those that wait in the queue, in their order. */
static int list(const struct load_model *model, int node, int ret[LOADS])
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

static int ask(struct load_model *model, int number, struct load_assigned *ret)
{
    struct model_load *load = &model->loads[number];
    bool would = false;
    int what = NOTHING;

    if (load_model_decide(model, number, true, ret)) {
        what = ret->how == FITS ? RESERVES : PREEMPTS_OTHERS;
        would = what == PREEMPTS_OTHERS && !ret->waits_only;
    }
    if (would && load_model_closed(model, &load->seen)) {
        load->blocked = true;
        return NOTHING;
    }
    /* A signal stays while its victims go. */
    load->blocked = would && load->seen.conditions[CONDITION_SIGNAL].is_true;
    return what;
}

/* Whoever asks for the same as one that was refused has no victims either. */
static void silence_alike(struct load_model *model, const int *waiting, int count)
{
    const struct load_object *head = &model->loads[waiting[0]].seen;

    for (int n = 1; n < count; n++) {
        struct model_load *load = &model->loads[waiting[n]];

        if (!load->promised && load_model_same_asks(head, &load->seen) &&
            load_model_closed(model, head) == load_model_closed(model, &load->seen))
            load->blocked = false;
    }
}

static bool ask_queue(struct load_model *model, int node, struct choice *ret)
{
    bool strict = load_model_shown(model, node)->step.v[QUEUE_STRICT];
    int waiting[LOADS], count;

    if (!load_model_grants(model, node))
        return false;
    count = list(model, node, waiting);
    for (int n = 0; n < count; n++) {
        ret->number = waiting[n];
        ret->what = NOTHING;
        if (!model->loads[waiting[n]].promised)
            ret->what = ask(model, waiting[n], &ret->made);
        if (ret->what != NOTHING)
            return true;
        if (strict && !model->loads[waiting[n]].promised && !model->loads[waiting[n]].blocked)
            silence_alike(model, waiting, count);
        if (strict)
            return false;
    }
    return false;
}

static bool comes_first(const struct load_model *model, const struct choice *a,
                        const struct choice *b)
{
    const struct load_object *x = &model->loads[a->number].seen;
    const struct load_object *y = &model->loads[b->number].seen;

    if ((a->made.height > 0) != (b->made.height > 0))
        return a->made.height == 0;
    if (x->priority != y->priority)
        return x->priority > y->priority;
    if (load_model_since(x) != load_model_since(y))
        return load_model_since(x) < load_model_since(y);
    return load_model_queue_of(model, a->number) < load_model_queue_of(model, b->number);
}

static void reserve(struct load_model *model, int number,
                    const struct load_grant granted[LOAD_SETS])
{
    struct model_load *load = &model->loads[number];

    load_model_end_promise(model, number);
    memcpy(load->held, granted, sizeof(load->held));
    load->assumed = true;
    load->blocked = false;
    load->state = CLAIM_RESERVED;
    load->stamp = model->now;
}

static void preempt(struct load_model *model, const struct choice *choice)
{
    struct model_load *load = &model->loads[choice->number];
    struct load_wanted wanted;
    struct load_victims victims;

    load_model_total(model, choice->number, choice->made.granted, &wanted);
    load_model_hunt(model, choice->number, &wanted, &victims);
    load_model_return(model);
    memcpy(load->held, choice->made.granted, sizeof(load->held));
    load->promised = true;
    load->order = ++model->orders;
    for (int n = 0; n < victims.count; n++) {
        struct model_load *victim = &model->loads[victims.loads[n]];

        if (victim->assumed && !victim->leased && !victim->awaits) {
            load_model_give_up(model, victims.loads[n]); /* nobody has heard of it */
            continue;
        }
        victim->victim = true;
        victim->of = choice->number;
        victim->cause = victims.causes[n];
    }
}

/* Whether there is room for what it is promised. */
static bool has_room(const struct load_model *model, int number,
                     const struct load_grant held[LOAD_SETS], bool now)
{
    int queue = load_model_queue_of(model, number);
    struct load_wanted wanted;

    load_model_total(model, number, held, &wanted);
    for (int i = 0; i < wanted.count; i++) {
        wide later = load_model_room(model, queue, wanted.cells[i], true);

        if (!model->scenery->flavors[wanted.cells[i].flavor].is)
            return false;
        if (wanted.amounts[i] == 0)
            continue;
        if (now ? wanted.amounts[i] > later ||
                      wanted.amounts[i] > load_model_room(model, queue, wanted.cells[i], false)
                : later < 0)
            return false;
    }
    return true;
}

/* From how far up it borrows what it is promised. */
static int promised_height(const struct load_model *model, int number)
{
    struct load_wanted wanted;
    int most = 0;
    bool any;

    load_model_total(model, number, model->loads[number].held, &wanted);
    for (int i = 0; i < wanted.count; i++) {
        int height = load_model_height(model, load_model_queue_of(model, number), wanted.cells[i],
                                       0, true, &any);

        most = height > most ? height : most;
    }
    return most;
}

/* Whether it could be granted something at once by somebody who is promised nothing: with nobody
 * going for it who need not. Who would rather borrow less waits for that, and nobody takes fewer
 * pods than it is promised. */
static bool fits_now(const struct load_model *model, int number, struct load_grant ret[LOAD_SETS])
{
    struct load_model without = *model;
    struct load_assigned other;
    const int64_t *policy = load_model_shown(model, load_model_queue_of(model, number))->step.v;

    memcpy(ret, model->loads[number].held, sizeof(model->loads[number].held));
    load_model_end_promise(&without, number);
    if (has_room(&without, number, ret, true))
        return true;
    if (!policy[QUEUE_PREEMPTS_LAST] || !load_model_decide(&without, number, false, &other))
        return false;
    for (int s = 0; s < LOAD_SETS; s++)
        if (other.granted[s].count < ret[s].count)
            return false;
    if (policy[QUEUE_BORROWS_LEAST] && other.height > promised_height(model, number))
        return false;
    memcpy(ret, other.granted, sizeof(other.granted));
    return true;
}

/* Who is promised room gets it, keeps waiting for it, or can get it no more. True: not the second.
 */
static bool review(struct load_model *model, int number)
{
    struct load_grant now[LOAD_SETS];

    for (int n = 0; n < LOADS; n++)
        if (model->loads[n].known && model->loads[n].of == number)
            load_model_spare(model, n);
    if (!load_model_grants(model, load_model_queue_of(model, number))) {
        load_model_end_promise(model, number);
        return true;
    }
    if (fits_now(model, number, now)) {
        reserve(model, number, now);
        return true;
    }
    if (has_room(model, number, model->loads[number].held, false))
        return false;
    load_model_end_promise(model, number);
    return true;
}

static bool review_below(struct load_model *model, int root)
{
    int64_t after = 0;

    for (;;) {
        int next = -1;

        for (int n = 0; n < LOADS; n++)
            if (model->loads[n].promised && model->loads[n].order > after &&
                load_model_root(model, load_model_queue_of(model, n)) == root &&
                (next < 0 || model->loads[n].order < model->loads[next].order))
                next = n;
        if (next < 0)
            return false;
        if (review(model, next))
            return true;
        after = model->loads[next].order;
    }
}

static bool one_thing(struct load_model *model, int root)
{
    struct choice best = {.what = NOTHING, .number = -1}, choice;

    if (review_below(model, root))
        return true;
    for (int node = QUEUE_NAMES; node < LOAD_NODES; node++)
        if (load_model_root(model, node) == root && ask_queue(model, node, &choice) &&
            (best.what == NOTHING || comes_first(model, &choice, &best)))
            best = choice;
    if (best.what == RESERVES)
        reserve(model, best.number, best.made.granted);
    else if (best.what == PREEMPTS_OTHERS)
        preempt(model, &best);
    return best.what != NOTHING;
}

void load_model_settle(struct load_model *model)
{
    load_model_settle_all(model);
    for (int root = 0; root < LOAD_NODES && model->leads && model->synced; root++)
        while (load_model_parent(model, root) < 0 && one_thing(model, root))
            load_model_settle_all(model);
    load_model_settle_all(model);
}
