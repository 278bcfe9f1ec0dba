/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "abi/host/conform_promises.h"
#include "abi/host/conform_steps.h"

#define MOST "4611686018427387904" /* 2^62 */

static void quota(struct story *s, const char *name, const char *want)
{
    s_ask(s, LOADER_INSPECT, "{what: queue, kind: Queue, name: %s}", name);
    s_want(s, "{quota: [%s]}", want);
}

static void amounts(struct story *s)
{
    static const struct {
        const char *resource, *amount, *want;
    } said[] = {
        {"cpu", "'1'", "1000"},
        {"cpu", "1", "1"},
        {"cpu", "500m", "500"},
        {"gpu", "'1'", "1"},
        {"gpu", "2Ki", "2048"},
        {"gpu", "2k", "2000"},
        {"gpu", "1e3", "1000"},
        {"gpu", "1500m", "2"},
        {"gpu", "'1.5Ki'", "1536"},
        {"gpu", MOST, MOST},
        {"gpu", "8Ei", MOST},
        {"gpu", "4611686018427387905", MOST},
        {"gpu", "9223372036854775807", MOST},
        {"cpu", "'9223372036854775807'", MOST},
        {"gpu", "4611686018427387903", "4611686018427387903"},
    };
    static const char *const wrong[] = {"-1", "'-1'", "many", "''", "[]", "1i", "true"};

    s_lead(s);
    for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++) {
        s_see(s, "queue", "{kind: Queue, name: q, capability: {%s: %s}}", said[i].resource,
              said[i].amount);
        s_ask(s, LOADER_INSPECT, "{what: queue, kind: Queue, name: q}");
        s_want(s, "{quota: [{resource: %s, flavor: default, ceiling: %s}]}", said[i].resource,
               said[i].want);
        s_pod(s, "p", "{requests: {%s: %s}}", said[i].resource, said[i].amount);
        s_ask(s, LOADER_INSPECT, "{what: pod, uid: p}");
        s_want(s, "{asks: {%s: %s}}", said[i].resource, said[i].want);
    }
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        s_refuse(s, SLUICE_FIELD, "object.capability.gpu", LOADER_OBSERVE,
                 "{kind: queue, object: {kind: Queue, name: q, capability: {gpu: %s}}}", wrong[i]);
        s_refuse(s, SLUICE_FIELD, "object.allocatable.gpu", LOADER_OBSERVE,
                 "{kind: node, object: {name: a, allocatable: {gpu: %s}}}", wrong[i]);
    }
}

/* Sums are exact, however large. */
static void sums(struct story *s)
{
    s_lead(s);
    s_see(s, "queue", "{kind: Queue, name: q}");
    for (int i = 0; i < 4; i++) {
        char uid[2] = {(char)('a' + i), 0};

        s_pod(s, uid, "{queue: q, requests: {gpu: " MOST "}}");
        s_state(s, uid, "reserved");
    }
    s_see(s, "queue", "{kind: Queue, name: q, capability: {gpu: " MOST "}}");
    s_tick(s, s->now);
    s_ask(s, LOADER_INSPECT, "{what: queue, kind: Queue, name: q}");
    s_want(s, "{reserved: 1, quota: [{resource: gpu, usage: " MOST "}]}");
    s_see(s, "queue", "{kind: Queue, name: most, capability: {gpu: " MOST "}}");
    s_pod(s, "x", "{queue: most, requests: {gpu: 9223372036854775807}}");
    s_state(s, "x", "reserved"); /* what is more than can be counted is the most that can be */
}

