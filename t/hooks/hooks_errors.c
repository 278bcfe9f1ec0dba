/* SPDX-License-Identifier: Apache-2.0 */

/* How hooks refuse: keys, limits, buffers; and what the manifest says of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/msg/writer.h"
#include "t/kit/ask.h"
#include "t/kit/tap.h"

#define GATE "scheduling.volcano.sh/queue-allocation-gate"
#define OPTED(uid, name, rest)                                                                     \
    "{uid: " uid ", namespace: d, name: " name ", created: 1, gates: [" GATE "], " rest "}"
#define IN(queue) "annotations: {" GATE ": 'true', scheduling.volcano.sh/queue-name: " queue "}"

static void test_refusals(void)
{
    static const char missing[] = "nothing, want a value, the key is required";
    static const struct ask_line lines[] = {
        {HOOK_TICK, "{now: -1}", "FIELD now: -1, want an integer from 0 to 4611686018427387903"},
        {HOOK_TICK, "{now: 1, '!new': 1}", "FIELD !new: 1, want a key that this version knows"},
        {HOOK_TICK, "[]", "MESSAGE : byte 0, want one msgpack map; here the message is not a map"},
        {HOOK_COMMAND, "{}",
         "UNSUPPORTED command: a command, want a queue whose state says so, or queueStatus among "
         "the effects of `open`: who writes no states carries out no commands"},
        {HOOK_OBSERVE, "{now: 1, kind: group, object: {}}",
         "UNSUPPORTED kind: \"group\", want answerPermit among the effects of `open`: who waits "
         "for a gang on its node must be told of its end"},
        {HOOK_OBSERVE, "{now: 1, kind: workload, object: {role: manager}}",
         "UNSUPPORTED kind: \"workload\", want a configuration with the key multiKueue: only a "
         "manager of worker clusters takes this kind"},
        {HOOK_OBSERVE, "{now: 1, kind: synced, gone: true}",
         "FIELD gone: true, want false: that everything was listed is never withdrawn"},
        {HOOK_OBSERVE, "{now: 1, kind: pod, object: {uid: u, namespace: d, name: n}}",
         "FIELD object.created: nothing, want a value, the key is required"},
        {HOOK_PRE_ENQUEUE, "{now: 1, uid: u}",
         "FIELD resourceVersion: nothing, want a value, the key is required"},
        {HOOK_PRE_ENQUEUE, "{now: 1, resourceVersion: 5}",
         "FIELD pod: nothing, want a value, the key is required"},
        {HOOK_PRE_ENQUEUE, "{now: 1, uid: '', resourceVersion: 5}",
         "FIELD uid: \"\", want text of 1 to 64 bytes"},
        {HOOK_PRE_ENQUEUE, "{now: 1, uid: u, resourceVersion: -1}",
         "FIELD resourceVersion: -1, want an integer of at least 0"},
        {HOOK_PRE_ENQUEUE,
         "{now: 1, uid: u, resourceVersion: 5, pod: {uid: u, namespace: d, name: n, created: 1}}",
         "FIELD pod: a map, want either `pod` or `uid`, not both"},
        {HOOK_PRE_ENQUEUE, "{now: 1, pod: {uid: u, namespace: d, name: n, created: 1}, uid: v}",
         "FIELD uid: \"v\", want either `pod` or `uid`, not both"},
        {HOOK_DRAIN, "{now: 1, max: 0}", "FIELD max: 0, want an integer from 1 to 1024"},
        {HOOK_ACK, "{now: 1, acks: [{id: 1, result: maybe}]}",
         "FIELD acks[0].result: \"maybe\", want one of done, gone, conflict, retry"},
        {HOOK_ACK, "{now: 1, acks: [{id: 1, result: done}, {id: 1}]}",
         "FIELD acks[1].result: nothing, want a value, the key is required"},
        {HOOK_FILTER, "{now: 1, uid: u, nodes: [1, x]}",
         "FIELD nodes[1]: \"x\", want an integer from 0 to 4294967295"},
        {HOOK_INSPECT, "{now: 1, what: weather}",
         "FIELD what: \"weather\", want one of the views that PROTOCOL.md lists"},
        {HOOK_INSPECT, "{now: 1, what: pod, uid: u}",
         "FIELD uid: \"u\", want a pod of ours that was seen and is not gone"},
        {HOOK_INSPECT, "{now: 1, what: queue, kind: Cohort, name: x}",
         "FIELD name: \"x\", want a queue of this kind that was seen or named"},
    };
    static const struct {
        enum hook_id hook;
        const char *keys[5];
    } required[] = {
        {HOOK_OBSERVE, {"kind: pod", "object: {uid: u, namespace: d, name: n, created: 1}"}},
        {HOOK_ADMIT, {"kind: pod", "operation: CREATE", "object: {namespace: d}"}},
        {HOOK_PRE_ENQUEUE, {"pod: {uid: u, namespace: d, name: n, created: 1}"}},
        {HOOK_PRE_FILTER, {"uid: u"}},
        {HOOK_FILTER, {"uid: u", "nodes: nil"}},
        {HOOK_POST_FILTER, {"uid: u"}},
        {HOOK_RESERVE, {"uid: u", "node: n"}},
        {HOOK_UNRESERVE, {"uid: u", "node: n"}},
        {HOOK_PERMIT, {"uid: u", "node: n"}},
        {HOOK_BIND, {"uid: u", "node: n"}},
        {HOOK_POST_BIND, {"uid: u", "node: n"}},
        {HOOK_TICK, {NULL}},
        {HOOK_DRAIN, {NULL}},
        {HOOK_ACK, {"acks: []"}},
        {HOOK_INSPECT, {"what: digest"}},
    };
    uint64_t handle = ask_open("{}");

    ask_play(handle, lines, sizeof(lines) / sizeof(lines[0]));
    for (size_t i = 0; i < sizeof(required) / sizeof(required[0]); i++) {
        for (int leave = -1; leave < 5 && (leave < 0 || required[i].keys[leave]); leave++) {
            const char *left = leave < 0 ? "now" : required[i].keys[leave];
            char request[256], want[128];
            int at = snprintf(request, sizeof(request), "{%s", leave < 0 ? "" : "now: 1");

            for (int k = 0; k < 5 && required[i].keys[k]; k++)
                at += snprintf(request + at, sizeof(request) - (size_t)at, ", %s",
                               k == leave ? "other: 1" : required[i].keys[k]);
            snprintf(request + at, sizeof(request) - (size_t)at, "}");
            snprintf(want, sizeof(want), "FIELD %.*s: %s", (int)strcspn(left, ":"), left, missing);
            is_str(ask(handle, required[i].hook, request), want, "%s without %s",
                   hook_table[required[i].hook].name, left);
        }
    }
    sluice_close(handle);
}

/* Each hook on every buffer that is too small, on null pointers and on buffers that overlap. */
static void test_buffers(void)
{
    static uint8_t room[CALL_LEAST_ROOM + 64];
    uint64_t handle = ask_open("{}");
    uint8_t request[2048];

    for (int id = 0; id < HOOK_COUNT; id++) {
        const struct hook *hook = &hook_table[id];
        size_t need = hook->answer > 0 ? hook->answer : (size_t)CALL_LEAST_ROOM;
        struct msg_writer w;
        bool small = true;

        msg_writer_init(&w, request, sizeof(request));
        hook->put_sample(&w);
        size_t len = msg_writer_length(&w);
        for (size_t cap = 0; cap < need; cap++) {
            int64_t r =
                ask_call(handle, (enum hook_id)id, request, len, cap > 0 ? room : NULL, cap);

            small =
                small && sluice_error_code(r) == SLUICE_TOO_SMALL && sluice_error_length(r) == need;
        }
        ok(small, "%s asks for its %zu bytes", hook->name, need);
        int64_t r = ask_call(handle, (enum hook_id)id, request, len, room, need);
        is_int(sluice_error_code(r), id == HOOK_COMMAND ? SLUICE_UNSUPPORTED : 0,
               "its sample works in them");
        is_int(ask_call(handle, (enum hook_id)id, NULL, len, room, need), -(int64_t)SLUICE_ARGUMENT,
               "a null request");
        is_int(ask_call(handle, (enum hook_id)id, request, len, NULL, need),
               -(int64_t)SLUICE_ARGUMENT, "a null buffer");
        memcpy(room, request, len);
        is_int(ask_call(handle, (enum hook_id)id, room, len, room + len - 1, need),
               -(int64_t)SLUICE_ARGUMENT, "overlapping ends");
        is_int(sluice_error_code(ask_call(handle, (enum hook_id)id, NULL, 0, room, need)),
               SLUICE_MESSAGE, "an empty request");
    }
    sluice_close(handle);
}

