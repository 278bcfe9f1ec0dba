/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Plays recordings on two libraries: t-answers [--part] OLD NEW LIST RECORDING...
 *
 * A recording is called STORY.MODE. Between its calls both are asked about what was shown. Of each
 * only the first difference that is not in the list is told: what comes after it answers requests
 * of another story. With --part they are not all stories, and the list may have more than occurs.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "t/answers/differ.h"
#include "t/answers/known.h"
#include "t/answers/questions.h"
#include "t/kit/door.h"
#include "t/kit/peek.h"
#include "t/kit/recording.h"
#include "t/kit/tap.h"

enum {
    ANSWER_BYTES = 4 << 20,
    STRIDE = 7, /* after each call another question is asked, this many further on */
};

struct side {
    struct door door;
    uint64_t handle; /* 0: none is open */
    uint8_t *answer;
};

struct play {
    struct known *known;
    const char *story, *mode;
    struct side was, is;
    struct questions questions;
    uint64_t calls, asked;
    uint32_t turn;
    int64_t now;
    struct msg_bin request; /* that is being compared, and the name of its call */
    char call[QUESTION_NAME];
    bool over, broken;
};

static void tell(const struct play *play, const struct difference *difference)
{
    char subject[QUESTION_SUBJECT];

    question_subject(play->request.at, play->request.len, subject);
    tap_diag("%s, %s: call %" PRIu64 ", %s of %s", play->story, play->mode, play->calls, play->call,
             subject[0] != '\0' ? subject : "nothing in particular");
    tap_diag("    %s", difference->path);
    tap_diag("        was %s", difference->was);
    tap_diag("        is  %s", difference->is);
}

static void take_difference(void *context, const struct difference *difference)
{
    struct play *play = context;
    enum known_then then;

    if (play->over)
        return;
    then = known_look_up(play->known, play->story, play->mode, play->call, difference->path);
    if (then == KNOWN_ON)
        return;
    play->over = true;
    if (then == KNOWN_ENDS)
        return;
    play->broken = true;
    tell(play, difference);
}

static struct reply_seen ask_side(const struct side *side, enum hook_id hook,
                                  struct msg_bin request)
{
    return (struct reply_seen){
        side->door.hooks[hook](side->handle, request.at, request.len, side->answer, ANSWER_BYTES),
        side->answer};
}

static void ask_both(struct play *play, enum hook_id hook, struct msg_bin request)
{
    play->request = request;
    question_name(hook, request.at, request.len, play->call);
    differ(ask_side(&play->was, hook, request), ask_side(&play->is, hook, request), take_difference,
           play);
}

static void inspect(struct play *play, uint32_t index)
{
    uint8_t request[QUESTION_BYTES];
    size_t len = questions_put(&play->questions, index, play->now, request);

    play->asked++;
    ask_both(play, HOOK_INSPECT, (struct msg_bin){request, len});
}

static void inspect_some(struct play *play)
{
    const struct questions *q = &play->questions;

    for (uint32_t i = 0; i < q->about && !play->over; i++)
        inspect(play, q->latest + i);
    play->turn = (play->turn + STRIDE) % q->count;
    if (!play->over)
        inspect(play, play->turn);
}

static void close_both(struct play *play)
{
    for (uint32_t i = 0; play->was.handle != 0 && i < play->questions.count && !play->over; i++)
        inspect(play, i);
    play->was.door.close(play->was.handle);
    play->is.door.close(play->is.handle);
    play->was.handle = play->is.handle = 0;
}

/* Takes an effect out of a configuration that an older library refuses because of it. */
static bool drop_refused_effect(const struct reply_seen *refusal, uint8_t *config, size_t *len)
{
    uint8_t *count, *from, *to, *end = config + *len; /* count: the lowest byte of it */
    struct msg_reader r;
    struct msg_array array;
    char key[32];
    unsigned index;

    if (sluice_error_code(refusal->result) != SLUICE_FIELD)
        return false;
    msg_reader_init(&r, refusal->bytes, sluice_error_length(refusal->result));
    peek_text(&r, "key", key, sizeof(key));
    msg_reader_init(&r, config, *len);
    if (sscanf(key, "effects[%u]", &index) != 1 || !peek(&r, "effects", &r))
        return false;
    count = config + (r.at - config);
    count += *count == 0xdd ? 4 : *count == 0xdc ? 2 : 0;
    if (!msg_open_array(&r, &array))
        return false;
    for (unsigned i = 0; i < index && msg_next_item(&r, &array); i++)
        msg_skip_value(&r);
    from = config + (r.at - config);
    if (!msg_next_item(&r, &array))
        return false;
    msg_skip_value(&r);
    to = config + (r.at - config);
    memmove(from, to, (size_t)(end - to));
    *len -= (size_t)(to - from);
    --*count;
    return true;
}

