/* SPDX-License-Identifier: Apache-2.0 */
#include "quota.h"

#include "plugin/state.h"

bool root_bounds_all(const struct engine *e, uint32_t queue)
{
    return queue == e->queues.volcano_root && e->config.root_ceiling == ROOT_CLUSTER;
}

bool root_bounds(const struct engine *e, uint32_t queue, uint32_t resource)
{
    const struct text devices = text_of("deviceclass/");
    struct text name;

    if (!root_bounds_all(e, queue))
        return false;
    name = name_text(e, resource);
    return name.len < devices.len || memcmp(name.at, devices.at, devices.len) != 0;
}

struct cell *quota_cell_among(const struct queue *queue, uint32_t count, uint16_t flavor,
                              uint32_t resource)
{
    for (uint32_t i = 0; i < count; i++) {
        if (queue->cells[i].resource == resource && queue->cells[i].flavor == flavor)
            return &queue->cells[i];
    }
    return NULL;
}

struct cell *quota_cell(const struct queue *queue, uint16_t flavor, uint32_t resource)
{
    return quota_cell_among(queue, queue->cell_count, flavor, resource);
}

void quota_derive(struct engine *e, uint32_t id, struct cell *cell)
{
    const struct queue *queue = queue_at(e, id);

    if (cell->counting)
        return;
    if (queue->kind == QUEUE_VOLCANO) {
        wide guarantee = cell->has_kept ? cell->own_kept : 0;

        /* Usage counts only what the children use beyond what is kept for them, so of the queue's
         * own guarantee only the part that is not theirs is kept here. */
        cell->kept = wide_max(guarantee, cell->given) - cell->given;
        cell->share = cell->own_share;
        cell->bounded = cell->has_ceiling || root_bounds(e, id, cell->resource);
        cell->ceiling = cell->own_ceiling - cell->given;
    } else {
        cell->share = cell->own_share + cell->given;
        cell->kept = cell->has_kept ? wide_max(0, cell->share - cell->own_kept) : 0;
        cell->bounded = queue->parent == 0 || cell->has_ceiling;
        cell->ceiling = cell->share + (queue->parent == 0 ? 0 : cell->own_ceiling);
    }
    if (cell->bounded && cell->usage > cell->ceiling)
        queue_todo(e, TODO_OVER, id);
}

uint32_t quota_carry(struct engine *e, uint32_t id, uint16_t flavor, uint32_t resource,
                     struct flow flow, bool counted)
{
    uint32_t topmost = 0;

    for (; id != 0 && !flow_is_nothing(&flow); id = queue_at(e, id)->parent) {
        struct cell *cell = quota_cell(queue_at(e, id), flavor, resource);

        if (cell != NULL && cell->counting && counted) {
            cell->reserved += flow.reserved;
            cell->allocated += flow.allocated;
            cell->expected += flow.expected;
        }
        if (cell == NULL || cell->counting)
            continue;

        wide passed = cell_passes(cell, false), gave = cell_gives(queue_at(e, id), cell);
        wide later = cell_passes(cell, true);

        if (flow.usage != 0 || flow.later != 0)
            topmost = id;
        cell->usage += flow.usage;
        cell->reserved += flow.reserved;
        cell->allocated += flow.allocated;
        cell->given += flow.given;
        cell->later += flow.later;
        cell->expected += flow.expected;
        quota_derive(e, id, cell);
        flow.usage = cell_passes(cell, false) - passed;
        flow.later = cell_passes(cell, true) - later;
        flow.given = cell_gives(queue_at(e, id), cell) - gave;
    }
    return topmost;
}

uint32_t quota_charge(struct engine *e, uint32_t queue, uint16_t flavor, uint32_t resource,
                      wide reserved, wide allocated, wide later, bool counted)
{
    if (flavor == FLAVOR_NONE)
        return 0;
    return quota_carry(e, queue, flavor, resource,
                       (struct flow){reserved + allocated, reserved, allocated, 0, later, later},
                       counted);
}

/* Nothing is derived from what will be used. */
void quota_charge_later(struct engine *e, uint32_t id, uint16_t flavor, uint32_t resource,
                        wide later, bool counted)
{
    wide passed = later;

    for (; id != 0 && flavor != FLAVOR_NONE; id = queue_at(e, id)->parent) {
        struct cell *cell = quota_cell(queue_at(e, id), flavor, resource);
        wide passed_before;

        if (cell == NULL)
            continue;
        if (!cell->counting || counted)
            cell->expected += later;
        if (cell->counting)
            continue;
        passed_before = cell_passes(cell, true);
        cell->later += passed;
        passed = cell_passes(cell, true) - passed_before;
    }
}

void quota_promise_within(struct engine *e, uint32_t id, uint16_t flavor, uint32_t resource,
                          int more)
{
    struct cell *cell =
        flavor == FLAVOR_NONE ? NULL : quota_cell(queue_at(e, id), flavor, resource);

    if (cell != NULL)
        cell->within += (uint32_t)more;
}

/* Usage counts only what is above what the children keep; so does the share, in Volcano's trees. */
wide quota_share(const struct queue *queue, const struct cell *cell)
{
    return queue->kind == QUEUE_VOLCANO
               ? wide_max(cell->share, cell->kept + cell->given) - cell->given
               : cell->share;
}

bool quota_would_hold(const struct queue *queue, const struct cell *cell, wide *arrives)
{
    bool holds = cell == NULL ? *arrives <= 0 : cell->later + *arrives <= quota_share(queue, cell);

    if (cell != NULL)
        *arrives = wide_max(0, *arrives - cell_spares(cell, true));
    return holds;
}

bool quota_is_counting(const struct engine *e, uint32_t id, uint16_t flavor, uint32_t resource)
{
    for (; id != 0; id = queue_at(e, id)->parent) {
        const struct cell *cell = quota_cell(queue_at(e, id), flavor, resource);

        if (cell != NULL && cell->counting)
            return true;
    }
    return false;
}
