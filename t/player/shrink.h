/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_PLAYER_SHRINK_H
#define SLUICE_T_PLAYER_SHRINK_H

#include "t/player/stage.h"

/* Whether two complaints are of a kind: they may tell of other numbers, and of anything behind a
 * tab. */
bool shrink_alike(const char *a, const char *b);

/*
 * Takes messages, and then parts of messages, out of a history that goes wrong, as long as what is
 * left goes wrong in the same way. False: played again it does not go wrong in this way.
 */
bool shrink_history(struct stage *stage, struct history *history, const char *wrong);

#endif
