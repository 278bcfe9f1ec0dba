/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_ORDER_BACKLOG_H
#define SLUICE_PLUGIN_ORDER_BACKLOG_H

#include "plugin/base/amount.h"
#include "plugin/base/tree.h"

#include <stdint.h>

/*
 * What the pods and workloads ask for that wait in a queue and below it: a sum for each resource.
 *
 *   root   cpu 7  gpu 1        size class (1 to 2 cpu) ──▶ its queue's cpu ──▶ the parent's ─▶ ...
 *   ├─ a   cpu 4  gpu 1
 *   └─ b   cpu 3
 *
 * A queue has a backlog of each resource that a pod or a workload of its own may ask for, waiting
 * or not, and of each that one of its children has. So there is one wherever a sum may have to be
 * changed, and nothing is allocated when somebody begins or ends to wait; a pod's size class even
 * knows the first of the way.
 *
 * A gang's minimum, which waits as one, is none of them: its members are.
 */
struct backlog {
    struct tree_link link; /* in the queue's tree, by the resource's name */
    wide amount;
    uint32_t resource;
    uint32_t up; /* its parent's of the same resource; 0: a root's */
    uint32_t
        users; /* size classes of the queue, needs of its demands, and children that have one */
};

struct engine;
struct demand;

/* Makes room for so many more resources in the queue and all above it; for so many backlogs, of
 * whatever queues. Negative on error. */
int backlog_reserve(struct engine *e, uint32_t queue, uint32_t count);
int backlog_reserve_many(struct engine *e, uint64_t count);

/* The queue's backlog of the resource: found or made, with one more user. [reserved] */
uint32_t backlog_get(struct engine *e, uint32_t queue, uint32_t resource);
void backlog_unref(struct engine *e, uint32_t queue, uint32_t backlog);

/* What waits in the queue and below it. */
wide backlog_sum(const struct engine *e, uint32_t queue, uint32_t resource);

/* So many pods of this line begin to wait, or end to. */
void backlog_count(struct engine *e, uint32_t line, int more);

/* The backlogs of all that a demand names, found or made; and done with. Negative on error. */
int backlog_get_demand(struct engine *e, const struct demand *demand);
void backlog_unref_demand(struct engine *e, const struct demand *demand);

/* So many workloads of this demand begin to wait, or end to. */
void backlog_count_demand(struct engine *e, uint32_t demand, int more);

/* All that is asked for in the queue is asked for above it, too, from now on, or no longer.
 * [backlog_hang: reserved, in the parent] */
void backlog_hang(struct engine *e, uint32_t queue);
void backlog_unhang(struct engine *e, uint32_t queue);

/* A queue's backlogs, by the names of their resources. */
extern const struct tree_type backlog_by_resource;

const char *backlog_check(const struct engine *e, uint32_t queue);
const char *backlog_check_users(const struct engine *e); /* of all queues */

#endif
