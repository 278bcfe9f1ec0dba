/* SPDX-License-Identifier: Apache-2.0 */
#include "test_mem.h"

#include <stddef.h>
#include <stdlib.h>

/* Stands before each block. */
struct block {
    _Alignas(max_align_t) size_t size;
};

static void *test_alloc(void *ctx, size_t size)
{
    struct test_mem *test = ctx;

    if (size == 0)
        test->misused = true;
    if (++test->calls == test->fail_at) {
        test->failed = true;
        return NULL;
    }

    struct block *block = malloc(sizeof(*block) + size);

    if (block == NULL)
        abort();
    block->size = size;
    memset(block + 1, 0xA5, size);
    test->outstanding += size;
    if (test->outstanding > test->peak)
        test->peak = test->outstanding;
    return block + 1;
}

static void test_release(void *ctx, void *p, size_t size)
{
    struct test_mem *test = ctx;
    struct block *block = (struct block *)p - 1;

    if (block->size != size)
        test->misused = true;
    test->outstanding -= block->size;
    memset(p, 0x5A, block->size);
    free(block);
}

void test_mem_init(struct test_mem *test)
{
    *test = (struct test_mem){
        .mem = {.alloc = test_alloc, .release = test_release, .ctx = test},
    };
}

bool test_mem_clean(const struct test_mem *test)
{
    return test->outstanding == 0 && !test->misused;
}

unsigned test_random(unsigned long long *state)
{
    *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)(*state >> 33);
}
