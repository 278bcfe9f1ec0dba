/* SPDX-License-Identifier: Apache-2.0 */
#include "demand.h"

#include "plugin/base/placement.h"
#include "plugin/order/demand_text.h"
#include "plugin/state.h"

struct tree_link *demand_link(const void *ctx, uint32_t id)
{
    return &demand_at(ctx, id)->link;
}

static int compare(const void *ctx, uint32_t a, uint32_t b)
{
    const struct engine *e = ctx;

    return claim_compare_rank(e, demand_at(e, a)->head, demand_at(e, b)->head);
}

/* The oldest refusal of it and of those below it in the tree. */
static uint64_t least_of(const struct engine *e, uint32_t id)
{
    const struct demand *demand = demand_at(e, id);
    const uint32_t below[2] = {demand->link.left, demand->link.right};
    uint64_t least = demand->refused;

    for (int i = 0; i < 2; i++) {
        if (below[i] != 0 && demand_at(e, below[i])->least < least)
            least = demand_at(e, below[i])->least;
    }
    return least;
}

static bool update(void *ctx, uint32_t id)
{
    uint64_t before = demand_at(ctx, id)->least, least = least_of(ctx, id);

    demand_at(ctx, id)->least = least;
    return least != before;
}

const struct tree_type demands_by_head = {demand_link, compare, update};

struct demand_question {
    const struct engine *e;
    const struct demand *like;
};

static bool same(const void *ctx, uint32_t id)
{
    const struct demand_question *q = ctx;
    const struct demand *a = demand_at(q->e, id), *b = q->like;

    return a->queue == b->queue && a->text == b->text && a->gated == b->gated &&
           a->yields == b->yields;
}

static uint32_t hash_of(const struct demand *demand)
{
    const uint32_t words[4] = {demand->queue, demand->text, demand->gated, demand->yields};

    return hash_bytes(words, sizeof(words), 16);
}

static void release(struct engine *e, struct demand *demand)
{
    for (uint32_t s = 0; s < demand->set_count; s++) {
        for (uint32_t i = 0; i < demand->sets[s].need_count; i++)
            intern_unref(&e->names, demand->sets[s].needs[i].resource);
    }
    mem_free(&e->mem, demand->sets, demand->size);
    intern_unref(&e->names, demand->text);
}

int demand_get(struct engine *e, uint32_t queue, uint32_t text, bool gated, bool yields,
               uint32_t *ret_demand)
{
    struct demand demand = {.queue = queue, .text = text, .gated = gated, .yields = yields};
    const struct demand_question q = {e, &demand};
    uint32_t id = index_find(&e->order.demands_by_text, hash_of(&demand), same, &q);

    if (id == 0) {
        if (slab_reserve(&e->order.demands, 1) < 0 || index_reserve(&e->order.demands_by_text) < 0)
            return ENGINE_NO_MEMORY;
        intern_ref(&e->names, text);
        if (demand_read(e, &demand) < 0 || backlog_get_demand(e, &demand) < 0) {
            release(e, &demand);
            return ENGINE_NO_MEMORY;
        }
        id = slab_take(&e->order.demands);
        *demand_at(e, id) = demand;
        index_put(&e->order.demands_by_text, hash_of(&demand), id);
    }
    demand_at(e, id)->users++;
    *ret_demand = id;
    return 0;
}

void demand_unref(struct engine *e, uint32_t id)
{
    struct demand *demand;

    if (id == 0 || --(demand = demand_at(e, id))->users > 0)
        return;
    index_drop(&e->order.demands_by_text, hash_of(demand), id);
    backlog_unref_demand(e, demand);
    release(e, demand);
    slab_give(&e->order.demands, id);
}

void demand_release(struct engine *e, uint32_t id)
{
    release(e, demand_at(e, id));
}

static bool suits(const struct engine *e, const struct demand_set *set, uint16_t flavor)
{
    struct flavor_facts facts;
    uint32_t taint;

    if (flavor == 0 || !flavor_usable(e, flavor))
        return false;
    engine_flavor(e, flavor, &facts);
    return placement_judge(&set->placement, &facts, &facts.taints, &taint) == PLACEMENT_SUITS;
}

void demand_judge(struct engine *e, uint32_t id)
{
    struct demand *demand = demand_at(e, id);
    const struct queue *queue = queue_at(e, demand->queue);

    if (demand->judged == e->queues.placements)
        return;
    demand->judged = e->queues.placements;
    for (uint32_t s = 0; s < demand->set_count; s++) {
        uint64_t *refused = demand->sets[s].refused;

        for (uint32_t g = 0; g < queue->group_count; g++) {
            refused[g] = 0;
            for (uint32_t k = 0; k < queue->groups[g].flavor_count; k++)
                refused[g] |=
                    (uint64_t)!suits(e, &demand->set_details[s], queue->groups[g].flavors[k]) << k;
        }
    }
}

static void take_out(struct engine *e, uint32_t id)
{
    struct cluster_queue *cluster = &queue_at(e, demand_at(e, id)->queue)->cluster;

    if (demand_at(e, id)->lacks)
        tree_remove(&demands_by_shortage, e, &cluster->short_of, id);
    else
        tree_remove(&demands_by_head, e, &cluster->demands, id);
}

static void put_in(struct engine *e, uint32_t id)
{
    struct cluster_queue *cluster = &queue_at(e, demand_at(e, id)->queue)->cluster;

    if (demand_at(e, id)->lacks)
        tree_insert(&demands_by_shortage, e, &cluster->short_of, id);
    else
        tree_insert(&demands_by_head, e, &cluster->demands, id);
}

