/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/map.h"

#include <stdlib.h>
#include <string.h>

#include "examples/sim/arena.h"

static uint64_t hash_of(const char *key)
{
    uint64_t hash = UINT64_C(14695981039346656037);

    for (; *key; key++)
        hash = (hash ^ (unsigned char)*key) * UINT64_C(1099511628211);
    return hash ^ hash >> 32;
}

/* The slot of the key, or the free one where it would go. */
static uint32_t *slot_of(const struct map *map, const char *key)
{
    size_t at = (size_t)hash_of(key) & (map->n_slots - 1);

    while (map->slots[at] && strcmp(map->entries[map->slots[at] - 1].key, key) != 0)
        at = (at + 1) & (map->n_slots - 1);
    return &map->slots[at];
}

static void widen(struct map *map)
{
    map->slots = array_room(map->slots, map->n_slots, &map->n_slots, sizeof(*map->slots));
    memset(map->slots, 0, map->n_slots * sizeof(*map->slots));
    for (size_t i = 0; i < map->count; i++)
        *slot_of(map, map->entries[i].key) = (uint32_t)(i + 1);
}

void *map_get(const struct map *map, const char *key)
{
    if (map->n_slots == 0)
        return NULL;
    uint32_t place = *slot_of(map, key);
    return place ? map->entries[place - 1].value : NULL;
}

size_t map_put(struct map *map, const char *key, void *value)
{
    if (map->count * 2 >= map->n_slots)
        widen(map);
    uint32_t *slot = slot_of(map, key);
    if (*slot) {
        map->entries[*slot - 1].value = value;
        return *slot - 1;
    }
    map->entries = array_room(map->entries, map->count, &map->cap, sizeof(*map->entries));
    map->entries[map->count++] = (struct map_entry){key, value};
    *slot = (uint32_t)map->count;
    return map->count - 1;
}

void map_finish(struct map *map)
{
    free(map->entries);
    free(map->slots);
    *map = (struct map){0};
}
