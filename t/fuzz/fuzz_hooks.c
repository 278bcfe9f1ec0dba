/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Any sequence of hooks on one handle. The input is a tape from which calls are drawn: which hook,
 * about which of a few pods, queues, flavors and nodes. Some calls have a byte of their request
 * changed. Every call ends in an answer or an error; a failed call and a reading one leave the
 * digest as it was; after each, every invariant holds.
 */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/msg/writer.h"
#include "hooks/call.h"
#include "hooks/encode.h"
#include "plugin/gate.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

enum { OUT_BYTES = 1 << 16, CALLS_MAX = 400 };

struct tape {
    const uint8_t *at, *end;
};

static uint8_t request[4096];
static uint8_t out[OUT_BYTES];
static int64_t now;
static int64_t effect_id;

static unsigned draw(struct tape *tape, unsigned below)
{
    return tape->at == tape->end ? 0 : *tape->at++ % below;
}

static void refuse(const char *what)
{
    fprintf(stderr, "fuzz_hooks: %s\n", what);
    abort();
}

static void put_named(struct msg_writer *w, const char *key, const char *prefix, unsigned n)
{
    char name[32];

    snprintf(name, sizeof(name), "%s%u", prefix, n);
    put_key_str(w, key, name);
}

static void put_amounts(struct msg_writer *w, struct tape *tape, const char *key)
{
    static const char *const resources[] = {"cpu", "memory", "x/gpu", "pods"};
    size_t place;
    uint32_t count = 0;

    msg_put_key(w, key);
    place = msg_put_map_later(w);
    for (unsigned i = 0, which = draw(tape, 16); i < 4; i++) {
        if (which >> i & 1) {
            put_key_int(w, resources[i], (int64_t)draw(tape, 8) << (draw(tape, 40) == 7 ? 60 : 0));
            count++;
        }
    }
    msg_set_count(w, place, count);
}

static void put_pod(struct msg_writer *w, struct tape *tape)
{
    unsigned pod = draw(tape, 12), bits = draw(tape, 256), gates = draw(tape, 4);

    msg_put_map(w, 16);
    put_named(w, "uid", "u", pod);
    put_key_str(w, "namespace", "d");
    put_named(w, "name", "p", draw(tape, 8) == 0 ? pod / 2 : pod);
    put_key_int(w, "created", draw(tape, 8));
    put_key_int(w, "priority", (int64_t)draw(tape, 3) - 1);
    put_key_int(w, "generation", draw(tape, 4));
    put_key_int(w, "resourceVersion", draw(tape, 8));
    msg_put_key(w, "gates");
    msg_put_array(w, (gates & 1u) + (bits & 1u && bits & 2u ? 1 : 0));
    if (gates & 1u)
        msg_put_str(w, gate_name(gates & 2u ? GATE_SHORT : GATE_LONG));
    if (bits & 1u && bits & 2u)
        msg_put_str(w, "foreign");
    msg_put_key(w, "annotations");
    msg_put_map(w, bits & 4u ? 4 : 2);
    put_key_str(w, gate_name(GATE_LONG), bits & 8u ? "false" : "true");
    put_named(w, "scheduling.volcano.sh/queue-name", "q", draw(tape, 5));
    if (bits & 4u) {
        put_named(w, "sluice.sh/granted", "", draw(tape, 20));
        put_key_str(w, "sluice.sh/flavors", draw(tape, 2) ? "cpu=f1,memory=f0" : "cpu=f0,x");
    }
    put_key_str(w, "queueKind", bits & 16u ? "ClusterQueue" : "Queue");
    put_amounts(w, tape, "requests");
    put_key_str(w, "node", draw(tape, 6) == 0 ? "n1" : "");
    put_key_str(w, "nominated", draw(tape, 8) == 0 ? "n1" : "");
    put_key_str(w, "phase", draw(tape, 12) == 0 ? "Failed" : "Pending");
    put_key_bool(w, "deleted", draw(tape, 12) == 1);
    put_key_bool(w, "unschedulable", bits >= 192);
}

