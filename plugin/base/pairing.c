/* SPDX-License-Identifier: Apache-2.0 */
#include "pairing.h"

#include <stdbool.h>

struct place {
    uint32_t id;
    struct pairing_link *link;
};

static struct place place_of(const struct pairing_type *type, const void *ctx, uint32_t id)
{
    return (struct place){id, type->link(ctx, id)};
}

/* Whichever comes first, with the other one among its children. */
static struct place meld(const struct pairing_type *type, const void *ctx, struct place a,
                         struct place b)
{
    bool turned = type->compare(ctx, b.id, a.id) < 0;
    struct place first = turned ? b : a, second = turned ? a : b;

    second.link->sibling = first.link->child;
    first.link->child = second.id;
    return first;
}

void pairing_insert(const struct pairing_type *type, const void *ctx, uint32_t *heap, uint32_t id)
{
    struct place place = place_of(type, ctx, id);

    *place.link = (struct pairing_link){0};
    if (*heap != 0)
        place = meld(type, ctx, place_of(type, ctx, *heap), place);
    *heap = place.id;
}

/* Melds these siblings two by two. Returns the last pair; siblings are the others, backwards. */
static uint32_t meld_pairs(const struct pairing_type *type, const void *ctx, uint32_t next)
{
    uint32_t pairs = 0;

    while (next != 0) {
        struct place pair = place_of(type, ctx, next);

        next = pair.link->sibling;
        if (next != 0) {
            struct place other = place_of(type, ctx, next);

            next = other.link->sibling;
            pair = meld(type, ctx, pair, other);
        }
        pair.link->sibling = pairs;
        pairs = pair.id;
    }
    return pairs;
}

void pairing_remove_first(const struct pairing_type *type, const void *ctx, uint32_t *heap)
{
    uint32_t next = meld_pairs(type, ctx, type->link(ctx, *heap)->child);
    struct place first = {0};

    while (next != 0) {
        struct place pair = place_of(type, ctx, next);

        next = pair.link->sibling;
        first = first.id == 0 ? pair : meld(type, ctx, first, pair);
    }
    *heap = first.id;
}
