/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_TEST_MEM_H
#define SLUICE_T_TEST_MEM_H

#include "plugin/base/mem.h"

#include <stdbool.h>
#include <stddef.h>

/* A struct mem over malloc that counts, checks the sizes given back, and fails where told. Fresh
 * and released memory is overwritten, so that nothing lives by luck.
 *
 *     for (long n = 1; n > 0; n++) {
 *         test_mem_init(&test);
 *         test.fail_at = n;
 *         ... steps over &test.mem that either succeed or change nothing ...
 *         if (!test.failed)
 *             n = -1;
 *     }
 */
struct test_mem {
    struct mem mem; /* pass &mem to what is tested */
    size_t outstanding;
    size_t peak;
    long calls;
    long fail_at; /* the call that fails, counted from 1; 0: none */
    bool failed;
    bool misused; /* a block came back with a size that it was not given for */
};

void test_mem_init(struct test_mem *test);

/* Everything was released, with the right sizes. */
bool test_mem_clean(const struct test_mem *test);

/* A small deterministic source of numbers for the random tests: *state is any number. */
unsigned test_random(unsigned long long *state);

#endif
