/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_CAPACITY_CELL_H
#define SLUICE_PLUGIN_CAPACITY_CELL_H

#include "plugin/base/amount.h"
#include "plugin/records/queue.h"

#include <stdbool.h>
#include <stdint.h>

/* One flavor and resource of a queue's quota (quota.h), and what passes from it into the cell of
 * the queue above. */
struct cell {
    wide usage;               /* of a leaf: what its claims hold; else what its children pass up */
    wide later;               /* usage once all that is under way has happened (promise.h) */
    wide reserved, allocated; /* of all claims in the subtree, as a person counts them */
    wide expected;            /* reserved and allocated once all that is under way has happened */
    wide given;               /* sum over the children of what each gives up to this queue */
    wide share, kept, ceiling;
    wide own_share, own_ceiling, own_kept; /* as configured; Kueue's: nominal, borrowing, lending */
    uint32_t resource;
    uint32_t carriers; /* children that have this cell */
    uint32_t within;   /* of a leaf: claims that are promised room here within its share */
    uint16_t flavor;
    bool bounded; /* there is a ceiling */
    bool named;   /* by the queue's own quota */
    bool has_ceiling, has_kept;
    bool counting; /* it is not known yet what is used: see recount.h */
};

/* What changes in a cell, or passes from one to the next. */
struct flow {
    wide usage, reserved, allocated, given, later, expected;
};

/* What is used, now or later. */
static inline wide cell_used(const struct cell *cell, bool later)
{
    return later ? cell->later : cell->usage;
}

/* What the queue keeps and does not use, so that as much of what comes below does not pass up; of
 * no cell nothing. */
static inline wide cell_spares(const struct cell *cell, bool later)
{
    return cell == NULL ? 0 : wide_max(0, cell->kept - cell_used(cell, later));
}

/* What this queue's subtree takes beyond what is kept for it, or will once all that is under way
 * has happened. */
static inline wide cell_passes(const struct cell *cell, bool later)
{
    return wide_max(0, cell_used(cell, later) - cell->kept);
}

/* What the queue contributes to its parent's numbers: in Volcano's trees all that is kept within
 * it, which narrows the parent's ceiling; in Kueue's what it lends, which widens the parent's
 * share. */
static inline wide cell_gives(const struct queue *queue, const struct cell *cell)
{
    return queue->kind == QUEUE_VOLCANO ? cell->kept + cell->given : cell->share - cell->kept;
}

/* Whether nothing changes. */
static inline bool flow_is_nothing(const struct flow *flow)
{
    return flow->usage == 0 && flow->reserved == 0 && flow->allocated == 0 && flow->given == 0 &&
           flow->later == 0 && flow->expected == 0;
}

/* All that the queue passes to its parent, of a cell that is counted. */
static inline struct flow cell_flow(const struct queue *queue, const struct cell *cell)
{
    return (struct flow){cell_passes(cell, false), cell->reserved,          cell->allocated,
                         cell_gives(queue, cell),  cell_passes(cell, true), cell->expected};
}

#endif
