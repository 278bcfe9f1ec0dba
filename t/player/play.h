/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_PLAYER_PLAY_H
#define SLUICE_T_PLAYER_PLAY_H

#include "t/player/host.h"

/*
 * Plays one history that the draws decide: a configuration, some hundred moves of a host that does
 * whatever it may, then one that carries out all that it is asked for, until it is calm. What is
 * said goes into `history`; what goes wrong is in the witness, whose handles are closed.
 */
void play_history(enum profile profile, struct draws *draws, struct witness *witness,
                  struct history *history);

#endif
