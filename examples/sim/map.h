/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_MAP_H
#define SLUICE_SIM_MAP_H

#include <stddef.h>
#include <stdint.h>

/*
 * From text to a pointer. Entries stay in the order in which their keys first came, so that going
 * through them is the same in every run; a removed one keeps its place, with the value NULL.
 *
 *     for (size_t i = 0; i < map.count; i++)
 *         if (map.entries[i].value)
 *             ...
 */
struct map {
    struct map_entry {
        const char *key;
        void *value;
    } * entries;
    size_t count;
    size_t cap;
    uint32_t *slots; /* place in entries + 1, 0: free */
    size_t n_slots;  /* a power of two */
};

/* NULL if there is none. */
void *map_get(const struct map *map, const char *key);

/* The key is not copied. Returns its place among the entries. */
size_t map_put(struct map *map, const char *key, void *value);
void map_finish(struct map *map);

#endif
