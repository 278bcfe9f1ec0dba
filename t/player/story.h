/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_PLAYER_STORY_H
#define SLUICE_T_PLAYER_STORY_H

#include <stdio.h>

#include "t/player/message.h"

/*
 * A history as text that a person can read and change: an object a line.
 *
 *     {"#": "what was wrong"}
 *     {"open": {"removal": "onBind"}}
 *     {"observe": {"now": 1, "kind": "synced"}}
 *     {"drain": {"now": 5}, "cap": 16400}
 *     {"ack": {"now": 6, "acks": [{"effect": "activate|pu1.0|d|p1", "result": "done"}]}}
 *     {"tick": {"$bin": "81a3"}}
 *
 * `cap`: the room for the answer, where it is another than message_room says. An ack names its
 * effect, or has an `id`. Bytes that JSON cannot say are in `$bin`.
 */
bool story_write(FILE *file, const struct history *history, const char *wrong);

/* False, and a sentence in why, with the line: it cannot be read. */
bool story_read(FILE *file, struct history *ret, char *why, size_t cap);

#endif
