/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_CAPACITY_QUOTA_H
#define SLUICE_PLUGIN_CAPACITY_QUOTA_H

#include "plugin/base/amount.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Quota: four numbers for each queue, flavor and resource, and how usage passes up the tree.
 *
 *            root   C = 10                    usage: 3 + 2
 *           /     \
 *      a: kept 4   b: kept 0
 *      used 7      used 2
 *      passes up   passes up
 *      7 - 4 = 3   2
 *
 * A queue has a cell only for what its own quota names, or that of a queue below it: so cells are
 * closed upward, and what passes through a queue without the cell passes unchanged. Memory goes
 * with what the quotas name, not with queues times resources.
 */
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
    uint16_t flavor;
    bool bounded; /* there is a ceiling */
    bool named;   /* by the queue's own quota */
    bool has_ceiling, has_kept;
    bool counting; /* it is not known yet what is used: see recount.h */
};

struct engine;
struct queue;

struct cell *quota_cell(const struct queue *queue, uint16_t flavor, uint32_t resource);

/* What a claim of this queue holds changed, and what it will hold (counted: recount_has). Returns
 * the topmost queue whose usage changed, or 0. */
uint32_t quota_charge(struct engine *e, uint32_t queue, uint16_t flavor, uint32_t resource,
                      wide reserved, wide allocated, wide later, bool counted);

/* The same, where only what it will hold changed. */
void quota_charge_later(struct engine *e, uint32_t queue, uint16_t flavor, uint32_t resource,
                        wide later, bool counted);

/* One amount that a queue's own quota names. */
struct quota_amount {
    uint16_t flavor;
    uint32_t resource;
    wide share, ceiling, kept;
    bool has_ceiling, has_kept;
};

/* Makes room in the queue, and in `parent` and all above it, for `more` new cells beyond those that
 * the queue has. Negative on error. */
int quota_reserve(struct engine *e, uint32_t queue, uint32_t parent, uint32_t more);
int quota_reserve_cells(struct engine *e, uint32_t queue, uint32_t more); /* in this queue alone */

/* An edit takes the queue out of the tree, changes it, and puts it back:
 *   quota_detach; quota_name; and with the new parent set, quota_attach.
 * Between them the queue is nobody's child, and must not be in its parent's list of children.
 * [reserved] */
void quota_detach(struct engine *e, uint32_t queue);
void quota_name(struct engine *e, uint32_t queue, const struct quota_amount *amounts,
                uint32_t count);
void quota_attach(struct engine *e, uint32_t queue);

/* An edit that leaves the queue in its place does all of that in one step, whatever hangs below it.
 * [reserved] */
void quota_edit(struct engine *e, uint32_t queue, const struct quota_amount *amounts,
                uint32_t count);

/* The ceiling of a queue without parent grows or shrinks by an amount; at 0 it names it no longer.
 * [reserved for one] */
void quota_raise_ceiling(struct engine *e, uint32_t queue, uint32_t resource, wide more);

/* A cell is counted now: it limits, and passes up what it must. It may be gone afterwards. */
void quota_counted(struct engine *e, uint32_t queue, struct cell *cell);

#endif
