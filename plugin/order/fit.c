/* SPDX-License-Identifier: Apache-2.0 */
#include "fit.h"

#include "plugin/capacity/borrow.h"
#include "plugin/state.h"

/* `pods` is then not counted; the rest is refused, unless the configuration says that it is
 * unlimited. */
bool fit_counts_nowhere(const struct engine *e, uint32_t resource)
{
    return resource == e->name_pods || e->config.undeclared_unlimited;
}

void headrooms_init(struct headrooms *rooms, const struct engine *e, uint32_t queue)
{
    rooms->e = e;
    rooms->queue = queue;
    rooms->count = 0;
}

/* The most room in any flavor in which a claim of this queue, or below it, could have the
 * resource. What is promised is looked at where the claim is: further up less of it arrives. */
static wide best_room(const struct engine *e, uint32_t id, uint32_t resource)
{
    const struct queue *queue = queue_at(e, id);
    wide most = -HEADROOM_UNLIMITED;

    if (queue->kind == QUEUE_VOLCANO)
        return headroom_present(e, id, 0, resource);
    if (queue->kind == QUEUE_CLUSTER && queue_group_of(queue, resource) == NULL)
        return fit_counts_nowhere(e, resource) ? HEADROOM_UNLIMITED : 0;

    for (uint32_t i = 0; i < queue->cell_count; i++) {
        const struct cell *cell = &queue->cells[i];

        if (cell->resource == resource && flavor_usable(e, cell->flavor))
            most = wide_max(most, headroom_present(e, id, cell->flavor, resource));
    }
    /* In a cohort nobody below declares it: who still waits there is not refused for it here. */
    return most == -HEADROOM_UNLIMITED && queue->kind == QUEUE_COHORT ? HEADROOM_UNLIMITED : most;
}

/* In this flavor, or (FLAVOR_NONE) in the one that has most. */
static wide room_in(struct headrooms *rooms, uint16_t flavor, uint32_t resource)
{
    wide room;

    for (uint32_t i = 0; i < rooms->count; i++) {
        if (rooms->item[i].resource == resource && rooms->item[i].flavor == flavor)
            return rooms->item[i].room;
    }
    room = flavor == FLAVOR_NONE ? best_room(rooms->e, rooms->queue, resource)
                                 : headroom_now(rooms->e, rooms->queue, flavor, resource);
    if (rooms->count < HEADROOMS_MAX)
        rooms->item[rooms->count++] = (struct headroom){room, resource, flavor};
    return room;
}

wide headrooms_for(struct headrooms *rooms, uint32_t resource)
{
    return room_in(rooms, FLAVOR_NONE, resource);
}

/* What is tried: all that a line asks for, or the least that it and those below it ask for. */
struct trial {
    const struct engine *e;
    const struct line *line;
    headroom_function *room;
    struct headrooms *rooms; /* of a search, which looks each room up once; or NULL */
    bool least;
};

static wide room_for(const struct trial *trial, uint16_t flavor, uint32_t resource)
{
    return trial->rooms != NULL
               ? room_in(trial->rooms, flavor, resource)
               : trial->room(trial->e, line_queue(trial->e, trial->line), flavor, resource);
}

static bool need_fits(const struct trial *trial, uint32_t i, uint16_t flavor)
{
    int64_t asked =
        trial->least ? line_least(trial->e, trial->line, i) : line_amount(trial->e, trial->line, i);

    return asked <= room_for(trial, flavor, line_resource(trial->e, trial->line, i));
}

static bool group_fits_in(const struct trial *trial, const struct queue_group *group,
                          uint16_t flavor)
{
    const struct queue *queue = queue_at(trial->e, line_queue(trial->e, trial->line));

    for (uint32_t i = 0; i < line_count(trial->e, trial->line); i++) {
        if (queue_group_of(queue, line_resource(trial->e, trial->line, i)) == group &&
            !need_fits(trial, i, flavor))
            return false;
    }
    return true;
}

bool fit_may_have(const struct engine *e, const struct line *line, uint16_t flavor)
{
    return flavor_usable(e, flavor) && !(line_bare(e, line) && flavor_asks(e, flavor));
}

/* From how far up the claim borrows in the flavor, if that makes a difference. */
static uint32_t distance(const struct trial *trial, const struct queue_group *group,
                         uint16_t flavor)
{
    const struct line *line = trial->line;
    const struct queue *queue = queue_at(trial->e, line_queue(trial->e, line));
    uint32_t farthest = 0;
    bool reclaims;

    if (!queue->borrows_last || trial->least)
        return 0;
    for (uint32_t i = 0; i < line_count(trial->e, line); i++) {
        uint32_t resource = line_resource(trial->e, line, i);

        if (queue_group_of(queue, resource) == group) {
            uint32_t height = borrow_height(trial->e, line_queue(trial->e, line), flavor, resource,
                                            line_amount(trial->e, line, i), &reclaims);

            farthest = height > farthest ? height : farthest;
        }
    }
    return farthest;
}

