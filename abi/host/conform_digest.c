/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "abi/host/conform_promises.h"
#include "abi/host/conform_steps.h"

#define ALL_EFFECTS                                                                                \
    "effects: [queueStatus, event, deleteCommand, answerPermit, setGroup, createGroup, "           \
    "setGroupStatus, writeWorkload, evictPod]"

/* What is shown, and how it may differ: in each of these the digest is another one. */
struct variants {
    const char *kind;
    const char *base;
    const char *changes[16];
};

static void digest_of(struct story *s, const struct variants *v, const char *change, char *ret)
{
    s_open(s,
           "{" ALL_EFFECTS ", preemptionGates: true, multiKueue: {orchestratedPreemption: true}}");
    s_lead(s);
    s_see(s, "flavor", "{name: f}");
    s_see(s, "queue", "{kind: Queue, name: q}");
    s_see(s, "queue",
          "{kind: ClusterQueue, name: c, groups: [{resources: [cpu], flavors: [{name: f, "
          "quotas: {cpu: {nominal: 5}}}]}]}");
    s_see(s, "localQueue", "{namespace: n, name: l, clusterQueue: c}");
    s_see(s, "cluster", "{name: w, connected: true}");
    s_see(s, "workload",
          "{role: manager, uid: m, namespace: n, name: m, nominated: [w], "
          "conditions: {QuotaReserved: 'True'}}");
    s_ask(s, LOADER_OBSERVE, "{kind: %s, object: {%s%s%s}}", v->kind, v->base,
          change[0] ? ", " : "", change);
    s_digest(s, ret);
}

static void each_differs(struct story *s, const struct variants *v)
{
    char digests[17][STORY_DIGEST];
    char again[STORY_DIGEST];
    int count = 1;

    digest_of(s, v, "", digests[0]);
    digest_of(s, v, "", again);
    s_holds(s, strcmp(again, digests[0]) == 0, "the digest of a %s is the same each time", v->kind);
    for (; count < 17 && v->changes[count - 1]; count++) {
        digest_of(s, v, v->changes[count - 1], digests[count]);
        for (int i = 0; i < count; i++)
            s_holds(s, strcmp(digests[i], digests[count]) != 0, "the digest knows %s of a %s (%d)",
                    v->changes[count - 1], v->kind, i);
    }
}

static void knows_pods(struct story *s)
{
    static const struct variants v = {
        "pod",
        "uid: p, namespace: n, name: p, created: 5, gates: [" STORY_GATE "]",
        {"priority: 1", "requests: {cpu: 1}", "requests: {cpu: 2}", "requests: {gpu: 1}", "node: a",
         "nominated: a, generation: 9", "generation: 2", "resourceVersion: 3",
         "unschedulable: true", "queueKind: ClusterQueue", "mayUse: false", "namespaceQueue: q",
         "annotations: {scheduling.k8s.io/group-name: g}", "annotations: {sluice.sh/granted: '7'}",
         "deleted: true"}};

    each_differs(s, &v);
}

static void knows_identity(struct story *s)
{
    static const struct variants v = {
        "pod",
        "gates: [" STORY_GATE "]",
        {"uid: p, namespace: n, name: p, created: 5", "uid: q, namespace: n, name: p, created: 5",
         "uid: p, namespace: m, name: p, created: 5", "uid: p, namespace: n, name: q, created: 5",
         "uid: p, namespace: n, name: p, created: 6"}};
    char digests[5][STORY_DIGEST];

    for (int i = 0; i < 5; i++) {
        digest_of(s, &v, v.changes[i], digests[i]);
        for (int k = 0; k < i; k++)
            s_holds(s, strcmp(digests[i], digests[k]) != 0, "the digest knows %s", v.changes[i]);
    }
}

static void knows_nodes(struct story *s)
{
    static const struct variants v = {"node",
                                      "name: a",
                                      {"labels: {x: y}", "labels: {x: z}", "labels: {y: x}",
                                       "allocatable: {cpu: 1}", "allocatable: {cpu: 2}",
                                       "allocatable: {gpu: 1}"}};
    char with[STORY_DIGEST], without[STORY_DIGEST];

    each_differs(s, &v);
    s_digest(s, with);
    s_lose(s, "node", "{name: a}");
    s_digest(s, without);
    s_holds(s, strcmp(with, without) != 0, "the digest knows which nodes there are");
}

