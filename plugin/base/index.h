/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_BASE_INDEX_H
#define SLUICE_PLUGIN_BASE_INDEX_H

#include "mem.h"
#include "text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * From a hash to an id. What an id stands for, and when two are the same, only the caller knows.
 *
 *   hash ─▶ shelves ─▶ [0] ─▶ slots        one shelf for INDEX_PER_SHELF entries, each with room
 *                      [1] ─▶ slots        for those that it has and a few more: open addressing
 *                      ...                 with linear probing
 *
 * Growing is spread out and takes little: a put grows the one shelf that has become full by an
 * eighth, or shares out one shelf between itself and a new one, each in its turn (linear hashing).
 */
enum { INDEX_PER_SHELF = 512 };

struct index_slot {
    uint32_t hash;
    uint32_t id; /* 0: empty */
};

struct index_shelf {
    struct index_slot *slots;
    uint32_t size;  /* of slots: as far as a hash is from 0 to 2^32, so far in is its first one */
    uint32_t count; /* of entries */
};

struct index {
    struct mem *mem;
    struct index_shelf *shelves;
    uint32_t shelf_count, shelf_cap;
    uint32_t mask; /* the least 2^n - 1 that is not below shelf_count */
    uint32_t full; /* the number of the shelf that is to grow, from 1 on; 0: none */
    uint32_t count;
};

/* Allocates nothing. */
void index_init(struct index *index, struct mem *mem);

/* A zeroed index is fine. */
void index_finish(struct index *index);

/* Afterwards the next index_put cannot fail. -1: no memory, and nothing changed. */
int index_reserve(struct index *index);

/* [reserved; id is not 0; nothing the same is in the index] */
void index_put(struct index *index, uint32_t hash, uint32_t id);

/* Returns the id of that hash for which same(ctx, id) holds, or 0. */
uint32_t index_find(const struct index *index, uint32_t hash,
                    bool (*same)(const void *ctx, uint32_t id), const void *ctx);

/* For who will ask for a hash soon: brings its slots nearer, and then, the first id of that hash,
 * which may be another's; 0: none. */
void index_bring(const struct index *index, uint32_t hash);
uint32_t index_guess(const struct index *index, uint32_t hash);

/* Does nothing if the pair is not there. */
void index_drop(struct index *index, uint32_t hash, uint32_t id);

/* The same on every machine; not meant to resist an attacker who knows the seed. */
uint32_t hash_bytes(const void *bytes, size_t len, uint32_t seed);
uint64_t hash_bytes64(const void *bytes, size_t len, uint64_t seed);

static inline uint32_t hash_text(struct text text, uint32_t seed)
{
    return hash_bytes(text.at, text.len, seed);
}

/* Of a name in a namespace. */
static inline uint32_t hash_names(struct text space, struct text name)
{
    return hash_text(name, hash_text(space, 0));
}

#endif
