/* SPDX-License-Identifier: Apache-2.0 */

/* Every hook: what it answers. */
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
#define PASSES "{\"pass\"=>true, \"reason\"=>\"\", \"message\"=>\"\"}"
#define PATCH(gates, rest) "{\"gates\"=>[" gates "], " rest "}"

static void test_story(void)
{
    static const struct ask_line lines[] = {
        {HOOK_OBSERVE,
         "{now: 5, kind: queue, object: {kind: Queue, name: q, capability: {cpu: '1'}}}",
         "{\"ignored\"=>false}"},
        {HOOK_PRE_ENQUEUE,
         "{now: 5, pod: " OPTED("u1", "p1", IN("q") ", requests: {cpu: 600m}") "}",
         "{\"pass\"=>false, \"reason\"=>\"NotReady\", \"message\"=>\"%\", \"would\"=>false, "
         "\"known\"=>true}"},
        {HOOK_OBSERVE, "{now: 6, kind: synced}", "{\"ignored\"=>false}"},
        {HOOK_OBSERVE, "{now: 6, kind: leader}", "{\"ignored\"=>false}"},
        {HOOK_OBSERVE,
         "{now: 6, object: " OPTED("u1", "p1", IN("q") ", requests: {cpu: 600m}") ", kind: pod}",
         "{\"ignored\"=>false}"},
        {HOOK_DRAIN, "{now: 6}",
         "{\"effects\"=>[{\"id\"=>%, \"kind\"=>\"activate\", \"uid\"=>\"u1\", "
         "\"namespace\"=>\"d\", "
         "\"name\"=>\"p1\", \"attempt\"=>1}]}"},
        {HOOK_PRE_ENQUEUE,
         "{now: 6, pod: " OPTED("u1", "p1", IN("q") ", requests: {cpu: 600m}") "}",
         "{\"pass\"=>true, \"reason\"=>\"\", \"message\"=>\"\", \"would\"=>true, \"known\"=>true}"},
        {HOOK_PRE_ENQUEUE, "{now: 6, pod: " OPTED("u2", "p2", IN("q") ", requests: {cpu: 500}") "}",
         "{\"pass\"=>false, \"reason\"=>\"QueueCapacity\", \"message\"=>\"%\", \"would\"=>false, "
         "\"known\"=>true}"},
        {HOOK_PRE_FILTER, "{now: 6, uid: u1}",
         "{\"pass\"=>true, \"reason\"=>\"\", \"message\"=>\"\", \"nodes\"=>false, "
         "\"unschedulable\"=>false}"},
        {HOOK_PRE_FILTER, "{now: 6, uid: stranger}",
         "{\"pass\"=>true, \"reason\"=>\"\", \"message\"=>\"\", \"nodes\"=>false, "
         "\"unschedulable\"=>false}"},
        {HOOK_RESERVE, "{now: 6, uid: u1, node: n}", PASSES},
        {HOOK_RESERVE, "{now: 6, uid: u1, node: n}", PASSES},
        {HOOK_PERMIT, "{now: 6, uid: u1, node: n}", "{\"allow\"=>true, \"wait\"=>0}"},
        {HOOK_BIND, "{now: 6, uid: u1, node: n}",
         PATCH("\"" GATE "\"", "\"generation\"=>0, \"annotations\"=>{\"sluice.sh/granted\"=>\"6\", "
                               "\"sluice.sh/queue\"=>\"queue/q\"}, "
                               "\"nodeSelector\"=>{}, \"tolerations\"=>[]")},
        {HOOK_BIND, "{now: 6, uid: stranger, node: n}",
         PATCH("", "\"generation\"=>0, \"annotations\"=>{}, \"nodeSelector\"=>{}, "
                   "\"tolerations\"=>[]")},
        {HOOK_UNRESERVE, "{now: 6, uid: u1, node: n}", "{}"},
        {HOOK_POST_FILTER, "{now: 7, uid: u1}", "{}"},
        {HOOK_DRAIN, "{now: 7, max: 1}", "{\"effects\"=>[]}"}, /* one is under way */
        {HOOK_ACK, "{now: 7, acks: [{id: 1009, result: done}, {id: 1009, result: done}]}",
         "{\"unknown\"=>1}"},
        {HOOK_DRAIN, "{now: 7, max: 1}",
         "{\"effects\"=>[{\"id\"=>%, \"kind\"=>\"removeGates\", \"uid\"=>\"u1\", "
         "\"namespace\"=>\"d\", \"name\"=>\"p1\", \"attempt\"=>1, \"gates\"=>[\"" GATE
         "\"], \"generation\"=>0, \"annotations\"=>{\"sluice.sh/granted\"=>\"6\", "
         "\"sluice.sh/queue\"=>\"queue/q\"}, "
         "\"nodeSelector\"=>{}, \"tolerations\"=>[]}]}"},
        {HOOK_INSPECT, "{now: 7, what: effects}",
         "{\"effects\"=>[{\"id\"=>%, \"kind\"=>\"removeGates\", \"uid\"=>\"u1\", "
         "\"namespace\"=>\"d\", \"name\"=>\"p1\", \"attempt\"=>1, \"leased\"=>true, "
         "\"due\"=>60000000007}], \"from\"=>0}"},
        {HOOK_ACK, "{now: 7, acks: [{id: 12345678, result: done}, {result: retry, id: -1}]}",
         "{\"unknown\"=>2}"},
        {HOOK_ACK, "{now: 7, acks: []}", "{\"unknown\"=>0}"},
        {HOOK_TICK, "{now: 8, nonsense: [1, {a: nil}]}", "{}"},
        {HOOK_INSPECT, "{now: 8, what: pending, kind: Queue, name: q}",
         "{\"pods\"=>[{\"uid\"=>\"u2\", \"namespace\"=>\"d\", \"name\"=>\"p2\", \"priority\"=>0, "
         "\"created\"=>1, \"members\"=>0}], \"from\"=>0}"},
        {HOOK_INSPECT, "{now: 8, what: check}", "{\"ok\"=>true, \"broken\"=>\"\"}"},
        {HOOK_OBSERVE, "{now: 9, kind: pod, gone: true, object: {uid: u1, namespace: 5}}",
         "{\"ignored\"=>false}"},
        {HOOK_OBSERVE, "{now: 9, kind: queue, gone: true, object: {name: q, kind: Queue}}",
         "{\"ignored\"=>false}"},
        {HOOK_OBSERVE, "{now: 9, kind: leader, gone: true}", "{\"ignored\"=>false}"},
        {HOOK_OBSERVE, "{now: 9, kind: ConfigMap, object: 5}", "{\"ignored\"=>true}"},
    };
    uint64_t handle = ask_open("{}");

    ask_play(handle, lines, sizeof(lines) / sizeof(lines[0]));
    sluice_close(handle);
}

