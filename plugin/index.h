/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_INDEX_H
#define SLUICE_PLUGIN_INDEX_H

#include "mem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* From a hash to an id: open addressing with linear probing. What an id stands for, and when two
 * are the same, only the caller knows.
 *
 * Growing is spread out: a table that is full becomes `old`, and each put and drop moves a few of
 * its slots into a table of one and a half times the size (with one of twice the size both together
 * would take a fifth more). Until then an entry is in one of the two. */
struct index_slot {
    uint32_t hash;
    uint32_t id; /* 0: empty */
};

struct index_table {
    struct index_slot *slots;
    uint32_t count; /* of slots: as far as a hash is from 0 to 2^32, so far in is its first one */
};

struct index {
    struct mem *mem;
    struct index_table now;
    struct index_table old;
    uint32_t moved; /* slots of old below this are in now */
    uint32_t count;
};

/* Allocates nothing. */
void index_init(struct index *index, struct mem *mem);

/* A zeroed index is fine. */
void index_finish(struct index *index);

/* Afterwards the next n_more index_put cannot fail. -1: no memory, and nothing changed. */
int index_reserve(struct index *index, uint32_t n_more);

/* [reserved; id is neither 0 nor UINT32_MAX; nothing the same is in the index] */
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

static inline uint32_t index_count(const struct index *index)
{
    return index->count;
}

/* The same on every machine; not meant to resist an attacker who knows the seed. */
uint32_t hash_bytes(const void *bytes, size_t len, uint32_t seed);
uint64_t hash_bytes64(const void *bytes, size_t len, uint64_t seed);

#endif
