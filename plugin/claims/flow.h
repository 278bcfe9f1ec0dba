/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_CLAIMS_FLOW_H
#define SLUICE_PLUGIN_CLAIMS_FLOW_H

#include "plugin/capacity/cell.h"

#include <stdbool.h>

/*
 * What passes from the cells of a queue into those of its parent, and what a cell must hold by
 * that: counted anew from the claims of its queue and the cells of its children.
 */

/* What one claim holds, and what it will: who is promised something waits. */
struct flow flow_of_claim(const struct engine *e, uint32_t claim, uint16_t flavor,
                          uint32_t resource);

/* What a queue passes to its parent of this, whether or not it has such a cell; what is not counted
 * yet (recount.h) is counted here. */
struct flow flow_of(const struct engine *e, uint32_t queue, uint16_t flavor, uint32_t resource);

/* What a cell of this queue must hold, if that is found in so many steps. Recursion is as deep as
 * the tree of queues, which has no cycles. */
bool flow_count_some(const struct engine *e, uint32_t queue, uint16_t flavor, uint32_t resource,
                     uint32_t steps, struct flow *ret);

/* Adds what the workloads of the whole subtree hold: reserved, allocated, and later. */
void flow_add_workloads(const struct engine *e, uint32_t queue, uint16_t flavor, uint32_t resource,
                        struct flow *sum);

/* Whether nobody in the queue's subtree holds anything, or is promised it. */
bool flow_is_empty(const struct engine *e, uint32_t queue);

const char *flow_check(const struct engine *e, uint32_t queue);

#endif
