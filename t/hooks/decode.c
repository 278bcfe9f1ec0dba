/* SPDX-License-Identifier: Apache-2.0 */

/* From messages to facts: every key, every limit, every error. Queues: decode_queue.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hooks/decode.h"
#include "plugin/base/amount.h"
#include "t/kit/ask.h"
#include "t/kit/tap.h"

#define LONG "scheduling.volcano.sh/queue-allocation-gate"
#define SHORT "volcano.sh/queue-allocation-gate"

static uint8_t room[1 << 20];
static struct msg_reader reader;

static size_t pack(const char *text)
{
    size_t len = ask_pack(text, room, sizeof(room));

    msg_reader_init(&reader, room, len);
    return len;
}

/* The first error in words, or "". */
static const char *fault(void)
{
    static char text[512];

    snprintf(text, sizeof(text), "%s: %s, want %s", reader.fault.path, reader.fault.value,
             reader.fault.want);
    return reader.error < 0 ? text : "";
}

/* Into memory that is full of other things: what is absent must be cleared. */
static const char *read_pod(const char *text, enum pod_use use, struct pod_facts *ret,
                            uint8_t *ret_opted)
{
    pack(text);
    memset(ret, 0xa5, sizeof(*ret));
    decode_pod(&reader, use, ret, ret_opted);
    return fault();
}

static void test_pod(void)
{
    struct pod_facts pod;
    uint8_t opted;

    is_str(read_pod("{uid: u, namespace: s, name: n, created: 7}", POD_SEEN, &pod, &opted), "",
           "the least of a pod");
    ok(text_is(pod.uid, "u") && text_is(pod.space, "s") && text_is(pod.name, "n") &&
           pod.created == 7,
       "its identity");
    ok(pod.priority == 0 && pod.generation == 0 && pod.resource_version == 0 &&
           pod.scheduler.len == 0 && pod.gates.ours == 0 && pod.gates.foreign == 0 &&
           !pod.opted_in && pod.queue.len == 0 && pod.namespace_queue.len == 0 &&
           pod.queue_kind == QUEUE_VOLCANO && pod.group.len == 0 && pod.stamp == 0 &&
           pod.stamped_flavors.len == 0 && pod.missing.len == 0 && pod.requests.count == 0 &&
           pod.node.len == 0 && !pod.nominated && !pod.finished && !pod.deleted &&
           !pod.unschedulable && !pod.of_daemon_set && !pod.mirror && !pod.not_selected &&
           opted == 0,
       "and nothing else");
    is_str(
        read_pod("{uid: u, namespace: s, name: n, created: 7, priority: -2147483648, generation: "
                 "4, resourceVersion: 5, scheduler: mine, gates: [" SHORT
                 ", a/b, c], annotations: {" SHORT
                 ": 'true', scheduling.volcano.sh/queue-name: q, scheduling.k8s.io/group-name: "
                 "g, scheduling.volcano.sh/group-min-member: '3', sluice.sh/granted: '12', "
                 "sluice.sh/queue: queue/was, sluice.sh/flavors: 'cpu=f', other: x}, "
                 "namespaceQueue: nq, queueKind: "
                 "ClusterQueue, requests: {cpu: 1500m, memory: 2Gi, pods: 9, x/gpu: 3}, node: "
                 "nn, nominated: x, phase: Failed, deleted: true, unschedulable: true, owner: "
                 "DaemonSet, mirror: true, claimMissing: claim/c, selected: false, mayUse: true}",
                 POD_SEEN, &pod, &opted),
        "", "all of a pod");
    ok(pod.priority == INT32_MIN && pod.generation == 4 && pod.resource_version == 5 &&
           text_is(pod.scheduler, "mine"),
       "numbers and its scheduler");
    ok(pod.gates.ours == GATE_SHORT && pod.gates.foreign == 2 &&
           text_is(pod.gates.a_foreign, "a/b"),
       "gates");
    ok(pod.opted_in && opted == GATE_SHORT && text_is(pod.queue, "q") && text_is(pod.group, "g") &&
           pod.stamp == 12 && text_is(pod.stamped_flavors, "cpu=f") &&
           text_is(pod.stamped_queue, "was") && pod.stamped_kind == QUEUE_VOLCANO,
       "annotations");
    ok(text_is(pod.namespace_queue, "nq") && pod.queue_kind == QUEUE_CLUSTER && pod.not_selected,
       "queue");
    is_int(pod.requests.count, 3, "requests, without its own `pods`");
    ok(text_is(pod.requests.item[0].resource, "cpu") && pod.requests.item[0].amount == 1500 &&
           pod.requests.item[1].amount == INT64_C(2) << 30 && pod.requests.item[2].amount == 3,
       "in base units");
    ok(text_is(pod.node, "nn") && pod.nominated && pod.finished && pod.deleted &&
           pod.unschedulable && pod.of_daemon_set && pod.mirror && text_is(pod.missing, "claim/c"),
       "where it is and how it goes");
    read_pod("{uid: u, namespace: s, name: n, created: 7, phase: Odd, owner: Job, nominated: '', "
             "annotations: {" LONG ": 'True', scheduling.volcano.sh/group-min-member: '3'}}",
             POD_SEEN, &pod, &opted);
    ok(!pod.finished && !pod.of_daemon_set && !pod.nominated && !pod.opted_in,
       "other words mean their fallback");
    ok(pod.group.len == 0 && pod.minimum == 3, "a minimum asks for a group that it does not name");
    is_str(read_pod("{namespace: s}", POD_ADMITTED, &pod, &opted), "",
           "a pod that is being created may lack its names");
}

