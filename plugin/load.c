/* SPDX-License-Identifier: Apache-2.0 */
#include "load.h"

#include "assign.h"
#include "contest.h"
#include "load_promise.h"
#include "state.h"

static struct tree_link *link_of(const void *ctx, uint32_t id)
{
    return &load_at(ctx, id)->link;
}

static struct tree_link *peer_of(const void *ctx, uint32_t id)
{
    return &load_at(ctx, id)->peer;
}

/* Objects have uids of their own; messages may say the same one twice. */
static int compare_identity(const struct engine *e, const struct load *x, const struct load *y)
{
    int order = text_compare(name_text(e, x->uid), name_text(e, y->uid));

    if (order == 0)
        order = text_compare(name_text(e, x->space), name_text(e, y->space));
    return order != 0 ? order : text_compare(name_text(e, x->name), name_text(e, y->name));
}

int load_compare_rank(const struct engine *e, uint32_t a, uint32_t b)
{
    const struct load *x = load_at(e, a), *y = load_at(e, b);

    if (x->priority != y->priority)
        return x->priority > y->priority ? -1 : 1;
    if (x->since != y->since)
        return x->since < y->since ? -1 : 1;
    return compare_identity(e, x, y);
}

static int compare_rank(const void *ctx, uint32_t a, uint32_t b)
{
    return load_compare_rank(ctx, a, b);
}

static int compare_holders(const void *ctx, uint32_t a, uint32_t b)
{
    const struct engine *e = ctx;
    const struct load *x = load_at(e, a), *y = load_at(e, b);

    if (x->priority != y->priority)
        return x->priority < y->priority ? -1 : 1;
    if (x->stamp != y->stamp)
        return x->stamp > y->stamp ? -1 : 1;
    return compare_identity(e, x, y);
}

const struct tree_type loads_by_rank = {peer_of, compare_rank, NULL};
const struct tree_type loads_of_queue = {link_of, compare_rank, NULL};
const struct tree_type loads_that_hold = {link_of, compare_holders, NULL};

bool load_before(const void *ctx, uint32_t a, uint32_t b)
{
    const struct engine *e = ctx;

    return compare_identity(e, load_at(e, a), load_at(e, b)) < 0;
}

struct name_question {
    const struct engine *e;
    struct text space, name;
};

static bool same_name(const void *ctx, uint32_t id)
{
    const struct name_question *q = ctx;
    const struct load *load = load_at(q->e, id);

    return text_same(name_text(q->e, load->name), q->name) &&
           text_same(name_text(q->e, load->space), q->space);
}

uint32_t load_name_hash(struct text space, struct text name)
{
    return hash_bytes(name.at, name.len, hash_bytes(space.at, space.len, 19));
}

uint32_t load_find(const struct engine *e, struct text space, struct text name)
{
    struct name_question q = {e, space, name};

    return index_find(&e->loads_by_name, load_name_hash(space, name), same_name, &q);
}

uint32_t load_queue(const struct engine *e, uint32_t id)
{
    return wish_at(e, load_at(e, id)->wish)->queue;
}

/* What a pod set is granted of one of its needs. */
static wide amount_of(const struct load *load, const struct wish *wish, uint32_t set, uint32_t need)
{
    return (wide)wish->asks[set].needs[need].amount * load->counts[set];
}

static void charge(struct engine *e, uint32_t id, int reserved, int allocated, int later)
{
    const struct load *load = load_at(e, id);
    const struct wish *wish = wish_at(e, load->wish);
    const uint16_t *flavors = load_flavors(load, wish->set_count);

    for (uint32_t s = 0; s < wish->set_count; s++) {
        for (uint32_t i = 0; i < wish->asks[s].need_count; i++) {
            wide amount = amount_of(load, wish, s, i);

            quota_charge(e, wish->queue, flavors[wish->sets[s].at + i],
                         wish->asks[s].needs[i].resource, reserved * amount, allocated * amount,
                         later * amount, false);
        }
    }
}

void load_count_later(struct engine *e, uint32_t id, int sign)
{
    charge(e, id, 0, 0, sign);
}

/* With the pods that it holds, or with as few of them as it takes. */
static wide sum_of(const struct engine *e, uint32_t id, uint16_t flavor, uint32_t resource,
                   bool least)
{
    const struct load *load = load_at(e, id);
    const struct wish *wish = wish_at(e, load->wish);
    const uint16_t *flavors = load_flavors(load, wish->set_count);
    wide sum = 0;

    for (uint32_t s = 0; s < wish->set_count; s++) {
        const struct assign_set *set = &wish->asks[s];
        bool fewer = least && set->minimum < load->counts[s];

        for (uint32_t i = 0; i < set->need_count; i++) {
            if (set->needs[i].resource == resource && flavors[wish->sets[s].at + i] == flavor)
                sum +=
                    fewer ? (wide)set->needs[i].amount * set->minimum : amount_of(load, wish, s, i);
        }
    }
    return sum;
}

wide load_amount(const struct engine *e, uint32_t id, uint16_t flavor, uint32_t resource)
{
    return sum_of(e, id, flavor, resource, false);
}

wide load_least_amount(const struct engine *e, uint32_t id, uint16_t flavor, uint32_t resource)
{
    return sum_of(e, id, flavor, resource, true);
}

