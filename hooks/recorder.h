/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_HOOKS_RECORDER_H
#define SLUICE_HOOKS_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The calls that changed an engine, in the order in which they did: what it takes to play them
 * again elsewhere.
 *
 *     ┌──── frame ────┬─ frame ─┬─ ... ─┬─ "full" ─┐
 *     │ u32 │ message │         │       │          │   never more than size bytes
 *     └───────────────┴─────────┴───────┴──────────┘
 *       little endian: length of the message [hook, request, result, answer]
 *
 * The first frame that would leave no room for the mark "full" is not kept, and none after it.
 */
struct recorder {
    uint8_t *bytes;
    size_t size; /* 0: nothing is recorded */
    size_t used;
    bool full;
};

/* False: no memory. size 0 is allowed. */
bool recorder_init(struct recorder *recorder, size_t size);
void recorder_finish(struct recorder *recorder);

void recorder_add(struct recorder *recorder, const char *hook, const uint8_t *request, size_t len,
                  int64_t result, const uint8_t *answer, size_t answer_len);

#endif
