/* SPDX-License-Identifier: Apache-2.0 */
#include "queue_effects.h"

#include "plugin/state.h"
#include "status_turn.h"

enum { STATUS_SECONDS = 1 };

struct queue_written queue_due_state(const struct queue *queue)
{
    return queue_write_state((enum queue_state)queue->state, (enum queue_state)queue->own);
}

bool queue_is_written(const struct queue *queue)
{
    return queue_written_same(queue_due_state(queue), queue->wrote);
}

static bool differs(const struct engine *e, uint32_t id)
{
    const struct queue *queue = queue_at(e, id);
    struct queue_words words = queue_words_of(e, id);

    if (!queue_is_written(queue) || words.stop != queue->status.written.stop)
        return true;
    return words.counts != queue->status.written.counts && queue->status.has_turn;
}

/* A failed attempt has its own time to wait for. */
static uint8_t wanted(const void *owner, uint32_t id)
{
    const struct engine *e = owner;
    const struct queue *queue = queue_at(e, id);

    return queue_reports(e, queue) &&
           (outbox_attempts(&e->outbox, EFFECT_OF_QUEUE, id, QUEUE_STATUS) > 0 ||
            e->now >= queue->status.not_before) &&
           differs(e, id);
}

void queue_expire(struct engine *e, uint32_t id)
{
    struct queue *queue = queue_at(e, id);

    if (e->now >= queue_looks_again(queue)) {
        queue->status.stale = false;
        status_turn_ask(e, id);
    }
    outbox_expire(&e->outbox, EFFECT_OF_QUEUE, id);
    queue_set_timer(e, id);
}

static void add(struct queue_usage *usage, const struct cell *cell, struct text resource)
{
    uint32_t at = 0;

    while (at < usage->count && !text_same(usage->item[at].resource, resource))
        at++;
    if (at == FACTS_MAX_NEEDS)
        return;
    if (at == usage->count)
        usage->item[usage->count++] = (struct queue_used){.resource = resource};
    usage->item[at].reserved = amount_clamp(usage->item[at].reserved + cell->reserved);
    usage->item[at].allocated = amount_clamp(usage->item[at].allocated + cell->allocated);
}

static void describe(const void *owner, uint32_t id, uint32_t slot, struct effect *ret)
{
    const struct engine *e = owner;
    const struct queue *queue = queue_at(e, id);

    (void)slot;
    ret->uid = name_text(e, queue->uid);
    ret->space = text_of("");
    ret->name = name_text(e, queue->name);
    ret->state = queue_due_state(queue);
    ret->reason = queue_stops(e, id);
    memcpy(ret->groups, queue->counts, sizeof(ret->groups));
    ret->usage.count = 0;
    for (uint32_t i = 0; i < queue->cell_count; i++) {
        if (!queue->cells[i].counting)
            add(&ret->usage, &queue->cells[i], name_text(e, queue->cells[i].resource));
    }
}

static void leased(void *owner, uint32_t id, uint32_t slot)
{
    struct engine *e = owner;
    struct queue *queue = queue_at(e, id);

    (void)slot;
    queue->status.leased = queue_words_of(e, id);
    queue->status.leased_state = queue_due_state(queue);
    queue->status.has_turn = true; /* counts go out with a state, and again if that failed */
    queue->status.not_before = e->now + STATUS_SECONDS * SECOND;
}

static void done(void *owner, uint32_t id, uint32_t slot, int64_t version)
{
    struct engine *e = owner;
    struct queue *queue = queue_at(e, id);

    (void)slot;
    queue->status.written = queue->status.leased;
    queue->status.has_turn = false;
    queue->wrote = queue->status.leased_state;
    if (version > queue->version)
        queue->version = version;
    queue->status.stale = true; /* what changed meanwhile waits for its second */
    command_queue_written(e, id);
}

/* Whoever deletes an object says so: until then nothing is asked for it any more. */
static void gone(void *owner, uint32_t id, uint32_t slot)
{
    struct engine *e = owner;
    struct queue *queue = queue_at(e, id);

    (void)slot;
    queue->seen = false;
    command_queue_gone(e, id);
    outbox_sync(&e->outbox, EFFECT_OF_QUEUE, id);
}

const struct outbox_type queue_effects = {
    .records = offsetof(struct engine, queues.records),
    .entry = offsetof(struct queue, effects),
    .slots = QUEUE_EFFECTS,
    .kinds = {EFFECT_QUEUE_STATUS},
    .wanted = wanted,
    .describe = describe,
    .leased = leased,
    .done = done,
    .gone = gone,
    .set_timer = queue_set_timer,
};
