/* SPDX-License-Identifier: Apache-2.0 */
#include "guard.h"

#include "contest.h"
#include "fit.h"
#include "plugin/state.h"

static void point_at(struct engine *e, uint32_t id, uint32_t where)
{
    struct queue *queue = queue_at(e, id);
    uint32_t before = queue->guard_at;

    queue->guard_at = where;
    if (before != where && before != 0 && queue_at(e, before)->guard == id) {
        queue_at(e, before)->guard = 0;
        queue_todo(e, TODO_DIRTY, before);
    }
    if (where != 0 && queue_at(e, where)->guard == 0)
        queue_at(e, where)->guard = id; /* one at a time: the others take over when it ends */
}

int guard_reserve(struct engine *e)
{
    return heap_reserve(&e->order.guard_timers, slab_end(&e->queues.records) + 1) < 0
               ? ENGINE_NO_MEMORY
               : 0;
}

void guard_forget(struct engine *e, uint32_t id)
{
    heap_clear(&e->order.guard_timers, id);
}

static void end(struct engine *e, uint32_t id)
{
    struct queue *queue = queue_at(e, id);

    heap_clear(&e->order.guard_timers, id);
    queue->passed_head = 0;
    if (!queue->guarding)
        return;
    point_at(e, id, 0);
    queue->guarding = false;
    queue_done(e, TODO_GUARD, id);
    contest_refresh(e, id);
    queue_todo(e, TODO_DIRTY, id);
}

/* A head that may not advance, or can never fit, must not stop others. */
static void point(struct engine *e, uint32_t id)
{
    uint32_t head = queue_at(e, id)->head, where = 0, need;
    wide room;

    if (!fit_ever(e, claim_at(e, head)->line)) {
        end(e, id);
        return;
    }
    if (queue_stops(e, id) != REASON_NONE ||
        !fit_refused(e, claim_at(e, head)->line, &where, &need, &room))
        where = 0;
    point_at(e, id, where);
}

void guard_after_grant(struct engine *e, uint32_t id, uint32_t claim)
{
    struct queue *queue = queue_at(e, id);
    uint32_t head = queue->head;

    if (e->config.head_guard == 0 || queue->strict || head == 0 || queue->passed_head == head ||
        claim_compare_rank(e, head, claim) > 0)
        return;
    queue->passed_head = head;
    heap_set(&e->order.guard_timers, id, e->now + e->config.head_guard);
}

void guard_review(struct engine *e, uint32_t id)
{
    const struct queue *queue = queue_at(e, id);

    if (queue->passed_head != 0 && queue->passed_head != queue->head)
        end(e, id);
}

void guard_begin(struct engine *e, uint32_t id)
{
    struct queue *queue = queue_at(e, id);

    heap_clear(&e->order.guard_timers, id);
    queue->guarding = true;
    queue_todo(e, TODO_GUARD, id);
    contest_refresh(e, id);
    point(e, id);
}

void guard_point_below(struct engine *e, uint32_t id)
{
    uint32_t next;

    for (uint32_t leaf = e->queues.todo[TODO_GUARD].first; leaf != 0; leaf = next) {
        next = queue_at(e, leaf)->todo[TODO_GUARD].next;
        if (queue_is_below(e, leaf, id))
            point(e, leaf);
    }
}

void guard_unhang(struct engine *e, uint32_t id)
{
    for (uint32_t leaf = e->queues.todo[TODO_GUARD].first; leaf != 0;
         leaf = queue_at(e, leaf)->todo[TODO_GUARD].next) {
        uint32_t where = queue_at(e, leaf)->guard_at;

        if (where != 0 && queue_is_below(e, leaf, id) && !queue_is_below(e, where, id))
            point_at(e, leaf, 0);
    }
}

const char *guard_check(const struct engine *e, uint32_t id)
{
    const struct queue *queue = queue_at(e, id);

    if (queue->guarding && queue->passed_head != queue->head)
        return "a guarded head is the head";
    if (queue->is_todo[TODO_GUARD] != queue->guarding)
        return "queues whose heads are guarded are on their list";
    if (queue->guard_at != 0 && (!queue->guarding || !queue_is_below(e, id, queue->guard_at)))
        return "what is set aside for a guarded head is at its queue, or above";
    if (queue->guard != 0 && queue_at(e, queue->guard)->guard_at != id)
        return "what is set aside is for a head that is refused there";
    return NULL;
}
