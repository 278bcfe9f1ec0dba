/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_PLAYER_PRUNE_H
#define SLUICE_T_PLAYER_PRUNE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Copies a message without one of its parts: the nth of all pairs and items in it, at any depth, in
 * the order in which they are read. False: it has not so many, or it is no message, or no room.
 */
bool prune(const uint8_t *bytes, size_t len, unsigned nth, uint8_t *out, size_t cap,
           size_t *ret_len);

#endif
