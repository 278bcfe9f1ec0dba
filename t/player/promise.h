/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_PLAYER_PROMISE_H
#define SLUICE_T_PLAYER_PROMISE_H

#include "t/player/witness.h"

/* What PROTOCOL.md promises of single answers. What is broken goes to the witness. */

/* One message, as long as was said, with `pending`, `next` and `more`, which the witness takes; or
 * an error of sluice.h with its map. */
void promise_check_answer(struct witness *witness, const char *hook, uint32_t cap);

/* Effects are as the ledger wants them, and come if some were pending. was_settled: time has stood
 * still since `pending_before` was said, and no work was left then, so that it must be so. */
void promise_check_drained(struct witness *witness, int64_t pending_before, bool was_settled);

/* An ack counts once, of what is under way. */
void promise_check_acks(struct witness *witness, const uint8_t *bytes, uint32_t len);

/* Who passes has no reason. Returns whether it passes. */
bool promise_check_pass(struct witness *witness, const char *hook);

/* pre_enqueue has a reason when it does not pass, words when they were asked for. */
void promise_check_verdict(struct witness *witness, const uint8_t *bytes, uint32_t len);

#endif
