/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_BASE_MEM_H
#define SLUICE_PLUGIN_BASE_MEM_H

#include <stddef.h>
#include <string.h>

/* Where the engine's memory comes from. The engine never calls malloc: whoever opens it passes
 * these functions, so that a host can count and limit, and a test can fail any allocation.
 *
 * alloc    memory aligned for any type, or NULL. Never called with size 0.
 * release  gives it back with the size that was asked for. Never called with NULL.
 * zalloc   like alloc, but zeroed. May be NULL: then alloc and memset serve. A host that has calloc
 *          should pass it: large tables then cost nothing until they are used. */
struct mem {
    void *(*alloc)(void *ctx, size_t size);
    void (*release)(void *ctx, void *p, size_t size);
    void *ctx;
    void *(*zalloc)(void *ctx, size_t size);
};

/* NULL when there is no memory, and for size 0. */
static inline void *mem_alloc(struct mem *mem, size_t size)
{
    return size == 0 ? NULL : mem->alloc(mem->ctx, size);
}

static inline void *mem_zalloc(struct mem *mem, size_t size)
{
    if (size > 0 && mem->zalloc != NULL)
        return mem->zalloc(mem->ctx, size);

    void *p = mem_alloc(mem, size);

    return p == NULL ? NULL : memset(p, 0, size);
}

/* Takes NULL. */
static inline void mem_free(struct mem *mem, void *p, size_t size)
{
    if (p != NULL)
        mem->release(mem->ctx, p, size);
}

/* The same bytes in a larger allocation. NULL: no memory, and p is as it was. */
static inline void *mem_grow(struct mem *mem, void *p, size_t size, size_t larger)
{
    void *grown = mem_alloc(mem, larger);

    if (grown != NULL && p != NULL)
        memcpy(grown, p, size);
    if (grown != NULL)
        mem_free(mem, p, size);
    return grown;
}

#endif
