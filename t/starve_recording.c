/* SPDX-License-Identifier: Apache-2.0 */

/* Plays recordings with too little memory: t-starve_recording FILE...
 *
 * In each call the first allocation fails, then the second, and so on until none is left to fail.
 * Each failure says NO_MEMORY and has changed nothing; then the call answers as it was recorded. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/msg/reader.h"
#include "hooks/call.h"
#include "hooks/memory.h"
#include "t/ask.h"
#include "t/tap.h"

/* A digest looks at every object: of long recordings not every call is worth it. */
enum { DIGESTS_EACH = 1500, THEN_EVERY = 100, OUT_CAP = 1 << 20, FRAME_MOST = 64 << 20 };

static long allocations, fail_at;

static void *failing(size_t size, bool zeroed)
{
    if (++allocations == fail_at)
        return NULL;
    return zeroed ? calloc(1, size) : malloc(size);
}

static const struct memory_source source = {failing, free};

struct frame {
    struct msg_text hook;
    struct msg_bin request, answer;
    int64_t result;
};

struct play {
    FILE *file;
    uint8_t *bytes;
    uint64_t handle;
    uint64_t calls, failures;
    char broken[200];
};

static uint8_t out[OUT_CAP];

static bool read_frame(struct play *play, struct frame *ret_frame)
{
    uint8_t head[4];
    struct msg_reader r;
    struct msg_array array;
    size_t len;

    if (fread(head, 1, sizeof(head), play->file) < sizeof(head))
        return false;
    len = head[0] | (size_t)head[1] << 8 | (size_t)head[2] << 16 | (size_t)head[3] << 24;
    free(play->bytes);
    play->bytes = malloc(len);
    if (len > FRAME_MOST || fread(play->bytes, 1, len, play->file) < len)
        return false;
    msg_reader_init(&r, play->bytes, len);
    msg_open_array(&r, &array);
    msg_next_item(&r, &array);
    msg_get_text(&r, 1, 32, &ret_frame->hook);
    msg_next_item(&r, &array);
    msg_get_bin(&r, 0, FRAME_MOST, &ret_frame->request);
    msg_next_item(&r, &array);
    msg_get_int(&r, INT64_MIN, INT64_MAX, &ret_frame->result);
    msg_next_item(&r, &array);
    msg_get_bin(&r, 0, FRAME_MOST, &ret_frame->answer);
    return r.error == 0;
}

static int64_t call(const struct play *play, const struct frame *frame, enum hook_id hook)
{
    const uint8_t *request = frame->request.at;

    if (msg_text_is(frame->hook, "open"))
        return sluice_open(request, frame->request.len, out, sizeof(out));
    return ask_call(play->handle, hook, request, frame->request.len, out, sizeof(out));
}

static enum hook_id hook_of(struct msg_text name)
{
    for (int hook = 0; hook < HOOK_COUNT; hook++) {
        if (msg_text_is(name, hook_table[hook].name))
            return (enum hook_id)hook;
    }
    return HOOK_COUNT;
}

static void fault(struct play *play, const struct frame *frame, const char *what)
{
    if (play->broken[0] == '\0')
        snprintf(play->broken, sizeof(play->broken), "call %" PRIu64 ", %.*s, allocation %ld: %s",
                 play->calls, (int)frame->hook.len, frame->hook.at, fail_at, what);
}

static void starve(struct play *play, const struct frame *frame)
{
    bool opens = msg_text_is(frame->hook, "open");
    bool looks = !opens && (play->calls < DIGESTS_EACH || play->calls % THEN_EVERY == 0);
    enum hook_id hook = hook_of(frame->hook);
    char before[17] = "", after[17] = "";
    int64_t result;

    if (looks)
        ask_digest(play->handle, before);
    for (long n = 1;; n++) {
        allocations = 0;
        fail_at = n;
        result = call(play, frame, hook);
        if (sluice_error_code(result) != SLUICE_NO_MEMORY)
            break;
        play->failures++;
        fail_at = 0;
        if (looks)
            ask_digest(play->handle, after);
        if (strcmp(before, looks ? after : before) != 0)
            fault(play, frame, "the failure changed something");
    }
    fail_at = 0;
    play->calls++;
    if (opens)
        play->handle = (uint64_t)result;
    else if (result != frame->result || memcmp(out, frame->answer.at, frame->answer.len) != 0)
        fault(play, frame, "the answer is not the recorded one");
}

static void play_file(const char *path)
{
    struct play play = {.file = fopen(path, "rb")};
    const char *name = strrchr(path, '/') == NULL ? path : strrchr(path, '/') + 1;
    struct frame frame;

    memory_set_source(&source);
    while (play.file != NULL && read_frame(&play, &frame) && !msg_text_is(frame.hook, "full")) {
        if (msg_text_is(frame.hook, "open") && play.handle != 0)
            sluice_close(play.handle);
        starve(&play, &frame);
    }
    sluice_close(play.handle);
    memory_set_source(NULL);
    if (play.broken[0] != '\0')
        tap_diag("%s", play.broken);
    ok(play.calls > 1 && play.failures > 0 && play.broken[0] == '\0',
       "%s: %" PRIu64 " failures in %" PRIu64 " calls", name, play.failures, play.calls);
    free(play.bytes);
    if (play.file != NULL)
        fclose(play.file);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        play_file(argv[i]);
    return tap_done();
}
