/* SPDX-License-Identifier: Apache-2.0 */
#include "status_turn.h"

#include "plugin/state.h"
#include "queue_words.h"

/* No count has changed for so long that nothing else is taken to happen: so many times as many are
 * written. */
#define CALM_AFTER (5 * SECOND)
#define WHEN_CALM 20

/* How long it is from one turn to the next; 0: there is no limit. */
static int64_t pace(const struct engine *e)
{
    int64_t limit = e->config.queue_statuses_per_second;

    if (e->now - e->queues.last_count >= CALM_AFTER)
        limit *= WHEN_CALM;
    return limit == 0 ? 0 : SECOND / limit;
}

void status_turn_ask(struct engine *e, uint32_t id)
{
    struct queue *queue = queue_at(e, id);

    if (!queue_counts_differ(e, id)) {
        queue->status.has_turn = false;
        return;
    }
    e->queues.last_count = e->now;
    if (!queue->status.has_turn)
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
    int64_t step = pace(e);
    uint32_t id;

    for (; budget > 0 && (id = e->queues.todo[TODO_STATUS].first) != 0 &&
           e->queues.next_status <= e->now;
         budget--) {
        queue_done(e, TODO_STATUS, id);
        if (!queue_counts_differ(e, id))
            continue;
        queue_at(e, id)->status.has_turn = true;
        e->queues.next_status = step == 0 ? 0 : e->now + step;
        outbox_sync(&e->outbox, EFFECT_OF_QUEUE, id);
    }
    return budget;
}