/* The first; or, where whenCanBorrow tries the next ones, the first of those that are nearest. */
static bool flavor_that_fits(const struct trial *trial, const struct queue_group *group,
                             uint16_t *ret_flavor)
{
    uint32_t nearest = UINT32_MAX;

    for (uint32_t k = 0; k < group->flavor_count && nearest > 0; k++) {
        uint32_t height;

        if (!fit_may_have(trial->e, trial->line, group->flavors[k]) ||
            !group_fits_in(trial, group, group->flavors[k]))
            continue;
        height = distance(trial, group, group->flavors[k]);
        if (height < nearest) {
            *ret_flavor = group->flavors[k];
            nearest = height;
        }
    }
    return nearest < UINT32_MAX;
}

/* Of a ClusterQueue. ret_need is the first need for which there is no flavor. */
static bool assign(const struct trial *trial, uint16_t *ret_flavors, uint32_t *ret_need)
{
    const struct line *line = trial->line;
    const struct queue *queue = queue_at(trial->e, line_queue(trial->e, line));

    for (uint32_t i = 0; i < line_count(trial->e, line); i++) {
        const struct queue_group *group = queue_group_of(queue, line_resource(trial->e, line, i));
        uint32_t k = 0;

        *ret_need = i;
        if (group == NULL) {
            if (!fit_counts_nowhere(trial->e, line_resource(trial->e, line, i)))
                return false;
            ret_flavors[i] = FLAVOR_NONE;
            continue;
        }
        while (k < i && queue_group_of(queue, line_resource(trial->e, line, k)) != group)
            k++;
        if (k < i)
            ret_flavors[i] = ret_flavors[k];
        else if (!flavor_that_fits(trial, group, &ret_flavors[i]))
            return false;
    }
    return true;
}

/* Whether the line asks for something of which it is not known yet, in a flavor that it might have,
 * what is used in its queue or above it: then of which of its needs. */
static bool awaits_count(const struct engine *e, const struct line *line, uint32_t *ret_need)
{
    static const struct queue_group volcano = {.flavor_count = 1};
    const struct queue *queue = queue_at(e, line_queue(e, line));

    for (uint32_t i = 0; i < line_count(e, line) && e->claims.recount.cells > 0; i++) {
        uint32_t resource = line_resource(e, line, i);
        const struct queue_group *group =
            queue->kind == QUEUE_VOLCANO ? &volcano : queue_group_of(queue, resource);

        *ret_need = i;
        for (uint32_t k = 0; group != NULL && k < group->flavor_count; k++) {
            if (quota_is_counting(e, line_queue(e, line), group->flavors[k], resource))
                return true;
        }
    }
    return false;
}

static bool fits(const struct trial *trial, uint16_t *ret_flavors, uint32_t *ret_need)
{
    if (trial->room != headroom_ever && trial->room != headroom_written &&
        awaits_count(trial->e, trial->line, ret_need))
        return false;
    if (queue_at(trial->e, line_queue(trial->e, trial->line))->kind != QUEUE_VOLCANO)
        return assign(trial, ret_flavors, ret_need);

    for (uint32_t i = 0; i < line_count(trial->e, trial->line); i++) {
        *ret_need = i;
        if (!need_fits(trial, i, 0))
            return false;
        ret_flavors[i] = 0;
    }
    return true;
}

static bool fits_by(const struct engine *e, uint32_t id, headroom_function *room,
                    uint16_t *ret_flavors)
{
    const struct trial trial = {.e = e, .line = line_at(e, id), .room = room};
    uint16_t unused[FACTS_MAX_NEEDS];
    uint32_t need;

    return fits(&trial, ret_flavors == NULL ? unused : ret_flavors, &need);
}

bool fit_line(const struct engine *e, uint32_t id, uint16_t *ret_flavors)
{
    return fits_by(e, id, headroom_now, ret_flavors);
}

bool fit_line_again(const struct engine *e, uint32_t id, uint16_t *ret_flavors)
{
    return fits_by(e, id, headroom_again, ret_flavors);
}

bool fit_ever(const struct engine *e, uint32_t id)
{
    return fits_by(e, id, headroom_ever, NULL);
}

bool fit_never(const struct engine *e, uint32_t id)
{
    return !fits_by(e, id, headroom_written, NULL);
}

