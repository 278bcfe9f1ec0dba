/* SPDX-License-Identifier: Apache-2.0 */
#include "scratch.h"

#include "memory.h"

bool scratch_reserve(struct scratch *scratch, size_t size)
{
    if (size > scratch->size) {
        uint8_t *room = memory_take(size);

        if (!room)
            return false;
        memory_give_back(scratch->room);
        scratch->room = room;
        scratch->size = size;
    }
    scratch->used = 0;
    return true;
}

void *scratch_take(struct scratch *scratch, size_t size)
{
    void *p = scratch->used == 0 ? scratch->room : scratch->room + scratch->used; /* perhaps none */

    scratch->used += (size + 7) & ~(size_t)7;
    return p;
}

void scratch_finish(struct scratch *scratch)
{
    memory_give_back(scratch->room);
    *scratch = (struct scratch){0};
}
