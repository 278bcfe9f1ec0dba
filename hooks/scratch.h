/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_HOOKS_SCRATCH_H
#define SLUICE_HOOKS_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Room for what a decoder cannot keep on the stack. Its size is fixed before anything is decoded,
 * by the length of the request; it is kept for the next one.
 */
struct scratch {
    uint8_t *room;
    size_t size;
    size_t used;
};

/* Empties it and makes room for size bytes; false: no memory, and it is as it was. */
bool scratch_reserve(struct scratch *scratch, size_t size);

/* Aligned for any of our structs. [all that is taken fits into what was reserved] */
void *scratch_take(struct scratch *scratch, size_t size);

void scratch_finish(struct scratch *scratch);

#endif
