/* SPDX-License-Identifier: Apache-2.0 */
#include "status_turn.h"

#include "plugin/base/mix.h"
#include "plugin/state.h"

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

struct queue_words queue_words_of(const struct engine *e, uint32_t id)
{
    const struct queue *queue = queue_at(e, id);
    uint64_t cells = 0, counts = hash_bytes64(queue->counts, sizeof(queue->counts), 10);

    for (uint32_t i = 0; i < queue->cell_count; i++) {
        const struct cell *cell = &queue->cells[i];

        /* A quota alone changes nothing, and half a count is none. What is beyond all amounts is
         * told as the largest of them. */
        if (!cell->counting && (cell->reserved != 0 || cell->allocated != 0))
            cells += mix(mix(mix(11, cell->resource), amount_clamp(cell->reserved)),
                         amount_clamp(cell->allocated));
    }
    return (struct queue_words){
        .stop = mix(mix(12, queue_stops(e, id)), queue->state) | 1,
        .counts = mix(counts, (wide)cells),
    };
}

/* The counts are others than those that were written last. */
static bool counts_differ(const struct engine *e, uint32_t id)
{
    return queue_words_of(e, id).counts != queue_at(e, id)->status.written.counts;
}

void status_turn_ask(struct engine *e, uint32_t id)
{
    struct queue *queue = queue_at(e, id);

    if (!counts_differ(e, id)) {
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
        if (!counts_differ(e, id))
            continue;
        queue_at(e, id)->status.has_turn = true;
        e->queues.next_status = step == 0 ? 0 : e->now + step;
        outbox_sync(&e->outbox, EFFECT_OF_QUEUE, id);
    }
    return budget;
}