static void ceilings(struct story *s)
{
    s_lead(s);
    s_see(s, "queue", "{kind: Queue, name: q, capability: {cpu: 3, memory: 0, gpu: 0}}");
    s_pod(s, "a", "{queue: q, requests: {cpu: 2, memory: 5}}");
    s_state(s, "a", "reserved");
    s_pod(s, "b", "{queue: q, requests: {cpu: 2}}");
    s_state(s, "b", "waiting");
    s_want(s,
           "{reason: QueueCapacity, on: {kind: Queue, name: q, resource: cpu, room: 1, asked: 2, "
           "wanted: 2}}");
    s_pod(s, "c", "{queue: q, requests: {cpu: 1}}");
    s_state(s, "c", "reserved");
    s_pod(s, "g", "{queue: q, requests: {gpu: 1}}");
    s_state(s, "g", "waiting");
    s_see(s, "queue", "{kind: Queue, name: q, capability: {cpu: 5, gpu: 0}}");
    s_state(s, "b", "reserved");
    s_ask(s, LOADER_RESERVE, "{uid: a, node: n}");
    s_see(s, "queue", "{kind: Queue, name: q, capability: {cpu: 1, gpu: 0}}");
    s_state(s, "a", "allocated");
    s_ask(s, LOADER_INSPECT, "{what: queue, kind: Queue, name: q}");
    s_want(s, "{reserved: 0, allocated: 1, granted: 3, demoted: 2}");
}

static void trees(struct story *s)
{
    s_lead(s);
    s_see(s, "queue", "{kind: Queue, name: top, capability: {cpu: 4}}");
    s_see(s, "queue", "{kind: Queue, name: a, parent: top, guarantee: {cpu: 2}}");
    s_see(s, "queue", "{kind: Queue, name: b, parent: top}");
    s_pod(s, "b1", "{queue: b, requests: {cpu: 2}}");
    s_state(s, "b1", "reserved");
    s_pod(s, "b2", "{queue: b, requests: {cpu: 1}}");
    s_state(s, "b2", "waiting");
    s_want(s, "{reason: QueueCapacity, on: {name: top, room: 0}}");
    s_pod(s, "a1", "{queue: a, requests: {cpu: 2}}");
    s_state(s, "a1", "reserved");
    quota(s, "a", "{resource: cpu, kept: 2, usage: 2, reserved: 2}");
    quota(s, "top", "{resource: cpu, usage: 2}");
    s_see(s, "queue", "{kind: Queue, name: top, state: Closed, capability: {cpu: 9}}");
    s_ask(s, LOADER_PRE_ENQUEUE,
          "{pod: {uid: b3, namespace: n, name: b3, created: 1, gates: [" STORY_GATE
          "], annotations: {" STORY_QUEUE ": b}}}");
    s_want(s, "{pass: false, reason: QueueClosed}");
}

static void strategies(struct story *s)
{
    static const struct {
        const char *strategy, *state;
    } said[] = {{"fifo", "waiting"},
                {"traverse", "reserved"},
                {"other", "reserved"},
                {"StrictFIFO", "waiting"}};

    for (int i = 0; i < 4; i++) {
        s_open(s, "{}");
        s_lead(s);
        s_see(s, "queue", "{kind: Queue, name: q, capability: {cpu: 2}, strategy: %s}",
              said[i].strategy);
        s_pod(s, "a", "{queue: q, requests: {cpu: 1}, created: 1}");
        s_pod(s, "big", "{queue: q, requests: {cpu: 2}, created: 2}");
        s_pod(s, "small", "{queue: q, requests: {cpu: 1}, created: 3}");
        s_state(s, "small", said[i].state);
        s_state(s, "big", "waiting");
    }
}

static void guard(struct story *s)
{
    int64_t seconds = STORY_SECOND;

    s_open(s, "{headGuard: %lld}", (long long)(10 * seconds));
    s_lead(s);
    s_see(s, "queue", "{kind: Queue, name: q, capability: {cpu: 3}}");
    s_pod(s, "a", "{queue: q, requests: {cpu: 2}, created: 1}");
    s_pod(s, "big", "{queue: q, requests: {cpu: 3}, created: 2}");
    s_pod(s, "one", "{queue: q, requests: {cpu: 1}, created: 3}");
    s_state(s, "one", "reserved");
    s_tick(s, s->now + 11 * seconds);
    s_lose(s, "pod", "{uid: one}");
    s_pod(s, "two", "{queue: q, requests: {cpu: 1}, created: 4}");
    s_state(s, "two", "waiting");
    s_want(s, "{reason: QueueOrder}");
}

