/* SPDX-License-Identifier: Apache-2.0 */
#include "queue_count.h"

#include "plugin/state.h"

static bool counts_nobody(const struct queue *queue)
{
    for (int state = 0; state < CLAIM_STATES; state++) {
        if (queue->counts[state] != 0)
            return false;
    }
    return queue->podgroups == 0;
}

bool queue_is_empty(const struct engine *e, uint32_t id)
{
    return e->synced && counts_nobody(queue_at(e, id));
}

static bool is_closing(const struct queue *queue)
{
    return queue->state == QUEUE_CLOSING || queue->own == QUEUE_CLOSING;
}

void queue_count(struct engine *e, uint32_t id, enum claim_state state, int more)
{
    for (; id != 0; id = queue_at(e, id)->parent) {
        struct queue *queue = queue_at(e, id);

        queue->counts[state] += (uint32_t)more;
        if (more < 0 && is_closing(queue) && counts_nobody(queue))
            queue_settle_later(e, id);
        queue_note_change(e, id);
    }
}

void queue_count_groups(struct engine *e, uint32_t id, int more)
{
    for (; id != 0; id = queue_at(e, id)->parent) {
        struct queue *queue = queue_at(e, id);

        queue->podgroups += (uint32_t)more;
        if (is_closing(queue) && counts_nobody(queue))
            queue_settle_later(e, id);
    }
}

void queue_count_below(struct engine *e, uint32_t id, int sign)
{
    const struct queue *queue = queue_at(e, id);

    for (int state = 0; state < CLAIM_STATES; state++) {
        if (queue->counts[state] != 0 && queue->parent != 0)
            queue_count(e, queue->parent, (enum claim_state)state,
                        sign * (int)queue->counts[state]);
    }
    if (queue->podgroups != 0 && queue->parent != 0)
        queue_count_groups(e, queue->parent, sign * (int)queue->podgroups);
    queue_count_promised(e, queue->parent, sign * (int)queue->promised);
    queue_count_workloads(e, queue->parent, sign * (int)queue->cluster.below,
                          sign * (int)queue->cluster.waiting_below);
}

void queue_count_promised(struct engine *e, uint32_t id, int more)
{
    for (; id != 0; id = queue_at(e, id)->parent)
        queue_at(e, id)->promised += (uint32_t)more;
}

void queue_count_workloads(struct engine *e, uint32_t id, int holding, int waiting)
{
    for (; id != 0; id = queue_at(e, id)->parent) {
        queue_at(e, id)->cluster.below += (uint32_t)holding;
        queue_at(e, id)->cluster.waiting_below += (uint32_t)waiting;
    }
}

void queue_note_run_time(struct engine *e, uint32_t id, int64_t nanoseconds)
{
    for (; id != 0; id = queue_at(e, id)->parent)
        run_times_note(&queue_at(e, id)->run_times, nanoseconds, e->now);
}
