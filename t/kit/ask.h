/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ASK_H
#define SLUICE_T_ASK_H

#include <stddef.h>
#include <stdint.h>

#include "hooks/call.h"

/*
 * Hooks in words: requests are written as text, answers are read as text.
 *
 *     uint64_t handle = ask_open("{removal: onAdmission}");
 *     is_str(ask(handle, HOOK_OBSERVE, "{now: 1, kind: node, object: {name: n}}"),
 *            "{\"ignored\"=>false, \"id\"=>1, \"pending\"=>0, ...}", "a node");
 *     is_str(ask(handle, HOOK_TICK, "{}"), "FIELD now: nothing, want a value, ...", "no time");
 *
 * A word needs quotes ('...') only if it has other characters than letters, digits and _./-!
 * true, false, nil and integers are what they are; {...} is a map, [...] an array.
 */

/* Packs text into out; returns the length. Aborts on what is not such a text. */
size_t ask_pack(const char *text, uint8_t *out, size_t cap);

/* A handle, or 0: then ask_text has the error. */
uint64_t ask_open(const char *config);

/* The answer, or the error in words. [valid until the thread's next call] */
const char *ask(uint64_t handle, enum hook_id hook, const char *request);
const char *ask_bytes(uint64_t handle, enum hook_id hook, const uint8_t *request, size_t len);
const char *ask_text(void);

/* Results as the hook returned it. */
int64_t ask_call(uint64_t handle, enum hook_id hook, const uint8_t *req, uint64_t len, uint8_t *out,
                 uint64_t cap);

/* An answer's own keys: without pending, next and more, which end it. */
const char *ask_own(uint64_t handle, enum hook_id hook, const char *request);

/* The digest of the state, as text; own storage. */
void ask_digest(uint64_t handle, char out[17]);

/* A call and what it must answer: of its own keys, a % standing for any text. One TAP point for
 * each, and another one for those that fail or only read: the digest is as it was. */
struct ask_line {
    enum hook_id hook;
    const char *request, *answer;
};
void ask_play(uint64_t handle, const struct ask_line *lines, size_t count);

#endif
