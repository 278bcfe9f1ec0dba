/* SPDX-License-Identifier: Apache-2.0 */
#include "given.h"

#include "index.h"

void given_init(struct given_list *list, struct mem *mem)
{
    *list = (struct given_list){0};
    slab_init(&list->records, mem, sizeof(struct given));
}

static struct tree_link *link_of(const void *ctx, uint32_t id)
{
    return &given_at(ctx, id)->by_id;
}

static int compare_ids(const void *ctx, uint32_t a, uint32_t b)
{
    return given_at(ctx, a)->id < given_at(ctx, b)->id ? -1 : 1;
}

static const struct tree_type in_order = {link_of, compare_ids, NULL};

uint32_t given_again(struct given_list *list, uint32_t *first, uint32_t slot, uint64_t content)
{
    uint32_t old = given_of(list, *first, slot), id = old;

    if (old == 0 || given_at(list, old)->content != content) {
        id = slab_take(&list->records);
        list->last = given_next_id(list);
        *given_at(list, id) =
            (struct given){.id = list->last,
                           .content = content,
                           .next = *first,
                           .failures = old == 0 ? 0 : given_at(list, old)->failures,
                           .slot = (uint8_t)slot};
        tree_insert(&in_order, list, &list->by_id, id);
        *first = id;
        if (old != 0)
            given_drop(list, first, old);
    }
    given_at(list, id)->attempts++;
    return id;
}

void given_drop(struct given_list *list, uint32_t *first, uint32_t id)
{
    while (*first != id)
        first = &given_at(list, *first)->next;
    *first = given_at(list, id)->next;
    tree_remove(&in_order, list, &list->by_id, id);
    slab_give(&list->records, id);
}

uint32_t given_of(const struct given_list *list, uint32_t first, uint32_t slot)
{
    while (first != 0 && (given_at(list, first)->slot != slot || given_at(list, first)->replaced))
        first = given_at(list, first)->next;
    return first;
}

uint32_t given_first_due(const struct given_list *list, uint32_t first)
{
    uint32_t found = 0;

    for (; first != 0; first = given_at(list, first)->next) {
        int64_t due = given_at(list, first)->due;

        if (due != 0 && (found == 0 || due < given_at(list, found)->due))
            found = first;
    }
    return found;
}

int64_t given_backoff(const struct given_list *list, uint32_t id)
{
    int64_t ms = GIVEN_BACKOFF_MIN_MS, jitter;

    for (uint32_t i = 0; i < given_at(list, id)->failures && ms < GIVEN_BACKOFF_MAX_MS; i++)
        ms *= 2;
    if (ms > GIVEN_BACKOFF_MAX_MS)
        ms = GIVEN_BACKOFF_MAX_MS;
    jitter = (int64_t)((uint64_t)given_at(list, id)->id * 7919 % 1000) * ms / 4000;
    return INT64_C(1000000) * (ms - ms / 4 + jitter);
}

uint64_t given_hash(const struct given_list *list, uint32_t first, uint64_t seed)
{
    uint64_t hash = seed;

    for (; first != 0; first = given_at(list, first)->next) {
        const struct given *given = given_at(list, first);
        const uint64_t numbers[] = {given->slot,     given->replaced,      given->attempts,
                                    given->failures, (uint64_t)given->due, given->content};

        hash += hash_bytes64(numbers, sizeof(numbers), 1);
    }
    return hash;
}

uint32_t given_find(const struct given_list *list, int64_t effect)
{
    uint32_t id = list->by_id;

    while (id != 0 && given_at(list, id)->id != effect) {
        const struct given *given = given_at(list, id);

        id = effect < given->id ? given->by_id.left : given->by_id.right;
    }
    return id;
}