static void root_ceiling(struct story *s)
{
    s_open(s, "{rootCeiling: {cpu: 2}}");
    s_lead(s);
    s_pod(s, "a", "{requests: {cpu: 2}}");
    s_pod(s, "b", "{requests: {cpu: 1}}");
    s_pod(s, "c", "{requests: {gpu: 9}}");
    s_state(s, "a", "reserved");
    s_state(s, "b", "waiting");
    s_state(s, "c", "reserved");
    s_see(s, "queue", "{kind: Queue, name: root, capability: {cpu: 9}}");
    s_state(s, "b", "waiting");
    s_refuse_open(s, SLUICE_FIELD, "rootCeiling", "{rootCeiling: half}");
    s_refuse_open(s, SLUICE_FIELD, "rootCeiling.cpu", "{rootCeiling: {cpu: -1}}");
}

/* What the nodes have, of each resource that a pod asks for: so also of `pods`. */
static void cluster_ceiling(struct story *s)
{
    s_open(s, "{rootCeiling: cluster}");
    s_lead(s);
    s_pod(s, "p", "{requests: {cpu: 1}}");
    s_state(s, "p", "waiting");
    s_see(s, "node", "{name: a, allocatable: {cpu: 2}}");
    s_state(s, "p", "waiting");
    s_want(s, "{on: {name: root, resource: pods, room: 0, asked: 1}}");
    s_see(s, "node", "{name: a, allocatable: {cpu: 2, pods: 2}}");
    s_state(s, "p", "reserved");
    s_pod(s, "r", "{requests: {cpu: 2}}");
    s_state(s, "r", "waiting");
    s_see(s, "node", "{name: b, allocatable: {cpu: 1, pods: 1}}");
    s_state(s, "r", "reserved");
    s_pod(s, "g", "{requests: {gpu: 1}}");
    s_state(s, "g", "waiting");
    s_lose(s, "node", "{name: b}");
    s_tick(s, s->now);
    s_ask(s, LOADER_INSPECT, "{what: pod, uid: r}");
    s_holds(s, strcmp(s_text(s, "state"), "reserved") != 0,
            "a node that goes takes its room along");
}