static void test_who_may_use_a_queue(void)
{
    static const struct {
        const char *said;
        bool not_selected;
    } pods[] = {
        {"mayUse: true", false},
        {"mayUse: false", true},
        {"selected: false", false},
        {"selected: false, queueKind: ClusterQueue", true},
        {"queueKind: ClusterQueue, mayUse: false", true},
    };

    for (size_t i = 0; i < sizeof(pods) / sizeof(pods[0]); i++) {
        char text[100];
        struct pod_facts pod;
        uint8_t opted;

        snprintf(text, sizeof(text), "{namespace: s, %s}", pods[i].said);
        is_str(read_pod(text, POD_ADMITTED, &pod, &opted), "", "a pod: %s", pods[i].said);
        ok(pod.not_selected == pods[i].not_selected, "its queue is for it, or is not");
    }
}

/* What was written into one that is bound takes nothing from what it counts for. */
static void test_bound(void)
{
    static const char *const keys[] = {
        "annotations: {scheduling.volcano.sh/queue-name: '%s'}",
        "annotations: {scheduling.k8s.io/group-name: '%s'}",
        "annotations: {kueue.x-k8s.io/workload: '%s'}",
        "namespaceQueue: '%s'",
        "controller: {uid: u, kind: '%s', name: n}",
    };
    struct pod_facts pod;
    uint8_t opted;

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        char more[512], long_name[DECODE_NAME_MAX + 2] = {0}, text[1024];

        memset(long_name, 'x', DECODE_NAME_MAX + 1);
        snprintf(more, sizeof(more), keys[i], long_name);
        snprintf(text, sizeof(text),
                 "{uid: u, namespace: s, name: n, created: 7, node: m, requests: {cpu: 2000}, %s}",
                 more);
        ok(*read_pod(text, POD_SEEN, &pod, &opted) != '\0', "it is too long: %s", keys[i]);
        is_str(read_pod(text, POD_BOUND, &pod, &opted), "", "one that is bound can be read");
        ok((i == 0 ? text_is(pod.queue, "(unreadable)") : pod.queue.len == 0) &&
               pod.group.len == 0 && pod.workload.len == 0 && pod.namespace_queue.len == 0 &&
               pod.controller.uid.len == 0,
           "without it, or in no queue that there is");
        is_int(pod.requests.item[0].amount, 2000, "and with all else");
    }
    ok(*read_pod("{uid: u, namespace: s, name: n, created: 7}", POD_BOUND, &pod, &opted) != '\0',
       "one that has no node is none");
}

static void test_many_requests(void)
{
    char text[2048] = "{uid: u, namespace: s, name: n, created: 7, node: m, requests: {";
    struct pod_facts pod;
    uint8_t opted;

    for (int i = 0; i < FACTS_MAX_NEEDS + 3; i++)
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "r%d: %d, ", i, i + 1);
    snprintf(text + strlen(text), sizeof(text) - strlen(text), "pods: 1}}");
    ok(*read_pod(text, POD_SEEN, &pod, &opted) != '\0', "more resources than there are places");
    is_str(read_pod(text, POD_BOUND, &pod, &opted), "", "one that is bound can be read");
    is_int(pod.requests.count, FACTS_MAX_NEEDS - 1, "with as many as there are places");
    ok(text_is(pod.requests.item[3].resource, "r3") && pod.requests.item[3].amount == 4,
       "the first ones");
}