/* A pod that was shown before is named by its uid and version. */
static void test_short_form(void)
{
    static const char unknown[] = "{\"pass\"=>false, \"reason\"=>\"\", \"message\"=>\"\", "
                                  "\"would\"=>false, \"known\"=>false}";
    static const char passes[] = "{\"pass\"=>true, \"reason\"=>\"\", \"message\"=>\"\", "
                                 "\"would\"=>true, \"known\"=>true}";
    static const char waits[] = "{\"pass\"=>false, \"reason\"=>\"QueueCapacity\", "
                                "\"message\"=>\"\", \"would\"=>false, \"known\"=>true}";
    static const struct ask_line lines[] = {
        {HOOK_OBSERVE, "{now: 1, kind: synced}", "{\"ignored\"=>false}"},
        {HOOK_OBSERVE, "{now: 1, kind: leader}", "{\"ignored\"=>false}"},
        {HOOK_OBSERVE,
         "{now: 1, kind: queue, object: {kind: Queue, name: q, capability: {cpu: '1'}}}",
         "{\"ignored\"=>false}"},
        {HOOK_PRE_ENQUEUE, "{now: 1, uid: u1, resourceVersion: 7}", unknown},
        {HOOK_OBSERVE,
         "{now: 1, kind: pod, object: " OPTED(
             "u1", "p1", IN("q") ", resourceVersion: 7, requests: {cpu: 1}") "}",
         "{\"ignored\"=>false}"},
        {HOOK_PRE_ENQUEUE, "{now: 1, uid: u1, resourceVersion: 8}", unknown},
        {HOOK_PRE_ENQUEUE, "{now: 1, uid: u1, resourceVersion: 0}", unknown},
        {HOOK_PRE_ENQUEUE, "{now: 1, uid: u1, resourceVersion: 7}", passes},
        {HOOK_PRE_ENQUEUE, "{now: 1, resourceVersion: 6, uid: u1}", passes},
        {HOOK_PRE_ENQUEUE,
         "{now: 1, pod: " OPTED("u2", "p2",
                                IN("q") ", resourceVersion: 9, requests: {cpu: '1'}") "}",
         waits},
        {HOOK_PRE_ENQUEUE, "{now: 1, uid: u2, resourceVersion: 9}", waits},
        {HOOK_PRE_ENQUEUE, "{now: 1, uid: u2, resourceVersion: 9, explain: true}",
         "{\"pass\"=>false, \"reason\"=>\"QueueCapacity\", \"message\"=>\"queue q has room for "
         "999m more cpu, the pod asks for 1\", \"would\"=>false, \"known\"=>true}"},
        {HOOK_OBSERVE, "{now: 1, kind: pod, gone: true, object: {uid: u1}}",
         "{\"ignored\"=>false}"},
        {HOOK_PRE_ENQUEUE, "{now: 1, uid: u1, resourceVersion: 7}", unknown},
        {HOOK_PRE_ENQUEUE, "{now: 1, uid: u2, resourceVersion: 9}", passes},
        {HOOK_OBSERVE,
         "{now: 1, kind: pod, object: {uid: u3, namespace: d, name: p3, created: 1, "
         "resourceVersion: 5}}",
         "{\"ignored\"=>false}"},
        {HOOK_PRE_ENQUEUE, "{now: 1, uid: u3, resourceVersion: 5}", unknown},
    };
    uint64_t handle = ask_open("{}");

    ask_play(handle, lines, sizeof(lines) / sizeof(lines[0]));
    sluice_close(handle);
}

