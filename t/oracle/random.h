/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ORACLE_RANDOM_H
#define SLUICE_T_ORACLE_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

/* splitmix64: the same numbers from a seed on every machine. */
struct random {
    uint64_t state;
};

static inline uint64_t random_next(struct random *random)
{
    uint64_t x = random->state += UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* 0 to n - 1. [n > 0] */
static inline int random_below(struct random *random, int n)
{
    return (int)(random_next(random) % (uint64_t)n);
}

static inline bool random_one_in(struct random *random, int n)
{
    return random_below(random, n) == 0;
}

#endif
