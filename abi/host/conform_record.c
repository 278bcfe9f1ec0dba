/* SPDX-License-Identifier: Apache-2.0 */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "abi/host/conform_promises.h"
#include "abi/host/conform_steps.h"

/* A recording that was read as a whole. */
struct recording {
    uint8_t *bytes;
    size_t len;
    bool full;
};

static struct recording take(struct story *s)
{
    struct recording all = {0};
    int64_t from = 0;

    do {
        s_ask(s, LOADER_INSPECT, "{what: recording, from: %lld}", (long long)from);
        const char *hex = json_string_value(json_object_get(s_value(s, "bytes"), "$bin"));
        size_t len = hex ? strlen(hex) / 2 : 0;

        all.bytes = realloc(all.bytes, all.len + len + 1);
        if (!all.bytes)
            abort();
        for (size_t i = 0; i < len; i++) {
            char pair[3] = {hex[2 * i], hex[2 * i + 1], 0};

            all.bytes[all.len++] = (uint8_t)strtoul(pair, NULL, 16);
        }
        all.full = json_is_true(s_value(s, "full"));
        from = s_int(s, "from");
        s_holds(s, from == 0 || from == (int64_t)all.len, "`from` is where the next part begins");
    } while (from > 0 && s->result >= 0);
    return all;
}

/* Bytes that our own side may hold more or less of: below a leak in each of a hundred rounds. */
enum { SLACK = 1400 };

/* One frame: an array of the hook, the request, the result and the answer. */
struct frame {
    msgpack_unpacked message;
    const msgpack_object *parts;
};

/* False at the end, and if what is there is no frame. */
static bool next_frame(struct story *s, const struct recording *all, size_t *at, struct frame *ret)
{
    size_t len = 0, off = 0;

    if (*at == all->len)
        return false;
    for (size_t i = 0; i < 4 && *at + i < all->len; i++)
        len |= (size_t)all->bytes[*at + i] << 8 * i;
    msgpack_unpacked_init(&ret->message);
    if (*at + 4 + len > all->len ||
        msgpack_unpack_next(&ret->message, (const char *)all->bytes + *at + 4, len, &off) !=
            MSGPACK_UNPACK_SUCCESS ||
        off != len || ret->message.data.type != MSGPACK_OBJECT_ARRAY ||
        ret->message.data.via.array.size != 4) {
        s_holds(s, false, "a recording is a stream of frames, each an array of four");
        return false;
    }
    ret->parts = ret->message.data.via.array.ptr;
    *at += 4 + len;
    return true;
}

static bool is_of(const struct frame *frame, const char *hook)
{
    const msgpack_object *name = &frame->parts[0];

    return name->type == MSGPACK_OBJECT_STR && name->via.str.size == strlen(hook) &&
           memcmp(name->via.str.ptr, hook, strlen(hook)) == 0;
}

static int64_t integer(const msgpack_object *value)
{
    return value->type == MSGPACK_OBJECT_POSITIVE_INTEGER ||
                   value->type == MSGPACK_OBJECT_NEGATIVE_INTEGER
               ? value->via.i64
               : INT64_MIN;
}

/* Calls of every hook, some of them in vain. */
static void live(struct story *s)
{
    s_lead(s);
    s_see(s, "queue", "{kind: Queue, name: q, state: Closed}");
    s_pod(s, "p", "{queue: q, unschedulable: true}");
    s_drain(s);
    s_ack(s, s_effect(s, "setCondition", "p"), "done");
    s_refuse(s, SLUICE_FIELD, "uid", LOADER_PRE_FILTER, "{}");
    s_ask(s, LOADER_ADMIT, "{kind: pod, operation: CREATE, object: {namespace: n}}");
    s_see(s, "queue", "{kind: Queue, name: q}");
    s_ask(s, LOADER_PRE_ENQUEUE, "{uid: p, resourceVersion: 1}");
    s_ask(s, LOADER_PRE_FILTER, "{uid: p}");
    s_ask(s, LOADER_FILTER, "{uid: p, nodes: nil}");
    s_ask(s, LOADER_POST_FILTER, "{uid: p}");
    s_ask(s, LOADER_RESERVE, "{uid: p, node: a}");
    s_ask(s, LOADER_UNRESERVE, "{uid: p, node: a}");
    s_ask(s, LOADER_PERMIT, "{uid: p, node: a}");
    s_ask(s, LOADER_BIND, "{uid: p, node: a}");
    s_ask(s, LOADER_POST_BIND, "{uid: p, node: a}");
    s_ask(s, LOADER_COMMAND,
          "{command: {uid: c, namespace: n, name: c, action: CloseQueue, "
          "target: {kind: Queue, name: q}}}");
    s_tick(s, s->now += STORY_SECOND);
    s_settle(s);
}

