/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_PLAYER_DRAWS_H
#define SLUICE_T_PLAYER_DRAWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Where the player's decisions come from: a seed, or the bytes of a fuzzer, which learns from what
 * the library does with them.
 */
struct draws {
    const uint8_t *at, *end; /* a fuzzer's bytes; NULL: the seed decides */
    uint64_t state;
};

void draws_from_seed(struct draws *draws, uint64_t seed);
void draws_from_bytes(struct draws *draws, const uint8_t *bytes, size_t len);

/* A fuzzer's bytes are used up; a seed is endless. */
bool draws_over(const struct draws *draws);

/* A number below this one, at most 65,536. 0 when the bytes are used up. */
unsigned draw(struct draws *draws, unsigned below);

/* True once in so many draws. */
bool draw_once_in(struct draws *draws, unsigned times);

#endif
