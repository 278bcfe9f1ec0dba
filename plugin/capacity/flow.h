/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_CAPACITY_FLOW_H
#define SLUICE_PLUGIN_CAPACITY_FLOW_H

#include "plugin/queues/queue.h"
#include "quota.h"

#include <stdbool.h>

/*
 * What passes from the cells of a queue into those of its parent, and what a cell must hold by
 * that: counted anew from the claims of its queue and the cells of its children.
 */
struct flow {
    wide usage, reserved, allocated, given, later, expected;
};

struct engine;

/* What this queue's subtree takes beyond what is kept for it. */
static inline wide flow_passes(const struct cell *cell)
{
    return wide_max(0, cell->usage - cell->kept);
}

static inline wide flow_passes_later(const struct cell *cell)
{
    return wide_max(0, cell->later - cell->kept);
}

/* What the queue contributes to its parent's numbers: in Volcano's trees all that is kept within
 * it, which narrows the parent's ceiling; in Kueue's what it lends, which widens the parent's
 * share. */
static inline wide flow_gives(const struct queue *queue, const struct cell *cell)
{
    return queue->kind == QUEUE_VOLCANO ? cell->kept + cell->given : cell->share - cell->kept;
}

static inline bool flow_is_nothing(const struct flow *flow)
{
    return flow->usage == 0 && flow->reserved == 0 && flow->allocated == 0 && flow->given == 0 &&
           flow->later == 0 && flow->expected == 0;
}

/* What one claim holds, and what it will: who is promised something waits. */
struct flow flow_of_claim(const struct engine *e, uint32_t claim, uint16_t flavor,
                          uint32_t resource);

/* What a queue passes to its parent, of one of its cells, or where it may have none; what is not
 * counted yet (recount.h) is counted here. */
struct flow flow_of_cell(const struct queue *queue, const struct cell *cell);
struct flow flow_of(const struct engine *e, uint32_t queue, uint16_t flavor, uint32_t resource);

/* What a cell of this queue must hold. Recursion is as deep as the tree of queues, which has no
 * cycles. */
struct flow flow_count(const struct engine *e, uint32_t queue, uint16_t flavor, uint32_t resource);

/* The same, but after so many steps it gives up. */
bool flow_count_some(const struct engine *e, uint32_t queue, uint16_t flavor, uint32_t resource,
                     uint32_t steps, struct flow *ret);

/* Adds what the workloads of the whole subtree hold: reserved, allocated, and later. */
void flow_add_workloads(const struct engine *e, uint32_t queue, uint16_t flavor, uint32_t resource,
                        struct flow *sum);

/* Whether nobody in the queue's subtree holds anything, or is promised it. */
bool flow_is_empty(const struct engine *e, uint32_t queue);

const char *flow_check(const struct engine *e, uint32_t queue);

#endif
