/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_HOOKS_REGION_H
#define SLUICE_HOOKS_REGION_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Memory for large engines, in huge pages where the kernel has them: a lookup among a million
 * records that lie in pages of 4 KiB waits for the page table as long as for the record.
 *
 *   first ─▶ | region | block | block | ... | free | ─▶ | region | block | ...
 *
 * Blocks are zeroed, are taken one behind the other, and a region goes with the last of them: for
 * large blocks that live long.
 */
struct region;

struct regions {
    struct region *first; /* the one that blocks are taken from */
};

/* NULL: no memory. */
void *region_take(struct regions *regions, size_t size);

/* False if the block is none of these. */
bool region_give_back(struct regions *regions, void *block);

#endif