static void test_stamps(void)
{
    static const struct {
        const char *text;
        int64_t stamp;
    } stamps[] = {
        {"1", 1},     {"4611686018427387903", DECODE_TIME_MAX},
        {"0", 0},     {"4611686018427387904", 0},
        {"''", 0},    {"'-1'", 0},
        {"'1 '", 0},  {"'+1'", 0},
        {"1e3", 0},   {"99999999999999999999999999", 0},
        {"'007'", 7},
    };

    for (size_t i = 0; i < sizeof(stamps) / sizeof(stamps[0]); i++) {
        char text[256];
        struct pod_facts pod;
        uint8_t opted;

        snprintf(text, sizeof(text), "{namespace: s, annotations: {sluice.sh/granted: %s%s%s}}",
                 stamps[i].text[0] == '\'' ? "" : "'", stamps[i].text,
                 stamps[i].text[0] == '\'' ? "" : "'");
        is_str(read_pod(text, POD_ADMITTED, &pod, &opted), "", "a stamp: %s", stamps[i].text);
        is_int(pod.stamp, stamps[i].stamp, "is read");
    }
}

static void test_pod_faults(void)
{
    static const struct {
        const char *keys, *fault;
    } faults[] = {
        {"uid: ''", "uid: \"\", want text of 1 to 64 bytes"},
        {"uid: 5", "uid: 5, want text of 1 to 64 bytes"},
        {"name: nil", "name: nil, want text of 1 to 253 bytes"},
        {"created: -1", "created: -1, want an integer from 0 to 4611686018427387903"},
        {"priority: 2147483648",
         "priority: 2147483648, want an integer from -2147483648 to 2147483647"},
        {"generation: -1", "generation: -1, want an integer of at least 0"},
        {"gates: {}", "gates: a map, want an array"},
        {"gates: [a, b, 3]", "gates[2]: 3, want text of 1 to 253 bytes"},
        {"annotations: {x: 1}", "annotations.x: 1, want text"},
        {"queueKind: Cohort", "queueKind: \"Cohort\", want one of Queue, ClusterQueue"},
        {"requests: {cpu: '-1'}", "requests.cpu: \"-1\", want an amount that is not negative"},
        {"requests: {cpu: -1}", "requests.cpu: -1, want an amount that is not negative"},
        {"requests: {cpu: 1q}", "requests.cpu: \"1q\", want a quantity such as 500m, 2 or 16Gi, or "
                                "an integer in base units"},
        {"requests: {cpu: true}", "requests.cpu: true, want an integer"},
        {"requests: {'': 1}", "requests.: 1, want the name of a resource, of 1 to 317 bytes"},
        {"deleted: 1", "deleted: 1, want true or false"},
        {"'!x': 1", "!x: 1, want a key that this version knows"},
    };
    struct pod_facts pod;
    uint8_t opted;
    char text[8192];
    int at;

    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        snprintf(text, sizeof(text), "{namespace: s, %s}", faults[i].keys);
        is_str(read_pod(text, POD_ADMITTED, &pod, &opted), faults[i].fault, "%s", faults[i].keys);
    }
    at = snprintf(text, sizeof(text), "{namespace: s, gates: [");
    for (int i = 0; i < 65; i++)
        at += snprintf(text + at, sizeof(text) - (size_t)at, "g%d, ", i);
    snprintf(text + at, sizeof(text) - (size_t)at, "]}");
    is_str(read_pod(text, POD_ADMITTED, &pod, &opted), "gates: an array, want at most 64 gates",
           "65 gates");
    at = snprintf(text, sizeof(text), "{namespace: s, requests: {");
    for (int i = 0; i < 33; i++)
        at += snprintf(text + at, sizeof(text) - (size_t)at, "r%d: 1, ", i);
    snprintf(text + at, sizeof(text) - (size_t)at, "}}");
    is_str(read_pod(text, POD_ADMITTED, &pod, &opted), "requests: a map, want at most 32 resources",
           "33 resources");
}

static void test_amounts(void)
{
    static const struct {
        const char *resource, *text;
        int64_t amount;
    } amounts[] = {
        {"cpu", "'2'", 2000},
        {"cpu", "2", 2},
        {"memory", "'2'", 2},
        {"memory", "1500m", 2},
        {"cpus", "'2'", 2},
        {"cpu", "4611686018427387905", AMOUNT_MAX},
        {"cpu", "'1e30'", AMOUNT_MAX},
        {"x", "0", 0},
    };

    for (size_t i = 0; i < sizeof(amounts) / sizeof(amounts[0]); i++) {
        int64_t amount = -1;

        pack(amounts[i].text);
        ok(decode_amount(&reader, text_of(amounts[i].resource), &amount), "%s of %s",
           amounts[i].text, amounts[i].resource);
        is_int(amount, amounts[i].amount, "in base units");
    }
}

