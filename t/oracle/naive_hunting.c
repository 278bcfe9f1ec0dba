/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/naive_hunting.h"

void hunting_think(struct hunting *h, int n, bool away)
{
    h->away[n] = away;
    for (int i = 0; i < h->wanted->count; i++)
        naive_count(h->world, h->wanted->cells[i], true, h->away, h->used[i]);
}

bool hunting_matters(const struct hunting *h, int i)
{
    return h->contested[i] || !h->world->nodes[h->queue].is_volcano;
}

bool hunting_has_room(const struct hunting *h, int i)
{
    return h->wanted->amounts[i] <=
           naive_room(h->world, h->wanted->cells[i], true, h->used[i], h->queue);
}

static bool would_borrow(const struct hunting *h, int i)
{
    return hunting_matters(h, i) &&
           h->used[i][h->queue] + h->wanted->amounts[i] > hunting_quota(h, h->queue, i)->share;
}

bool hunting_fits(const struct hunting *h, bool borrowing)
{
    for (int i = 0; i < h->wanted->count; i++)
        if (!hunting_has_room(h, i) || (!borrowing && would_borrow(h, i)))
            return false;
    return true;
}

bool hunting_is_under(const struct hunting *h)
{
    for (int i = 0; i < h->wanted->count; i++)
        if (h->contested[i] && h->used[i][h->queue] >= hunting_quota(h, h->queue, i)->share)
            return false;
    return true;
}

static bool exceeds(const struct hunting *h, int node)
{
    for (int i = 0; i < h->wanted->count; i++)
        if (h->contested[i] && (hunting_quota(h, node, i)->nothing ||
                                h->used[i][node] > hunting_quota(h, node, i)->share))
            return true;
    return false;
}

bool hunting_all_exceed(const struct hunting *h, int node, int common)
{
    for (; node != common; node = hunting_parent(h, node))
        if (!exceeds(h, node))
            return false;
    return true;
}

/* What arrives at a node above of so much that comes to the queue. */
static wide arrives_at(const struct hunting *h, int i, int queue, int top, wide amount)
{
    for (; queue != top; queue = hunting_parent(h, queue))
        amount =
            wide_max(0, amount - wide_max(0, hunting_quota(h, queue, i)->kept - h->used[i][queue]));
    return amount;
}

bool hunting_holds(const struct hunting *h, int queue, int common, const wide amounts[NAIVE_CELLS])
{
    for (int top = queue; top != common; top = hunting_parent(h, top)) {
        bool within = true, any = false;

        for (int i = 0; i < h->wanted->count; i++) {
            if (amounts[i] == 0)
                continue;
            any = true;
            within = within && h->used[i][top] + arrives_at(h, i, queue, top, amounts[i]) <=
                                   hunting_quota(h, top, i)->share;
        }
        if (any && within)
            return true;
    }
    return false;
}
