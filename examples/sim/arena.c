/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHUNK_BYTES = 64 << 10,
    ALIGNMENT = 16,
};

struct arena_chunk {
    struct arena_chunk *older;
    size_t used;
    size_t size;
    _Alignas(ALIGNMENT) char bytes[];
};

static void *or_end(void *memory)
{
    if (!memory) {
        fputs("sluice-sim: no memory\n", stderr);
        exit(EXIT_MACHINE);
    }
    return memory;
}

void *arena_get(struct arena *arena, size_t size)
{
    struct arena_chunk *chunk = arena->newest;
    size_t rounded = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);

    if (rounded < size || rounded > SIZE_MAX / 2)
        or_end(NULL);
    if (!chunk || chunk->size - chunk->used < rounded) {
        size_t usual = arena->chunk > 0 ? arena->chunk : CHUNK_BYTES;
        size_t room = rounded > usual ? rounded : usual;
        chunk = or_end(malloc(sizeof(*chunk) + room));
        *chunk = (struct arena_chunk){.older = arena->newest, .size = room};
        arena->newest = chunk;
    }
    void *memory = chunk->bytes + chunk->used;
    chunk->used += rounded;
    return memset(memory, 0, rounded);
}

char *arena_text(struct arena *arena, const char *text, size_t len)
{
    char *copy = arena_get(arena, len + 1);

    if (len > 0)
        memcpy(copy, text, len);
    return copy;
}

char *arena_copy(struct arena *arena, const char *text)
{
    return arena_text(arena, text, strlen(text));
}

char *arena_format(struct arena *arena, const char *format, ...)
{
    va_list args;
    va_list again;

    va_start(args, format);
    va_copy(again, args);
    size_t len = (size_t)vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = arena_get(arena, len + 1);
    vsnprintf(text, len + 1, format, again);
    va_end(again);
    return text;
}

void arena_finish(struct arena *arena)
{
    while (arena->newest) {
        struct arena_chunk *chunk = arena->newest;
        arena->newest = chunk->older;
        free(chunk);
    }
}

void *array_zeroed(size_t count, size_t item_size)
{
    return or_end(calloc(count, item_size));
}

void *array_room(void *items, size_t count, size_t *cap, size_t item_size)
{
    if (count < *cap)
        return items;
    size_t room = *cap ? *cap * 2 : 16;
    if (room < *cap || room > SIZE_MAX / item_size)
        or_end(NULL);
    *cap = room;
    return or_end(realloc(items, room * item_size));
}