static void test_flavor(void)
{
    struct flavor_facts flavor;

    pack(
        "{name: f, nodeLabels: {a/b: c, d: ''}, tolerations: [{}, {key: k, operator: Equal, value: "
        "v, effect: NoExecute, seconds: -3}]}");
    decode_flavor(&reader, &flavor);
    is_str(fault(), "", "a flavor");
    ok(text_is(flavor.name, "f") && flavor.label_count == 2 &&
           text_is(flavor.labels[0].key, "a/b") && text_is(flavor.labels[0].value, "c") &&
           flavor.labels[1].value.len == 0,
       "its labels");
    ok(flavor.toleration_count == 2 && !flavor.tolerations[0].has_seconds &&
           text_is(flavor.tolerations[1].key, "k") &&
           text_is(flavor.tolerations[1].operator_, "Equal") &&
           text_is(flavor.tolerations[1].value, "v") &&
           text_is(flavor.tolerations[1].effect, "NoExecute") &&
           flavor.tolerations[1].has_seconds && flavor.tolerations[1].seconds == -3,
       "its tolerations");
    pack("{name: f, nodeLabels: {a: 1}}");
    decode_flavor(&reader, &flavor);
    is_str(fault(), "nodeLabels.a: 1, want text of at most 63 bytes", "a label that is no text");
    pack("{name: f, nodeLabels: {a:b,c:d,e:f,g:h,i:j,k:l,m:n,o:p,q:r}}");
    decode_flavor(&reader, &flavor);
    is_str(fault(), "nodeLabels: a map, want at most 8 labels", "nine labels");
    pack("{name: f, tolerations: [{}, {}, {}, {}, {}, {}, {}, {}, {}]}");
    decode_flavor(&reader, &flavor);
    is_str(fault(), "tolerations: an array, want at most 8 tolerations", "nine tolerations");
    pack("{}");
    decode_flavor(&reader, &flavor);
    is_str(fault(), "name: nothing, want a value, the key is required", "no name");
}

static void test_node(void)
{
    struct scratch scratch = {NULL, 0, 0};
    struct node_facts node;

    scratch_reserve(&scratch, decode_scratch(pack(
                                  "{allocatable: {cpu: '4', pods: 110}, labels: {a: b, c: d, e: f, "
                                  "g: h, i: j, k: l, m: n, o: p, q: r}, name: n}")));
    decode_node(&reader, &scratch, &node);
    is_str(fault(), "", "a node");
    ok(text_is(node.name, "n") && node.label_count == 9 && text_is(node.labels[8].key, "q") &&
           node.allocatable.count == 2 && node.allocatable.item[0].amount == 4000,
       "with as many labels as there are");
    pack("{labels: {'': x}, name: n}");
    scratch_reserve(&scratch, decode_scratch(20));
    decode_node(&reader, &scratch, &node);
    is_str(fault(), "labels.: \"x\", want the key of a label, of 1 to 317 bytes", "an empty key");
    scratch_finish(&scratch);
}

/* As Volcano's GetPodPreemptable does. */
static void test_preemptable(void)
{
    static const struct {
        const char *keys;
        bool settled;
    } said[] = {
        {"annotations: {volcano.sh/preemptable: 'true'}", false},
        {"annotations: {volcano.sh/preemptable: T}, labels: {volcano.sh/preemptable: f}", false},
        {"labels: {volcano.sh/preemptable: '1'}", false},
        {"labels: {other: 'false'}", false},
        {"annotations: {volcano.sh/preemptable: 'False'}", true},
        {"annotations: {volcano.sh/preemptable: '0'}", true},
        {"annotations: {volcano.sh/preemptable: ''}, labels: {volcano.sh/preemptable: t}", true},
        {"labels: {volcano.sh/preemptable: tRUE}", true},
        {"labels: {volcano.sh/preemptable: 'FALSE'}, annotations: {a: b}", true},
    };
    struct pod_facts pod;
    uint8_t opted;
    char text[200];

    for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++) {
        snprintf(text, sizeof(text), "{namespace: s, %s}", said[i].keys);
        read_pod(text, POD_ADMITTED, &pod, &opted);
        ok(pod.settled == said[i].settled, "%s: %s", said[i].keys,
           said[i].settled ? "not preemptable" : "preemptable");
    }
}

int main(void)
{
    test_pod();
    test_who_may_use_a_queue();
    test_bound();
    test_many_requests();
    test_stamps();
    test_pod_faults();
    test_preemptable();
    test_amounts();
    test_flavor();
    test_node();
    return tap_done();
}
