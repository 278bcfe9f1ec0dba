/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_PLAYER_CALM_H
#define SLUICE_T_PLAYER_CALM_H

#include "t/player/host.h"

/* From here on the host shows all that there is, and does all that it is asked for, until the
 * library asks for nothing more. That this never comes is told as wrong. */
void calm_down(struct host *host);

/*
 * Where nothing is pending, under way or left to do: whoever is the next of a queue and fits does
 * not wait. The room is counted here, from the numbers of the queues on the way to the root.
 */
void calm_look(struct witness *witness);

#endif
