/* SPDX-License-Identifier: Apache-2.0 */
#include "hooks/region.h"

#include "t/kit/tap.h"

#include <stdint.h>
#include <string.h>

enum { BLOCKS = 300, BLOCK = 100000, MIB = 1 << 20 };

static bool all_zero(const unsigned char *block, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (block[i] != 0)
            return false;
    }
    return true;
}

static uint32_t random_state = 1;

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * 1103515245 + 12345;
    return random_state / 65536 % limit;
}

/* Blocks come and go in no order; each keeps what was written into it. */
static void test_blocks(void)
{
    struct regions regions = {0};
    static unsigned char *blocks[BLOCKS];
    bool zeroed = true, aligned = true, kept = true, known = true;

    for (unsigned step = 0; step < 3000; step++) {
        uint32_t n = random_below(BLOCKS);

        if (blocks[n] == NULL) {
            blocks[n] = region_take(&regions, BLOCK);
            zeroed = zeroed && all_zero(blocks[n], BLOCK);
            aligned = aligned && (uintptr_t)blocks[n] % 64 == 0;
            memset(blocks[n], (int)(n % 255) + 1, BLOCK);
        } else {
            kept = kept && blocks[n][0] == n % 255 + 1 && blocks[n][BLOCK - 1] == n % 255 + 1;
            known = known && region_give_back(&regions, blocks[n]);
            blocks[n] = NULL;
        }
    }
    for (unsigned n = 0; n < BLOCKS; n++)
        known = known && (blocks[n] == NULL || region_give_back(&regions, blocks[n]));
    ok(zeroed, "blocks are zeroed");
    ok(aligned, "and aligned");
    ok(kept, "nobody writes into another's");
    ok(known, "each is known when it comes back");
    ok(regions.first == NULL, "with the last of its blocks a region goes");
}

static void test_large(void)
{
    struct regions regions = {0};
    unsigned char *small = region_take(&regions, BLOCK);
    unsigned char *large = region_take(&regions, (size_t)40 * MIB);
    unsigned char own = 1;

    ok(all_zero(large, (size_t)40 * MIB), "a block may be larger than a region is else");
    large[(size_t)40 * MIB - 1] = 1;
    ok(!region_give_back(&regions, &own), "others' memory is not its own");
    ok(region_give_back(&regions, small) && region_give_back(&regions, large), "its own is");
    ok(regions.first == NULL, "and all is given back");
    ok(region_take(&regions, SIZE_MAX) == NULL && region_take(&regions, SIZE_MAX / 4) == NULL,
       "more than there can be is not to be had");
    ok(regions.first == NULL, "and costs nothing");
}

int main(void)
{
    test_blocks();
    test_large();
    return tap_done();
}
