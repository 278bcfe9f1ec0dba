/* SPDX-License-Identifier: Apache-2.0 */
#include "queue_status.h"

#include "plugin/state.h"

bool queue_reports(const struct engine *e, const struct queue *queue)
{
    return queue->seen && queue->kind == QUEUE_VOLCANO && engine_asks(e, EFFECT_QUEUE_STATUS);
}

int64_t queue_looks_again(const struct queue *queue)
{
    int64_t at = queue->effects.ready != 0 ? 0 : queue->status.not_before;

    return at > 0 ? at : 1;
}

void queue_note_change(struct engine *e, uint32_t id)
{
    struct queue *queue = queue_at(e, id);

    if (queue->status.stale || !queue_reports(e, queue))
        return;
    queue->status.stale = true;
    queue_set_timer(e, id);
}

void queue_set_timer(void *engine, uint32_t id)
{
    struct engine *e = engine;
    const struct queue *queue = queue_at(e, id);
    int64_t at = outbox_due(&e->outbox, EFFECT_OF_QUEUE, id);

    if (queue->status.stale && queue_looks_again(queue) < at)
        at = queue_looks_again(queue);
    heap_set(&e->queues.timers, id, e->leads && e->synced ? at : INT64_MAX);
}

void queue_forget_status(struct queue *queue)
{
    queue->status = (struct queue_status){.leased_state = queue->said};
}
