/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_CAPACITY_QUOTA_H
#define SLUICE_PLUGIN_CAPACITY_QUOTA_H

#include "cell.h"

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

struct cell *quota_cell(const struct queue *queue, uint16_t flavor, uint32_t resource);

/* That cell, if it is among the first `count` of the queue's. */
struct cell *quota_cell_among(const struct queue *queue, uint32_t count, uint16_t flavor,
                              uint32_t resource);

/* What follows from a cell's amounts and from what its children give. */
void quota_derive(struct engine *e, uint32_t queue, struct cell *cell);

/* Adds a change of what arrives at this queue, and of what passes on from it to the root. counted:
 * also in cells that are not yet. Returns the topmost queue whose usage changed, now or later. */
uint32_t quota_carry(struct engine *e, uint32_t queue, uint16_t flavor, uint32_t resource,
                     struct flow flow, bool counted);

/* What a claim of this queue holds changed, and what it will hold (counted: recount_has). Returns
 * the topmost queue whose usage changed, now or later, or 0. */
uint32_t quota_charge(struct engine *e, uint32_t queue, uint16_t flavor, uint32_t resource,
                      wide reserved, wide allocated, wide later, bool counted);

/* The same, where only what it will hold changed. */
void quota_charge_later(struct engine *e, uint32_t queue, uint16_t flavor, uint32_t resource,
                        wide later, bool counted);

/* One claim more, or (-1) less, is promised this within the queue's share. Until it has come, the
 * queue exceeds its share for nobody: whoever did would take the ground from under the promise,
 * and its victims would go again and again. */
void quota_promise_within(struct engine *e, uint32_t queue, uint16_t flavor, uint32_t resource,
                          int more);

/* Whether it is not known yet what is used of this in the queue, or above it (recount.h). */
bool quota_is_counting(const struct engine *e, uint32_t queue, uint16_t flavor, uint32_t resource);

/* A queue's share, as its usage is compared with it. */
wide quota_share(const struct queue *queue, const struct cell *cell);

/* Whether the queue could hold what arrives at its cell (NULL: it has none) within its share later.
 * What it keeps and does not use does not pass on: *arrives becomes what does. */
bool quota_would_hold(const struct queue *queue, const struct cell *cell, wide *arrives);

/* The ceiling of Volcano's tree as a whole is configured, not read from an object: none, amounts,
 * or what the nodes hold together. With the last, a resource that no node has is not to be had. But
 * nodes do not tell of the devices that claims are given (deviceclass/NAME): of these the nodes
 * bound none. */

/* Whether what no node has is not to be had at this queue. */
bool root_bounds_all(const struct engine *e, uint32_t queue);

/* Whether that is so of this resource. */
bool root_bounds(const struct engine *e, uint32_t queue, uint32_t resource);

#endif
