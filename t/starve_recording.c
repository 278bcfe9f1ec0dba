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

#include "t/kit/recording.h"
#include "t/kit/refusal.h"
#include "t/kit/tap.h"

/* A digest looks at every object: of long recordings not every call is worth it. */
enum { DIGESTS_EACH = 1500, THEN_EVERY = 100 };

/* The room that sluice-sim has for an answer, until one needs more. */
enum { FIRST_ROOM = 16 << 10 };

struct play {
    uint64_t handle;
    uint64_t calls;
    uint64_t room; /* that the host had for answers: a drain ends where it is full */
    char broken[480];
};

static struct refusal refusal;

static void fault(struct play *play, const struct recording_frame *frame, const char *what)
{
    if (play->broken[0] == '\0')
        snprintf(play->broken, sizeof(play->broken), "call %" PRIu64 ", %.*s: %s", play->calls,
                 (int)frame->hook.len, frame->hook.at, what);
}

static void starve(struct play *play, const struct recording_frame *frame, const char *kind)
{
    enum hook_id hook = recording_hook(frame); /* HOOK_COUNT: open */
    bool looks = play->calls < DIGESTS_EACH || play->calls % THEN_EVERY == 0;

    if (frame->answer.len > play->room)
        play->room = frame->answer.len;
    refusal.room = hook == HOOK_DRAIN ? play->room : 0;
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
    size_t len = 0;
    uint8_t *bytes = recording_load(path, &len);
    const uint8_t *at = bytes, *end = bytes + len;
    struct recording_frame frame;
    struct play play = {.room = FIRST_ROOM};

    refusal.fault[0] = '\0';
    while (bytes != NULL && recording_next(&at, end, &frame) && !msg_text_is(frame.hook, "full")) {
        if (msg_text_is(frame.hook, "open") && play.handle != 0)
            sluice_close(play.handle);
        starve(&play, &frame, memory ? NULL : refusal_kinds[play.calls % (REFUSAL_KINDS - 1)]);
    }
    sluice_close(play.handle);
    if (play.broken[0] != '\0')
        tap_diag("%s", play.broken);
    if (play.calls < 2 || play.broken[0] != '\0')
        ok(false, "%s", path);
    free(bytes);
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
