/* SPDX-License-Identifier: Apache-2.0 */

/* After an error nothing has changed. Stories of all kinds of objects are told again and again, and
 * each call of them is refused in every way in which memory or a limit can refuse it. */
#include "t/kit/refusal.h"
#include "t/kit/tap.h"

#define GATE "scheduling.volcano.sh/queue-allocation-gate"
#define POD(name, annotations, rest)                                                               \
    "{uid: u" name ", namespace: d, name: " name ", created: 1, gates: [" GATE                     \
    "], annotations: {" GATE ": 'true', " annotations "}, " rest "}"
#define QUEUE(name) "scheduling.volcano.sh/queue-name: " name
#define GROUP(name) "scheduling.k8s.io/group-name: " name
#define MINIMUM(count) "scheduling.volcano.sh/group-min-member: '" count "'"
#define SEEN(time, kind, object)                                                                   \
    {                                                                                              \
        HOOK_OBSERVE, "{now: " time ", kind: " kind ", object: " object "}"                        \
    }
#define GONE(time, kind, object)                                                                   \
    {                                                                                              \
        HOOK_OBSERVE, "{now: " time ", gone: true, kind: " kind ", object: " object "}"            \
    }
#define COMMAND(uid, queue, action)                                                                \
    "{uid: " uid ", namespace: d, name: " uid ", action: " action ", target: {name: " queue "}}"
#define WORKLOAD(name, queue, rest)                                                                \
    "{role: worker, uid: l" name ", namespace: d, name: " name ", created: 1, queue: " queue       \
    ", jobStopped: true, podSets: [{name: main, count: 1, requests: {cpu: 1}}], " rest "}"
#define DISPATCH(name, rest)                                                                       \
    "{role: manager, uid: w" name ", namespace: d, name: " name ", conditions: "                   \
    "{QuotaReserved: 'True'}, checksReady: true, " rest "}"
#define REPLICA(cluster, name, rest)                                                               \
    "{cluster: " cluster ", namespace: d, name: " name ", uid: r" cluster name ", " rest "}"

struct asked {
    enum hook_id hook;
    const char *request;
};

static const struct asked of_pods[] = {
    SEEN("1", "pod", POD("early", QUEUE("soon"), "requests: {cpu: 1}")),
    SEEN("2", "queue", "{kind: Queue, name: q, capability: {cpu: 4}, deserved: {cpu: 2}}"),
    {HOOK_PRE_ENQUEUE, "{now: 3, pod: " POD("asked", QUEUE("far"), "requests: {cpu: 1}") "}"},
    {HOOK_OBSERVE, "{now: 4, kind: synced}"},
    {HOOK_OBSERVE, "{now: 4, kind: leader}"},
    SEEN("5", "queue", "{kind: Queue, name: low, parent: mid, capability: {cpu: 2}}"),
    SEEN("5", "queue", "{kind: Queue, name: mid, parent: top, state: Suspended}"),
    SEEN("5", "queue", "{kind: Cohort, name: co, parent: upper}"),
    SEEN("6", "queue",
         "{kind: ClusterQueue, name: cq, parent: co2, groups: [{resources: [cpu], flavors: "
         "[{name: f, quotas: {cpu: {nominal: 2}}}, {name: g, quotas: {cpu: {nominal: 2}}}]}]}"),
    SEEN("6", "flavor", "{name: f, labels: {a: b}, tolerations: [{key: x, operator: Exists}]}"),
    SEEN("6", "node", "{name: n, labels: {a: b, c: d}, allocatable: {cpu: 8, disk: 3}}"),
    SEEN("7", "pod", POD("a", QUEUE("q"), "requests: {cpu: 3, new: 1}")),
    SEEN("7", "pod", POD("b", QUEUE("unseen"), "requests: {cpu: 3}")),
    SEEN("7", "pod", POD("c", QUEUE("q"), "requests: {cpu: 3}, unschedulable: true")),
    SEEN("8", "pod",
         POD("k", QUEUE("kq") ", sluice.sh/granted: '5', sluice.sh/flavors: 'cpu=h'",
             "queueKind: ClusterQueue, requests: {cpu: 1}, node: n")),
    SEEN("8", "pod", POD("g1", GROUP("gang") ", " QUEUE("own"), "requests: {cpu: 1}")),
    SEEN("8", "pod", POD("g2", GROUP("gang") ", " QUEUE("owner"), "requests: {cpu: 1}, node: n")),
    SEEN("9", "group",
         "{uid: v, namespace: d, name: gang, created: 1, minMember: 2, queue: ganged, "
         "minResources: {cpu: 3, other: 1}}"),
    SEEN("9", "pod",
         POD("m", MINIMUM("2") ", " QUEUE("made"),
             "requests: {cpu: 1}, controller: "
             "{uid: x, kind: Job, name: j}")),
    SEEN("9", "pod", POD("done", GROUP("over"), "phase: Succeeded")),
    {HOOK_DRAIN, "{now: 10, max: 3}"},
    GONE("11", "group", "{namespace: d, name: gang}"),
    SEEN("12", "group", "{uid: v2, namespace: d, name: gang, created: 1, minMember: 1, queue: q}"),
    {HOOK_COMMAND, "{now: 13, command: " COMMAND("c1", "q", "SuspendQueue") "}"},
    {HOOK_COMMAND, "{now: 13, command: " COMMAND("c2", "nowhere", "CloseQueue") "}"},
    {HOOK_DRAIN, "{now: 14, max: 100}"},
    SEEN("15", "queue", "{kind: Queue, name: q, parent: other, capability: {cpu: 1, gpu: 2}}"),
    SEEN("15", "pod", POD("a", QUEUE("moved"), "requests: {cpu: 5}, resourceVersion: 9")),
    SEEN("15", "pod", POD("g1", GROUP("next"), "requests: {cpu: 1}, resourceVersion: 9")),
    SEEN("16", "queue", "{kind: ClusterQueue, name: cq, parent: third, stopPolicy: Hold}"),
    {HOOK_PRE_ENQUEUE, "{now: 17, pod: " POD("late", QUEUE("later"), "requests: {cpu: 1}") "}"},
    {HOOK_ADMIT, "{now: 18, kind: pod, operation: CREATE, object: "
                 "{namespace: d, annotations: {" GATE ": 'true', " QUEUE("adm") "}}}"},
    {HOOK_ADMIT, "{now: 18, kind: queue, operation: CREATE, object: "
                 "{kind: Queue, name: adm, parent: adm2, capability: {mem: 1}}}"},
    {HOOK_ADMIT, "{now: 18, kind: group, operation: CREATE, object: "
                 "{uid: v, namespace: d, name: adm, created: 1, queue: adm}}"},
    GONE("19", "queue", "{kind: Queue, name: q}"),
    GONE("19", "node", "{name: n}"),
    GONE("20", "flavor", "{name: f}"),
    {HOOK_OBSERVE, "{now: 21, kind: leader, gone: true}"},
    SEEN("22", "pod", POD("alone", QUEUE("standby"), "requests: {cpu: 1}, node: n")),
    {HOOK_TICK, "{now: 100000000000}"},
};

