/* SPDX-License-Identifier: Apache-2.0 */
#include "status_turn.h"

#include "plugin/base/amount.h"
#include "plugin/state.h"
#include "queue_words.h"

void status_turn_ask(struct engine *e, uint32_t id)
{
    struct queue *queue = queue_at(e, id);

    if (!queue_counts_differ(e, id))
        queue->status.has_turn = false;
    else if (!queue->status.has_turn)
        queue_todo(e, TODO_STATUS, id);
}

void status_turn_drop(struct engine *e, uint32_t id)
{
    queue_done(e, TODO_STATUS, id);
    queue_at(e, id)->status.has_turn = false;
}

int64_t status_turn_deadline(const struct engine *e)
{
    if (e->queues.todo[TODO_STATUS].first == 0)
        return 0;
    return e->queues.next_status > 0 ? e->queues.next_status : 1;
}

uint32_t status_turn_some(struct engine *e, uint32_t budget)
{
    uint32_t limit = e->config.queue_statuses_per_second, id;

    for (; budget > 0 && (id = e->queues.todo[TODO_STATUS].first) != 0 &&
           e->queues.next_status <= e->now;
         budget--) {
        queue_done(e, TODO_STATUS, id);
        if (!queue_counts_differ(e, id))
            continue;
        queue_at(e, id)->status.has_turn = true;
        e->queues.next_status = limit == 0 ? 0 : e->now + SECOND / limit;
        outbox_sync(&e->outbox, EFFECT_OF_QUEUE, id);
    }
    return budget;
}
