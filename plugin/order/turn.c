/* SPDX-License-Identifier: Apache-2.0 */
#include "turn.h"

#include "plugin/order/contest.h"
#include "plugin/records/workload.h"
#include "plugin/state.h"

uint32_t turn_workloads_before(const struct engine *e, uint32_t claim)
{
    uint32_t tree = queue_at(e, claim_queue(e, claim))->cluster.waiting;
    uint32_t low = 0, high = tree_size(&workloads_of_queue, e, tree);

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (claim_is_before(e, claim, tree_at(&workloads_of_queue, e, tree, middle)))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

uint32_t turn_pods_before(const struct engine *e, uint32_t workload, uint32_t lines)
{
    uint32_t queue = claim_queue(e, workload), before = 0, head = 0;

    while (lines-- > 0 && (head = size_class_next_head(e, queue, head, 0)) != 0)
        before += line_count_before(e, claim_line(e, head), workload, claim_is_before);
    return before;
}

uint32_t turn_first_workload(const struct engine *e, uint32_t queue)
{
    return tree_first(&workloads_of_queue, e, queue_at(e, queue)->cluster.waiting);
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