static void knows_queues(struct story *s)
{
    static const struct variants v = {"queue",
                                      "kind: Queue, name: q",
                                      {"parent: p", "priority: 1", "strategy: fifo",
                                       "state: Closed", "uid: u", "resourceVersion: 4",
                                       "capability: {cpu: 1}", "deserved: {cpu: 1}",
                                       "guarantee: {cpu: 1}", "reclaimable: false", "deleted: true",
                                       "annotations: {sluice.sh/preempt-within-queue: Never}",
                                       "annotations: {sluice.sh/reclaim-from-queues: Never}"}};
    static const struct variants kueue = {
        "queue",
        "kind: ClusterQueue, name: c",
        {"parent: p", "strategy: StrictFIFO", "stopPolicy: Hold", "stopPolicy: HoldAndDrain",
         "preemption: {withinClusterQueue: LowerPriority}",
         "preemption: {reclaimWithinCohort: Any}", "whenCanBorrow: TryNextFlavor",
         "whenCanPreempt: TryNextFlavor", "preference: PreemptionOverBorrowing",
         "checks: [{name: k}]",
         "groups: [{resources: [cpu], flavors: [{name: f, quotas: {cpu: {nominal: 6}}}]}]",
         "groups: [{resources: [cpu], flavors: [{name: f, quotas: {cpu: {nominal: 6, lending: "
         "1}}}]}]",
         "parent: p, groups: [{resources: [cpu], flavors: [{name: f, quotas: {cpu: {nominal: 6, "
         "borrowing: 1}}}]}]",
         "parent: p, groups: [{resources: [cpu], flavors: [{name: f, quotas: {cpu: {nominal: 6, "
         "borrowing: 2}}}]}]"}};

    each_differs(s, &v);
    each_differs(s, &kueue);
}

static void knows_flavors(struct story *s)
{
    static const struct variants v = {
        "flavor",
        "name: f",
        {"nodeLabels: {a: b}", "nodeLabels: {a: c}", "taints: [{key: a}]",
         "taints: [{key: a, value: b}]", "taints: [{key: a, effect: NoSchedule}]",
         "tolerations: [{key: a}]", "tolerations: [{key: a, operator: Exists}]",
         "tolerations: [{key: a, value: b}]", "tolerations: [{key: a, effect: NoSchedule}]",
         "tolerations: [{key: a, seconds: 1}]"}};

    each_differs(s, &v);
}

static void knows_groups(struct story *s)
{
    static const struct variants v = {"group",
                                      "uid: g, namespace: n, name: g, created: 3",
                                      {"queue: q", "minMember: 2", "minMember: 3",
                                       "minResources: {cpu: 1}", "priority: 4",
                                       "priorityClass: high", "ours: true", "mayUse: false",
                                       "resourceVersion: 2", "phase: Completed", "deleted: true"}};

    each_differs(s, &v);
}

static void knows_workloads(struct story *s)
{
    static const struct variants v = {
        "workload",
        "role: worker, uid: u, namespace: n, name: w, created: 3",
        {"podSets: [{name: a, count: 1}]", "podSets: [{name: a, count: 2}]",
         "podSets: [{name: b, count: 1}]", "podSets: [{name: a, count: 1, requests: {cpu: 1}}]",
         "podSets: [{name: a, count: 1}], queue: l", "podSets: [{name: a, count: 1}], priority: 1",
         "podSets: [{name: a, count: 1}], active: false",
         "podSets: [{name: a, count: 1}], gates: [g]", "podSets: [{name: a, count: 1}], gates: [h]",
         "podSets: [{name: a, count: 1}], gates: [g], gateStatus: {g: Open}",
         "podSets: [{name: a, count: 1}], gates: [g], gateStatus: {g: Closed}",
         "podSets: [{name: a, count: 1}], checks: [{name: k, state: Ready}]",
         "podSets: [{name: a, count: 1}], requeueAt: 9",
         "podSets: [{name: a, count: 1}], unsupported: why",
         "podSets: [{name: a, count: 1}], resourceVersion: 4"}};
    char digests[15][STORY_DIGEST];

    for (int i = 0; i < 15; i++) {
        digest_of(s, &v, v.changes[i], digests[i]);
        for (int k = 0; k < i; k++)
            s_holds(s, strcmp(digests[i], digests[k]) != 0, "the digest knows %s", v.changes[i]);
    }
}

static void knows_fleet(struct story *s)
{
    static const struct variants workload = {
        "workload",
        "role: manager, uid: d, namespace: n, name: d",
        {"conditions: {QuotaReserved: 'True'}", "checksReady: true", "gates: [g]",
         "resourceVersion: 3", "active: false",
         "conditions: {QuotaReserved: 'True'}, nominated: [w]",
         "annotations: {sluice.sh/single-cluster-preemption-timeout: 10m}"}};
    static const struct variants replica = {
        "replica",
        "cluster: w, namespace: n, name: m, uid: r",
        {"resourceVersion: 3", "origin: m2", "gates: [kueue.x-k8s.io/multikueue]",
         "conditions: {QuotaReserved: 'True'}", "conditions: {Admitted: 'True'}",
         "gates: [kueue.x-k8s.io/multikueue], conditions: {BlockedOnPreemptionGates: 'True'}",
         "deleted: true"}};
    static const struct variants cluster = {"cluster", "name: v", {"connected: true", "since: 7"}};

    each_differs(s, &workload);
    each_differs(s, &replica);
    each_differs(s, &cluster);
}

static void knows_local_queues(struct story *s)
{
    static const struct variants local = {
        "localQueue",
        "namespace: n, name: l, clusterQueue: c",
        {"uid: u", "stopPolicy: Hold", "stopPolicy: HoldAndDrain", "selected: false"}};
    static const struct variants check = {"check", "name: k", {"active: false"}};

    each_differs(s, &local);
    each_differs(s, &check);
}

