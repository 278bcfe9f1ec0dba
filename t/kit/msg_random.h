/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_MSG_RANDOM_H
#define SLUICE_T_MSG_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/*
 * Fills out with a random message as msgpack-c packs it: mostly one that is right, sometimes one
 * with a key twice, with bytes changed, cut off or added. The same state gives the same message.
 * Returns its length, at most cap; cap is at least 1.
 */
size_t msg_random_message(uint64_t *state, uint8_t *out, size_t cap);

/* A number for tests to be random by. *state must not be 0. */
uint64_t msg_random_next(uint64_t *state);

#endif
