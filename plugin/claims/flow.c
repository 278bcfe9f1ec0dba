/* SPDX-License-Identifier: Apache-2.0 */
#include "flow.h"

#include "plugin/state.h"

struct flow flow_of_claim(const struct engine *e, uint32_t id, uint16_t flavor, uint32_t resource)
{
    const struct claim *claim = claim_at(e, id);
    bool stays = claim_holds(claim) ? claim_counts_later(claim) : claim->flags & CLAIM_PROMISED;
    wide asked = claim_holds(claim) || stays ? claim_amount(e, id, flavor, resource) : 0;
    struct flow flow = {0};

    flow.reserved = claim->state == CLAIM_RESERVED ? asked : 0;
    flow.allocated = claim->state == CLAIM_ALLOCATED ? asked : 0;
    flow.usage = flow.reserved + flow.allocated;
    flow.later = flow.expected = stays ? asked : 0;
    return flow;
}

static bool take(uint32_t *steps)
{
    *steps -= *steps > 0;
    return *steps > 0;
}

/* Returns what the claims of the tree hold, and adds what of that they will still hold later. */
static wide held_by(const struct engine *e, uint32_t root, uint16_t flavor, uint32_t resource,
                    wide *later, uint32_t *steps)
{
    wide sum = 0;

    for (uint32_t id = tree_first(&claims_by_stamp, e, root); id != 0 && take(steps);
         id = tree_next(&claims_by_stamp, e, id)) {
        wide asked = claim_amount(e, id, flavor, resource);

        sum += asked;
        *later += claim_counts_later(claim_at(e, id)) ? asked : 0;
    }
    return sum;
}

bool flow_is_empty(const struct engine *e, uint32_t id)
{
    const struct queue *queue = queue_at(e, id);

    return queue->counts[CLAIM_RESERVED] + queue->counts[CLAIM_ALLOCATED] == 0 &&
           queue->promised == 0 && queue->cluster.below == 0;
}

static struct flow count(const struct engine *e, uint32_t id, uint16_t flavor, uint32_t resource,
                         uint32_t *steps);

/* Without a cell nothing below has one: all passes. */
static struct flow passes(const struct engine *e, uint32_t id, uint16_t flavor, uint32_t resource,
                          uint32_t *steps)
{
    const struct queue *queue = queue_at(e, id);
    const struct cell *cell = quota_cell(queue, flavor, resource);

    if (cell == NULL && flow_is_empty(e, id))
        return (struct flow){0};
    if (cell == NULL || cell->counting)
        return count(e, id, flavor, resource, steps);
    return cell_flow(queue, cell);
}

/* What is promised to the queue's workloads, or to its other claims. */
static wide promised_to(const struct engine *e, uint32_t id, bool workloads, uint16_t flavor,
                        uint32_t resource, uint32_t *steps)
{
    wide sum = 0;

    for (uint32_t at = e->claims.promises.all.first; at != 0; at = pledge_at(e, at)->peers.next) {
        if (claim_is_workload(e, at) != workloads)
            continue;
        if (!workloads && !take(steps))
            break;
        sum += claim_queue(e, at) == id ? claim_amount(e, at, flavor, resource) : 0;
    }
    return sum;
}

/* What the queue's workloads hold, or are promised. */
static void add_workloads(const struct engine *e, uint32_t id, uint16_t flavor, uint32_t resource,
                          struct flow *sum)
{
    uint32_t workload = tree_first(&workloads_that_hold, e, queue_at(e, id)->cluster.holding);

    if (queue_at(e, id)->cluster.below == 0)
        return;
    for (; workload != 0; workload = tree_next(&workloads_that_hold, e, workload)) {
        wide amount = claim_amount(e, workload, flavor, resource);

        sum->reserved += claim_at(e, workload)->state == CLAIM_RESERVED ? amount : 0;
        sum->allocated += claim_at(e, workload)->state == CLAIM_ALLOCATED ? amount : 0;
        sum->later += workload_counts_later(e, workload) ? amount : 0;
    }
    sum->later += promised_to(e, id, true, flavor, resource, NULL);
}