static void test_limits(void)
{
    static const struct ask_line lines[] = {
        {HOOK_OBSERVE, "{now: 1, kind: node, object: {name: a}}",
         "{\"ignored\"=>false, \"id\"=>1}"},
        {HOOK_OBSERVE, "{now: 1, kind: node, object: {name: b}}",
         "LIMIT limits.nodes: 1, want fewer objects, or a higher limit in the configuration"},
        {HOOK_OBSERVE, "{now: 1, kind: queue, object: {kind: Queue, name: a}}",
         "{\"ignored\"=>false}"},
        {HOOK_OBSERVE, "{now: 1, kind: queue, object: {kind: Queue, name: b}}",
         "LIMIT limits.queues: 3, want fewer objects, or a higher limit in the configuration"},
        {HOOK_OBSERVE, "{now: 1, kind: pod, object: " OPTED("u", "p", IN("other")) "}",
         "{\"ignored\"=>false}"},
        {HOOK_OBSERVE, "{now: 1, kind: pod, object: " OPTED("v", "r", IN("a")) "}",
         "LIMIT limits.pods: 1, want fewer objects, or a higher limit in the configuration"},
        {HOOK_INSPECT, "{now: 1, what: limits}",
         "{\"message\"=>2048, \"pods\"=>1, \"queues\"=>3, \"nodes\"=>1, \"workloads\"=>%, "
         "\"clusters\"=>%, \"used\"=>{\"message\"=>%, "
         "\"pods\"=>1, \"queues\"=>3, \"nodes\"=>1, \"workloads\"=>0, \"clusters\"=>0}}"},
    };
    uint64_t handle = ask_open("{limits: {message: 2048, pods: 1, queues: 3, nodes: 1}}");
    uint8_t bytes[2049] = {0x80};

    ask_play(handle, lines, sizeof(lines) / sizeof(lines[0]));
    is_str(ask_bytes(handle, HOOK_TICK, bytes, sizeof(bytes)),
           "MESSAGE : byte 0, want one msgpack map; here the message is longer than the limit",
           "a message that is too long");
    sluice_close(handle);
}