static void test_flavors(void)
{
    static const struct ask_line lines[] = {
        {HOOK_OBSERVE, "{now: 1, kind: synced}", "{\"ignored\"=>false}"},
        {HOOK_OBSERVE, "{now: 1, kind: leader}", "{\"ignored\"=>false}"},
        {HOOK_OBSERVE,
         "{now: 1, kind: flavor, object: {name: f, nodeLabels: {pool: spot}, tolerations: [{key: "
         "spot, operator: Exists, effect: NoSchedule, seconds: 5}]}}",
         "{\"ignored\"=>false}"},
        {HOOK_OBSERVE, "{now: 1, kind: node, object: {name: n1, labels: {pool: spot}}}",
         "{\"ignored\"=>false, \"id\"=>1}"},
        {HOOK_OBSERVE, "{now: 1, kind: node, object: {name: n2, labels: {pool: other}}}",
         "{\"ignored\"=>false, \"id\"=>2}"},
        {HOOK_OBSERVE,
         "{now: 1, kind: queue, object: {kind: ClusterQueue, name: cq, groups: [{resources: [cpu], "
         "flavors: [{name: f, quotas: {cpu: {nominal: '2'}}}]}]}}",
         "{\"ignored\"=>false}"},
        {HOOK_PRE_ENQUEUE,
         "{now: 2, pod: " OPTED("u1", "p1",
                                IN("cq") ", queueKind: ClusterQueue, generation: 3, "
                                         "requests: {cpu: 1}") "}",
         "{\"pass\"=>false, \"reason\"=>\"NotReady\", \"message\"=>\"\", \"would\"=>false, "
         "\"known\"=>true}"},
        {HOOK_DRAIN, "{now: 2}",
         "{\"effects\"=>[{\"id\"=>%, \"kind\"=>\"removeGates\", \"uid\"=>\"u1\", "
         "\"namespace\"=>\"d\", \"name\"=>\"p1\", \"attempt\"=>1, \"gates\"=>[\"" GATE
         "\"], \"generation\"=>3, \"annotations\"=>{\"sluice.sh/granted\"=>\"2\", "
         "\"sluice.sh/queue\"=>\"clusterqueue/cq\", \"sluice.sh/flavors\"=>\"cpu=f\"}, "
         "\"nodeSelector\"=>{\"pool\"=>\"spot\"}, "
         "\"tolerations\"=>[{\"key\"=>\"spot\", \"operator\"=>\"Exists\", \"value\"=>\"\", "
         "\"effect\"=>\"NoSchedule\", \"seconds\"=>5}]}]}"},
        {HOOK_PRE_ENQUEUE,
         "{now: 2, pod: {uid: u1, namespace: d, name: p1, created: 1, generation: 4, annotations: "
         "{" GATE ": 'true', scheduling.volcano.sh/queue-name: cq, sluice.sh/granted: '2', "
         "sluice.sh/flavors: 'cpu=f'}, queueKind: ClusterQueue, requests: {cpu: 1}}}",
         "{\"pass\"=>true, \"reason\"=>\"\", \"message\"=>\"\", \"would\"=>true, \"known\"=>true}"},
        {HOOK_PRE_FILTER, "{now: 2, uid: u1}",
         "{\"pass\"=>true, \"reason\"=>\"\", \"message\"=>\"\", \"nodes\"=>true, "
         "\"unschedulable\"=>false}"},
        {HOOK_FILTER, "{now: 2, uid: u1, nodes: [2, 1, 4000000000, 0, 1, 2, 2, 2, 1]}",
         "{\"bits\"=>\"\\x12\\x01\"}"},
        {HOOK_FILTER, "{now: 2, nodes: nil, uid: u1}", "{\"bits\"=>\"\\x02\"}"},
        {HOOK_FILTER, "{now: 2, nodes: nil, uid: stranger}", "{\"bits\"=>\"\\x06\"}"},
        {HOOK_RESERVE, "{now: 2, uid: u1, node: n1}", PASSES},
        {HOOK_BIND, "{now: 2, uid: u1, node: n1}",
         PATCH("", "\"generation\"=>%, \"annotations\"=>{}, \"nodeSelector\"=>{}, "
                   "\"tolerations\"=>[]")},
        {HOOK_POST_BIND, "{now: 2, uid: u1, node: n1}", "{}"},
        {HOOK_INSPECT, "{now: 3, what: pod, uid: u1}",
         "{\"uid\"=>\"u1\", \"namespace\"=>\"d\", \"name\"=>\"p1\", \"queue\"=>\"cq\", "
         "\"queueKind\"=>\"ClusterQueue\", \"state\"=>\"allocated\", \"reason\"=>\"\", "
         "\"message\"=>\"\", \"node\"=>\"\", \"priority\"=>0, \"created\"=>1, \"granted\"=>2, "
         "\"position\"=>0, \"ahead\"=>{}, \"estimate\"=>-1, \"earliest\"=>-1, \"latest\"=>-1, "
         "\"basis\"=>\"\", "
         "\"atLeast\"=>false, \"on\"=>nil, \"asks\"=>{\"pods\"=>1, \"cpu\"=>1}, \"group\"=>\"\", "
         "\"members\"=>0, \"minimum\"=>0, "
         "\"flavors\"=>{\"cpu\"=>\"f\"}}"},
        {HOOK_INSPECT, "{now: 3, what: queue, kind: ClusterQueue, name: cq}",
         "{\"kind\"=>\"ClusterQueue\", \"name\"=>\"cq\", \"parent\"=>\"\", \"known\"=>true, "
         "\"state\"=>\"Open\", \"reason\"=>\"\", \"leaf\"=>true, \"strategy\"=>\"traverse\", "
         "\"waiting\"=>0, \"held\"=>0, \"reserved\"=>0, \"allocated\"=>1, "
         "\"granted\"=>1, \"released\"=>0, \"demoted\"=>0, "
         "\"quota\"=>[{\"flavor\"=>\"f\", \"resource\"=>\"cpu\", \"share\"=>2000, \"kept\"=>0, "
         "\"ceiling\"=>2000, \"usage\"=>1, \"reserved\"=>0, \"allocated\"=>1}], "
         "\"own\"=>\"Open\", \"byParent\"=>false, \"written\"=>false, "
         "\"groups\"=>{\"pending\"=>0, \"inqueue\"=>0, \"running\"=>1}, \"asks\"=>{}}"},
        {HOOK_OBSERVE, "{now: 4, kind: node, gone: true, object: {name: n1}}",
         "{\"ignored\"=>false}"},
        {HOOK_FILTER, "{now: 4, nodes: nil, uid: stranger}", "{\"bits\"=>\"\\x04\"}"},
        {HOOK_OBSERVE, "{now: 4, kind: flavor, gone: true, object: {name: f}}",
         "{\"ignored\"=>false}"},
    };
    static const uint8_t no_bits[] = {0x84, 0xa4, 'b', 'i', 't', 's', 0xc4, 0};
    uint64_t handle = ask_open("{}");
    uint8_t request[64];
    static uint8_t out[CALL_LEAST_ROOM];

    ask_play(handle, lines, sizeof(lines) / sizeof(lines[0]));
    size_t len = ask_pack("{now: 4, uid: u1, nodes: []}", request, sizeof(request));
    int64_t r = sluice_filter(handle, request, len, out, sizeof(out));
    ok(r > 8 && memcmp(out, no_bits, sizeof(no_bits)) == 0, "no nodes, no bits");
    sluice_close(handle);
}