bool fit_in(const struct engine *e, uint32_t id, const uint16_t *flavors, headroom_function *room)
{
    const struct line *line = line_at(e, id);

    for (uint32_t i = 0; i < line_count(e, line); i++) {
        if (flavors[i] != FLAVOR_NONE &&
            line_amount(e, line, i) >
                room(e, line_queue(e, line), flavors[i], line_resource(e, line, i)))
            return false;
    }
    return true;
}

bool headrooms_hold(struct headrooms *rooms, uint32_t line, uint16_t *ret_flavors)
{
    const struct trial trial = {rooms->e, line_at(rooms->e, line), headroom_now, rooms, false};
    uint16_t flavors[FACTS_MAX_NEEDS];
    uint32_t need;

    if (!fits(&trial, flavors, &need))
        return false;
    memcpy(ret_flavors, flavors, line_count(trial.e, trial.line) * sizeof(*flavors));
    return true;
}

bool headrooms_hold_least(struct headrooms *rooms, uint32_t line)
{
    const struct trial trial = {rooms->e, line_at(rooms->e, line), headroom_now, rooms, true};
    uint16_t flavors[FACTS_MAX_NEEDS];
    uint32_t need;

    return fits(&trial, flavors, &need);
}

/* Follows what arrives at each queue on the way up to the one that has no room for it. */
static bool refused_when(const struct engine *e, uint32_t leaf, uint16_t flavor, uint32_t resource,
                         wide arrives, bool later, uint32_t *ret_queue, wide *ret_room)
{
    for (uint32_t id = leaf; id != 0; id = queue_at(e, id)->parent) {
        wide room = headroom_left(e, id, leaf, flavor, resource, later);

        if (arrives > room) {
            *ret_queue = id;
            *ret_room = room;
            return true;
        }
        arrives -= cell_spares(quota_cell(queue_at(e, id), flavor, resource), later);
    }
    return false;
}

bool fit_refused_in(const struct engine *e, uint32_t leaf, uint16_t flavor, uint32_t resource,
                    wide arrives, uint32_t *ret_queue, wide *ret_room)
{
    return refused_when(e, leaf, flavor, resource, arrives, false, ret_queue, ret_room) ||
           refused_when(e, leaf, flavor, resource, arrives, true, ret_queue, ret_room);
}

/* The first flavor of the group that the claim may have at all. */
static bool first_flavor(const struct engine *e, const struct line *line,
                         const struct queue_group *group, uint16_t *ret_flavor)
{
    for (uint32_t k = 0; group != NULL && k < group->flavor_count; k++) {
        if (fit_may_have(e, line, group->flavors[k])) {
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
    const struct queue *queue = queue_at(e, line_queue(e, line));
    const struct trial trial = {.e = e, .line = line, .room = headroom_now};
    uint16_t flavors[FACTS_MAX_NEEDS], flavor = 0;

    if (fits(&trial, flavors, ret_need))
        return false;
    *ret_queue = line_queue(e, line); /* not declared here, or in no flavor that it may have */
    *ret_room = 0;

    const struct queue_group *group = queue_group_of(queue, line_resource(e, line, *ret_need));

    if (queue->kind != QUEUE_VOLCANO && !first_flavor(e, line, group, &flavor))
        return true;
    for (uint32_t i = *ret_need; i < line_count(e, line); i++) {
        uint32_t resource = line_resource(e, line, i);

        if (queue_group_of(queue, resource) == group &&
            fit_refused_in(e, line_queue(e, line), flavor, resource, line_amount(e, line, i),
                           ret_queue, ret_room)) {
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

        if (claim->node != 0 ? node != 0 && node_has_flavor(e, node, flavor)
                             : fit_may_have(e, line_at(e, claim->line), flavor))
            return flavor;
    }
    return group->flavors[0];
}

void fit_guess(const struct engine *e, uint32_t id, bool anew, uint16_t *ret_flavors)
{
    const struct claim *claim = claim_at(e, id);
    const struct line *line = line_at(e, claim->line);
    const struct queue *queue = queue_at(e, line_queue(e, line));

    for (uint32_t i = 0; i < line_count(e, line); i++) {
        const struct queue_group *group = queue_group_of(queue, line_resource(e, line, i));
        uint16_t now = anew ? 0 : claim_flavors(claim)[i];

        if (queue->kind == QUEUE_VOLCANO)
            ret_flavors[i] = 0;
        else if (now != 0 && now != FLAVOR_NONE)
            ret_flavors[i] = now;
        else
            ret_flavors[i] = group == NULL ? FLAVOR_NONE : guess(e, claim, group);
    }
}