/* Plays the frames on another handle: the same results, the same answers, the same digest. */
static void replays(struct story *s)
{
    char was[STORY_DIGEST];
    struct frame frame;
    size_t at = 0, seen = 0;
    bool hooks[LOADER_HOOKS] = {0};

    s_open(s, "{record: 1000000, effects: [queueStatus, event, deleteCommand]}");
    uint64_t handle = s->handle;
    live(s);
    s_digest(s, was);
    struct recording all = take(s);
    s_holds(s, !all.full, "1 MB is enough");
    for (; next_frame(s, &all, &at, &frame); seen++) {
        const msgpack_object *request = &frame.parts[1], *answer = &frame.parts[3];

        if (seen == 0) {
            uint8_t manifest[64 << 10];
            int64_t len = loader_manifest(s->probe->lib, manifest, sizeof(manifest));

            s_holds(s, is_of(&frame, "open"), "the first frame is that of open");
            s_equal(s, integer(&frame.parts[2]), (int64_t)handle, "the handle in it");
            s_holds(s,
                    len == (int64_t)answer->via.bin.size &&
                        memcmp(manifest, answer->via.bin.ptr, answer->via.bin.size) == 0,
                    "the manifest is in it");
            int64_t other = probe_open_config(s->probe, (const uint8_t *)request->via.bin.ptr,
                                              request->via.bin.size);
            s_holds(s, other > 0, "its configuration opens another handle");
            s_finish(s);
            s->handle = (uint64_t)other;
        } else {
            int hook = loader_hook_of(frame.parts[0].via.str.ptr, frame.parts[0].via.str.size);

            s_holds(s, hook >= 0 && !s->probe->samples[hook].reads,
                    "only what may change the state is kept");
            if (hook < 0)
                break;
            hooks[hook] = true;
            int64_t result =
                probe_ask(s->probe, (enum loader_hook)hook, s->handle,
                          (const uint8_t *)request->via.bin.ptr, request->via.bin.size);
            s_equal(s, result, integer(&frame.parts[2]), "the result of a call that is replayed");
            s_holds(s,
                    result >= 0 && (size_t)result == answer->via.bin.size &&
                        memcmp(probe_answer(s->probe), answer->via.bin.ptr, (size_t)result) == 0,
                    "%s answers as it was recorded", loader_hook_name((enum loader_hook)hook));
        }
        msgpack_unpacked_destroy(&frame.message);
    }
    for (int i = 0; i < LOADER_HOOKS; i++)
        s_holds(s, hooks[i] || s->probe->samples[i].reads, "%s is in the recording",
                loader_hook_name((enum loader_hook)i));
    probe_unchanged(s->probe, "the recording", s->handle, was);
    free(all.bytes);
}

/* At every size: it ends with a mark, and is no longer than was said. */
static void fills_up(struct story *s)
{
    for (int size = 0; size < 6000; size += size < 40 ? 1 : 487) {
        struct frame frame = {0};
        size_t at = 0;
        bool marked = false;

        s_open(s, "{record: %d}", size);
        for (int i = 0; i < 60; i++)
            s_tick(s, s->now);
        struct recording all = take(s);
        s_holds(s, all.len <= (size_t)size, "a recording is as long as was said, at most");
        while (next_frame(s, &all, &at, &frame)) {
            s_holds(s, !marked, "nothing comes behind the mark");
            marked = is_of(&frame, "full");
            s_holds(s,
                    !marked || (integer(&frame.parts[2]) == 0 && frame.parts[1].via.bin.size == 0),
                    "the mark is empty");
            msgpack_unpacked_destroy(&frame.message);
        }
        s_holds(s, size == 0 || all.full, "it says that it is full");
        s_holds(s, size < 40 || marked, "the last frame says that it is full");
        s_holds(s, size > 0 || (!all.full && all.len == 0), "without `record` there is none");
        free(all.bytes);
    }
    s_refuse_open(s, SLUICE_FIELD, "record", "{record: -1}");
    s_refuse_open(s, SLUICE_FIELD, "record", "{record: %d}", (1 << 30) + 1);
}

