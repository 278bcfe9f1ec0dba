/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_PLAYER_REPLAY_H
#define SLUICE_T_PLAYER_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

/* Plays the recording of a handle on a new one: false if that is not possible, or if an answer is
 * another. ret_digest: what the new one has then; empty if it was full before its end. */
bool replay_recording(uint64_t handle, char ret_digest[20]);

#endif