static void put_groups(struct msg_writer *w, struct tape *tape)
{
    unsigned flavors = 1 + draw(tape, 2);

    msg_put_key(w, "groups");
    msg_put_array(w, 1);
    msg_put_map(w, 2);
    msg_put_key(w, "resources");
    msg_put_array(w, 2);
    msg_put_str(w, "cpu");
    msg_put_str(w, "memory");
    msg_put_key(w, "flavors");
    msg_put_array(w, flavors);
    for (unsigned i = 0; i < flavors; i++) {
        unsigned bits = draw(tape, 4);

        msg_put_map(w, 2);
        put_named(w, "name", "f", i);
        msg_put_key(w, "quotas");
        msg_put_map(w, 1);
        msg_put_key(w, i & 1u ? "memory" : "cpu");
        msg_put_map(w, 1 + (bits & 1u) + (bits >> 1));
        put_key_int(w, "nominal", draw(tape, 10));
        if (bits & 1u)
            put_key_int(w, "borrowing", draw(tape, 10));
        if (bits & 2u)
            put_key_int(w, "lending", draw(tape, 10));
    }
}

static void put_queue(struct msg_writer *w, struct tape *tape)
{
    static const char *const kinds[] = {"Queue", "ClusterQueue", "Cohort"};
    static const char *const states[] = {"Open", "Open", "Suspended", "Closed"};
    unsigned kind = draw(tape, 3);

    msg_put_map(w, kind == 0 ? 9 : 7);
    put_key_str(w, "kind", kinds[kind]);
    put_named(w, "name", "q", draw(tape, 5));
    put_named(w, "parent", "q", draw(tape, 6));
    put_key_int(w, "priority", draw(tape, 3));
    put_key_str(w, "strategy", draw(tape, 2) ? "fifo" : "traverse");
    put_key_str(w, "state", states[draw(tape, 4)]);
    if (kind == 0) {
        put_amounts(w, tape, "capability");
        put_amounts(w, tape, "deserved");
        put_amounts(w, tape, "guarantee");
    } else {
        put_groups(w, tape);
    }
}

static void put_flavor(struct msg_writer *w, struct tape *tape)
{
    unsigned labels = draw(tape, 2);

    msg_put_map(w, 2);
    put_named(w, "name", "f", draw(tape, 3));
    msg_put_key(w, "nodeLabels");
    msg_put_map(w, labels);
    if (labels)
        put_named(w, "pool", "", draw(tape, 3));
}

static void put_node(struct msg_writer *w, struct tape *tape)
{
    msg_put_map(w, 3);
    put_named(w, "name", "n", draw(tape, 3));
    msg_put_key(w, "labels");
    msg_put_map(w, 1);
    put_named(w, "pool", "", draw(tape, 3));
    put_amounts(w, tape, "allocatable");
}

static void put_observe(struct msg_writer *w, struct tape *tape)
{
    static const struct {
        const char *kind;
        void (*put)(struct msg_writer *w, struct tape *tape);
    } kinds[] = {
        {"pod", put_pod},     {"pod", put_pod},       {"pod", put_pod},   {"queue", put_queue},
        {"queue", put_queue}, {"flavor", put_flavor}, {"node", put_node}, {"synced", put_node},
        {"leader", put_node}, {"other", put_node},
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
    static const char *const whats[] = {"queues", "queue",  "pod",    "pending",
                                        "limits", "memory", "effects"};

    msg_put_map(w, 7);
    put_key_int(w, "now", now);
    put_key_str(w, "what", whats[draw(tape, 7)]);
    put_key_str(w, "kind", draw(tape, 2) ? "ClusterQueue" : "Queue");
    put_named(w, "name", "q", draw(tape, 5));
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
    msg_put_map(w, 2);
    put_key_int(w, "id", effect_id + (draw(tape, 6) == 5 ? 1 : 0));
    put_key_str(w, "result", results[draw(tape, 4)]);
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
        put_pod(w, tape);
        break;
    case HOOK_ADMIT:
        msg_put_map(w, 4);
        put_key_int(w, "now", now);
        put_key_str(w, "kind", "pod");
        put_key_str(w, "operation", "CREATE");
        msg_put_key(w, "object");
        put_pod(w, tape);
        break;
    case HOOK_INSPECT:
        put_inspect(w, tape);
        break;
    case HOOK_ACK:
        put_ack(w, tape);
        break;
    case HOOK_TICK:
    case HOOK_COMMAND:
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
    unsigned bits = draw(&tape, 8);

    now = 1;
    effect_id = 0;
    msg_writer_init(&w, request, sizeof(request));
    msg_put_map(&w, 4);
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