/* Its head may be another one now: then it has its place by that, and is asked again. */
static void set_head(struct engine *e, uint32_t id, bool better)
{
    struct demand *demand = demand_at(e, id);
    uint32_t head = tree_first(&workloads_by_rank, e, demand->waiting);

    if (head == demand->head)
        return;
    if (demand->head != 0)
        take_out(e, id);
    demand->head = head;
    if (better) {
        demand->refused = 0;
        demand->lacks = false;
    }
    if (head != 0)
        put_in(e, id);
}

/* Somebody waits in it now, or nobody any more. */
static void count_waiting(struct engine *e, uint32_t id, bool waited)
{
    const struct demand *demand = demand_at(e, id);
    uint32_t more = (uint32_t)((demand->head != 0) - waited);

    if (demand->gated)
        e->order.gated_demands += more;
    if (demand->set_count > 1)
        queue_at(e, demand->queue)->cluster.choosers += more;
}

void demand_join(struct engine *e, uint32_t workload)
{
    uint32_t id = workload_at(e, workload)->demand;
    bool waited = demand_at(e, id)->head != 0;

    if (workload_is(workload_at(e, workload), WORKLOAD_BLOCKED))
        demand_set_signals(e, id, true);
    if (!waited)
        demand_at(e, id)->refused = demand_at(e, id)->refusal = 0;
    tree_insert(&workloads_by_rank, e, &demand_at(e, id)->waiting, workload);
    set_head(e, id, true);
    count_waiting(e, id, waited);
    /* Who is before it signals for victims that this one cannot take: it may fit elsewhere. And if
     * this one signals, that may be over. */
    if (demand_at(e, id)->signals && demand_at(e, id)->head != workload)
        demand_refuse(e, id, 0);
}

/* Where nobody passes the head, the others were not asked whether they would signal, too. */
static bool only_head_was_asked(const struct engine *e, uint32_t id)
{
    return demand_at(e, id)->signals && queue_at(e, demand_at(e, id)->queue)->strict;
}

/* The next one of the same demand gets no better verdict, if its head was refused. But one whose
 * head left because it was granted something was not refused. */
void demand_leave(struct engine *e, uint32_t workload)
{
    uint32_t id = workload_at(e, workload)->demand;

    if (workload != demand_at(e, id)->head) {
        tree_remove(&workloads_by_rank, e, &demand_at(e, id)->waiting, workload);
        return;
    }
    take_out(e, id);
    demand_at(e, id)->head = 0;
    tree_remove(&workloads_by_rank, e, &demand_at(e, id)->waiting, workload);
    set_head(e, id, only_head_was_asked(e, id));
    count_waiting(e, id, true);
}

/* Of those that lack nothing. */
static uint32_t first_open(const struct engine *e, uint32_t queue, uint64_t change)
{
    uint32_t id = queue_at(e, queue)->cluster.demands;

    while (id != 0) {
        const struct demand *demand = demand_at(e, id);
        uint32_t left = demand->link.left;

        if (left != 0 && demand_at(e, left)->least < change) {
            id = left;
            continue;
        }
        if (demand->refused < change)
            return id;
        id = demand->link.right;
        if (id != 0 && demand_at(e, id)->least >= change)
            return 0;
    }
    return 0;
}

uint32_t demand_first(const struct engine *e, uint32_t queue, uint64_t change)
{
    return shortage_first_of(e, first_open(e, queue, change), shortage_first(e, queue));
}

bool demand_pass_over(struct engine *e, uint32_t id, uint64_t change)
{
    struct shortage shortage;

    demand_judge(e, id);
    if (demand_at(e, id)->signals || !shortage_find(e, id, &shortage))
        return false;
    take_out(e, id);
    demand_at(e, id)->shortage = shortage;
    demand_at(e, id)->refused = change;
    demand_at(e, id)->lacks = true;
    put_in(e, id);
    return true;
}

void demand_refuse(struct engine *e, uint32_t id, uint64_t change)
{
    struct demand *demand = demand_at(e, id);

    if (demand->head == 0) /* whoever was refused does not even wait any more */
        return;
    take_out(e, id);
    demand->refused = change;
    demand->lacks = false;
    put_in(e, id);
}

void demand_set_signals(struct engine *e, uint32_t id, bool signals)
{
    demand_at(e, id)->signals = signals;
    if (signals && demand_at(e, id)->lacks)
        demand_refuse(e, id, demand_at(e, id)->refused);
}

const char *demand_check(const struct engine *e, uint32_t id)
{
    const struct demand *demand = demand_at(e, id);

    if (!tree_check(&workloads_by_rank, e, demand->waiting))
        return "the workloads of a demand wait in order of rank";
    if (demand->head != tree_first(&workloads_by_rank, e, demand->waiting))
        return "a demand's head is its first workload";
    if ((demand->head != 0) != (demand->link.size != 0))
        return "a demand is in one of its queue's trees while somebody waits in it";
    if (demand->users == 0)
        return "a demand is somebody's";
    for (uint32_t workload = demand->head; workload != 0;
         workload = tree_next(&workloads_by_rank, e, workload)) {
        if (workload_is(workload_at(e, workload), WORKLOAD_BLOCKED) && !demand->signals)
            return "a demand knows that somebody in it signals";
    }
    if (demand->head == 0)
        return NULL;
    if (demand->lacks && (demand->refused == 0 || demand->signals))
        return "what a demand lacks is known of those that were refused, and do not signal";
    if (demand->lacks)
        return shortage_check(e, id);
    return demand->least == least_of(e, id) ? NULL
                                            : "a demand knows the oldest refusal of those below it";
}
