/* SPDX-License-Identifier: Apache-2.0 */
#include "queue_place.h"

#include "plugin/claims/quota_edit.h"
#include "plugin/order/contest.h"
#include "plugin/state.h"
#include "queue_life.h"
#include "queue_tree.h"

/* Whether the queue is its own ancestor by what the objects say, wherever they could be put. */
static bool in_cycle(const struct engine *e, uint32_t id)
{
    uint32_t at = queue_at(e, id)->wanted;

    /* A cycle above that the queue is not part of never comes back to it. */
    for (uint32_t steps = slab_count(&e->queues.records); at != 0 && at != id && steps > 0; steps--)
        at = queue_at(e, at)->wanted;
    return at == id;
}

/* Where the queue goes: below the parent that its object names, or, where that would close a cycle
 * or be too deep to walk, nowhere. */
static uint32_t place_for(const struct engine *e, uint32_t id)
{
    uint32_t wanted = queue_at(e, id)->wanted;

    if (wanted == 0 || in_cycle(e, id) || queue_is_below(e, wanted, id) ||
        queue_depth(e, wanted) + height_of(e, id) > QUEUE_MAX_PATH)
        return 0;
    return wanted;
}

/* The next queue on the way up that leads to where the queue may come to hang. */
static uint32_t way_up(const struct engine *e, uint32_t id, uint32_t edited, uint32_t parent)
{
    const struct queue *queue = queue_at(e, id);

    return id == edited ? parent : queue->parent != 0 ? queue->parent : queue->wanted;
}

/* All cells that may come to hang above a misplaced queue, at each queue on its way up. */
static int reserve_way(struct engine *e, uint32_t id, uint32_t edited, uint32_t parent,
                       uint32_t cells)
{
    for (uint32_t steps = 0; id != 0 && steps <= QUEUE_MAX_PATH; steps++) {
        if (quota_reserve_cells(e, id, cells) < 0)
            return ENGINE_NO_MEMORY;
        id = way_up(e, id, edited, parent);
    }
    return 0;
}

/* As many backlogs as what waits in the queue, or may, can come to need above it. */
static uint64_t count_backlogs(const struct engine *e, uint32_t id, uint32_t edited,
                               uint32_t parent)
{
    uint32_t own = tree_size(&backlog_by_resource, e, queue_at(e, id)->backlogs), steps = 0;

    while (id != 0 && steps <= QUEUE_MAX_PATH) {
        id = way_up(e, id, edited, parent);
        steps++;
    }
    return (uint64_t)own * steps;
}

int queue_reserve_places(struct engine *e, uint32_t id, uint32_t parent, uint32_t more)
{
    uint32_t cells = more + queue_at(e, id)->cell_count, first = e->queues.todo[TODO_PLACE].first;
    uint64_t backlogs = count_backlogs(e, id, id, parent);

    if (queue_stays(e, id, parent))
        return quota_reserve(e, id, parent, more);
    for (uint32_t at = first; at != 0; at = queue_at(e, at)->todo[TODO_PLACE].next) {
        cells += queue_at(e, at)->cell_count;
        backlogs += count_backlogs(e, at, id, parent);
    }
    if (backlog_reserve_many(e, backlogs) < 0)
        return ENGINE_NO_MEMORY;
    for (uint32_t at = first; at != 0; at = queue_at(e, at)->todo[TODO_PLACE].next) {
        if (reserve_way(e, at, id, parent, cells) < 0)
            return ENGINE_NO_MEMORY;
    }
    return quota_reserve(e, id, parent, more);
}

void queue_want(struct engine *e, uint32_t id, uint32_t wanted)
{
    uint32_t before = queue_at(e, id)->wanted;

    queue_at(e, id)->wanted = wanted;
    if (wanted != 0)
        queue_at(e, wanted)->wanted_by++;
    if (before != 0)
        queue_at(e, before)->wanted_by--;
}

void queue_set_misplaced(struct engine *e, uint32_t id, bool misplaced)
{
    if (misplaced)
        queue_todo(e, TODO_PLACE, id);
    else
        queue_done(e, TODO_PLACE, id);
}

/* [hangs nowhere; reserved] */
void queue_place(struct engine *e, uint32_t id)
{
    uint32_t parent = place_for(e, id);

    queue_set_misplaced(e, id, parent != queue_at(e, id)->wanted);
    queue_hang(e, id, parent);
}

bool queue_stays(const struct engine *e, uint32_t id, uint32_t parent)
{
    return queue_at(e, id)->parent == parent && !queue_is_misplaced(queue_at(e, id));
}

void queue_edited(struct engine *e, uint32_t id)
{
    contest_refresh(e, id);
    queue_todo(e, TODO_DIRTY, queue_root(e, id));
}

void queue_moved(struct engine *e, uint32_t id, uint32_t old_parent)
{
    queue_edited(e, id);
    if (old_parent != 0)
        queue_edited(e, old_parent);
    queue_settle_below(e, id);
    queue_stops_changed(e);
}

static void move(struct engine *e, uint32_t id)
{
    uint32_t before = queue_at(e, id)->parent;

    queue_unhang(e, id);
    queue_place(e, id);
    queue_moved(e, id, before);
}

void queue_misplace_cycle(struct engine *e, uint32_t id)
{
    uint32_t at = queue_at(e, id)->wanted;

    for (; in_cycle(e, id) && at != id; at = queue_at(e, at)->wanted) {
        if (!queue_is_misplaced(queue_at(e, at)))
            move(e, at);
    }
}

void queue_place_misplaced(struct engine *e)
{
    uint32_t next;

    for (uint32_t id = e->queues.todo[TODO_PLACE].first; id != 0; id = next) {
        next = queue_at(e, id)->todo[TODO_PLACE].next;
        if (place_for(e, id) != 0)
            move(e, id);
    }
}
