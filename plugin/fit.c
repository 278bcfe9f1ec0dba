/* SPDX-License-Identifier: Apache-2.0 */
#include "fit.h"

#include "room.h"
#include "state.h"

/* A resource that no group of a ClusterQueue covers: `pods` is then not counted; the rest is
 * refused, unless the configuration says that it is unlimited. */
static bool counts_nowhere(const struct engine *e, uint32_t resource)
{
    return resource == e->name_pods || e->config.undeclared_unlimited;
}

/* What there is room for now, or could ever be. */
typedef wide room_function(const struct engine *e, uint32_t queue, uint16_t flavor,
                           uint32_t resource);

static bool group_fits_in(const struct engine *e, const struct line *line,
                          const struct queue_group *group, uint16_t flavor, room_function *room)
{
    const struct queue *queue = queue_at(e, line->queue);

    for (uint32_t i = 0; i < line->count; i++) {
        const struct need *need = &line->needs[i];

        if (queue_group_of(queue, need->resource) == group &&
            need->amount > room(e, line->queue, flavor, need->resource))
            return false;
    }
    return true;
}

static bool may_have(const struct engine *e, const struct line *line, uint16_t flavor)
{
    return flavor_usable(e, flavor) && !(line->bare && flavor_asks(e, flavor));
}

static bool first_flavor_that_fits(const struct engine *e, const struct line *line,
                                   const struct queue_group *group, room_function *room,
                                   uint16_t *ret_flavor)
{
    for (uint32_t k = 0; k < group->flavor_count; k++) {
        if (may_have(e, line, group->flavors[k]) &&
            group_fits_in(e, line, group, group->flavors[k], room)) {
            *ret_flavor = group->flavors[k];
            return true;
        }
    }
    return false;
}

/* Of a ClusterQueue. ret_need is the first need for which there is no flavor. */
static bool assign(const struct engine *e, const struct line *line, room_function *room,
                   uint16_t *ret_flavors, uint32_t *ret_need)
{
    const struct queue *queue = queue_at(e, line->queue);

    for (uint32_t i = 0; i < line->count; i++) {
        const struct queue_group *group = queue_group_of(queue, line->needs[i].resource);
        uint32_t k = 0;

        *ret_need = i;
        if (group == NULL) {
            if (!counts_nowhere(e, line->needs[i].resource))
                return false;
            ret_flavors[i] = FLAVOR_NONE;
            continue;
        }
        while (k < i && queue_group_of(queue, line->needs[k].resource) != group)
            k++;
        if (k < i)
            ret_flavors[i] = ret_flavors[k];
        else if (!first_flavor_that_fits(e, line, group, room, &ret_flavors[i]))
            return false;
    }
    return true;
}

static bool fits(const struct engine *e, const struct line *line, room_function *room,
                 uint16_t *ret_flavors, uint32_t *ret_need)
{
    if (queue_at(e, line->queue)->kind != QUEUE_VOLCANO)
        return assign(e, line, room, ret_flavors, ret_need);

    for (uint32_t i = 0; i < line->count; i++) {
        *ret_need = i;
        if (line->needs[i].amount > room(e, line->queue, 0, line->needs[i].resource))
            return false;
        ret_flavors[i] = 0;
    }
    return true;
}

bool fit_line(const struct engine *e, uint32_t id, uint16_t *ret_flavors)
{
    uint32_t need;

    return fits(e, line_at(e, id), room_now, ret_flavors, &need);
}

bool fit_ever(const struct engine *e, uint32_t id)
{
    uint16_t flavors[FACTS_MAX_NEEDS];
    uint32_t need;

    return fits(e, line_at(e, id), room_ever, flavors, &need);
}

bool fit_in(const struct engine *e, uint32_t id, const uint16_t *flavors)
{
    const struct line *line = line_at(e, id);

    for (uint32_t i = 0; i < line->count; i++) {
        if (flavors[i] != FLAVOR_NONE &&
            line->needs[i].amount > room_now(e, line->queue, flavors[i], line->needs[i].resource))
            return false;
    }
    return true;
}

/* The most room in any flavor in which a claim of this queue, or below it, could have the
 * resource. */
static wide best_room(const struct engine *e, uint32_t id, uint32_t resource)
{
    const struct queue *queue = queue_at(e, id);
    wide most = -ROOM_UNLIMITED;

    if (queue->kind == QUEUE_VOLCANO)
        return room_now(e, id, 0, resource);
    if (queue->kind == QUEUE_CLUSTER && queue_group_of(queue, resource) == NULL)
        return counts_nowhere(e, resource) ? ROOM_UNLIMITED : 0;

    for (uint32_t i = 0; i < queue->cell_count; i++) {
        const struct cell *cell = &queue->cells[i];

        if (cell->resource == resource && flavor_usable(e, cell->flavor))
            most = wide_max(most, room_now(e, id, cell->flavor, resource));
    }
    /* In a cohort nobody below declares it: who still waits there is not refused for it here. */
    return most == -ROOM_UNLIMITED && queue->kind == QUEUE_COHORT ? ROOM_UNLIMITED : most;
}