void flow_add_workloads(const struct engine *e, uint32_t id, uint16_t flavor, uint32_t resource,
                        struct flow *sum)
{
    for (uint32_t at = id; at != 0;
         at = (queue_at(e, at)->cluster.below > 0 ? queue_after : queue_past)(e, at, id))
        add_workloads(e, at, flavor, resource, sum);
}

/* When nothing is left of the steps it is not all. */
static struct flow count(const struct engine *e, uint32_t id, uint16_t flavor, uint32_t resource,
                         uint32_t *steps)
{
    const struct queue *queue = queue_at(e, id);
    struct flow sum = {0};

    sum.reserved = held_by(e, queue->reserved, flavor, resource, &sum.later, steps);
    sum.allocated = held_by(e, queue->allocated, flavor, resource, &sum.later, steps);
    add_workloads(e, id, flavor, resource, &sum);
    sum.usage = sum.reserved + sum.allocated;
    if (queue->promised > 0)
        sum.later += promised_to(e, id, false, flavor, resource, steps);
    sum.expected = sum.later;
    for (uint32_t child = queue->first_child; child != 0 && take(steps);
         child = queue_at(e, child)->next_sibling) {
        struct flow flow = passes(e, child, flavor, resource, steps);

        sum.usage += flow.usage;
        sum.reserved += flow.reserved;
        sum.allocated += flow.allocated;
        sum.given += flow.given;
        sum.later += flow.later;
        sum.expected += flow.expected;
    }
    return sum;
}

struct flow flow_of(const struct engine *e, uint32_t id, uint16_t flavor, uint32_t resource)
{
    uint32_t steps = UINT32_MAX;

    return passes(e, id, flavor, resource, &steps);
}

bool flow_count_some(const struct engine *e, uint32_t id, uint16_t flavor, uint32_t resource,
                     uint32_t steps, struct flow *ret)
{
    *ret = count(e, id, flavor, resource, &steps);
    return steps > 0;
}

static uint32_t count_promised(const struct engine *e, uint32_t id)
{
    uint32_t count = 0;

    for (uint32_t at = e->claims.promises.all.first; at != 0; at = pledge_at(e, at)->peers.next)
        count += !claim_is_workload(e, at) && claim_queue(e, at) == id;
    for (uint32_t child = queue_at(e, id)->first_child; child != 0;
         child = queue_at(e, child)->next_sibling)
        count += queue_at(e, child)->promised;
    return count;
}

const char *flow_check(const struct engine *e, uint32_t id)
{
    const struct queue *queue = queue_at(e, id);

    if (count_promised(e, id) != queue->promised)
        return "who is promised something is counted over the subtree";
    for (uint32_t i = 0; i < queue->cell_count; i++) {
        const struct cell *cell = &queue->cells[i];
        uint32_t steps = UINT32_MAX;
        struct flow flow;

        if (!cell->named && cell->carriers == 0 && !root_bounds_all(e, id))
            return "a cell is named by its queue or carried by a child";
        if (queue->parent != 0 &&
            quota_cell(queue_at(e, queue->parent), cell->flavor, cell->resource) == NULL)
            return "a parent has every cell of its children";
        if (cell->counting) /* see recount_check */
            continue;
        flow = count(e, id, cell->flavor, cell->resource, &steps);
        if (flow.usage != cell->usage)
            return "usage is what the claims hold and the children pass up";
        if (flow.later != cell->later)
            return "what is used later is what stays and what is promised";
        if (flow.reserved != cell->reserved || flow.allocated != cell->allocated)
            return "reserved and allocated are the sums over the subtree's claims";
        if (flow.expected != cell->expected)
            return "what is expected is the sum over the subtree's claims";
        if (flow.given != cell->given)
            return "given is the sum over the children";
    }
    return NULL;
}
