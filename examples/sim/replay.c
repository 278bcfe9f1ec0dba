/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "examples/sim/replay.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/sluice.h"
#include "examples/sim/library.h"
#include "examples/sim/replay_page.h"
#include "examples/sim/run.h"
#include "examples/sim/text.h"

enum {
    FRAME_MOST = 64 << 20,
};

struct frame {
    const char *hook;
    size_t hook_len;
    const uint8_t *request;
    size_t request_len;
    int64_t result;
    const uint8_t *answer;
    size_t answer_len;
};

struct replay {
    const char *path;
    FILE *file;
    const struct replay_watch *watch;
    uint8_t *bytes; /* of the frame */
    size_t cap;
    uint64_t frames;
    uint64_t calls;
    bool full;
};

static int complain(const struct replay *replay, const char *what)
{
    text_say(stderr, "sluice-sim: %s: frame %" PRIu64 ": %s\n", replay->path, replay->frames, what);
    return EXIT_INPUT;
}

/* The bytes of the next frame: their count, 0 at the end, -1 if they are no frame. */
static int64_t next_bytes(struct replay *replay)
{
    uint8_t head[4];
    size_t got = fread(head, 1, sizeof(head), replay->file);

    if (got == 0)
        return 0;
    uint32_t len = (uint32_t)head[0] | (uint32_t)head[1] << 8 | (uint32_t)head[2] << 16 |
                   (uint32_t)head[3] << 24;
    if (got < sizeof(head) || len == 0 || len > FRAME_MOST)
        return -1;
    if (len > replay->cap) {
        free(replay->bytes);
        replay->cap = 0;
        replay->bytes = malloc(len);
        if (!replay->bytes)
            return -1;
        replay->cap = len;
    }
    return fread(replay->bytes, 1, len, replay->file) == len ? (int64_t)len : -1;
}

static bool bytes_at(const msgpack_object *item, const uint8_t **ret, size_t *ret_len)
{
    if (item->type == MSGPACK_OBJECT_BIN) {
        *ret = (const uint8_t *)item->via.bin.ptr;
        *ret_len = item->via.bin.size;
        return true;
    }
    if (item->type != MSGPACK_OBJECT_STR)
        return false;
    *ret = (const uint8_t *)item->via.str.ptr;
    *ret_len = item->via.str.size;
    return true;
}

/* The frame points into the bytes, and what it holds of the zone is not needed any more. */
static bool frame_read(struct replay *replay, size_t len, struct frame *ret)
{
    msgpack_zone zone;
    msgpack_object root;
    const uint8_t *hook;
    size_t at = 0;
    bool good = false;

    if (value_flaw(replay->bytes, len) || !msgpack_zone_init(&zone, MSGPACK_ZONE_CHUNK_SIZE))
        return false;
    if (msgpack_unpack((const char *)replay->bytes, len, &at, &zone, &root) ==
            MSGPACK_UNPACK_SUCCESS &&
        root.type == MSGPACK_OBJECT_ARRAY && root.via.array.size == 4) {
        const msgpack_object *items = root.via.array.ptr;
        good = bytes_at(&items[0], &hook, &ret->hook_len) &&
               bytes_at(&items[1], &ret->request, &ret->request_len) &&
               value_is(&items[2], MSGPACK_OBJECT_POSITIVE_INTEGER) &&
               bytes_at(&items[3], &ret->answer, &ret->answer_len);
        if (good) {
            ret->hook = (const char *)hook;
            ret->result = items[2].via.i64;
        }
    }
    msgpack_zone_destroy(&zone);
    return good;
}

static bool is_named(const struct frame *frame, const char *name)
{
    return frame->hook_len == strlen(name) && memcmp(frame->hook, name, frame->hook_len) == 0;
}

static void print_message(const char *what, const uint8_t *bytes, size_t len)
{
    msgpack_zone zone;
    msgpack_object root;
    size_t at = 0, shown_len = 0;
    char *shown = NULL;
    FILE *print = open_memstream(&shown, &shown_len);

    fprintf(stderr, "    %-9s ", what);
    if (print && !value_flaw(bytes, len) && msgpack_zone_init(&zone, MSGPACK_ZONE_CHUNK_SIZE)) {
        if (msgpack_unpack((const char *)bytes, len, &at, &zone, &root) == MSGPACK_UNPACK_SUCCESS)
            msgpack_object_print(print, root);
        msgpack_zone_destroy(&zone);
        fflush(print);
        text_put(stderr, shown, shown_len);
    } else {
        fprintf(stderr, "%zu bytes that are no message", len);
    }
    fputc('\n', stderr);
    if (print)
        fclose(print);
    free(shown);
}

static const char *version_of(const uint8_t *manifest, size_t len, char *out, size_t cap)
{
    struct answer answer;

    snprintf(out, cap, "unknown");
    if (!answer_read(&answer, manifest, len))
        return out;
    snprintf(out, cap, "%s (%s)", value_str(&answer.root, "version", "unknown"),
             value_str(&answer.root, "compiler", "unknown compiler"));
    answer_finish(&answer);
    return out;
}

static void show_open(struct replay *replay, const struct frame *frame)
{
    struct answer config;

    if (!replay->watch->opened || !answer_read(&config, frame->request, frame->request_len))
        return;
    replay->watch->opened(replay->watch->who, &config.root);
    answer_finish(&config);
}

static void show_call(struct replay *replay, enum loader_hook hook, const msgpack_object *request,
                      const struct frame *frame)
{
    struct answer answer;

    if (!answer_read(&answer, frame->answer, frame->answer_len))
        return;
    replay->watch->after(replay->watch->who, hook, request, &answer.root);
    answer_finish(&answer);
}

