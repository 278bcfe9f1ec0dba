/* SPDX-License-Identifier: Apache-2.0 */
#include "heap.h"

static struct heap_slot *slot_at(const struct heap *heap, uint32_t n)
{
    return slab_at(&heap->slots, n);
}

static uint32_t place_of(const struct heap *heap, uint32_t id)
{
    return id != 0 && id < slab_end(&heap->slots) ? slot_at(heap, id)->place_of : 0;
}

static bool comes_before(const struct heap *heap, int64_t at, uint32_t id,
                         const struct heap_slot *other)
{
    if (at != other->at)
        return at < other->at;
    return heap->compare != NULL && heap->compare(heap->ctx, id, other->id) < 0;
}

static void put(struct heap *heap, uint32_t place, int64_t at, uint32_t id)
{
    struct heap_slot *slot = slot_at(heap, place);

    slot->at = at;
    slot->id = id;
    slot_at(heap, id)->place_of = place;
}

/* Lets (at, id) settle, starting from a place whose content is no longer needed. */
static void settle(struct heap *heap, uint32_t place, int64_t at, uint32_t id)
{
    while (place > 1) {
        const struct heap_slot *above = slot_at(heap, place / 2);

        if (!comes_before(heap, at, id, above))
            break;
        put(heap, place, above->at, above->id);
        place /= 2;
    }

    while (place <= heap->count / 2) {
        uint32_t below = place * 2;
        const struct heap_slot *slot = slot_at(heap, below);

        if (below < heap->count) {
            const struct heap_slot *right = slot_at(heap, below + 1);

            if (comes_before(heap, right->at, right->id, slot)) {
                below++;
                slot = right;
            }
        }
        if (!comes_before(heap, slot->at, slot->id, &(struct heap_slot){.at = at, .id = id}))
            break;
        put(heap, place, slot->at, slot->id);
        place = below;
    }
    put(heap, place, at, id);
}

void heap_init(struct heap *heap, struct mem *mem,
               int (*compare)(const void *ctx, uint32_t a, uint32_t b), const void *ctx)
{
    *heap = (struct heap){.compare = compare, .ctx = ctx};
    slab_init(&heap->slots, mem, sizeof(struct heap_slot));
}

void heap_finish(struct heap *heap)
{
    slab_finish(&heap->slots);
    *heap = (struct heap){0};
}

int heap_reserve(struct heap *heap, uint32_t ids_end)
{
    uint32_t end = slab_end(&heap->slots);

    if (ids_end <= end)
        return 0;
    if (slab_reserve(&heap->slots, ids_end - end) < 0)
        return -1;
    for (; end < ids_end; end++)
        slab_take(&heap->slots);
    return 0;
}

void heap_set(struct heap *heap, uint32_t id, int64_t at)
{
    uint32_t place = place_of(heap, id);

    if (at == INT64_MAX)
        heap_clear(heap, id);
    else
        settle(heap, place != 0 ? place : ++heap->count, at, id);
}

void heap_clear(struct heap *heap, uint32_t id)
{
    uint32_t place = place_of(heap, id);

    if (place == 0)
        return;

    const struct heap_slot *last = slot_at(heap, heap->count--);

    slot_at(heap, id)->place_of = 0;
    if (last->id != id)
        settle(heap, place, last->at, last->id);
}

int64_t heap_earliest(const struct heap *heap)
{
    return heap->count == 0 ? INT64_MAX : slot_at(heap, 1)->at;
}

int64_t heap_when(const struct heap *heap, uint32_t id)
{
    uint32_t place = place_of(heap, id);

    return place == 0 ? INT64_MAX : slot_at(heap, place)->at;
}

uint32_t heap_due(const struct heap *heap, int64_t now)
{
    return heap->count > 0 && slot_at(heap, 1)->at <= now ? slot_at(heap, 1)->id : 0;
}

bool heap_check(const struct heap *heap, const struct slab *records)
{
    for (uint32_t place = 1; place <= heap->count; place++) {
        if (!slab_live(records, slot_at(heap, place)->id))
            return false;
    }
    return true;
}