static void kueue(struct story *s)
{
    static const char queue[] = "{kind: ClusterQueue, name: %s, parent: co, groups: [{resources: "
                                "[cpu], flavors: [{name: f, quotas: {cpu: {nominal: 2%s}}}]}]}";

    s_lead(s);
    s_see(s, "flavor", "{name: f}");
    s_see(s, "queue", queue, "a", ", borrowing: 1");
    s_see(s, "queue", queue, "b", ", lending: 1");
    s_pod(s, "a1", "{queue: a, queueKind: ClusterQueue, requests: {cpu: 3}}");
    s_state(s, "a1", "reserved");
    s_want(s, "{flavors: {cpu: f}}");
    s_pod(s, "a2", "{queue: a, queueKind: ClusterQueue, requests: {cpu: 1}}");
    s_state(s, "a2", "waiting");
    s_pod(s, "b1", "{queue: b, queueKind: ClusterQueue, requests: {cpu: 1}}");
    s_state(s, "b1", "reserved");
    s_pod(s, "b2", "{queue: b, queueKind: ClusterQueue, requests: {gpu: 1}}");
    s_state(s, "b2", "waiting");
    s_open(s, "{undeclared: unlimited}");
    s_lead(s);
    s_see(s, "flavor", "{name: f}");
    s_see(s, "queue", queue, "b", "");
    s_pod(s, "b2", "{queue: b, queueKind: ClusterQueue, requests: {gpu: 1}}");
    s_state(s, "b2", "reserved");
    for (int i = 0; i < 2; i++) {
        s_see(s, "queue",
              "{kind: ClusterQueue, name: b, stopPolicy: %s, groups: [{resources: [cpu], "
              "flavors: [{name: f, quotas: {cpu: {nominal: 2}}}]}]}",
              i ? "HoldAndDrain" : "Hold");
        s_tick(s, s->now);
        s_ask(s, LOADER_INSPECT, "{what: pod, uid: b2}");
        s_holds(s, strcmp(s_text(s, "state"), "reserved") != 0,
                "a stopped ClusterQueue cancels reservations");
        s_ask(s, LOADER_INSPECT, "{what: queue, kind: ClusterQueue, name: b}");
        s_want(s, "{state: %s}", i ? "HoldAndDrain" : "Hold");
    }
    s_refuse(s, SLUICE_FIELD, NULL, LOADER_OBSERVE,
             "{kind: queue, object: {kind: ClusterQueue, name: b, groups: [{resources: [cpu], "
             "flavors: [{name: f, quotas: {gpu: {nominal: 2}}}]}]}}");
    s_refuse(s, SLUICE_FIELD, NULL, LOADER_OBSERVE,
             "{kind: queue, object: {kind: ClusterQueue, name: b, groups: [{resources: [cpu, cpu], "
             "flavors: [{name: f, quotas: {}}]}]}}");
    s_refuse(s, SLUICE_FIELD, NULL, LOADER_OBSERVE,
             "{kind: queue, object: {kind: ClusterQueue, name: b, groups: [{resources: [cpu], "
             "flavors: [{name: f, quotas: {}}, {name: f, quotas: {}}]}]}}");
    s_refuse(s, SLUICE_FIELD, NULL, LOADER_OBSERVE,
             "{kind: queue, object: {kind: ClusterQueue, name: b, preemption: "
             "{withinClusterQueue: Sometimes}}}");
}

static void drained(struct story *s)
{
    static const char queue[] = "{kind: ClusterQueue, name: c%s, groups: [{resources: [cpu], "
                                "flavors: [{name: f, quotas: {cpu: {nominal: 2}}}]}]}";

    s_open(s, "{effects: [evictPod]}");
    s_lead(s);
    s_see(s, "flavor", "{name: f}");
    s_see(s, "queue", queue, "");
    s_pod(s, "runs", "{queue: c, queueKind: ClusterQueue, requests: {cpu: 1}, node: n}");
    s_drain(s);
    s_holds(s, s_effect(s, "evictPod", "runs") == 0, "who runs in a queue that grants stays");
    s_see(s, "queue", queue, ", stopPolicy: HoldAndDrain");
    s_drain(s);
    s_holds(s, s_effect(s, "evictPod", "runs") != 0, "who runs in a queue that is drained goes");
}

static void deleted(struct story *s)
{
    s_lead(s);
    s_see(s, "queue", "{kind: Queue, name: q, deleted: true}");
    s_pod(s, "p", "{queue: q}");
    s_state(s, "p", "waiting");
    s_see(s, "queue", "{kind: Queue, name: q}");
    s_state(s, "p", "reserved");
}

static void unseen_flavor(struct story *s)
{
    s_lead(s);
    s_see(s, "queue",
          "{kind: ClusterQueue, name: c, groups: [{resources: [cpu], flavors: [{name: f, "
          "quotas: {cpu: {nominal: 2}}}]}]}");
    s_pod(s, "p", "{queue: c, queueKind: ClusterQueue, requests: {cpu: 1}}");
    s_state(s, "p", "waiting");
    s_see(s, "flavor", "{name: f}");
    s_state(s, "p", "reserved");
}

