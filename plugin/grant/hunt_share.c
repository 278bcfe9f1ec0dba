/* SPDX-License-Identifier: Apache-2.0 */
#include "hunt_share.h"

#include "candidates.h"
#include "plugin/claims/flow.h"
#include "plugin/claims/removable.h"
#include "plugin/order/headroom.h"
#include "plugin/state.h"

static const struct cell *cell_of(const struct hunt *hunt, uint32_t queue, uint32_t i)
{
    return quota_cell(queue_at(hunt->e, queue), hunt->needs[i].flavor, hunt->needs[i].resource);
}

static wide room_for(const struct hunt *hunt, uint32_t i)
{
    return headroom_later(hunt->e, hunt->queue, hunt->needs[i].flavor, hunt->needs[i].resource);
}

static bool is_volcano(const struct hunt *hunt)
{
    return queue_at(hunt->e, hunt->queue)->kind == QUEUE_VOLCANO;
}

bool hunt_share_contest(struct hunt *hunt)
{
    hunt->uses = 0;
    for (uint32_t i = 0; i < hunt->count; i++) {
        hunt->lacks[i] = wide_max(0, hunt->needs[i].amount - room_for(hunt, i));
        hunt->contested[i] = hunt->lacks[i] > 0;
        if (hunt->contested[i])
            hunt->uses |= removable_uses(hunt->needs[i].flavor, hunt->needs[i].resource);
    }
    return hunt->uses != 0;
}

static bool exceeds_named(const struct hunt *hunt, uint32_t queue)
{
    for (uint32_t i = 0; i < hunt->count; i++) {
        const struct cell *cell = hunt->contested[i] ? cell_of(hunt, queue, i) : NULL;

        if (cell == NULL ? hunt->contested[i] && is_volcano(hunt)
                         : cell->later > quota_share(queue_at(hunt->e, queue), cell))
            return true;
    }
    return false;
}

/* What those below the queue hold that were taken away: no cell of it counts that. */
static wide taken_below(const struct hunt *hunt, uint32_t queue, const struct claim_need *need)
{
    wide sum = 0;

    for (uint32_t id = hunt->last; id != 0; id = pledge_at(hunt->e, id)->peers.prev) {
        if (queue_is_below(hunt->e, claim_queue(hunt->e, id), queue))
            sum += claim_amount(hunt->e, id, need->flavor, need->resource);
    }
    return sum;
}

static bool exceeds_unnamed(const struct hunt *hunt, uint32_t queue)
{
    for (uint32_t i = 0; i < hunt->count; i++) {
        const struct claim_need *need = &hunt->needs[i];

        if (hunt->contested[i] && cell_of(hunt, queue, i) == NULL &&
            flow_of(hunt->e, queue, need->flavor, need->resource).later >
                taken_below(hunt, queue, need))
            return true;
    }
    return false;
}

bool hunt_share_exceeds(const struct hunt *hunt, uint32_t queue, bool unnamed)
{
    return exceeds_named(hunt, queue) || (unnamed && exceeds_unnamed(hunt, queue));
}

bool hunt_share_has_unnamed(const struct hunt *hunt, uint32_t id)
{
    for (uint32_t i = 0; i < hunt->count && !is_volcano(hunt); i++) {
        const struct cell *above = cell_of(hunt, id, i);
        wide sum = 0;

        if (!hunt->contested[i])
            continue;
        for (uint32_t child = queue_at(hunt->e, id)->first_child; child != 0 && above != NULL;
             child = queue_at(hunt->e, child)->next_sibling) {
            const struct cell *cell = cell_of(hunt, child, i);

            sum += cell == NULL ? 0 : cell_passes(cell, true);
        }
        if (above == NULL || sum < above->later)
            return true;
    }
    return false;
}

bool hunt_share_matters(const struct hunt *hunt, uint32_t i)
{
    return !is_volcano(hunt) || hunt->contested[i];
}

bool hunt_share_holds(const struct hunt *hunt, uint32_t queue, wide *arrives)
{
    bool all = true;

    for (uint32_t i = 0; i < hunt->count; i++) {
        if (hunt_share_matters(hunt, i))
            all =
                quota_would_hold(queue_at(hunt->e, queue), cell_of(hunt, queue, i), &arrives[i]) &&
                all;
    }
    return all;
}

/* Whether the asking queue exceeds its share of a need if it uses so much more. */
static bool would_exceed(const struct hunt *hunt, uint32_t i, wide more)
{
    const struct cell *cell = cell_of(hunt, hunt->queue, i);

    return cell == NULL || cell->later + more > quota_share(queue_at(hunt->e, hunt->queue), cell);
}

bool hunt_share_is_under(const struct hunt *hunt)
{
    for (uint32_t i = 0; i < hunt->count; i++) {
        if (hunt->contested[i] && would_exceed(hunt, i, 1))
            return false;
    }
    return true;
}

static bool would_borrow(const struct hunt *hunt)
{
    for (uint32_t i = 0; i < hunt->count; i++) {
        if (hunt_share_matters(hunt, i) && would_exceed(hunt, i, hunt->needs[i].amount))
            return true;
    }
    return false;
}

bool hunt_share_fits(const struct hunt *hunt, bool borrowing)
{
    if (!borrowing && would_borrow(hunt))
        return false;
    for (uint32_t i = 0; i < hunt->count; i++) {
        if (hunt->needs[i].amount > room_for(hunt, i))
            return false;
    }
    return true;
}

bool hunt_share_leaves_kept(const struct hunt *hunt, uint32_t claim, uint32_t common)
{
    uint32_t at = claim_queue(hunt->e, claim);

    if (common == 0 || !is_volcano(hunt))
        return true;
    for (; at != common; at = queue_at(hunt->e, at)->parent) {
        for (uint32_t i = 0; i < hunt->count; i++) {
            const struct cell *cell = hunt->contested[i] ? cell_of(hunt, at, i) : NULL;

            if (cell != NULL && cell->later < cell->kept &&
                claim_amount(hunt->e, claim, hunt->needs[i].flavor, hunt->needs[i].resource) > 0)
                return false;
        }
    }
    return true;
}