static int replay_open(struct replay *replay, const struct frame *frame)
{
    struct library *library = replay->watch->library;
    char then[200];
    char now[200];

    library_close(library);
    if (loader_describe(library->loader, &library->reply) < 0)
        return complain(replay, "this library does not describe itself");
    version_of(frame->answer, frame->answer_len, then, sizeof(then));
    version_of(library->reply.bytes, library->reply.len, now, sizeof(now));
    if (strcmp(then, now) != 0)
        text_say(stderr, "sluice-sim: recorded with %s, replayed with %s\n", then, now);
    request_clear(&library->request);
    int64_t handle =
        loader_begin(library->loader, frame->request, frame->request_len, &library->reply);
    if ((handle > 0) == (frame->result > 0)) {
        library->handle = handle > 0 ? (uint64_t)handle : 0;
        show_open(replay, frame);
        return EXIT_HELD;
    }
    char text[512];
    reply_explain(&library->reply, handle, text, sizeof(text));
    complain(replay, handle > 0 ? "open failed then, and does not now" : text);
    return EXIT_FAILED;
}

static int compare_call(struct replay *replay, enum loader_hook hook, const struct frame *frame)
{
    struct library *library = replay->watch->library;
    const struct reply *reply = &library->reply;
    int64_t result = loader_ask(library->loader, hook, library->handle, frame->request,
                                frame->request_len, &library->reply);

    if (replay->watch->lenient || (result == frame->result && reply->len == frame->answer_len &&
                                   memcmp(reply->bytes, frame->answer, reply->len) == 0))
        return EXIT_HELD;
    fprintf(stderr, "sluice-sim: %s: call %" PRIu64 " (%s) answers %" PRId64 ", then %" PRId64 "\n",
            replay->path, replay->calls, loader_hook_name(hook), result, frame->result);
    print_message("request", frame->request, frame->request_len);
    print_message("then", frame->answer, frame->answer_len);
    print_message("now", reply->bytes, reply->len);
    return EXIT_FAILED;
}

static int replay_call(struct replay *replay, const struct frame *frame)
{
    int hook = loader_hook_of(frame->hook, frame->hook_len);
    struct answer request;

    if (hook < 0 || replay->watch->library->handle == 0)
        return complain(replay, hook < 0 ? "a hook that this host does not know"
                                         : "a call without an open before it");
    replay->calls++;
    if (!replay->watch->after || !answer_read(&request, frame->request, frame->request_len))
        return compare_call(replay, (enum loader_hook)hook, frame);
    if (replay->watch->before)
        replay->watch->before(replay->watch->who, &request.root);
    int code = compare_call(replay, (enum loader_hook)hook, frame);
    if (code == EXIT_HELD)
        show_call(replay, (enum loader_hook)hook, &request.root, frame);
    answer_finish(&request);
    return code;
}

static int replay_all(struct replay *replay)
{
    for (;;) {
        struct frame frame;
        int64_t len = next_bytes(replay);
        int code;
        if (len == 0)
            break;
        replay->frames++;
        if (len < 0 || !frame_read(replay, (size_t)len, &frame))
            return complain(replay, "the file is cut off, or is no recording");
        if (is_named(&frame, "full")) {
            replay->full = true;
            continue;
        }
        code = is_named(&frame, "open") ? replay_open(replay, &frame) : replay_call(replay, &frame);
        if (code != EXIT_HELD)
            return code;
    }
    if (replay->frames == 0)
        return complain(replay, "the file is empty");
    return EXIT_HELD;
}

static int write_page(struct sim *sim, const struct run_options *options)
{
    const char *bad = NULL;

    if (options->frames && !board_write(sim, options->frames, true))
        bad = options->frames;
    else if (options->html && !board_write_page(sim, options->html, true))
        bad = options->html;
    if (!bad)
        return EXIT_HELD;
    fprintf(stderr, "sluice-sim: %s: %s\n", bad, strerror(errno));
    return EXIT_INPUT;
}

int replay_watched(const char *library, const char *path, const struct replay_watch *watch,
                   struct replay_sum *ret)
{
    struct replay replay = {.path = path, .watch = watch};
    int code = EXIT_INPUT;

    replay.file = fopen(path, "rb");
    if (!replay.file)
        fprintf(stderr, "sluice-sim: %s: %s\n", path, strerror(errno));
    else if (!library_load(watch->library, library))
        text_say(stderr, "sluice-sim: %s\n", watch->library->error);
    else
        code = replay_all(&replay);
    *ret = (struct replay_sum){.calls = replay.calls, .full = replay.full};
    free(replay.bytes);
    if (replay.file)
        fclose(replay.file);
    return code;
}

int replay_file(const struct run_options *options, const char *path)
{
    bool shows = options->html || options->frames;
    struct replay_page page = {0};
    const struct replay_watch watch = {
        .who = &page,
        .library = &page.sim.library,
        .opened = shows ? replay_page_opened : NULL,
        .before = shows ? replay_page_moment : NULL,
        .after = shows ? replay_page_saw : NULL,
    };
    struct replay_sum sum;

    if (shows)
        replay_page_start(&page, path);
    int code = replay_watched(options->library, path, &watch, &sum);
    if (code == EXIT_HELD)
        printf("%" PRIu64 " calls, every answer as it was%s\n", sum.calls,
               sum.full ? " (the recording was full, and stops before the run did)" : "");
    if (shows && code == EXIT_HELD)
        code = write_page(&page.sim, options);
    replay_page_finish(&page);
    return code;
}
