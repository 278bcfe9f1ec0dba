/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_RECORDING_H
#define SLUICE_T_RECORDING_H

#include "abi/msg/reader.h"
#include "hooks/call.h"

/*
 * A recording, frame by frame, as PROTOCOL.md describes it:
 *
 *     const uint8_t *at = bytes, *end = bytes + len;
 *
 *     while (recording_next(&at, end, &frame) && !msg_text_is(frame.hook, "full"))
 *         ...   recording_hook(&frame) is HOOK_COUNT for `open`
 */
struct recording_frame {
    struct msg_text hook;
    struct msg_bin request, answer;
    int64_t result;
};

/* The whole file, which the caller frees; NULL: it cannot be read. */
uint8_t *recording_load(const char *path, size_t *ret_len);

/* False at the end, and where the bytes are no frame: then *at is not the end. */
bool recording_next(const uint8_t **at, const uint8_t *end, struct recording_frame *ret);

/* HOOK_COUNT: the frame is none of a hook's call. */
enum hook_id recording_hook(const struct recording_frame *frame);

/* What to ask so that the answer is the recorded one. A drain gave what had room in its buffer,
 * whose size no recording tells: so as many effects as it gave are asked for, in `drain`. */
enum { RECORDING_DRAIN = 64 };
struct msg_bin recording_request(const struct recording_frame *frame,
                                 uint8_t drain[RECORDING_DRAIN]);

#endif
