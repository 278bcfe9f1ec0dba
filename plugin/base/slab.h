/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_BASE_SLAB_H
#define SLUICE_PLUGIN_BASE_SLAB_H

#include "mem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Records of one size, each with a 32-bit id from 1 up. A record never moves. Growing adds a chunk
 * and copies no record:
 *
 *   chunks ─▶ [0] ─▶ | record 0 (unused) | record 1 | ... | record 1023 | live: a bit for each |
 *             [1] ─▶ | record 1024 | ...
 *
 * The id of a record that was given back is the next to be taken.
 *
 * Where invariants are checked, whoever asks for a record that is not live ends the program; under
 * the address sanitizer, so does whoever reads one by a pointer from when it was. */
enum { SLAB_SHIFT = 10, SLAB_CHUNK = 1 << SLAB_SHIFT };

struct slab {
    struct mem *mem;
    char **chunks;
    size_t record_size;
    uint32_t chunk_count;
    uint32_t chunk_cap;
    uint32_t end;        /* ids from here on were never taken */
    uint32_t free_first; /* each free record begins with the id of the next */
    uint32_t free_count;
};

/* record_size is rounded up to a multiple of 4; records are aligned for any type whose alignment
 * divides their size. Allocates nothing. */
void slab_init(struct slab *slab, struct mem *mem, size_t record_size);

/* Releases everything, records in use as well. A zeroed slab is fine. */
void slab_finish(struct slab *slab);

/* Afterwards the next n slab_take cannot fail. -1: no memory or no ids, and nothing changed. */
int slab_reserve(struct slab *slab, uint32_t n);

/* Returns the id of a zeroed record. [reserved] */
uint32_t slab_take(struct slab *slab);

/* [id is live] */
void slab_give(struct slab *slab, uint32_t id);

/* False for 0 and for any id that was never taken. */
bool slab_live(const struct slab *slab, uint32_t id);

/* Moves *id to the next one that is live, from 0 to the first. False: there is none; it is 0. */
bool slab_step(const struct slab *slab, uint32_t *id);

/* Every id that ever lived is at least 1 and below this. */
static inline uint32_t slab_end(const struct slab *slab)
{
    return slab->end;
}

/* The id that is taken next, if its record was in use before; else 0. */
static inline uint32_t slab_next(const struct slab *slab)
{
    return slab->free_first;
}

/* How many records are live. */
static inline uint32_t slab_count(const struct slab *slab)
{
    return slab->end - 1 - slab->free_count;
}

#ifdef SLUICE_CHECK
/* Ends the program: a record was asked for that is not there. A record that is not there can be
 * read and written, and nobody would notice. */
_Noreturn void slab_trap(void);
#endif

/* Where the record is, or will be when it is taken: to be fetched, not to be read. [reserved] */
static inline void *slab_place(const struct slab *slab, uint32_t id)
{
    return slab->chunks[id >> SLAB_SHIFT] + (id & (SLAB_CHUNK - 1)) * slab->record_size;
}

/* [id is live] */
static inline void *slab_at(const struct slab *slab, uint32_t id)
{
#ifdef SLUICE_CHECK
    if (!slab_live(slab, id))
        slab_trap();
#endif
    return slab_place(slab, id);
}

#endif