static struct reply_seen open_side(struct side *side, struct msg_bin config)
{
    int64_t result = side->door.open(config.at, config.len, side->answer, ANSWER_BYTES);

    side->handle = result > 0 ? (uint64_t)result : 0;
    return (struct reply_seen){result > 0 ? 0 : result, side->answer};
}

/* Both without the effects that the older one does not know: it could not be asked for them. */
static void open_both(struct play *play, struct msg_bin config)
{
    uint8_t *bytes = malloc(config.len + 1);
    struct reply_seen was;

    close_both(play);
    questions_begin(&play->questions);
    if (bytes == NULL)
        abort();
    memcpy(bytes, config.at, config.len);
    config.at = bytes;
    do
        was = open_side(&play->was, config);
    while (drop_refused_effect(&was, bytes, &config.len));
    play->request = config;
    snprintf(play->call, sizeof(play->call), "open");
    differ(was, open_side(&play->is, config), take_difference, play);
    free(bytes);
}

static void play_frame(struct play *play, const struct recording_frame *frame)
{
    uint8_t drain[RECORDING_DRAIN];
    enum hook_id hook = recording_hook(frame);
    struct msg_bin request = recording_request(frame, drain);
    struct msg_reader r;

    if (hook == HOOK_COUNT) {
        open_both(play, request);
        return;
    }
    msg_reader_init(&r, request.at, request.len);
    play->now = peek_int(&r, "now", play->now);
    play->calls++;
    ask_both(play, hook, request);
    if (play->over)
        return;
    questions_take(&play->questions, hook, request.at, request.len);
    inspect_some(play);
}

/* The story and the mode of a file called STORY.MODE. */
static void name_play(struct play *play, char *path)
{
    char *slash = strrchr(path, '/');
    char *dot = strrchr(path, '.');

    play->story = slash == NULL ? path : slash + 1;
    play->mode = "-";
    if (dot > play->story) {
        *dot = '\0';
        play->mode = dot + 1;
    }
}

static void play_file(struct play *play, char *path)
{
    size_t len = 0;
    uint8_t *bytes = recording_load(path, &len);
    const uint8_t *at = bytes, *end = bytes == NULL ? NULL : bytes + len;
    struct recording_frame frame;
    bool full = false;

    play->calls = play->asked = 0;
    play->over = play->broken = false;
    name_play(play, path);
    while (at != end && !full && !play->over && recording_next(&at, end, &frame)) {
        full = msg_text_is(frame.hook, "full");
        if (!full)
            play_frame(play, &frame);
    }
    close_both(play);
    if (full || bytes == NULL || (at != end && !play->over))
        tap_diag("the recording is %s",
                 full ? "full, and not compared to its end" : "no recording");
    tap_ok(bytes != NULL && !full && !play->broken && (at == end || play->over) && play->calls > 0,
           "%s, %s: %" PRIu64 " calls and %" PRIu64 " questions%s", play->story, play->mode,
           play->calls, play->asked,
           play->over && !play->broken ? ", until one that is listed" : "");
    free(bytes);
}

static void check_list(const struct known *known)
{
    const char *text;
    unsigned line = 0, unused = 0;

    for (; known_next_unused(known, false, &line, &text) != 0; unused++)
        tap_diag("line %u: %s", line, text);
    tap_ok(unused == 0, "every difference in the list occurs");
}

int main(int argc, char **argv)
{
    static struct play play;
    bool part = argc > 1 && strcmp(argv[1], "--part") == 0;
    char why[500];

    argc -= part;
    argv += part;
    if (argc < 5) {
        fprintf(stderr, "usage: t-answers [--part] OLD NEW LIST RECORDING...\n");
        return 2;
    }
    play.known = known_load(argv[3], why, sizeof(why));
    if (play.known == NULL) {
        fprintf(stderr, "t-answers: %s\n", why);
        return 2;
    }
    play.was.answer = malloc(ANSWER_BYTES);
    play.is.answer = malloc(ANSWER_BYTES);
    if (play.was.answer == NULL || play.is.answer == NULL || !door_load(argv[1], &play.was.door) ||
        !door_load(argv[2], &play.is.door))
        return 2;
    for (int i = 4; i < argc; i++)
        play_file(&play, argv[i]);
    if (!part)
        check_list(play.known);
    return tap_done();
}