void rooms_init(struct rooms *rooms, const struct engine *e, uint32_t queue)
{
    rooms->e = e;
    rooms->queue = queue;
    rooms->count = 0;
}

wide rooms_for(struct rooms *rooms, uint32_t resource)
{
    wide room;

    for (uint32_t i = 0; i < rooms->count; i++) {
        if (rooms->item[i].resource == resource)
            return rooms->item[i].room;
    }
    room = best_room(rooms->e, rooms->queue, resource);
    if (rooms->count < ROOMS_MAX) {
        rooms->item[rooms->count].resource = resource;
        rooms->item[rooms->count++].room = room;
    }
    return room;
}

/* Follows what arrives at each queue on the way up to the one that has no room for it. */
static bool refused_at(const struct engine *e, uint32_t leaf, uint16_t flavor, uint32_t resource,
                       wide arrives, uint32_t *ret_queue, wide *ret_room)
{
    for (uint32_t id = leaf; id != 0; id = queue_at(e, id)->parent) {
        const struct cell *cell = quota_cell(queue_at(e, id), flavor, resource);
        wide room = room_left(e, id, leaf, flavor, resource);

        if (arrives > room) {
            *ret_queue = id;
            *ret_room = room;
            return true;
        }
        if (cell != NULL)
            arrives -= wide_max(0, cell->kept - cell->usage);
    }
    return false;
}

/* The first flavor of the group that the claim may have at all. */
static bool first_flavor(const struct engine *e, const struct line *line,
                         const struct queue_group *group, uint16_t *ret_flavor)
{
    for (uint32_t k = 0; group != NULL && k < group->flavor_count; k++) {
        if (may_have(e, line, group->flavors[k])) {
            *ret_flavor = group->flavors[k];
            return true;
        }
    }
    return false;
}

bool fit_refused(const struct engine *e, uint32_t id, uint32_t *ret_queue, uint32_t *ret_need,
                 wide *ret_room)
{
    const struct line *line = line_at(e, id);
    const struct queue *queue = queue_at(e, line->queue);
    uint16_t flavors[FACTS_MAX_NEEDS], flavor = 0;
    uint32_t refused;

    if (fits(e, line, room_now, flavors, &refused))
        return false;
    *ret_need = refused;
    *ret_queue = line->queue; /* not declared here, or in no flavor that it may have */
    *ret_room = 0;

    const struct queue_group *group = queue_group_of(queue, line->needs[refused].resource);

    if (queue->kind != QUEUE_VOLCANO && !first_flavor(e, line, group, &flavor))
        return true;
    for (uint32_t i = refused; i < line->count; i++) {
        const struct need *need = &line->needs[i];

        if (queue_group_of(queue, need->resource) == group &&
            refused_at(e, line->queue, flavor, need->resource, need->amount, ret_queue, ret_room)) {
            *ret_need = i;
            return true;
        }
    }
    return true;
}

static uint16_t guess(const struct engine *e, const struct claim *claim,
                      const struct queue_group *group)
{
    uint32_t node = node_find(e, name_text(e, claim->node));

    for (uint32_t k = 0; k < group->flavor_count; k++) {
        uint16_t flavor = group->flavors[k];

        if (claim->node != 0
                ? node != 0 && node_has_flavor(e, node, flavor)
                : flavor_usable(e, flavor) && (claim->gates != 0 || !flavor_asks(e, flavor)))
            return flavor;
    }
    return group->flavors[0];
}

void fit_guess(const struct engine *e, uint32_t id, bool anew, uint16_t *ret_flavors)
{
    const struct claim *claim = claim_at(e, id);
    const struct line *line = line_at(e, claim->line);
    const struct queue *queue = queue_at(e, line->queue);

    for (uint32_t i = 0; i < line->count; i++) {
        const struct queue_group *group = queue_group_of(queue, line->needs[i].resource);
        uint16_t now = anew ? 0 : claim_flavors(claim)[i];

        if (queue->kind == QUEUE_VOLCANO)
            ret_flavors[i] = 0;
        else if (now != 0 && now != FLAVOR_NONE)
            ret_flavors[i] = now;
        else
            ret_flavors[i] = group == NULL ? FLAVOR_NONE : guess(e, claim, group);
    }
}
