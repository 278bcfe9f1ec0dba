/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Any sequence of hooks on one handle. The input is a tape from which calls are drawn: which hook,
 * about which of a few pods, queues, flavors, nodes, and workloads in clusters. Some calls have a
 * byte of their request changed. Every call ends in an answer or an error; a failed call and a
 * reading one leave the digest as it was; after each, every invariant holds.
 */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/msg/writer.h"
#include "hooks/call.h"
#include "hooks/encode.h"
#include "t/fuzz/fleet_objects.h"
#include "t/fuzz/objects.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

enum { OUT_BYTES = 1 << 16, CALLS_MAX = 400 };

static uint8_t request[4096];
static uint8_t out[OUT_BYTES];
static int64_t now;
static int64_t effect_id;

static void refuse(const char *what)
{
    fprintf(stderr, "fuzz_hooks: %s\n", what);
    abort();
}

static void put_observe(struct msg_writer *w, struct tape *tape)
{
    static const struct {
        const char *kind;
        void (*put)(struct msg_writer *w, struct tape *tape);
    } kinds[] = {
        {"pod", put_any_pod},         {"pod", put_any_pod},         {"pod", put_any_pod},
        {"queue", put_any_queue},     {"queue", put_any_queue},     {"flavor", put_any_flavor},
        {"node", put_any_node},       {"synced", put_any_node},     {"leader", put_any_node},
        {"other", put_any_node},      {"cluster", put_any_cluster}, {"workload", put_any_workload},
        {"replica", put_any_replica}, {"replica", put_any_replica},
    };
    unsigned kind = draw(tape, sizeof(kinds) / sizeof(kinds[0]));

    msg_put_map(w, 4);
    put_key_int(w, "now", now);
    put_key_str(w, "kind", kinds[kind].kind);
    put_key_bool(w, "gone", draw(tape, 5) == 4 && kind != 7);
    msg_put_key(w, "object");
    kinds[kind].put(w, tape);
}

static void put_inspect(struct msg_writer *w, struct tape *tape)
{
    static const char *const whats[] = {"queues", "queue",   "pod",   "pending", "limits",
                                        "memory", "effects", "fleet", "clusters"};
    bool one = draw(tape, 2) == 1;

    msg_put_map(w, one ? 8 : 7);
    put_key_int(w, "now", now);
    put_key_str(w, "what", whats[draw(tape, 9)]);
    put_key_str(w, "kind", draw(tape, 2) ? "ClusterQueue" : "Queue");
    put_named(w, "name", one ? "w" : "q", draw(tape, 5));
    if (one)
        put_key_str(w, "namespace", "d");
    put_named(w, "uid", "u", draw(tape, 12));
    put_key_int(w, "from", draw(tape, 4) == 3 ? draw(tape, 64) : 0);
    put_key_int(w, "max", 1 + (int64_t)draw(tape, 9));
}

static void put_ack(struct msg_writer *w, struct tape *tape)
{
    static const char *const results[] = {"done", "gone", "conflict", "retry"};

    msg_put_map(w, 2);
    put_key_int(w, "now", now);
    msg_put_key(w, "acks");
    msg_put_array(w, 1);
    msg_put_map(w, 3);
    put_key_int(w, "resourceVersion", draw(tape, 8));
    put_key_int(w, "id", effect_id + (draw(tape, 6) == 5 ? 1 : 0));
    put_key_str(w, "result", results[draw(tape, 4)]);
}

static void put_command(struct msg_writer *w, struct tape *tape)
{
    msg_put_map(w, 3);
    put_key_int(w, "now", now);
    put_key_bool(w, "gone", draw(tape, 6) == 5);
    msg_put_key(w, "command");
    put_any_order(w, tape);
}

static void put_admit(struct msg_writer *w, struct tape *tape)
{
    static const struct {
        const char *kind;
        void (*put)(struct msg_writer *w, struct tape *tape);
    } kinds[] = {{"pod", put_any_pod}, {"queue", put_any_queue}, {"command", put_any_order}};
    static const char *const operations[] = {"CREATE", "UPDATE", "DELETE"};
    unsigned kind = draw(tape, 3);

    msg_put_map(w, 4);
    put_key_int(w, "now", now);
    put_key_str(w, "kind", kinds[kind].kind);
    put_key_str(w, "operation", operations[draw(tape, 3)]);
    msg_put_key(w, "object");
    kinds[kind].put(w, tape);
}

static void put_placed(struct msg_writer *w, struct tape *tape)
{
    msg_put_map(w, 4);
    put_key_int(w, "now", now);
    put_named(w, "uid", "u", draw(tape, 13));
    put_named(w, "node", "n", draw(tape, 3));
    msg_put_key(w, "nodes");
    msg_put_nil(w);
}

static void put_request(struct msg_writer *w, enum hook_id hook, struct tape *tape)
{
    switch (hook) {
    case HOOK_OBSERVE:
        put_observe(w, tape);
        break;
    case HOOK_PRE_ENQUEUE:
        msg_put_map(w, 2);
        put_key_int(w, "now", now);
        msg_put_key(w, "pod");
        put_any_pod(w, tape);
        break;
    case HOOK_ADMIT:
        put_admit(w, tape);
        break;
    case HOOK_INSPECT:
        put_inspect(w, tape);
        break;
    case HOOK_ACK:
        put_ack(w, tape);
        break;
    case HOOK_COMMAND:
        put_command(w, tape);
        break;
    case HOOK_TICK:
    case HOOK_DRAIN:
        msg_put_map(w, 1);
        put_key_int(w, "now", now);
        break;
    default:
        put_placed(w, tape);
        break;
    }
}

