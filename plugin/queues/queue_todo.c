/* SPDX-License-Identifier: Apache-2.0 */
#include "queue_todo.h"

#include "cluster_queue.h"
#include "plugin/state.h"

void queue_todo(struct engine *e, enum todo_list list, uint32_t id)
{
    struct queue *queue;
    uint32_t last = e->todo[list].last;

    if (id != 0 && list == TODO_DIRTY) { /* who may fit now may also find victims now */
        cluster_queue_changed(e, id);
        queue_victims_changed(e, id);
    }
    if (id == 0 || queue_at(e, id)->is_todo[list])
        return;
    queue = queue_at(e, id);
    queue->is_todo[list] = true;
    queue->todo[list].prev = last;
    queue->todo[list].next = 0;
    if (last != 0)
        queue_at(e, last)->todo[list].next = id;
    else
        e->todo[list].first = id;
    e->todo[list].last = id;
}

void queue_done(struct engine *e, enum todo_list list, uint32_t id)
{
    struct queue *queue = queue_at(e, id);
    uint32_t next = queue->todo[list].next, prev = queue->todo[list].prev;

    if (!queue->is_todo[list])
        return;
    queue->is_todo[list] = false;
    if (prev != 0)
        queue_at(e, prev)->todo[list].next = next;
    else
        e->todo[list].first = next;
    if (next != 0)
        queue_at(e, next)->todo[list].prev = prev;
    else
        e->todo[list].last = prev;
}

bool queue_below_dirty(const struct engine *e, uint32_t id)
{
    while (id != 0 && !queue_at(e, id)->is_todo[TODO_DIRTY])
        id = queue_at(e, id)->parent;
    return id != 0;
}

bool queue_in_dirty_tree(const struct engine *e, uint32_t id)
{
    uint32_t root = e->todo[TODO_DIRTY].first == 0 ? 0 : queue_root(e, id);
    uint32_t at = e->todo[TODO_DIRTY].first;

    while (at != 0 && queue_root(e, at) != root)
        at = queue_at(e, at)->todo[TODO_DIRTY].next;
    return at != 0;
}

uint32_t queue_todo_root(struct engine *e, enum todo_list list)
{
    uint32_t id;

    while ((id = e->todo[list].first) != 0 && queue_at(e, id)->parent != 0) {
        queue_done(e, list, id);
        queue_todo(e, list, queue_root(e, id));
    }
    return id;
}

void queue_stops_changed(struct engine *e)
{
    e->stop_notice.due = true;
}

void queue_victims_changed(struct engine *e, uint32_t queue)
{
    uint32_t root;

    if (!engine_preempts(e))
        return;
    root = queue_root(e, queue);
    /* No two roots have the same number: a queue may come from below one to below another. */
    queue_at(e, root)->victims_change = ++e->victims_changes;
    queue_todo(e, TODO_PREEMPT, root);
}
