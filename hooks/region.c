/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* mmap's MAP_ANONYMOUS, madvise */
#include "region.h"

#include <stdint.h>
#include <sys/mman.h>

enum { HUGE_PAGE = 2 << 20, REGION_BYTES = 4 * HUGE_PAGE, BLOCK_ALIGNMENT = 64 };

struct region {
    struct region *next;
    size_t size, used;
    size_t live; /* blocks */
};

static size_t round_up(size_t size, size_t to)
{
    return (size + to - 1) / to * to;
}

/* Huge pages begin at multiples of their size: what lies before and behind is given back. */
static void *map_aligned(size_t size)
{
    char *all =
        mmap(NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    size_t before, behind;

    if (all == MAP_FAILED)
        return NULL;
    before = round_up((uintptr_t)all, HUGE_PAGE) - (uintptr_t)all;
    behind = HUGE_PAGE - before;
    if (before > 0)
        munmap(all, before);
    if (behind > 0)
        munmap(all + before + size, behind);
    (void)madvise(all + before, size, MADV_HUGEPAGE); /* without, it is as good as before */
    return all + before;
}

static struct region *new_region(struct regions *regions, size_t block)
{
    size_t least = round_up(sizeof(struct region), BLOCK_ALIGNMENT) + block;
    size_t size = least > REGION_BYTES ? round_up(least, HUGE_PAGE) : REGION_BYTES;
    struct region *region = least < block ? NULL : map_aligned(size);

    if (region == NULL)
        return NULL;
    region->size = size;
    region->used = round_up(sizeof(*region), BLOCK_ALIGNMENT);
    region->next = regions->first;
    regions->first = region;
    return region;
}

void *region_take(struct regions *regions, size_t size)
{
    struct region *region = regions->first;
    void *block;

    if (size > SIZE_MAX / 2)
        return NULL;
    size = round_up(size, BLOCK_ALIGNMENT);
    if (region == NULL || region->size - region->used < size)
        region = new_region(regions, size);
    if (region == NULL)
        return NULL;
    block = (char *)region + region->used;
    region->used += size;
    region->live++;
    return block;
}

bool region_give_back(struct regions *regions, void *block)
{
    for (struct region **at = &regions->first; *at != NULL; at = &(*at)->next) {
        struct region *region = *at;

        if ((char *)block < (char *)region || (char *)block >= (char *)region + region->size)
            continue;
        if (--region->live == 0) {
            *at = region->next;
            munmap(region, region->size);
        }
        return true;
    }
    return false;
}