/* The calls that only move an effect along, or a pod through the framework. */
static void knows_each_step(struct story *s)
{
    static const struct {
        enum loader_hook hook;
        const char *request;
    } steps[] = {
        {LOADER_PRE_FILTER, "{uid: p}"},
        {LOADER_POST_FILTER, "{uid: p}"},
        {LOADER_DRAIN, "{}"},
        {LOADER_RESERVE, "{uid: p, node: a}"},
    };
    char before[STORY_DIGEST], after[STORY_DIGEST];

    s_lead(s);
    s_pod(s, "p", "{}");
    s_digest(s, before);
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        s_ask(s, steps[i].hook, "%s", steps[i].request);
        s_digest(s, after);
        s_holds(s, strcmp(before, after) != 0, "the digest knows %s",
                loader_hook_name(steps[i].hook));
        memcpy(before, after, sizeof(before));
    }
}

static void knows_effects(struct story *s)
{
    char digests[5][STORY_DIGEST];

    s_lead(s);
    s_see(s, "queue", "{kind: Queue, name: q, state: Closed}");
    s_pod(s, "p", "{queue: q, unschedulable: true}");
    s_digest(s, digests[0]);
    s_drain(s);
    int64_t id = s_effect(s, "setCondition", "p");
    s_digest(s, digests[1]);
    s_ack(s, id, "retry");
    s_digest(s, digests[2]);
    s_tick(s, s->now += 60 * (int64_t)STORY_SECOND);
    s_drain(s);
    s_digest(s, digests[3]);
    s_ack(s, id, "done");
    s_digest(s, digests[4]);
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < i; k++)
            s_holds(s, strcmp(digests[i], digests[k]) != 0,
                    "the digest knows wanted, leased, failed, leased again, done (%d and %d)", k,
                    i);
}

/* Over names and not ids: what came in which order makes no difference. */
static void knows_no_order(struct story *s)
{
    static const char *const objects[][2] = {
        {"node", "{name: a, labels: {x: y}}"},
        {"node", "{name: b, labels: {x: z}}"},
        {"flavor", "{name: f, nodeLabels: {x: y}}"},
        {"queue", "{kind: Queue, name: q, parent: t}"},
        {"queue", "{kind: Queue, name: t}"},
        {"queue", "{kind: ClusterQueue, name: c, parent: co}"},
        {"pod", "{uid: p, namespace: n, name: p, created: 5, gates: [" STORY_GATE "]}"},
        {"pod", "{uid: r, namespace: n, name: r, created: 6, gates: [" STORY_GATE "]}"},
    };
    enum { OBJECTS = sizeof(objects) / sizeof(objects[0]) };
    char one[STORY_DIGEST], other[STORY_DIGEST];

    for (int i = 0; i < OBJECTS; i++)
        s_see(s, objects[i][0], "%s", objects[i][1]);
    s_lead(s);
    s_digest(s, one);
    s_open(s, "{}");
    for (int i = OBJECTS; i-- > 0;)
        s_see(s, objects[i][0], "%s", objects[i][1]);
    s_lead(s);
    s_digest(s, other);
    s_holds(s, strcmp(one, other) == 0, "the digest is over names, whatever came first");
}

static void without_timers(struct story *s)
{
    char before[STORY_DIGEST], after[STORY_DIGEST];

    s_lead(s);
    s_pod(s, "p", "{}");
    s_ask(s, LOADER_INSPECT, "{what: digest, timers: false}");
    memcpy(before, s_text(s, "digest"), 17);
    s_ask(s, LOADER_PRE_FILTER, "{uid: p}");
    s_ask(s, LOADER_POST_FILTER, "{uid: p}");
    s_drain(s);
    s_ask(s, LOADER_INSPECT, "{what: digest, timers: false}");
    memcpy(after, s_text(s, "digest"), 17);
    s_holds(s, strcmp(before, after) == 0,
            "without timers an effect under way makes no difference");
    s_equal(s, (int64_t)strspn(after, "0123456789abcdef"), 16, "how long a digest is");
    s_ask(s, LOADER_RESERVE, "{uid: p, node: a}");
    s_ask(s, LOADER_INSPECT, "{what: digest, timers: false}");
    s_holds(s, strcmp(before, s_text(s, "digest")) != 0, "but the state of a pod does");
}

const struct promise promises_of_digest[] = {
    {"the digest knows what a pod is", knows_pods},
    {"the digest knows who a pod is", knows_identity},
    {"the digest knows nodes", knows_nodes},
    {"the digest knows queues", knows_queues},
    {"the digest knows flavors", knows_flavors},
    {"the digest knows groups", knows_groups},
    {"the digest knows workloads", knows_workloads},
    {"the digest knows the fleet", knows_fleet},
    {"the digest knows LocalQueues and checks", knows_local_queues},
    {"the digest knows each step of a pod", knows_each_step},
    {"the digest knows effects and their leases", knows_effects},
    {"the digest knows no order", knows_no_order},
    {"the digest without timers is what a restart would find", without_timers},
    {0},
};