static void newest_version_counts(struct story *s)
{
    s_lead(s);
    s_see(s, "queue",
          "{kind: Queue, name: q, uid: u, resourceVersion: 5, priority: 5, capability: "
          "{cpu: 5}}");
    s_see(s, "queue", "{kind: Queue, name: q, uid: u, resourceVersion: 4, capability: {cpu: 4}}");
    quota(s, "q", "{resource: cpu, ceiling: 5}");
    s_see(s, "queue", "{kind: Queue, name: q, uid: v, resourceVersion: 3, capability: {cpu: 3}}");
    quota(s, "q", "{resource: cpu, ceiling: 3}");
}

static void gone_holds(struct story *s)
{
    s_lead(s);
    s_see(s, "queue", "{kind: Queue, name: q, capability: {cpu: 1}}");
    s_pod(s, "p", "{queue: q, requests: {cpu: 1}, node: a}");
    s_pod(s, "w", "{queue: q, requests: {cpu: 1}}");
    s_lose(s, "queue", "{kind: Queue, name: q}");
    s_ask(s, LOADER_INSPECT, "{what: queue, kind: Queue, name: q}");
    s_want(s, "{known: false, state: Unknown, allocated: 1}");
    s_ask(s, LOADER_PRE_ENQUEUE,
          "{pod: {uid: w, namespace: n, name: w, created: 1, gates: [" STORY_GATE
          "], annotations: {" STORY_QUEUE ": q}}}");
    s_want(s, "{pass: false, reason: QueueUnknown}");
    s_lose(s, "queue", "{kind: Queue, name: default}");
    s_pod(s, "d", "{}");
    s_state(s, "d", "reserved");
}

static void states(struct story *s)
{
    s_lead(s);
    s_see(s, "queue", "{kind: Queue, name: q, state: Open}");
    s_pod(s, "p", "{queue: q}");
    s_state(s, "p", "reserved");
    s_see(s, "queue", "{kind: Queue, name: q, state: Suspended}");
    s_pod(s, "r", "{queue: q, resourceVersion: 1}");
    s_ask(s, LOADER_PRE_ENQUEUE, "{uid: r, resourceVersion: 1}");
    s_want(s, "{pass: false, reason: QueueSuspended}");
    s_state(s, "p", "reserved");
    s_see(s, "queue", "{kind: Queue, name: q, state: Closed}");
    s_ask(s, LOADER_PRE_ENQUEUE, "{uid: r, resourceVersion: 1}");
    s_want(s, "{pass: false, reason: QueueClosed}");
    s_see(s, "queue", "{kind: Queue, name: q, state: Weird}");
    s_state(s, "r", "reserved");
    s_see(s, "queue", "{kind: Queue, name: t, annotations: {sluice.sh/create-suspended: 'true'}}");
    s_ask(s, LOADER_INSPECT, "{what: queue, kind: Queue, name: t}");
    s_want(s, "{state: Suspended}");
}

const struct promise promises_of_queues[] = {
    {"amounts are base units or quantities, count as 2^62 above it, and are not negative", amounts},
    {"sums are exact beyond 2^62", sums},
    {"a queue grants up to its capability, and what shrinks demotes only what is reserved",
     ceilings},
    {"a parent's room is shared, and what is kept is lent to nobody", trees},
    {"fifo and StrictFIFO stop at a blocked head, any other looks past it", strategies},
    {"headGuard bounds how long a head is passed over", guard},
    {"rootCeiling of amounts bounds the whole tree, whatever root's object says", root_ceiling},
    {"rootCeiling of cluster is what the nodes have, also of `pods`", cluster_ceiling},
    {"a ClusterQueue borrows and lends as far as it says, and stops when told", kueue},
    {"a flavor that was never seen is granted to nobody", unseen_flavor},
    {"HoldAndDrain evicts the pods that run in the queue", drained},
    {"a queue that is being deleted grants nothing", deleted},
    {"of a queue's uid the highest resourceVersion counts", newest_version_counts},
    {"the claims of a queue that is gone stay counted, root and default stay", gone_holds},
    {"Closed and Suspended grant nothing, any other state grants", states},
    {0},
};