static void test_admit(void)
{
    static const struct ask_line lines[] = {
        {HOOK_ADMIT,
         "{now: 1, kind: pod, operation: CREATE, object: {namespace: d, annotations: {" GATE
         ": 'true'}}}",
         "{\"allow\"=>true, \"reason\"=>\"\", \"gates\"=>[\"" GATE "\"]}"},
        {HOOK_ADMIT,
         "{now: 1, object: {namespace: d, annotations: {volcano.sh/queue-allocation-gate: "
         "'true'}}, "
         "operation: CREATE, kind: pod}",
         "{\"allow\"=>true, \"reason\"=>\"\", \"gates\"=>[\"volcano.sh/queue-allocation-gate\"]}"},
        {HOOK_ADMIT,
         "{now: 1, kind: pod, operation: UPDATE, object: {namespace: d, annotations: {" GATE
         ": 'true', sluice.sh/granted: '5'}}}",
         "{\"allow\"=>true, \"reason\"=>\"\", \"gates\"=>[]}"},
        {HOOK_ADMIT,
         "{now: 1, kind: pod, operation: CREATE, object: {namespace: d, node: n, annotations: "
         "{" GATE ": 'true'}}}",
         "{\"allow\"=>true, \"reason\"=>\"\", \"gates\"=>[]}"},
        {HOOK_ADMIT,
         "{now: 1, kind: pod, operation: CREATE, object: {namespace: d, annotations: {" GATE
         ": 'false'}}}",
         "{\"allow\"=>true, \"reason\"=>\"\", \"gates\"=>[]}"},
        {HOOK_ADMIT,
         "{now: 1, kind: pod, operation: CREATE, object: {namespace: d, annotations: {" GATE
         ": 'true', sluice.sh/granted: '5'}}}",
         "{\"allow\"=>false, \"reason\"=>\"sluice.sh/granted says when a pod was granted: only "
         "sluice "
         "writes it, remove the annotation\", \"gates\"=>[]}"},
        {HOOK_ADMIT, "{now: 1, kind: queue, operation: CREATE, object: {}}",
         "UNSUPPORTED kind: \"queue\", want pod: this version admits no others"},
        {HOOK_ADMIT, "{now: 1, kind: pod, operation: CONNECT, object: {namespace: d}}",
         "FIELD operation: \"CONNECT\", want one of CREATE, UPDATE, DELETE"},
        {HOOK_ADMIT, "{now: 1, kind: pod, operation: CREATE, object: {}}",
         "FIELD object.namespace: nothing, want a value, the key is required"},
    };
    uint64_t handle = ask_open("{}");

    ask_play(handle, lines, sizeof(lines) / sizeof(lines[0]));
    sluice_close(handle);
}