void load_set_flavors(struct engine *e, uint32_t id, const struct assignment *made)
{
    struct load *load = load_at(e, id);
    const struct wish *wish = wish_at(e, load->wish);
    uint16_t *flavors = load_flavors(load, wish->set_count);

    for (uint32_t s = 0; s < wish->set_count; s++) {
        load->counts[s] = made == NULL ? 0 : made->counts[s];
        for (uint32_t i = 0; i < wish->asks[s].need_count; i++) {
            uint16_t next = made == NULL ? (uint16_t)FLAVOR_NONE : made->needs[s][i].flavor;

            flavor_ref(e, next);
            flavor_unref(e, flavors[wish->sets[s].at + i]);
            flavors[wish->sets[s].at + i] = next;
        }
    }
}

/* Counts it in its LocalQueue and its queue, or (-1) no longer. */
static void count(struct engine *e, uint32_t id, int more)
{
    const struct load *load = load_at(e, id);
    uint32_t *counts = local_queue_at(e, load->local_queue)->counts, queue = load_queue(e, id);
    bool holds = load_holds(load), admitted = holds && load->state == CLAIM_ALLOCATED;

    counts[LOCAL_PENDING] += holds ? 0 : (uint32_t)more;
    counts[LOCAL_RESERVING] += holds ? (uint32_t)more : 0;
    counts[LOCAL_ADMITTED] += admitted ? (uint32_t)more : 0;
    if (queue == 0)
        return;
    e->loads_apart += holds != load_counts_later(load) ? (uint32_t)more : 0;
    queue_at(e, queue)->bay.admitted += admitted ? (uint32_t)more : 0;
    if (holds || load_is(load, LOAD_PROMISED))
        bay_count(e, queue, more);
}

/* Others in the tree have more room, or less. */
static void others_see(struct engine *e, uint32_t id)
{
    uint32_t queue = load_queue(e, id);

    if (load_holds(load_at(e, id))) {
        contest_refresh(e, queue);
        queue_victims_changed(e, queue);
    }
}

void load_take_out(struct engine *e, uint32_t id)
{
    struct load *load = load_at(e, id);
    uint32_t queue = load_queue(e, id);

    if (!load_is(load, LOAD_PLACED))
        return;
    e->load_moves++;
    count(e, id, -1);
    if (queue != 0 && load_holds(load)) {
        tree_remove(&loads_that_hold, e, &queue_at(e, queue)->bay.holding, id);
        charge(e, id, -(load->state == CLAIM_RESERVED), -(load->state == CLAIM_ALLOCATED),
               -load_counts_later(load));
        others_see(e, id);
    } else if (queue != 0 && load->state == CLAIM_WAITING) {
        asks_count_wish(e, load->wish, -1);
        if (load_is(load, LOAD_PROMISED))
            charge(e, id, 0, 0, -1);
        else
            wish_leave(e, id);
        if (queue_at(e, queue)->strict) /* the next one may be its head now, and be asked */
            bay_stir_newcomer(e, queue);
        tree_remove(&loads_of_queue, e, &queue_at(e, queue)->bay.waiting, id);
        if (queue_at(e, queue)->bay.waiting == 0)
            bay_stir_deserted(e, queue);
        if (queue_at(e, queue)->strict) /* whoever comes behind it is the head now */
            bay_stir_newcomer(e, queue);
    } else if (queue != 0) {
        tree_remove(&loads_of_queue, e, &queue_at(e, queue)->bay.held, id);
    }
    load_set(load, LOAD_PLACED, false);
}

void load_put_in(struct engine *e, uint32_t id)
{
    struct load *load = load_at(e, id);
    uint32_t queue = load_queue(e, id);

    e->load_moves++;
    load_set(load, LOAD_PLACED, true);
    count(e, id, 1);
    if (queue != 0 && load_holds(load)) {
        tree_insert(&loads_that_hold, e, &queue_at(e, queue)->bay.holding, id);
        charge(e, id, load->state == CLAIM_RESERVED, load->state == CLAIM_ALLOCATED,
               load_counts_later(load));
        others_see(e, id);
    } else if (queue != 0 && load->state == CLAIM_WAITING) {
        tree_insert(&loads_of_queue, e, &queue_at(e, queue)->bay.waiting, id);
        asks_count_wish(e, load->wish, 1);
        if (load_is(load, LOAD_PROMISED))
            charge(e, id, 0, 0, 1);
        else
            wish_join(e, id);
    } else if (queue != 0) {
        tree_insert(&loads_of_queue, e, &queue_at(e, queue)->bay.held, id);
    }
}

void load_count_release(struct engine *e, uint32_t id)
{
    if (load_queue(e, id) != 0)
        queue_at(e, load_queue(e, id))->totals.gave_up++;
}

void load_retract(struct engine *e, uint32_t id)
{
    struct load *load = load_at(e, id);

    load_promise_end(e, id);
    if (!load_is(load, LOAD_ASSUMED))
        return;
    load_take_out(e, id);
    load_set(load, LOAD_ASSUMED, false);
    load_promise_lose_victim(e, id);
    load->state = CLAIM_WAITING;
    load_set_flavors(e, id, NULL);
    load_put_in(e, id);
    queue_todo(e, TODO_DIRTY, queue_root(e, load_queue(e, id)));
}

void load_give_up(struct engine *e, uint32_t id)
{
    if (load_is(load_at(e, id), LOAD_ASSUMED))
        load_count_release(e, id);
    load_retract(e, id);
}
