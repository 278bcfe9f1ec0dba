/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_ARENA_H
#define SLUICE_SIM_ARENA_H

#include <stddef.h>

/*
 * Memory that lives as long as a run and is given back in one go. A simulation that gets no memory
 * has nothing sensible left to do: it says so and ends the program with EXIT_MACHINE.
 */

enum {
    EXIT_MACHINE = 3,
};

struct arena {
    struct arena_chunk *newest;
    size_t chunk; /* bytes that are taken at a time; 0: as many as a whole run wants */
};

/* Zeroed, aligned for anything. */
void *arena_get(struct arena *arena, size_t size);

char *arena_text(struct arena *arena, const char *text, size_t len);
char *arena_copy(struct arena *arena, const char *text);
char *arena_format(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void arena_finish(struct arena *arena);

/* An array of zeroes on the heap. */
void *array_zeroed(size_t count, size_t item_size);
void *array_room(void *items, size_t count, size_t *cap, size_t item_size);

#endif