/* Where the states of queues are written, admission knows them. */
static void test_admit_by_state(void)
{
    static const struct ask_line lines[] = {
        {HOOK_OBSERVE, "{now: 1, kind: queue, object: {kind: Queue, name: q, state: Closed}}",
         "{\"ignored\"=>false}"},
        {HOOK_OBSERVE, "{now: 1, kind: synced}", "{\"ignored\"=>false}"},
        {HOOK_OBSERVE, "{now: 1, kind: leader}", "{\"ignored\"=>false}"},
        {HOOK_ADMIT,
         "{now: 1, kind: pod, operation: CREATE, object: {namespace: d, gates: [" GATE
         "], annotations: {scheduling.volcano.sh/queue-name: q}}}",
         "{\"allow\"=>false, \"reason\"=>\"queue q is Closed: it takes no new pods until it is "
         "opened\", \"gates\"=>[]}"},
        {HOOK_ADMIT,
         "{now: 1, kind: pod, operation: CREATE, object: {namespace: d, annotations: "
         "{scheduling.volcano.sh/queue-name: q}}}",
         "{\"allow\"=>true, \"reason\"=>\"\", \"gates\"=>[]}"},
        {HOOK_ADMIT,
         "{now: 1, kind: command, operation: CREATE, object: {namespace: d, action: OpenQueue, "
         "target: {kind: Queue, name: q}}}",
         "{\"allow\"=>true, \"reason\"=>\"\", \"gates\"=>[]}"},
        {HOOK_ADMIT,
         "{now: 1, kind: command, operation: CREATE, object: {namespace: d, action: OpenQueue, "
         "target: {kind: Queue, name: r}}}",
         "{\"allow\"=>false, \"reason\"=>\"queue r does not exist: create it, and send the "
         "command again\", \"gates\"=>[]}"},
        {HOOK_ADMIT,
         "{now: 1, kind: command, operation: CREATE, object: {namespace: d, action: AbortJob, "
         "target: {kind: Job, name: r}}}",
         "{\"allow\"=>true, \"reason\"=>\"\", \"gates\"=>[]}"},
        {HOOK_ADMIT, "{now: 1, kind: command, operation: DELETE, object: nil}",
         "{\"allow\"=>true, \"reason\"=>\"\", \"gates\"=>[]}"},
        {HOOK_ADMIT,
         "{now: 1, kind: group, operation: CREATE, object: {uid: u, namespace: d, name: g, "
         "created: 1, queue: q, minMember: 2}}",
         "{\"allow\"=>false, \"reason\"=>\"queue q is Closed: it takes no new groups until it is "
         "opened\", \"gates\"=>[]}"},
        {HOOK_ADMIT,
         "{now: 1, kind: group, operation: CREATE, object: {uid: u, namespace: d, name: g, "
         "created: 1, minMember: 2}}",
         "{\"allow\"=>true, \"reason\"=>\"\", \"gates\"=>[]}"},
        {HOOK_ADMIT, "{now: 1, kind: group, operation: UPDATE, object: nil}",
         "{\"allow\"=>true, \"reason\"=>\"\", \"gates\"=>[]}"},
        {HOOK_ADMIT, "{now: 1, kind: group, operation: CREATE, object: {queue: q}}",
         "FIELD object.uid: nothing, want a value, the key is required"},
        {HOOK_ADMIT, "{now: 1, kind: node, operation: CREATE, object: {}}",
         "UNSUPPORTED kind: \"node\", want pod, queue, command or group: this version admits no "
         "others"},
        {HOOK_ADMIT,
         "{now: 1, kind: command, operation: CREATE, object: {namespace: d, action: OpenQueue}}",
         "FIELD object.target: nothing, want a value, the key is required"},
    };
    uint64_t handle = ask_open("{effects: [queueStatus]}");

    ask_play(handle, lines, sizeof(lines) / sizeof(lines[0]));
    sluice_close(handle);
}

int main(void)
{
    test_admit_by_state();
    test_story();
    test_short_form();
    test_flavors();
    test_admit();
    return tap_done();
}