static int64_t call(uint64_t handle, enum hook_id hook, size_t len)
{
    int64_t result = call_run(hook, handle, request, len, out, sizeof(out));
    int code = sluice_error_code(result);

    if (result > (int64_t)sizeof(out) || code > SLUICE_BROKEN)
        refuse("a result that is none");
    if (code == SLUICE_BROKEN || code == SLUICE_NO_HANDLE || code == SLUICE_TOO_SMALL)
        refuse(code == SLUICE_BROKEN ? "an invariant is broken" : "an error that cannot be");
    return result;
}

static void ask(uint64_t handle, const char *what, uint8_t *ret, size_t size)
{
    struct msg_writer w;

    msg_writer_init(&w, request, sizeof(request));
    msg_put_map(&w, 2);
    put_key_int(&w, "now", 0);
    put_key_str(&w, "what", what);
    memset(ret, 0, size);
    if (call(handle, HOOK_INSPECT, msg_writer_length(&w)) < 0)
        refuse("it cannot be inspected");
    memcpy(ret, out, size);
}

/* The id of the first effect that was drained, from the answer's bytes. */
static void note_effect(int64_t length)
{
    struct msg_reader r;
    struct msg_map answer, effect;
    struct msg_array effects;
    struct msg_text key;

    msg_reader_init(&r, out, (size_t)length);
    msg_open_map(&r, &answer);
    if (!msg_next_key(&r, &answer, &key) || !msg_open_array(&r, &effects) ||
        !msg_next_item(&r, &effects) || !msg_open_map(&r, &effect) ||
        !msg_next_key(&r, &effect, &key))
        return;
    msg_get_int(&r, INT64_MIN, INT64_MAX, &effect_id);
}

static void step(uint64_t handle, struct tape *tape)
{
    enum { SAME = 24 }; /* {"digest": "16 digits" */
    static const uint8_t all_is_well[] = {0x85, 0xa2, 'o', 'k', 0xc3};
    enum hook_id hook = (enum hook_id)draw(tape, HOOK_COUNT + 4);
    uint8_t before[SAME], after[SAME], check[sizeof(all_is_well)];
    struct msg_writer w;

    hook = hook >= HOOK_COUNT ? HOOK_OBSERVE : hook;
    ask(handle, "digest", before, SAME);
    now += (int64_t)draw(tape, 4) * (draw(tape, 3) == 2 ? INT64_C(100000000000) : 1) - 1;
    now = now < 0 ? 0 : now;
    msg_writer_init(&w, request, sizeof(request));
    put_request(&w, hook, tape);
    size_t length = msg_writer_length(&w);
    if (draw(tape, 16) == 15)
        request[(draw(tape, 256) * 256 + draw(tape, 256)) % length] = (uint8_t)draw(tape, 256);

    int64_t result = call(handle, hook, length);
    if (hook == HOOK_DRAIN && result > 0)
        note_effect(result);
    if (result < 0 || hook_table[hook].reads) {
        ask(handle, "digest", after, SAME);
        if (memcmp(before, after, SAME) != 0)
            refuse("a call that must not has changed the state");
    }
    ask(handle, "check", check, sizeof(check));
    if (memcmp(check, all_is_well, sizeof(check)) != 0) {
        fprintf(stderr, "%.*s\n", 200, (const char *)out);
        refuse("an invariant does not hold");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct tape tape = {bytes, bytes + len};
    struct msg_writer w;
    unsigned bits = draw(&tape, 32);

    now = 1;
    effect_id = 0;
    msg_writer_init(&w, request, sizeof(request));
    msg_put_map(&w, bits & 16u ? 6 : 5);
    if (bits & 16u) {
        msg_put_key(&w, "multiKueue");
        put_any_multikueue(&w, &tape);
    }
    msg_put_key(&w, "effects");
    msg_put_array(&w, bits & 8u ? 3 : 0);
    if (bits & 8u) {
        msg_put_str(&w, "queueStatus");
        msg_put_str(&w, "event");
        msg_put_str(&w, "deleteCommand");
    }
    put_key_str(&w, "removal", bits & 1u ? "onAdmission" : "onBind");
    put_key_str(&w, "manage", bits & 2u ? "all" : "optedIn");
    put_key_int(&w, "reservationTimeout", bits & 4u ? 50 : 0);
    put_key_int(&w, "headGuard", bits & 4u ? 30 : 0);
    int64_t handle = sluice_open(request, msg_writer_length(&w), out, sizeof(out));
    if (handle <= 0)
        refuse("it does not open");
    for (int n = 0; n < CALLS_MAX && tape.at < tape.end; n++)
        step((uint64_t)handle, &tape);
    if (sluice_close((uint64_t)handle) != 0)
        refuse("it does not close");
    return 0;
}
