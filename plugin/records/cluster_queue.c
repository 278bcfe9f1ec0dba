/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster_queue.h"

#include "plugin/state.h"

void cluster_queue_count_workloads(const struct engine *e, uint32_t top, uint32_t *counts)
{
    for (uint32_t at = top; at != 0; at = queue_after(e, at, top)) {
        const struct cluster_queue *cluster = &queue_at(e, at)->cluster;

        counts[CLAIM_WAITING] += tree_size(&claims_by_rank, e, cluster->waiting);
        counts[CLAIM_HELD] += tree_size(&claims_by_rank, e, cluster->held);
        counts[CLAIM_RESERVED] +=
            tree_size(&workloads_that_hold, e, cluster->holding) - cluster->admitted;
        counts[CLAIM_ALLOCATED] += cluster->admitted;
    }
}

enum life_stop cluster_queue_stop(const struct engine *e, uint32_t id)
{
    if (id == 0 || !queue_at(e, id)->known)
        return LIFE_MISSING;
    switch ((enum queue_state)queue_at(e, id)->state) {
    case QUEUE_HOLD:
        return LIFE_HOLDS;
    case QUEUE_HOLD_AND_DRAIN:
        return LIFE_DRAINS;
    default:
        return LIFE_RUNS;
    }
}

/* Something changed in this queue: its root knows when, and for whom. Nothing, where workloads are
 * not admitted. */
static void count_change(struct engine *e, uint32_t id, enum cluster_queue_change kind)
{
    uint32_t root;

    if (!engine_admits(e) || id == 0 || queue_at(e, id)->kind == QUEUE_VOLCANO)
        return;
    root = queue_root(e, id);
    queue_todo(e, TODO_WORKLOADS, root);
    queue_at(e, root)->cluster.changes[kind] = ++e->claims.workload_changes;
}

void cluster_queue_changed(struct engine *e, uint32_t id)
{
    count_change(e, id, CHANGE_FOR_ALL);
}

static bool exceeds_share(const struct queue *queue)
{
    for (uint32_t i = 0; i < queue->cell_count; i++) {
        if (queue->cells[i].later > queue->cells[i].share)
            return true;
    }
    return false;
}

/* From anybody else's: a root's share is all that there is. */
static bool borrows(const struct engine *e, uint32_t id)
{
    for (; id != 0 && queue_at(e, id)->parent != 0; id = queue_at(e, id)->parent) {
        if (exceeds_share(queue_at(e, id)))
            return true;
    }
    return false;
}

void cluster_queue_borrows_more(struct engine *e, uint32_t id)
{
    if (borrows(e, id))
        count_change(e, id, CHANGE_FOR_RECLAIM);
}

void cluster_queue_took_room(struct engine *e, uint32_t id)
{
    count_change(e, id, CHANGE_FOR_CHOOSERS);
}

void cluster_queue_pod_holds(struct engine *e, uint32_t id)
{
    if (!engine_admits(e) || queue_at(e, id)->kind == QUEUE_VOLCANO)
        return;
    cluster_queue_borrows_more(e, id);
    cluster_queue_took_room(e, id);
    cluster_queue_asks_less(e, id);
}

void cluster_queue_asks_less(struct engine *e, uint32_t id)
{
    count_change(e, id, CHANGE_FOR_BORROWERS);
}

void cluster_queue_asks_more(struct engine *e, uint32_t id)
{
    if (queue_at(e, id)->preempts.reclaim != PREEMPT_ANY)
        return;
    if (e->order.gated_demands > 0)
        cluster_queue_asks_less(e, id);
    cluster_queue_took_room(e, id);
    queue_victims_changed(e, id);
}

static bool has_choosers(const struct queue *queue)
{
    bool tries_next = queue->cluster.preempts_last || queue->borrows_last;

    for (uint32_t g = 0; g < queue->group_count; g++) {
        const struct queue_group *group = &queue->groups[g];

        if (group->flavor_count > 1 &&
            (queue->cluster.choosers > 0 || (tries_next && group->resource_count > 1)))
            return true;
    }
    return false;
}

bool cluster_queue_prefers_victims(const struct engine *e, uint32_t id)
{
    const struct queue *queue = queue_at(e, id);
    bool has_policy =
        queue->preempts.within != PREEMPT_NEVER || queue->preempts.reclaim != PREEMPT_NEVER;

    if (!has_policy || queue->kind != QUEUE_CLUSTER || !engine_preempts(e) ||
        (queue->cluster.preempts_last && !queue->cluster.borrows_least))
        return false;
    for (uint32_t g = 0; g < queue->group_count; g++) {
        if (queue->groups[g].flavor_count > 1)
            return true;
    }
    return false;
}

uint64_t cluster_queue_change(const struct engine *e, uint32_t id)
{
    const struct queue *queue = queue_at(e, id);
    const uint64_t *changes = queue_at(e, queue_root(e, id))->cluster.changes;
    uint64_t change = changes[CHANGE_FOR_ALL] > 0 ? changes[CHANGE_FOR_ALL] : 1;

    if (queue->preempts.reclaim != PREEMPT_NEVER && changes[CHANGE_FOR_RECLAIM] > change)
        change = changes[CHANGE_FOR_RECLAIM];
    if (changes[CHANGE_FOR_CHOOSERS] > change && has_choosers(queue))
        change = changes[CHANGE_FOR_CHOOSERS];
    if (changes[CHANGE_FOR_BORROWERS] > change && queue->preempts.while_borrowing)
        change = changes[CHANGE_FOR_BORROWERS];
    return change;
}

void cluster_queue_has_newcomer(struct engine *e, uint32_t id)
{
    if (engine_admits(e) && id != 0)
        queue_todo(e, TODO_WORKLOADS, queue_root(e, id));
}

void workloads_look_again(struct engine *e)
{
    e->claims.workloads_left = slab_end(&e->claims.workloads) - 1;
}

void cluster_queues_changed(struct engine *e)
{
    if (!engine_admits(e))
        return;
    e->queues.placements++;
    for (uint32_t id = 0; slab_step(&e->queues.records, &id);) {
        if (queue_at(e, id)->parent == 0)
            cluster_queue_changed(e, id);
    }
    workloads_look_again(e);
}

void cluster_queue_edited(struct engine *e, uint32_t id)
{
    if (!engine_admits(e) || queue_at(e, id)->kind == QUEUE_VOLCANO)
        return;
    e->queues.placements++;
    cluster_queue_changed(e, id);
    workloads_look_again(e);
}

bool cluster_queue_is_to_ask(const struct engine *e, uint32_t id)
{
    const struct queue *root = queue_at(e, queue_root(e, id));

    return root->is_todo[TODO_WORKLOADS] && root->cluster.waiting_below > 0;
}