static void handles_are_new(struct story *s)
{
    static const uint8_t empty[] = {0x80};
    enum { OPENED = 3000 };
    static int64_t numbers[OPENED];

    for (int i = 0; i < OPENED; i++) {
        numbers[i] = probe_open_config(s->probe, empty, sizeof(empty));
        s_holds(s, numbers[i] > 0, "a handle is above 0");
        if (numbers[i] > 0)
            probe_close(s->probe, (uint64_t)numbers[i]);
    }
    for (int i = 0; i < OPENED; i++)
        for (int k = 0; k < i; k++)
            if (numbers[i] == numbers[k])
                s_holds(s, false, "a handle's number is not used again");
}

static void handles_are_many(struct story *s)
{
    static const uint8_t empty[] = {0x80};
    static int64_t numbers[1024];

    s_finish(s);
    for (int i = 0; i < 1024; i++) {
        numbers[i] = probe_open_config(s->probe, empty, sizeof(empty));
        s_holds(s, numbers[i] > 0, "1,024 handles may be open (%d)", i);
    }
    s_refuse_open(s, SLUICE_LIMIT, NULL, "{}");
    probe_close(s->probe, (uint64_t)numbers[512]);
    s_open(s, "{}");
    s_tick(s, s->now);
    s_refuse_open(s, SLUICE_LIMIT, NULL, "{}");
    for (int i = 0; i < 1024; i++)
        if (i != 512)
            probe_close(s->probe, (uint64_t)numbers[i]);
}

/* What the library holds, by its own word and by the allocator's. */
static int64_t held(struct story *s)
{
    s_ask(s, LOADER_INSPECT, "{what: memory}");
    s_holds(s, s_int(s, "peak") >= s_int(s, "bytes"), "`peak` is what was held at most");
    return s_int(s, "bytes");
}

static void no_leak(struct story *s)
{
    enum { ROUNDS = 200 };
    int64_t bytes = 0;
    size_t taken = 0;

    s_lead(s);
    for (int round = 0; round < 2 * ROUNDS; round++) {
        if (round == ROUNDS) {
            bytes = held(s);
            taken = mallinfo2().uordblks;
        }
        for (int i = 0; i < LOADER_HOOKS; i++)
            if (s->probe->subject->use[i] == USE_WORKS)
                probe_sample(s->probe, (enum loader_hook)i, s->handle);
        s_pod(s, "p", "{queue: q}");
        s_tick(s, s->now += STORY_SECOND);
        s_drain(s);
        s_lose(s, "pod", "{uid: p}");
        s_try(s, LOADER_TICK, "{'!new': 1}");
    }
    s_equal(s, held(s), bytes, "what is held after twice as many rounds");
    s_holds(s, mallinfo2().uordblks <= taken + SLACK,
            "memory does not grow with the calls: %zu bytes more", mallinfo2().uordblks - taken);
}

/* What malloc keeps at hand counts as taken, so a few handles tell nothing: a leak shows when there
 * were many. */
static void no_leak_of_handles(struct story *s)
{
    enum { SETTLED = 100, HANDLES = 400, LEAST_LEAK = 16 };
    size_t taken = 0;

    for (int round = 0; round < HANDLES; round++) {
        if (round == SETTLED)
            taken = mallinfo2().uordblks;
        s_open(s, "{record: 4096}");
        s_lead(s);
        s_see(s, "node", "{name: a, labels: {x: y}}");
        s_pod(s, "p", "{queue: q}");
        s_drain(s);
    }
    s_holds(s, mallinfo2().uordblks < taken + (HANDLES - SETTLED) * LEAST_LEAK,
            "close gives back all that a handle held");
}

const struct promise promises_of_record[] = {
    {"a recording keeps each call that changed the state, and replays to the same digest", replays},
    {"a recording that is full says so, and is as long as was asked", fills_up},
    {"a handle's number is not used again", handles_are_new},
    {"1,024 handles may be open, and no more", handles_are_many},
    {"no call leaves memory behind", no_leak},
    {"close gives back what a handle held", no_leak_of_handles},
    {0},
};
