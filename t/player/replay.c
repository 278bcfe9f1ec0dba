/* SPDX-License-Identifier: Apache-2.0 */
#include "t/player/replay.h"

#include <stdlib.h>
#include <string.h>

#include "hooks/call.h"
#include "hooks/encode.h"
#include "t/player/peek.h"

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

struct frame {
    struct msg_text hook;
    struct msg_bin request, answer;
    int64_t result;
};

static bool read_frame(const uint8_t **at, const uint8_t *end, struct frame *ret)
{
    struct msg_reader r;
    struct msg_array array;
    uint32_t length;

    if (end - *at < 4)
        return false;
    memcpy(&length, *at, 4);
    *at += 4;
    if (length > (size_t)(end - *at))
        return false;
    msg_reader_init(&r, *at, length);
    *at += length;
    return msg_open_array(&r, &array) && msg_next_item(&r, &array) &&
           msg_get_text(&r, 1, 32, &ret->hook) && msg_next_item(&r, &array) &&
           msg_get_bin(&r, 0, SIZE_MAX, &ret->request) && msg_next_item(&r, &array) &&
           msg_get_int(&r, INT64_MIN, INT64_MAX, &ret->result) && msg_next_item(&r, &array) &&
           msg_get_bin(&r, 0, SIZE_MAX, &ret->answer);
}

/* A drain gave what had room in its buffer, whose size no recording tells: so ask for as many. */
static size_t put_drain(const struct frame *frame, uint8_t out[64])
{
    struct msg_reader request, answer, effects;
    struct msg_array array = {.left = 0};
    struct msg_writer w;

    msg_reader_init(&request, frame->request.at, frame->request.len);
    msg_reader_init(&answer, frame->answer.at, frame->answer.len);
    if (peek(&answer, "effects", &effects))
        msg_open_array(&effects, &array);
    msg_writer_init(&w, out, 64);
    msg_put_map(&w, 2);
    put_key_int(&w, "now", peek_int(&request, "now", 0));
    put_key_int(&w, "max", array.left > 0 ? array.left : peek_int(&request, "max", 64));
    return msg_writer_length(&w);
}

static bool play_frame(uint64_t handle, const struct frame *frame)
{
    static uint8_t out[REPLAY_ANSWER];
    const uint8_t *request = frame->request.at;
    size_t len = frame->request.len;
    uint8_t drain[64];
    int hook = 0;

    while (hook < HOOK_COUNT && !msg_text_is(frame->hook, hook_table[hook].name))
        hook++;
    if (hook == HOOK_DRAIN) {
        len = put_drain(frame, drain);
        request = drain;
    }
    return hook < HOOK_COUNT &&
           call_run((enum hook_id)hook, handle, request, len, out, sizeof(out)) == frame->result &&
           memcmp(out, frame->answer.at, frame->answer.len) == 0;
}

static bool play(const uint8_t *bytes, int64_t length, char ret_digest[20])
{
    static uint8_t out[REPLAY_ANSWER];
    const uint8_t *at = bytes, *end = bytes + length;
    struct msg_reader answer;
    struct frame frame;
    bool good, full = false;
    int64_t handle;

    if (!read_frame(&at, end, &frame) || !msg_text_is(frame.hook, "open"))
        return false;
    handle = sluice_open(frame.request.at, frame.request.len, out, sizeof(out));
    good = handle > 0;
    while (good && at < end && !full) {
        good = read_frame(&at, end, &frame);
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
