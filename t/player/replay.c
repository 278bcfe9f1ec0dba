/* SPDX-License-Identifier: Apache-2.0 */
#include "t/player/replay.h"

#include <stdlib.h>
#include <string.h>

#include "hooks/encode.h"
#include "t/kit/peek.h"
#include "t/kit/recording.h"

enum { PART_BYTES = 64 << 10, RECORDING_BYTES = 8 << 20, REPLAY_ANSWER = 128 << 10 };

static int64_t ask(uint64_t handle, const char *what, int64_t from, uint8_t *out, size_t cap)
{
    uint8_t request[64];
    struct msg_writer w;

    msg_writer_init(&w, request, sizeof(request));
    msg_put_map(&w, 3);
    put_key_int(&w, "now", 0);
    put_key_str(&w, "what", what);
    put_key_int(&w, "from", from);
    return sluice_inspect(handle, request, msg_writer_length(&w), out, cap);
}

/* The whole recording, in parts; its length, or -1. */
static int64_t fetch(uint64_t handle, uint8_t *ret)
{
    static uint8_t out[PART_BYTES];
    int64_t length = 0, from = 0;

    do {
        int64_t result = ask(handle, "recording", from, out, sizeof(out));
        struct msg_reader answer, value;
        struct msg_bin bytes;

        if (result < 0)
            return -1;
        msg_reader_init(&answer, out, (size_t)result);
        if (!peek(&answer, "bytes", &value) || !msg_get_bin(&value, 0, SIZE_MAX, &bytes) ||
            (size_t)length + bytes.len > RECORDING_BYTES)
            return -1;
        memcpy(ret + length, bytes.at, bytes.len);
        length += (int64_t)bytes.len;
        from = peek_int(&answer, "from", 0);
    } while (from != 0);
    return length;
}

static bool play_frame(uint64_t handle, const struct recording_frame *frame)
{
    static uint8_t out[REPLAY_ANSWER];
    uint8_t drain[RECORDING_DRAIN];
    struct msg_bin request = recording_request(frame, drain);
    enum hook_id hook = recording_hook(frame);

    return hook < HOOK_COUNT &&
           call_run(hook, handle, request.at, request.len, out, sizeof(out)) == frame->result &&
           memcmp(out, frame->answer.at, frame->answer.len) == 0;
}

static bool play(const uint8_t *bytes, int64_t length, char ret_digest[20])
{
    static uint8_t out[REPLAY_ANSWER];
    const uint8_t *at = bytes, *end = bytes + length;
    struct msg_reader answer;
    struct recording_frame frame;
    bool good, full = false;
    int64_t handle;

    if (!recording_next(&at, end, &frame) || !msg_text_is(frame.hook, "open"))
        return false;
    handle = sluice_open(frame.request.at, frame.request.len, out, sizeof(out));
    good = handle > 0;
    while (good && at < end && !full) {
        good = recording_next(&at, end, &frame);
        full = good && msg_text_is(frame.hook, "full");
        good = good && (full || play_frame((uint64_t)handle, &frame));
    }
    if (good && !full) {
        int64_t result = ask((uint64_t)handle, "digest", 0, out, sizeof(out));

        good = result > 0;
        if (good) {
            msg_reader_init(&answer, out, (size_t)result);
            peek_text(&answer, "digest", ret_digest, 20);
        }
    }
    return handle > 0 && sluice_close((uint64_t)handle) == 0 && good;
}

bool replay_recording(uint64_t handle, char ret_digest[20])
{
    uint8_t *bytes = malloc(RECORDING_BYTES);
    int64_t length = bytes == NULL ? -1 : fetch(handle, bytes);
    bool good;

    ret_digest[0] = '\0';
    good = length >= 0 && play(bytes, length, ret_digest);
    free(bytes);
    return good;
}
