/* SPDX-License-Identifier: Apache-2.0 */
#include "borrow.h"

#include "plugin/state.h"

static bool covers(const struct cell *cell, wide amount, bool later)
{
    return cell == NULL ? amount <= 0 : cell_used(cell, later) + amount <= cell->share;
}

static uint32_t height(const struct engine *e, uint32_t id, uint16_t flavor, uint32_t resource,
                       wide amount, bool later, bool *ret_reclaims)
{
    for (uint32_t at = id;; at = queue_at(e, at)->parent) {
        const struct cell *cell = quota_cell(queue_at(e, at), flavor, resource);

        *ret_reclaims = queue_at(e, at)->parent != 0;
        if (!*ret_reclaims || covers(cell, amount, later))
            return at == id ? 0 : queue_at(e, at)->height.levels;
        amount -= cell_spares(cell, later);
    }
}

uint32_t borrow_height_later(const struct engine *e, uint32_t id, uint16_t flavor,
                             uint32_t resource, wide amount)
{
    bool reclaims;

    return height(e, id, flavor, resource, amount, true, &reclaims);
}

uint32_t borrow_height(const struct engine *e, uint32_t id, uint16_t flavor, uint32_t resource,
                       wide amount, bool *ret_reclaims)
{
    uint32_t now = height(e, id, flavor, resource, amount, false, ret_reclaims);
    uint32_t later = borrow_height_later(e, id, flavor, resource, amount);

    return later > now ? later : now;
}
