/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_BASE_HEAP_H
#define SLUICE_PLUGIN_BASE_HEAP_H

#include "mem.h"
#include "slab.h"

#include <stdbool.h>
#include <stdint.h>

/* Deadlines: a binary heap of (time, id) in which each id, from 1 up, is at most once and can be
 * moved. Its memory grows by chunks and is never copied. */
struct heap_slot {
    int64_t at;        /* of what is at place n of the heap, in slot n */
    uint32_t id;       /* at place n */
    uint32_t place_of; /* of the id n, in slot n, which is somewhere else; 0: nowhere */
};

struct heap {
    struct slab slots;
    uint32_t count;
    int (*compare)(const void *ctx, uint32_t a, uint32_t b);
    const void *ctx;
};

/* compare(ctx, a, b) is below 0 if a comes before b when both have the same time. It must be a
 * total order of the ids in the heap, as that of a tree is, or NULL if nobody can see which of two
 * comes first: ids themselves decide nothing. Allocates nothing. */
void heap_init(struct heap *heap, struct mem *mem,
               int (*compare)(const void *ctx, uint32_t a, uint32_t b), const void *ctx);

/* A zeroed heap is fine. */
void heap_finish(struct heap *heap);

/* Afterwards every id below ids_end can be set, all of them at once. -1: no memory, and nothing
 * changed. */
int heap_reserve(struct heap *heap, uint32_t ids_end);

/* Puts id in, or moves it; INT64_MAX: takes it out. [reserved, but to take it out] */
void heap_set(struct heap *heap, uint32_t id, int64_t at);

/* Takes id out, if it is in. While id is in, compare() must be able to. */
void heap_clear(struct heap *heap, uint32_t id);

/* The earliest time; INT64_MAX if the heap is empty. */
int64_t heap_earliest(const struct heap *heap);

/* The first whose time has come by now; 0: there is none. */
uint32_t heap_due(const struct heap *heap, int64_t now);

/* For checks: whether all that are in it are live records of this slab. */
bool heap_check(const struct heap *heap, const struct slab *records);

/* INT64_MAX if id is not in the heap. */
int64_t heap_when(const struct heap *heap, uint32_t id);

#endif