/* What is on its way may not be stirred either: a gang that looks for its nodes, a status that was
 * written, a queue of which all is undone. */
static const struct asked of_moments[] = {
    {HOOK_OBSERVE, "{now: 1, kind: synced}"},
    {HOOK_OBSERVE, "{now: 1, kind: leader}"},
    SEEN("2", "queue", "{kind: Queue, name: root, uid: r, state: Open}"),
    SEEN("2", "queue", "{kind: Queue, name: q, uid: q, state: Open, capability: {cpu: 4}}"),
    SEEN("3", "group", "{uid: v, namespace: d, name: g, created: 1, minMember: 2, queue: q}"),
    SEEN("4", "pod", POD("a", GROUP("g"), "requests: {cpu: 1}")),
    SEEN("4", "pod", POD("b", GROUP("g"), "requests: {cpu: 1}")),
    {HOOK_DRAIN, "{now: 2000000000, max: 100}"},
    {HOOK_RESERVE, "{now: 2000000000, uid: ua, node: n}"},
    {HOOK_PERMIT, "{now: 2000000000, uid: ua, node: n}"},
    {HOOK_TICK, "{now: 4000000000}"},
    SEEN("4000000000", "pod", POD("x", QUEUE("unseen"), "requests: {cpu: 1}")),
    SEEN("4000000000", "queue", "{kind: Queue, name: low, parent: high}"),
    SEEN("4000000000", "group",
         "{uid: w, namespace: d, name: h, created: 1, minMember: 2, queue: new}"),
    {HOOK_PRE_ENQUEUE, "{now: 4000000000, pod: " POD("y", QUEUE("other"), "") "}"},
};

static const struct asked of_workloads[] = {
    SEEN("1", "flavor", "{name: f}"),
    SEEN("1", "check", "{name: ch}"),
    SEEN("1", "queue",
         "{kind: ClusterQueue, name: cq, parent: co, checks: [{name: ch}, {name: missing}], "
         "groups: [{resources: [cpu], flavors: [{name: f, quotas: {cpu: {nominal: 2}}}]}]}"),
    SEEN("2", "localQueue", "{namespace: d, name: lq, uid: x, clusterQueue: cq}"),
    SEEN("2", "localQueue", "{namespace: d, name: other, uid: y, clusterQueue: unseen}"),
    SEEN("3", "workload", WORKLOAD("early", "lq", "gates: [x]")),
    {HOOK_OBSERVE, "{now: 4, kind: synced}"},
    {HOOK_OBSERVE, "{now: 4, kind: leader}"},
    SEEN("5", "workload", WORKLOAD("a", "lq", "unsupported: words")),
    SEEN("5", "workload",
         WORKLOAD("g", "lq", "unsupported: by, admissionGated: true, jobUid: job")),
    SEEN("5", "workload", WORKLOAD("b", "named", "gates: [y], gateStatus: {y: Open}")),
    SEEN("5", "workload",
         WORKLOAD("c", "third",
                  "conditions: {QuotaReserved: {status: 'True'}}, admission: {clusterQueue: far, "
                  "podSets: [{name: main, count: 1, flavors: {cpu: h}}]}, "
                  "checks: [{name: ch, state: Ready}, {name: ch2, state: Ready}]")),
    SEEN("5", "pod",
         POD("p", QUEUE("cq") ", kueue.x-k8s.io/workload: c",
             "queueKind: ClusterQueue, requests: {cpu: 1}, node: n")),
    SEEN("6", "localQueue", "{namespace: d, name: lq, uid: x, clusterQueue: cq2}"),
    SEEN("6", "localQueue", "{namespace: d, name: named, uid: z, clusterQueue: cq}"),
    {HOOK_DRAIN, "{now: 7, max: 2}"},
    SEEN("8", "workload", WORKLOAD("c", "lq", "resourceVersion: 9")),
    SEEN("8", "workload",
         "{role: worker, uid: another, namespace: d, name: a, created: 1, "
         "queue: fourth, podSets: [{name: main, count: 3}]}"),
    GONE("9", "queue", "{kind: ClusterQueue, name: cq}"),
    GONE("9", "localQueue", "{namespace: d, name: lq}"),
    GONE("9", "check", "{name: ch}"),
    GONE("10", "workload", "{role: worker, namespace: d, name: b}"),
    {HOOK_TICK, "{now: 100000000000}"},
};