/* Pages of one row, all together, are the page of all rows. */
static void test_pages(void)
{
    uint64_t handle = ask_open("{}");
    char request[128];
    char seen[256] = "";
    long from = 0;

    for (int i = 0; i < 5; i++) {
        snprintf(request, sizeof(request),
                 "{now: 1, kind: queue, object: {kind: Cohort, name: c%d}}", i);
        ask(handle, HOOK_OBSERVE, request);
    }
    do {
        snprintf(request, sizeof(request), "{now: 1, what: queues, max: 1, from: %ld}", from);
        const char *said = ask(handle, HOOK_INSPECT, request);
        const char *name = strstr(said, "\"name\"=>");
        const char *next = strstr(said, "\"from\"=>");
        if (!name || !next)
            break;
        snprintf(seen + strlen(seen), sizeof(seen) - strlen(seen), " %.*s",
                 (int)strcspn(name + 9, "\""), name + 9);
        from = strtol(next + 8, NULL, 10);
    } while (from > 0 && strlen(seen) < 100);
    is_str(seen, " default root c0 c1 c2 c3 c4", "every queue once, in order");
    sluice_close(handle);
}

/* With each limit at its least there is what is built in and one of each kind, and no second. */
static void test_least_limits(void)
{
#define SEE(kind, object)                                                                          \
    {                                                                                              \
        HOOK_OBSERVE, "{now: 1, kind: " kind ", object: " object "}", "{\"ignored\"=>false}"       \
    }
#define FULL(limit, kind, object)                                                                  \
    {                                                                                              \
        HOOK_OBSERVE, "{now: 1, kind: " kind ", object: " object "}",                              \
            "LIMIT limits." limit ": 1, want fewer objects, or a higher limit in the "             \
            "configuration"                                                                        \
    }
#define WORKLOAD(name, role)                                                                       \
    "{role: " role ", uid: " name ", namespace: d, name: " name ", created: 1, podSets: [{name: "  \
    "m, count: 1}]}"
    static const struct ask_line lines[] = {
        SEE("pod", OPTED("u", "a", "annotations: {" GATE ": 'true'}")),
        FULL("pods", "pod", OPTED("v", "b", "annotations: {" GATE ": 'true'}")),
        FULL("queues", "queue", "{kind: Queue, name: q}"),
        FULL("queues", "queue", "{kind: ClusterQueue, name: q}"),
        SEE("queue", "{kind: Queue, name: default}"),
        {HOOK_OBSERVE, "{now: 1, kind: node, object: {name: n}}",
         "{\"ignored\"=>false, \"id\"=>1}"},
        FULL("nodes", "node", "{name: m}"),
        SEE("flavor", "{name: f}"),
        SEE("check", "{name: c}"),
        FULL("queues", "check", "{name: d}"),
        SEE("cluster", "{name: c, connected: true}"),
        FULL("clusters", "cluster", "{name: d, connected: true}"),
        SEE("workload", WORKLOAD("w", "manager")),
        FULL("workloads", "workload", WORKLOAD("x", "manager")),
        FULL("workloads", "replica", "{cluster: c, uid: r, namespace: d, name: x}"),
        SEE("replica", "{cluster: c, uid: r, namespace: d, name: w}"),
        SEE("group", "{uid: g, namespace: d, name: g, created: 1}"),
        FULL("pods", "group", "{uid: h, namespace: d, name: h, created: 1}"),
        {HOOK_COMMAND,
         "{now: 1, command: {uid: c, namespace: d, name: c, action: OpenQueue, target: {name: "
         "default}}}",
         "{\"ignored\"=>false, \"waits\"=>true, \"state\"=>\"%\", \"changed\"=>false, "
         "\"reason\"=>\"%\"}"},
        {HOOK_COMMAND,
         "{now: 1, command: {uid: e, namespace: d, name: e, action: OpenQueue, target: {name: "
         "default}}}",
         "LIMIT limits.queues: 1, want fewer objects, or a higher limit in the configuration"},
    };
    uint64_t handle =
        ask_open("{limits: {message: 1024, pods: 1, queues: 1, nodes: 1, workloads: 1, clusters: "
                 "1}, effects: [queueStatus, writeWorkload, answerPermit], multiKueue: {}}");

    ok(handle > 0, "each limit at its least: %s", ask_text());
    ask_play(handle, lines, sizeof(lines) / sizeof(lines[0]));
    sluice_close(handle);
}

static void test_manifest(void)
{
    static uint8_t room[1 << 16];
    int64_t need = sluice_manifest(NULL, 0);
    size_t size = sluice_error_length(need);

    is_int(sluice_abi(), SLUICE_ABI_MAJOR << 16 | SLUICE_ABI_MINOR, "the header's version");
    is_int(sluice_error_code(need), SLUICE_TOO_SMALL, "a manifest without room says what it needs");
    is_int(sluice_manifest(room, size - 1), need, "also for one byte less");
    is_int(sluice_manifest(room, size), size, "and that is enough");
    is_int(sluice_manifest(NULL, 1), -(int64_t)SLUICE_ARGUMENT, "a null buffer");
}

int main(void)
{
    test_refusals();
    test_buffers();
    test_limits();
    test_least_limits();
    test_pages();
    test_manifest();
    return tap_done();
}
