/* SPDX-License-Identifier: Apache-2.0 */
#include "pairing.h"

uint32_t pairing_meld(const struct pairing_type *type, const void *ctx, uint32_t a, uint32_t b)
{
    uint32_t first = a, second = b;

    if (a == 0 || b == 0)
        return a == 0 ? b : a;
    if (type->compare(ctx, b, a) < 0) {
        first = b;
        second = a;
    }
    struct pairing_link *above = type->link(ctx, first);

    type->link(ctx, second)->sibling = above->child;
    above->child = second;
    return first;
}

void pairing_insert(const struct pairing_type *type, const void *ctx, uint32_t *heap, uint32_t id)
{
    *type->link(ctx, id) = (struct pairing_link){0};
    *heap = pairing_meld(type, ctx, *heap, id);
}

/* Melds the children two by two, and then these pairs, the last one first. */
void pairing_remove_first(const struct pairing_type *type, const void *ctx, uint32_t *heap)
{
    uint32_t left = type->link(ctx, *heap)->child, pairs = 0;

    while (left != 0) {
        uint32_t a = left, b = type->link(ctx, a)->sibling, pair;

        left = b == 0 ? 0 : type->link(ctx, b)->sibling;
        pair = pairing_meld(type, ctx, a, b);
        type->link(ctx, pair)->sibling = pairs;
        pairs = pair;
    }
    *heap = 0;
    while (pairs != 0) {
        uint32_t pair = pairs;

        pairs = type->link(ctx, pair)->sibling;
        *heap = pairing_meld(type, ctx, *heap, pair);
    }
}
