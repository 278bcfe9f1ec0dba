/* SPDX-License-Identifier: Apache-2.0 */
#include "queue_todo.h"

#include "plugin/state.h"

struct place {
    const struct engine *e;
    enum todo_list list;
};

static struct list_link *link_of(const void *ctx, uint32_t id)
{
    const struct place *place = ctx;

    return &queue_at(place->e, id)->todo[place->list];
}

void queue_todo(struct engine *e, enum todo_list list, uint32_t id)
{
    if (id != 0 && list == TODO_DIRTY) { /* who may fit now may also find victims now */
        cluster_queue_changed(e, id);
        queue_victims_changed(e, id);
    }
    e->queues.overs += list == TODO_OVER;
    if (id == 0 || queue_at(e, id)->is_todo[list])
        return;
    queue_at(e, id)->is_todo[list] = true;
    list_append(link_of, &(struct place){e, list}, &e->queues.todo[list], id);
}

void queue_done(struct engine *e, enum todo_list list, uint32_t id)
{
    if (!queue_at(e, id)->is_todo[list])
        return;
    queue_at(e, id)->is_todo[list] = false;
    list_remove(link_of, &(struct place){e, list}, &e->queues.todo[list], id);
}

bool queue_below_dirty(const struct engine *e, uint32_t id)
{
    while (id != 0 && !queue_at(e, id)->is_todo[TODO_DIRTY])
        id = queue_at(e, id)->parent;
    return id != 0;
}

bool queue_in_dirty_tree(const struct engine *e, uint32_t id)
{
    uint32_t root = e->queues.todo[TODO_DIRTY].first == 0 ? 0 : queue_root(e, id);
    uint32_t at = e->queues.todo[TODO_DIRTY].first;

    while (at != 0 && queue_root(e, at) != root)
        at = queue_at(e, at)->todo[TODO_DIRTY].next;
    return at != 0;
}

uint32_t queue_todo_root(struct engine *e, enum todo_list list)
{
    uint32_t id;

    while ((id = e->queues.todo[list].first) != 0 && queue_at(e, id)->parent != 0) {
        queue_done(e, list, id);
        queue_todo(e, list, queue_root(e, id));
    }
    return id;
}

void queue_stops_changed(struct engine *e)
{
    e->queues.stops_changes++;
}

void queue_victims_changed(struct engine *e, uint32_t queue)
{
    uint32_t root;

    if (!engine_preempts(e))
        return;
    root = queue_root(e, queue);
    /* No two roots have the same number: a queue may come from below one to below another. */
    queue_at(e, root)->victims_change = ++e->queues.victims_changes;
    queue_todo(e, TODO_PREEMPT, root);
}

void queue_candidates_changed(struct engine *e, uint32_t queue)
{
    queue_victims_changed(e, queue);
    cluster_queue_changed(e, queue);
}

bool queue_rules(const struct engine *e)
{
    return e->leads && e->synced && !e->config.observe_only && engine_asks(e, EFFECT_QUEUE_STATUS);
}

/* With all below it: whatever they were told before, they are told anew. */
void queue_look_below(struct engine *e, uint32_t id)
{
    queue_todo(e, TODO_STATE, id);
    queue_at(e, id)->next_child = queue_at(e, id)->first_child;
}

void queue_settle_later(struct engine *e, uint32_t id)
{
    if (queue_rules(e) && queue_at(e, id)->kind == QUEUE_VOLCANO)
        queue_look_below(e, id);
}
