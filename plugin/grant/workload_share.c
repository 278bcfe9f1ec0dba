/* SPDX-License-Identifier: Apache-2.0 */
#include "workload_share.h"

#include "plugin/capacity/flow.h"
#include "plugin/capacity/headroom.h"
#include "plugin/state.h"

static const struct cell *cell_of(const struct workload_hunt *hunt, uint32_t queue, uint32_t i)
{
    return quota_cell(queue_at(hunt->e, queue), hunt->needs[i].flavor, hunt->needs[i].resource);
}

bool workload_share_find_contested(struct workload_hunt *hunt)
{
    bool any = false;

    for (uint32_t i = 0; i < hunt->count; i++) {
        hunt->contested[i] =
            hunt->needs[i].amount >
            headroom_later(hunt->e, hunt->queue, hunt->needs[i].flavor, hunt->needs[i].resource);
        any = any || hunt->contested[i];
    }
    return any;
}

bool workload_share_exceeds(const struct workload_hunt *hunt, uint32_t queue)
{
    for (uint32_t i = 0; i < hunt->count; i++) {
        const struct cell *cell = hunt->contested[i] ? cell_of(hunt, queue, i) : NULL;

        if (cell != NULL && cell->later > cell->share)
            return true;
    }
    return false;
}

bool workload_share_exceeds_unnamed(const struct workload_hunt *hunt, uint32_t queue)
{
    for (uint32_t i = 0; i < hunt->count; i++) {
        if (hunt->contested[i] && cell_of(hunt, queue, i) == NULL &&
            flow_of(hunt->e, queue, hunt->needs[i].flavor, hunt->needs[i].resource).later > 0)
            return true;
    }
    return false;
}

bool workload_share_has_unnamed(const struct workload_hunt *hunt, uint32_t id)
{
    for (uint32_t i = 0; i < hunt->count; i++) {
        const struct cell *above = cell_of(hunt, id, i);
        wide sum = 0;

        if (!hunt->contested[i])
            continue;
        for (uint32_t child = queue_at(hunt->e, id)->first_child; child != 0 && above != NULL;
             child = queue_at(hunt->e, child)->next_sibling) {
            const struct cell *cell = cell_of(hunt, child, i);

            sum += cell == NULL ? 0 : flow_passes_later(cell);
        }
        if (above == NULL || sum < above->later)
            return true;
    }
    return false;
}

/* uses: which of the needs; NULL: all. */
static bool holds(const struct workload_hunt *hunt, uint32_t queue, const bool *uses, wide *arrives)
{
    bool all = true;

    for (uint32_t i = 0; i < hunt->count; i++) {
        const struct cell *cell;

        if (uses != NULL && !uses[i])
            continue;
        cell = cell_of(hunt, queue, i);
        if (cell == NULL) {
            all = all && arrives[i] <= 0;
            continue;
        }
        all = all && cell->later + arrives[i] <= cell->share;
        arrives[i] = wide_max(0, arrives[i] - wide_max(0, cell->kept - cell->later));
    }
    return all;
}

bool workload_share_holds(const struct workload_hunt *hunt, uint32_t queue, wide *arrives)
{
    return holds(hunt, queue, NULL, arrives);
}

bool workload_share_is_under(const struct workload_hunt *hunt)
{
    for (uint32_t i = 0; i < hunt->count; i++) {
        const struct cell *cell = hunt->contested[i] ? cell_of(hunt, hunt->queue, i) : NULL;

        if (hunt->contested[i] && (cell == NULL || cell->later >= cell->share))
            return false;
    }
    return true;
}

static bool would_borrow(const struct workload_hunt *hunt)
{
    for (uint32_t i = 0; i < hunt->count; i++) {
        const struct cell *cell = cell_of(hunt, hunt->queue, i);

        if (cell == NULL || cell->later + hunt->needs[i].amount > cell->share)
            return true;
    }
    return false;
}

bool workload_share_fits(const struct workload_hunt *hunt, bool borrowing)
{
    if (!borrowing && would_borrow(hunt))
        return false;
    for (uint32_t i = 0; i < hunt->count; i++) {
        if (hunt->needs[i].amount >
            headroom_later(hunt->e, hunt->queue, hunt->needs[i].flavor, hunt->needs[i].resource))
            return false;
    }
    return true;
}

bool workload_share_returns(const struct workload_hunt *hunt, uint32_t victim)
{
    const struct engine *e = hunt->e;
    uint32_t queue = workload_queue(e, victim), common = queue_at(e, queue)->cluster.source.common;
    wide arrives[ASSIGN_MAX_AMOUNTS];
    bool uses[ASSIGN_MAX_AMOUNTS];

    for (uint32_t i = 0; i < hunt->count; i++) {
        uses[i] = workload_amount(e, victim, hunt->needs[i].flavor, hunt->needs[i].resource) > 0;
        arrives[i] =
            workload_least_amount(e, victim, hunt->needs[i].flavor, hunt->needs[i].resource);
    }
    for (uint32_t at = queue; at != common; at = queue_at(e, at)->parent) {
        if (holds(hunt, at, uses, arrives))
            return true;
    }
    return false;
}

bool workload_share_falls_short(const struct workload_hunt *hunt, uint32_t victim)
{
    const struct engine *e = hunt->e;
    uint32_t queue = workload_queue(e, victim), common = queue_at(e, queue)->cluster.source.common;

    for (uint32_t i = 0; i < hunt->count; i++) {
        if (workload_amount(e, victim, hunt->needs[i].flavor, hunt->needs[i].resource) <= 0)
            continue;
        for (uint32_t at = queue; at != common; at = queue_at(e, at)->parent) {
            const struct cell *cell = cell_of(hunt, at, i);

            if (cell != NULL && cell->later < cell->share)
                return true;
        }
    }
    return false;
}