static const struct asked of_fleets[] = {
    SEEN("1", "replica", REPLICA("b", "early", "origin: x")),
    SEEN("2", "cluster", "{name: a, connected: true}"),
    SEEN("2", "cluster", "{name: b}"),
    SEEN("3", "workload", DISPATCH("early", "nominated: [a, new]")),
    {HOOK_OBSERVE, "{now: 4, kind: synced}"},
    {HOOK_OBSERVE, "{now: 4, kind: leader}"},
    SEEN("5", "workload", DISPATCH("v", "nominated: [a, b, c], gates: [z]")),
    SEEN("5", "workload", DISPATCH("w", "nominated: [d, e], cluster: f")),
    SEEN("5", "replica", REPLICA("a", "v", "gates: [kueue.x-k8s.io/multikueue]")),
    SEEN("5", "replica", REPLICA("g", "lost", "origin: y")),
    {HOOK_DRAIN, "{now: 7, max: 2}"},
    SEEN("8", "workload", DISPATCH("w", "nominated: [d, h, i], resourceVersion: 9")),
    SEEN("8", "replica", REPLICA("j", "w", "deleted: true")),
    GONE("9", "cluster", "{name: a}"),
    GONE("9", "replica", "{cluster: a, namespace: d, name: v}"),
    GONE("9", "workload", "{role: manager, namespace: d, name: w}"),
    {HOOK_TICK, "{now: 100000000000}"},
};

#define EFFECTS                                                                                    \
    "queueStatus, event, deleteCommand, answerPermit, setGroup, createGroup, setGroupStatus, "     \
    "evictPod"

static const struct story {
    const char *name, *config;
    const struct asked *lines;
    size_t count;
} stories[] = {
    {"pods", "{effects: [" EFFECTS "]}", of_pods, sizeof(of_pods) / sizeof(of_pods[0])},
    {"pods, gates that go at admission, a root that is bounded",
     "{removal: onAdmission, rootCeiling: cluster, effects: [" EFFECTS "]}", of_pods,
     sizeof(of_pods) / sizeof(of_pods[0])},
    {"moments", "{effects: [" EFFECTS "]}", of_moments, sizeof(of_moments) / sizeof(of_moments[0])},
    {"workloads", "{preemptionGates: true, effects: [" EFFECTS ", writeWorkload]}", of_workloads,
     sizeof(of_workloads) / sizeof(of_workloads[0])},
    {"fleets", "{multiKueue: {orchestratedPreemption: true}}", of_fleets,
     sizeof(of_fleets) / sizeof(of_fleets[0])},
};

static void tell(const struct story *story, const char *kind)
{
    static struct refusal refusal;
    uint64_t handle = ask_open(story->config);
    uint8_t request[2048];

    refusal.count = 0;
    refusal.fault[0] = '\0';
    for (size_t i = 0; i < story->count && handle != 0; i++) {
        size_t len = ask_pack(story->lines[i].request, request, sizeof(request));

        refusal_call(handle, story->lines[i].hook, request, len, kind, true, &refusal);
        if (refusal.result < 0 || refusal.fault[0] != '\0') {
            tap_diag("%s in %s", refusal.fault, story->lines[i].request);
            break;
        }
    }
    ok(handle != 0 && refusal.result >= 0 && refusal.fault[0] == '\0',
       "%s, %s: refused %ld times, and nothing has changed", story->name,
       kind == NULL ? "memory" : kind, (long)refusal.count);
    sluice_close(handle);
}

int main(void)
{
    refusal_begin();
    for (size_t i = 0; i < sizeof(stories) / sizeof(stories[0]); i++) {
        for (size_t k = 0; k < REFUSAL_KINDS; k++)
            tell(&stories[i], refusal_kinds[k]);
    }
    refusal_end();
    return tap_done();
}
