/* SPDX-License-Identifier: Apache-2.0 */
#include "memory.h"

#include <stdlib.h>

enum { LARGE_BLOCK = 64 << 10, LARGE_ENGINE = 16 << 20 };

static void *take_from_malloc(size_t size, bool zeroed)
{
    return zeroed ? calloc(1, size) : malloc(size);
}

static const struct memory_source system_source = {take_from_malloc, free};
static const struct memory_source *source = &system_source;

void memory_set_source(const struct memory_source *other)
{
    source = other ? other : &system_source;
}

void *memory_take(size_t size)
{
    return source->take(size, false);
}

void memory_give_back(void *p)
{
    source->give_back(p);
}

static bool goes_to_a_region(const struct memory *memory, size_t size)
{
    return source == &system_source && size >= LARGE_BLOCK && memory->bytes >= LARGE_ENGINE;
}

static void *take_counted(struct memory *memory, size_t size, bool zeroed)
{
    void *p = goes_to_a_region(memory, size) ? region_take(&memory->regions, size)
                                             : source->take(size, zeroed);

    if (p) {
        memory->bytes += size;
        if (memory->bytes > memory->peak)
            memory->peak = memory->bytes;
    }
    return p;
}

static void *engine_alloc(void *ctx, size_t size)
{
    return take_counted(ctx, size, false);
}

static void *engine_zalloc(void *ctx, size_t size)
{
    return take_counted(ctx, size, true);
}

static void engine_release(void *ctx, void *p, size_t size)
{
    struct memory *memory = ctx;

    memory->bytes -= size;
    if (size < LARGE_BLOCK || !region_give_back(&memory->regions, p))
        source->give_back(p);
}

void memory_init(struct memory *memory)
{
    *memory = (struct memory){
        .mem = {.alloc = engine_alloc,
                .release = engine_release,
                .zalloc = engine_zalloc,
                .ctx = memory},
    };
}
