/* SPDX-License-Identifier: Apache-2.0 */
#include "headroom.h"

#include "plugin/state.h"

/* From the root down to the queue; returns how many. */
static uint32_t path_to(const struct engine *e, uint32_t id, uint32_t path[QUEUE_MAX_PATH])
{
    uint32_t depth = 0, at = QUEUE_MAX_PATH;

    for (; id != 0 && at > 0; id = queue_at(e, id)->parent) {
        path[--at] = id;
        depth++;
    }
    memmove(path, path + at, depth * sizeof(*path));
    return depth;
}

/* What the guarded head of a queue below, if it is not this leaf's, asks for there. */
static wide aside(const struct engine *e, uint32_t where, uint32_t leaf, uint16_t flavor,
                  uint32_t resource, bool later)
{
    uint32_t id = queue_at(e, where)->guard;
    uint32_t head = id == 0 || id == leaf ? 0 : queue_at(e, id)->head;
    wide arrives = head == 0 ? 0 : line_asks(e, claim_line(e, head), resource);

    for (; arrives > 0 && id != where; id = queue_at(e, id)->parent)
        arrives -= cell_spares(quota_cell(queue_at(e, id), flavor, resource), later);
    return wide_max(0, arrives);
}

wide headroom_left(const struct engine *e, uint32_t where, uint32_t leaf, uint16_t flavor,
                   uint32_t resource, bool later)
{
    const struct cell *cell = quota_cell(queue_at(e, where), flavor, resource);
    wide left;

    if (cell == NULL)
        return root_bounds(e, where, resource) ? 0 : HEADROOM_UNLIMITED;
    left = cell->bounded ? cell->ceiling - cell_used(cell, later) : HEADROOM_UNLIMITED;
    if (cell->bounded && left > 0)
        left = wide_max(0, left - aside(e, where, leaf, flavor, resource, later));
    if (later && where == leaf && cell->within > 0)
        left = wide_min(left, quota_share(queue_at(e, leaf), cell) - cell->later);
    return left;
}

static wide room_of(const struct engine *e, uint32_t id, uint16_t flavor, uint32_t resource,
                    bool later)
{
    uint32_t path[QUEUE_MAX_PATH];
    uint32_t depth = path_to(e, id, path);
    wide room = HEADROOM_UNLIMITED;

    for (uint32_t i = 0; i < depth; i++) {
        room += cell_spares(quota_cell(queue_at(e, path[i]), flavor, resource), later);
        room = wide_min(room, headroom_left(e, path[i], id, flavor, resource, later));
    }
    return room;
}

wide headroom_present(const struct engine *e, uint32_t id, uint16_t flavor, uint32_t resource)
{
    return room_of(e, id, flavor, resource, false);
}

wide headroom_later(const struct engine *e, uint32_t id, uint16_t flavor, uint32_t resource)
{
    return room_of(e, id, flavor, resource, true);
}

wide headroom_now(const struct engine *e, uint32_t id, uint16_t flavor, uint32_t resource)
{
    wide now = room_of(e, id, flavor, resource, false);

    if (e->claims.promises.apart == 0) /* then both are the same */
        return now;
    return wide_min(now, room_of(e, id, flavor, resource, true));
}

wide headroom_again(const struct engine *e, uint32_t id, uint16_t flavor, uint32_t resource)
{
    uint32_t path[QUEUE_MAX_PATH];
    uint32_t depth = path_to(e, id, path);
    wide room = HEADROOM_UNLIMITED;

    for (uint32_t i = 0; i < depth; i++) {
        const struct cell *cell = quota_cell(queue_at(e, path[i]), flavor, resource);

        room = wide_max(0, room) + cell_spares(cell, false);
        if (cell != NULL && cell->bounded)
            room = wide_min(room, cell->ceiling - cell->usage);
        else if (cell == NULL && root_bounds(e, path[i], resource))
            room = 0;
    }
    return room;
}

/* What the queues let through when nothing is used, and which of them lets through least. */
static wide most(const struct engine *e, uint32_t id, uint16_t flavor, uint32_t resource,
                 bool by_nodes, uint32_t *ret_queue)
{
    uint32_t path[QUEUE_MAX_PATH];
    uint32_t depth = path_to(e, id, path);
    wide room = HEADROOM_UNLIMITED;

    *ret_queue = id;
    for (uint32_t i = 0; i < depth; i++) {
        const struct cell *cell = quota_cell(queue_at(e, path[i]), flavor, resource);
        bool is_nodes = root_bounds(e, path[i], resource);
        wide ceiling = cell != NULL ? cell->ceiling : 0;

        if (cell != NULL)
            room += cell->kept;
        if ((cell == NULL ? !is_nodes : !cell->bounded) || (is_nodes && !by_nodes) ||
            room <= ceiling)
            continue;
        room = ceiling;
        *ret_queue = path[i];
    }
    return room;
}

wide headroom_ever(const struct engine *e, uint32_t id, uint16_t flavor, uint32_t resource)
{
    uint32_t queue;

    return most(e, id, flavor, resource, true, &queue);
}

wide headroom_written(const struct engine *e, uint32_t id, uint16_t flavor, uint32_t resource)
{
    uint32_t queue;

    return headroom_written_by(e, id, flavor, resource, &queue);
}

wide headroom_written_by(const struct engine *e, uint32_t id, uint16_t flavor, uint32_t resource,
                         uint32_t *ret_queue)
{
    return most(e, id, flavor, resource, false, ret_queue);
}
