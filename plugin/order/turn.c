/* SPDX-License-Identifier: Apache-2.0 */
#include "turn.h"

#include "plugin/order/contest.h"
#include "plugin/state.h"

uint32_t turn_workloads_before(const struct engine *e, uint32_t claim)
{
    return claim_count_before(e, &claims_by_rank,
                              queue_at(e, claim_queue(e, claim))->cluster.waiting, claim);
}

uint32_t turn_pods_before(const struct engine *e, uint32_t workload, uint32_t lines)
{
    uint32_t queue = claim_queue(e, workload), before = 0, head = 0;

    while (lines-- > 0 && (head = size_class_next_head(e, queue, head, 0)) != 0)
        before += line_count_before(e, claim_line(e, head), workload);
    return before;
}

uint32_t turn_first_workload(const struct engine *e, uint32_t queue)
{
    return tree_first(&claims_by_rank, e, queue_at(e, queue)->cluster.waiting);
}

uint32_t turn_first(const struct engine *e, uint32_t queue)
{
    uint32_t head = queue_at(e, queue)->head, workload = turn_first_workload(e, queue);

    if (head == 0 || workload == 0)
        return head == 0 ? workload : head;
    return claim_is_before(e, head, workload) ? head : workload;
}

/* Nobody passes the first, and both kinds have one. */
static bool is_contested(const struct queue *queue)
{
    return queue->strict && queue->head != 0 && queue->cluster.waiting != 0;
}

bool turn_is_pods(const struct engine *e, uint32_t id)
{
    const struct queue *queue = queue_at(e, id);

    return is_contested(queue) && claim_is_before(e, queue->head, turn_first_workload(e, id));
}

bool turn_is_workloads(const struct engine *e, uint32_t id)
{
    return is_contested(queue_at(e, id)) && !turn_is_pods(e, id);
}

void turn_changes(struct engine *e, uint32_t id)
{
    if (!queue_at(e, id)->strict || queue_at(e, id)->head == 0)
        return;
    contest_refresh(e, id);
    queue_todo(e, TODO_DIRTY, id);
}
