/* SPDX-License-Identifier: Apache-2.0 */
#include "queue_place.h"

#include "queue_life.h"
#include "state.h"

/* Recursion is as deep as what it measures, which was bounded when it was built. */
static uint32_t height_of(const struct engine *e, uint32_t id)
{
    uint32_t height = 0;

    for (uint32_t child = queue_at(e, id)->first_child; child != 0;
         child = queue_at(e, child)->next_sibling) {
        uint32_t below = height_of(e, child);

        height = below > height ? below : height;
    }
    return height + 1;
}

/* Whether the queue is its own ancestor by what the objects say, wherever they could be put. */
static bool in_cycle(const struct engine *e, uint32_t id)
{
    uint32_t at = queue_at(e, id)->wanted;

    /* A cycle above that the queue is not part of never comes back to it. */
    for (uint32_t steps = slab_count(&e->queues); at != 0 && at != id && steps > 0; steps--)
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

/* All cells that may come to hang above a misplaced queue, at each queue on its way up. */
static int reserve_way(struct engine *e, uint32_t id, uint32_t edited, uint32_t parent,
                       uint32_t cells)
{
    for (uint32_t steps = 0; id != 0 && steps <= QUEUE_MAX_PATH; steps++) {
        const struct queue *queue = queue_at(e, id);

        if (quota_reserve_cells(e, id, cells) < 0)
            return ENGINE_NO_MEMORY;
        id = id == edited ? parent : queue->parent != 0 ? queue->parent : queue->wanted;
    }
    return 0;
}

int queue_reserve_places(struct engine *e, uint32_t id, uint32_t parent, uint32_t more)
{
    uint32_t cells = more + queue_at(e, id)->cell_count;

    for (uint32_t at = 1; at < slab_end(&e->queues) && e->misplaced > 0; at++) {
        if (slab_live(&e->queues, at) && queue_at(e, at)->misplaced)
            cells += queue_at(e, at)->cell_count;
    }
    for (uint32_t at = 1; at < slab_end(&e->queues) && e->misplaced > 0; at++) {
        if (slab_live(&e->queues, at) && queue_at(e, at)->misplaced &&
            reserve_way(e, at, id, parent, cells) < 0)
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

void queue_drop_parents(struct engine *e, uint32_t parent, uint32_t wanted)
{
    queue_drop_unused(e, parent);
    if (wanted != parent)
        queue_drop_unused(e, wanted);
}

/* [hangs nowhere; reserved] */
void queue_place(struct engine *e, uint32_t id)
{
    struct queue *queue = queue_at(e, id);
    uint32_t parent = place_for(e, id);

    e->misplaced -= queue->misplaced;
    queue->misplaced = parent != queue->wanted;
    e->misplaced += queue->misplaced;
    queue_hang(e, id, parent);
}

void queue_edited(struct engine *e, uint32_t id, uint32_t old_parent)
{
    contest_refresh_below(e, id);
    if (old_parent != 0) {
        contest_refresh(e, old_parent);
        queue_todo(e, TODO_DIRTY, queue_root(e, old_parent));
    }
    queue_todo(e, TODO_DIRTY, queue_root(e, id));
    queue_settle_below(e, id);
    tell_claims(e);
}

static void move(struct engine *e, uint32_t id)
{
    uint32_t before = queue_at(e, id)->parent;

    queue_unhang(e, id);
    queue_place(e, id);
    queue_edited(e, id, before);
}

void queue_misplace_cycle(struct engine *e, uint32_t id)
{
    uint32_t at = queue_at(e, id)->wanted;

    for (; in_cycle(e, id) && at != id; at = queue_at(e, at)->wanted) {
        if (!queue_at(e, at)->misplaced)
            move(e, at);
    }
}

void queue_place_misplaced(struct engine *e)
{
    for (uint32_t id = 1; id < slab_end(&e->queues) && e->misplaced > 0; id++) {
        if (slab_live(&e->queues, id) && queue_at(e, id)->misplaced && place_for(e, id) != 0)
            move(e, id);
    }
}
