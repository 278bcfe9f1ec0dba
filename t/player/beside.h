/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_PLAYER_BESIDE_H
#define SLUICE_T_PLAYER_BESIDE_H

#include "t/player/witness.h"

/*
 * Another library, which hears all that the one under test hears, and must answer the same but for
 * what t/answers/known.h lists. Without beside_load nothing is heard, and nothing differs.
 */

/* False: stderr says why. The list may be NULL. */
bool beside_load(const char *library, const char *list);

/* The profile whose histories are played from here on, by which the list names them. */
void beside_name(const char *profile);

void beside_open(const uint8_t *config, size_t len);
void beside_close(void);

/* Makes the call there, and compares. A difference is told to the witness: before the tab where it
 * is, behind it how. */
void beside_hear(struct witness *witness, enum hook_id hook, const uint8_t *request, size_t len,
                 size_t cap, int64_t result, const uint8_t *answer);

/* Tells of each entry about histories that did not occur, as a comment of TAP; how many. */
unsigned beside_unused(void);

#endif
