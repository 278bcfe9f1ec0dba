/* SPDX-License-Identifier: Apache-2.0 */

/* Plays recordings with too little memory, and with limits that are too low: t-starve_recording
 * FILE...
 *
 * Each call is refused in every way in which memory or a limit can refuse it, and that changes
 * nothing; then it answers as it was recorded. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/msg/reader.h"
#include "t/refusal.h"
#include "t/tap.h"

/* A digest looks at every object: of long recordings not every call is worth it. */
enum { DIGESTS_EACH = 1500, THEN_EVERY = 100, FRAME_MOST = 64 << 20 };

struct frame {
    struct msg_text hook;
    struct msg_bin request, answer;
    int64_t result;
};

struct play {
    FILE *file;
    uint8_t *bytes;
    uint64_t handle;
    uint64_t calls;
    char broken[480];
};

static struct refusal refusal;

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
        snprintf(play->broken, sizeof(play->broken), "call %" PRIu64 ", %.*s: %s", play->calls,
                 (int)frame->hook.len, frame->hook.at, what);
}

static void starve(struct play *play, const struct frame *frame, const char *kind)
{
    enum hook_id hook = hook_of(frame->hook); /* HOOK_COUNT: open */
    bool looks = play->calls < DIGESTS_EACH || play->calls % THEN_EVERY == 0;

    refusal_call(play->handle, hook, frame->request.at, frame->request.len,
                 hook == HOOK_COUNT ? NULL : kind, looks && hook != HOOK_COUNT, &refusal);
    if (refusal.fault[0] != '\0')
        fault(play, frame, refusal.fault);
    play->calls++;
    if (hook == HOOK_COUNT)
        play->handle = (uint64_t)refusal.result;
    else if (refusal.result != frame->result ||
             memcmp(refusal.out, frame->answer.at, frame->answer.len) != 0)
        fault(play, frame, "the answer is not the recorded one");
}

/* With too little memory in each call, or with one limit after the other. */
static void play_file(const char *path, bool memory)
{
    struct play play = {.file = fopen(path, "rb")};
    struct frame frame;

    refusal.fault[0] = '\0';
    while (play.file != NULL && read_frame(&play, &frame) && !msg_text_is(frame.hook, "full")) {
        if (msg_text_is(frame.hook, "open") && play.handle != 0)
            sluice_close(play.handle);
        starve(&play, &frame, memory ? NULL : refusal_kinds[play.calls % (REFUSAL_KINDS - 1)]);
    }
    sluice_close(play.handle);
    if (play.broken[0] != '\0')
        tap_diag("%s", play.broken);
    if (play.calls < 2 || play.broken[0] != '\0')
        ok(false, "%s", path);
    free(play.bytes);
    if (play.file != NULL)
        fclose(play.file);
}

int main(int argc, char **argv)
{
    refusal_begin();
    for (int i = 1; i < argc; i++) {
        const char *slash = strrchr(argv[i], '/');

        refusal.count = 0;
        play_file(argv[i], true);
        play_file(argv[i], false);
        ok(refusal.count > 0, "%s: refused %" PRIu64 " times", slash == NULL ? argv[i] : slash + 1,
           refusal.count);
    }
    refusal_end();
    return tap_done();
}
