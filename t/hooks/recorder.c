/* SPDX-License-Identifier: Apache-2.0 */

/* The recording: what is kept, until when, and how it is read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <msgpack.h>

#include "hooks/recorder.h"
#include "t/kit/ask.h"
#include "t/kit/tap.h"

enum { TAPE = 1 << 16 };

struct tape {
    uint8_t bytes[TAPE];
    size_t len;
    size_t pages;
    bool full;
};

static const msgpack_object *find(const msgpack_object *map, const char *key)
{
    for (uint32_t i = 0; i < map->via.map.size; i++) {
        const msgpack_object *name = &map->via.map.ptr[i].key;

        if (name->via.str.size == strlen(key) &&
            memcmp(name->via.str.ptr, key, name->via.str.size) == 0)
            return &map->via.map.ptr[i].val;
    }
    return NULL;
}

static int64_t read_page(uint64_t handle, int64_t from, struct tape *tape)
{
    static uint8_t out[CALL_LEAST_ROOM];
    uint8_t request[64];
    struct msg_writer w;
    msgpack_unpacked answer;
    size_t offset = 0;

    msg_writer_init(&w, request, sizeof(request));
    msg_put_map(&w, 3);
    msg_put_key(&w, "now");
    msg_put_int(&w, 1);
    msg_put_key(&w, "what");
    msg_put_str(&w, "recording");
    msg_put_key(&w, "from");
    msg_put_int(&w, from);
    int64_t r = sluice_inspect(handle, request, msg_writer_length(&w), out, sizeof(out));
    if (r < 0)
        return -1;
    msgpack_unpacked_init(&answer);
    msgpack_unpack_next(&answer, (const char *)out, (size_t)r, &offset);
    const msgpack_object *bytes = find(&answer.data, "bytes");
    memcpy(tape->bytes + tape->len, bytes->via.bin.ptr, bytes->via.bin.size);
    tape->len += bytes->via.bin.size;
    tape->full = find(&answer.data, "full")->via.boolean;
    tape->pages++;
    int64_t next = find(&answer.data, "from")->via.i64;
    msgpack_unpacked_destroy(&answer);
    return next;
}

static void read_tape(uint64_t handle, struct tape *ret)
{
    int64_t from = 0;

    ret->len = ret->pages = 0;
    do
        from = read_page(handle, from, ret);
    while (from > 0);
}

/* The names of the frames' hooks, a space before each; "?" if the frames are not well formed. */
static const char *frames(const struct tape *tape, msgpack_object *ret_last, msgpack_unpacked *keep)
{
    static char names[TAPE];
    size_t at = 0;
    size_t end = 0;

    names[0] = '\0';
    while (at + 4 <= tape->len) {
        size_t len = (size_t)tape->bytes[at] | (size_t)tape->bytes[at + 1] << 8 |
                     (size_t)tape->bytes[at + 2] << 16 | (size_t)tape->bytes[at + 3] << 24;
        size_t offset = 0;

        at += 4;
        if (len > tape->len - at ||
            msgpack_unpack_next(keep, (const char *)tape->bytes + at, len, &offset) !=
                MSGPACK_UNPACK_SUCCESS ||
            offset != len || keep->data.type != MSGPACK_OBJECT_ARRAY ||
            keep->data.via.array.size != 4)
            return "?";
        *ret_last = keep->data;
        const msgpack_object_str *hook = &ret_last->via.array.ptr[0].via.str;
        end +=
            (size_t)snprintf(names + end, sizeof(names) - end, " %.*s", (int)hook->size, hook->ptr);
        at += len;
    }
    return at == tape->len ? names : "?";
}

static void test_calls(void)
{
    static struct tape tape;
    uint64_t handle = ask_open("{record: 60000}");
    msgpack_unpacked keep;
    msgpack_object last;
    uint8_t request[64];

    msgpack_unpacked_init(&keep);
    read_tape(handle, &tape);
    is_str(frames(&tape, &last, &keep), " open", "it begins with open");
    is_int(last.via.array.ptr[2].via.i64, handle, "which returned the handle");
    ok(last.via.array.ptr[1].via.bin.size > 0 && last.via.array.ptr[3].via.bin.size > 500,
       "with the configuration and the manifest");
    ok(!tape.full, "it is not full");

    ask(handle, HOOK_OBSERVE, "{now: 1, kind: synced}");
    ask(handle, HOOK_INSPECT, "{now: 2, what: queues}");
    ask(handle, HOOK_FILTER, "{now: 2, uid: u, nodes: [1]}");
    ask(handle, HOOK_TICK, "{}");
    ask(handle, HOOK_COMMAND, "{now: 2}");
    size_t len = ask_pack("{now: 3, max: 7}", request, sizeof(request));
    static uint8_t answer[CALL_LEAST_ROOM];
    int64_t r = sluice_drain(handle, request, len, answer, sizeof(answer));
    read_tape(handle, &tape);
    is_str(frames(&tape, &last, &keep), " open observe drain",
           "calls that read and calls that fail are not in it");
    const msgpack_object *frame = last.via.array.ptr;
    ok(frame[1].via.bin.size == len && memcmp(frame[1].via.bin.ptr, request, len) == 0,
       "a request is kept as it was");
    ok(frame[2].via.i64 == r && frame[3].via.bin.size == (size_t)r &&
           memcmp(frame[3].via.bin.ptr, answer, (size_t)r) == 0,
       "and so are its result and its answer");
    for (int i = 0; i < 300; i++)
        ask(handle, HOOK_POST_FILTER, "{now: 4, uid: a-uid-that-nobody-knows-and-that-is-long}");
    read_tape(handle, &tape);
    ok(tape.pages > 1 && strcmp(frames(&tape, &last, &keep), "?") != 0,
       "a long one comes in %zu pages", tape.pages);
    msgpack_unpacked_destroy(&keep);
    sluice_close(handle);
}

static void test_full(void)
{
    struct recorder recorder;
    static struct tape tape;
    msgpack_unpacked keep;
    msgpack_object last;
    bool good = true, ends = true;
    size_t most = 0;

    msgpack_unpacked_init(&keep);
    for (size_t size = 15; size < 120; size++) {
        ok(recorder_init(&recorder, size), "room for %zu bytes", size);
        for (int i = 0; i < 10; i++)
            recorder_add(&recorder, "tick", (const uint8_t *)"12345", 5, 3, (const uint8_t *)"abc",
                         3);
        memcpy(tape.bytes, recorder.bytes, recorder.used);
        tape.len = recorder.used;
        const char *names = frames(&tape, &last, &keep);
        good = good && strcmp(names, "?") != 0 && recorder.used <= size && recorder.full;
        ends = ends && strlen(names) >= 5 && strcmp(names + strlen(names) - 5, " full") == 0;
        most = strlen(names) > most ? strlen(names) : most;
        recorder_finish(&recorder);
    }
    ok(good, "every size keeps whole frames only, and says that it is full");
    ok(ends, "and the last one is the mark");
    ok(most > 15, "after some frames");
    recorder_init(&recorder, 0);
    recorder_add(&recorder, "tick", NULL, 0, 0, NULL, 0);
    ok(recorder.used == 0 && !recorder.full, "of size 0 it keeps nothing and is not full");
    recorder_finish(&recorder);
    recorder_init(&recorder, 3);
    recorder_add(&recorder, "tick", NULL, 0, 0, NULL, 0);
    ok(recorder.used == 0 && recorder.full, "without room for the mark it is full at once");
    recorder_finish(&recorder);
    msgpack_unpacked_destroy(&keep);
}

int main(void)
{
    test_calls();
    test_full();
    return tap_done();
}
