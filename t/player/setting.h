/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_PLAYER_SETTING_H
#define SLUICE_T_PLAYER_SETTING_H

#include "t/player/host.h"

/*
 * Where a history may begin: with queues, pods and workloads that fit together, and that fill what
 * there is. Objects that are drawn one by one seldom do, so gangs, victims and replicas were rare.
 */

/* Shows what the profile needs: queues that may take from each other, and who uses them. */
void setting_show(struct host *host);

/* Carries out what is asked for, and takes each pod through the scheduler, so many times. */
void setting_fill(struct host *host, unsigned rounds);

#endif
