/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "abi/host/conform_promises.h"
#include "abi/host/conform_steps.h"

/* One workload of one pod set; its name, and what else is said. */
#define SEE                                                                                        \
    LOADER_OBSERVE, "{kind: workload, object: {role: worker, uid: %s, namespace: n, name: %s, "    \
                    "queue: l, podSets: [{name: main, count: 2, requests: {cpu: 1}}], %s}}"
#define HOLDS                                                                                      \
    "conditions: {QuotaReserved: {status: 'True', since: 1}, Admitted: {status: 'True', since: "   \
    "1}}, admission: {clusterQueue: c, podSets: [{name: main, count: 2, flavors: {cpu: f}}]}"

static void begin(struct story *s, const char *more)
{
    s_open(s, "{effects: [writeWorkload, evictPod], preemptionGates: true}");
    s_lead(s);
    s_see(s, "flavor", "{name: f}");
    s_see(s, "queue",
          "{kind: ClusterQueue, name: c, groups: [{resources: [cpu], flavors: [{name: f, "
          "quotas: {cpu: {nominal: 2}}}]}], %s}",
          more);
    s_see(s, "localQueue", "{namespace: n, name: l, clusterQueue: c}");
}

static void state(struct story *s, const char *name, const char *want)
{
    s_ask(s, LOADER_INSPECT, "{what: workload, namespace: n, name: %s}", name);
    s_want(s, "{%s}", want);
}

static void admits(struct story *s)
{
    begin(s, "");
    s_ask(s, SEE, "a", "a", "created: 1, resourceVersion: 3");
    s_want(s, "{pending: 1}");
    s_drain(s);
    s_want(s, "{effects: [{kind: writeWorkload, uid: a, namespace: n, name: a, attempt: 1, "
              "resourceVersion: 3, write: reserve, admitted: true, admission: {clusterQueue: c, "
              "podSets: [{name: main, count: 2, flavors: {cpu: f}, requests: {cpu: 2}}]}}]}");
    int64_t id = s_effect(s, "writeWorkload", "a");
    s_ask(s, LOADER_ACK, "{acks: [{id: %lld, result: done, resourceVersion: 4}]}", (long long)id);
    s_want(s, "{unknown: 0, pending: 0}");
    s_ask(s, SEE, "a", "a", "created: 1, resourceVersion: 3");
    s_want(s, "{pending: 0}");
    s_ask(s, SEE, "a", "a", "created: 1, resourceVersion: 4, " HOLDS);
    state(s, "a", "state: allocated, reason: ''");
    s_ask(s, LOADER_INSPECT, "{what: clusterQueue, name: c}");
    s_want(s,
           "{active: true, reason: Ready, waiting: 0, reserving: 1, admitted: 1, usage: [{flavor: "
           "f, resource: cpu, reserved: 2, admitted: 2, borrowed: 0}]}");
    s_ask(s, LOADER_INSPECT, "{what: localQueue, namespace: n, name: l}");
    s_want(s,
           "{clusterQueue: c, active: true, reason: Ready, waiting: 0, reserving: 1, admitted: 1}");
}

static void waits_in_order(struct story *s)
{
    begin(s, "");
    s_ask(s, SEE, "a", "a", "created: 1, " HOLDS);
    s_ask(s, SEE, "d", "d", "created: 4");
    s_ask(s, SEE, "e", "e", "created: 4");
    s_ask(s, SEE, "b", "b", "created: 3");
    s_ask(s, SEE, "h", "h", "created: 9, priority: 1");
    s_ask(s, LOADER_INSPECT, "{what: workloads, kind: ClusterQueue, name: c}");
    s_want(s, "{workloads: [{uid: h, position: 1}, {uid: b}, {uid: d}, {uid: e, position: 4}]}");
    state(s, "e", "state: waiting, reason: QueueCapacity");
    s_lose(s, "workload", "{role: worker, namespace: n, name: a}");
    s_drain(s);
    s_want(s, "{effects: [{kind: writeWorkload, uid: h, write: reserve}]}");
}

/* It has had all there is since now. */
static void holds(struct story *s, const char *name)
{
    char more[256];

    snprintf(more, sizeof(more),
             "created: 1, conditions: {QuotaReserved: {status: 'True', since: %lld}, Admitted: "
             "{status: 'True'}}, admission: {clusterQueue: c, podSets: [{name: main, count: 2, "
             "flavors: {cpu: f}}]}",
             (long long)s->now);
    s_ask(s, SEE, name, name, more);
}

/* Some run and end, then one holds all there is, and two wait. */
static void estimates(struct story *s)
{
    begin(s, "");
    holds(s, "a");
    s_ask(s, SEE, "w", "w", "created: 2");
    state(
        s, "w",
        "position: 1, ahead: {}, atLeast: false, asks: {cpu: 2}, on: {kind: ClusterQueue, name: "
        "c, resource: cpu, room: 0, asked: 2, wanted: 2}, estimate: -1, earliest: -1, latest: -1");
    s_holds(s, s_text(s, "basis")[0] != '\0', "it is said why there is no estimate");
    s_lose(s, "workload", "{role: worker, namespace: n, name: w}");
    for (int i = 0; i < 30; i++) {
        s->now += INT64_C(60) * STORY_SECOND;
        s_lose(s, "workload", "{role: worker, namespace: n, name: a}");
        holds(s, "a");
    }
    s_ask(s, SEE, "w", "w", "created: 2");
    s_ask(s, SEE, "x", "x", "created: 3");
    state(s, "w", "position: 1");
    int64_t first = s_int(s, "earliest");
    s_holds(s, first > 0 && s_int(s, "latest") >= first,
            "where some have ended it is told when it is over");
    state(s, "x", "position: 2, ahead: {cpu: 2}");
    s_holds(s, s_int(s, "earliest") > first, "who is behind one that asks for as much is later");
    s_holds(s, s_text(s, "basis")[0] != '\0', "an estimate says how it was made");
}

static void one_write_at_a_time(struct story *s)
{
    begin(s, "");
    s_ask(s, SEE, "a", "a", "created: 1, resourceVersion: 3");
    s_drain(s);
    int64_t id = s_effect(s, "writeWorkload", "a");
    s_ask(s, SEE, "a", "a", "created: 1, resourceVersion: 5, active: false");
    s_drain(s);
    s_want(s, "{effects: [], pending: 0}");
    s_ack(s, id, "conflict");
    s_tick(s, s->now += 60 * (int64_t)STORY_SECOND);
    s_drain(s);
    s_holds(s, s_count(s, "effects") <= 1, "one write of a workload is under way at a time");
}

static void newest_counts(struct story *s)
{
    begin(s, "");
    s_ask(s, SEE, "a", "a", "created: 1, resourceVersion: 5, priority: 5");
    s_ask(s, SEE, "a", "a", "created: 1, resourceVersion: 4, priority: 4");
    state(s, "a", "priority: 5");
    s_ask(s, SEE, "a", "a", "created: 1, resourceVersion: 5, priority: 6");
    state(s, "a", "priority: 6");
    s_ask(s, SEE, "b", "a", "created: 1, resourceVersion: 1, priority: 1");
    state(s, "a", "uid: b, priority: 1");
    s_lose(s, "workload", "{role: worker, namespace: n, name: a, uid: a}");
    state(s, "a", "uid: b");
    s_lose(s, "workload", "{role: worker, namespace: n, name: a}");
    s_refuse(s, SLUICE_FIELD, "name", LOADER_INSPECT, "{what: workload, namespace: n, name: a}");
    s_see(s, "localQueue", "{namespace: n, name: l, clusterQueue: c, uid: u, resourceVersion: 5}");
    s_see(s, "localQueue", "{namespace: n, name: l, clusterQueue: d, uid: u, resourceVersion: 4}");
    s_ask(s, LOADER_INSPECT, "{what: localQueue, namespace: n, name: l}");
    s_want(s, "{clusterQueue: c}");
}

static void gone_and_done(struct story *s)
{
    begin(s, "");
    s_ask(s, SEE, "a", "a", "created: 1, resourceVersion: 3");
    s_drain(s);
    s_ack(s, s_effect(s, "writeWorkload", "a"), "gone");
    s_want(s, "{unknown: 0}");
    s_refuse(s, SLUICE_FIELD, "name", LOADER_INSPECT, "{what: workload, namespace: n, name: a}");
    s_ask(s, SEE, "b", "b", "created: 1, resourceVersion: 3");
    s_drain(s);
    s_holds(s, s_effect(s, "writeWorkload", "b") != 0, "what who is gone held is free");
}

static void holders_keep(struct story *s)
{
    begin(s, "");
    s_ask(s, SEE, "a", "a", "created: 1, " HOLDS);
    s_see(s, "queue",
          "{kind: ClusterQueue, name: c, groups: [{resources: [cpu], flavors: [{name: f, "
          "quotas: {cpu: {nominal: 1}}}]}]}");
    s_tick(s, s->now);
    state(s, "a", "state: allocated");
    s_pod(s, "p",
          "{queue: c, queueKind: ClusterQueue, requests: {cpu: 1}, annotations: "
          "{kueue.x-k8s.io/workload: a}}");
    s_refuse(s, SLUICE_FIELD, "uid", LOADER_INSPECT, "{what: pod, uid: p}");
    s_ask(s, SEE, "a", "a", "created: 1, conditions: {Finished: {status: 'True'}}");
    state(s, "a", "state: finished");
    s_pod(s, "p",
          "{queue: c, queueKind: ClusterQueue, requests: {cpu: 1}, annotations: "
          "{kueue.x-k8s.io/workload: a}}");
    s_state(s, "p", "reserved");
}

static void checks(struct story *s)
{
    begin(s, "checks: [{name: k}]");
    s_ask(s, SEE, "a", "a", "created: 1, resourceVersion: 1");
    s_ask(s, LOADER_INSPECT, "{what: clusterQueue, name: c}");
    s_want(s, "{active: false, reason: AdmissionCheckNotFound}");
    s_see(s, "check", "{name: k, active: false}");
    s_ask(s, LOADER_INSPECT, "{what: clusterQueue, name: c}");
    s_want(s, "{active: false, reason: AdmissionCheckInactive}");
    s_see(s, "check", "{name: k}");
    s_settle(s);
    s_ask(s, SEE, "a", "a",
          "created: 1, resourceVersion: 2, checks: [{name: k, state: Pending}], "
          "conditions: {QuotaReserved: {status: 'True', since: 1}}, admission: "
          "{clusterQueue: c, podSets: [{name: main, count: 2, flavors: {cpu: f}}]}");
    state(s, "a", "state: reserved, reason: AdmissionChecks, checks: [{name: k, state: Pending}]");
    s_want(s, "{pending: 0}");
    s_ask(s, SEE, "a", "a",
          "created: 1, resourceVersion: 3, checks: [{name: k, state: Ready}], "
          "conditions: {QuotaReserved: {status: 'True', since: 1}}, admission: "
          "{clusterQueue: c, podSets: [{name: main, count: 2, flavors: {cpu: f}}]}");
    s_drain(s);
    s_want(s, "{effects: [{kind: writeWorkload, uid: a, resourceVersion: 3, write: admit}]}");
}

static void held(struct story *s)
{
    static const struct {
        const char *more, *reason;
    } why[] = {
        {"active: false", "Inactive"},
        {"unsupported: 'topology'", "Unsupported"},
        {"queue: nobody", "QueueUnknown"},
        {"requeueAt: 1900000000000000000", "Backoff"},
    };

    begin(s, "");
    for (size_t i = 0; i < sizeof(why) / sizeof(why[0]); i++) {
        s_ask(s, LOADER_OBSERVE,
              "{kind: workload, object: {role: worker, uid: a, namespace: n, name: a, created: 1, "
              "%s podSets: [{name: main, count: 2, requests: {cpu: 1}}], %s}}",
              i == 2 ? "" : "queue: l,", why[i].more);
        state(s, "a", "state: held");
        s_holds(s, s_text(s, "reason")[0] != '\0', "who is held has a reason");
        state(s, "a", "state: held");
        s_want(s, "{reason: %s}", why[i].reason);
    }
    s_open(s, "{effects: [writeWorkload]}");
    s_ask(s, SEE, "a", "a", "created: 1");
    state(s, "a", "state: held");
}

/* A victim is sent away for who is worth more, and its room is his. */
static void preempts(struct story *s)
{
    begin(s, "preemption: {withinClusterQueue: LowerPriority}");
    s_ask(s, SEE, "low", "low", "created: 1, resourceVersion: 1, " HOLDS);
    s_ask(s, SEE, "high", "high", "created: 2, priority: 5, resourceVersion: 1");
    s_drain(s);
    int64_t id = s_effect(s, "writeWorkload", "low");
    s_want(s, "{effects: [{write: evict, uid: low, reason: Preempted, cause: InClusterQueue}]}");
    state(s, "high", "state: waiting, reason: Preempting, victims: [{uid: low}]");
    s_ask(s, LOADER_ACK, "{acks: [{id: %lld, result: done, resourceVersion: 2}]}", (long long)id);
    s_ask(
        s, SEE, "low", "low",
        "created: 1, resourceVersion: 2, conditions: {QuotaReserved: {status: 'True', since: 1}, "
        "Admitted: {status: 'True', since: 1}, Evicted: {status: 'True', reason: Preempted, "
        "since: 2}}, admission: {clusterQueue: c, podSets: [{name: main, count: 2, flavors: {cpu: "
        "f}}]}");
    s_want(s, "{pending: 0}");
    state(s, "low", "reason: Evicted");
    s_open(s, "{}");
}

static void gated(struct story *s)
{
    begin(s, "preemption: {withinClusterQueue: LowerPriority}");
    s_ask(s, SEE, "low", "low", "created: 1, resourceVersion: 1, " HOLDS);
    s_ask(s, SEE, "high", "high",
          "created: 2, priority: 5, resourceVersion: 1, gates: [g, h], "
          "gateStatus: {g: Open, h: Closed}");
    s_drain(s);
    s_holds(s, s_effect(s, "writeWorkload", "low") == 0, "a closed gate sends nobody away");
    s_want(s, "{effects: [{uid: high, write: signal}]}");
    state(s, "high", "closed: h, gates: [{name: g, open: true}, {name: h, open: false}]");
    s_ack(s, s_effect(s, "nothing", NULL), "done");
    begin(s, "preemption: {withinClusterQueue: LowerPriority}");
    s_ask(s, SEE, "low", "low", "created: 1, resourceVersion: 1, " HOLDS);
    s_ask(s, SEE, "high", "high",
          "created: 2, priority: 5, resourceVersion: 1, gates: [g], "
          "gateStatus: {g: Open}, cannotPreempt: true");
    s_drain(s);
    s_holds(s, s_effect(s, "writeWorkload", "low") == 0, "who cannot preempt sends nobody away");
}

static void victims_of_pods(struct story *s)
{
    s_open(s, "{effects: [evictPod]}");
    s_lead(s);
    s_see(s, "queue", "{kind: Queue, name: q, capability: {cpu: 1}}");
    s_pod(s, "low", "{queue: q, requests: {cpu: 1}, node: a}");
    s_pod(s, "never", "{queue: q, requests: {cpu: 1}, priority: 7, preemptionPolicy: Never}");
    s_drain(s);
    s_want(s, "{effects: []}");
    s_lose(s, "pod", "{uid: never}");
    s_pod(s, "high", "{queue: q, requests: {cpu: 1}, priority: 5}");
    s_tick(s, s->now);
    s_drain(s);
    s_want(s, "{effects: [{kind: evictPod, uid: low, attempt: 1}]}");
    s_ack(s, s_effect(s, "evictPod", "low"), "done");
    s_state(s, "low", "allocated");
    s_lose(s, "pod", "{uid: low}");
    s_tick(s, s->now);
    s_open(s, "{}");
    s_lead(s);
    s_see(s, "queue", "{kind: Queue, name: q, capability: {cpu: 1}}");
    s_pod(s, "low", "{queue: q, requests: {cpu: 1}, node: a}");
    s_pod(s, "high", "{queue: q, requests: {cpu: 1}, priority: 5}");
    s_tick(s, s->now);
    s_drain(s);
    s_want(s, "{effects: []}");
}

static void unasked(struct story *s)
{
    s_refuse(s, SLUICE_UNSUPPORTED, "kind", LOADER_OBSERVE,
             "{kind: workload, object: {role: worker, uid: a, namespace: n, name: a, created: 1, "
             "podSets: [{name: a, count: 1}]}}");
    s_refuse(s, SLUICE_UNSUPPORTED, NULL, LOADER_OBSERVE, "{kind: check, object: {name: a}}");
    s_refuse(s, SLUICE_UNSUPPORTED, NULL, LOADER_OBSERVE,
             "{kind: localQueue, object: {namespace: n, name: a, clusterQueue: c}}");
}

const struct promise promises_of_workers[] = {
    {"a workload that fits is given quota in one write", admits},
    {"workloads wait by priority, creation and uid", waits_in_order},
    {"a workload is told what it lacks, and how long it may take", estimates},
    {"one write is under way for a workload", one_write_at_a_time},
    {"of a workload's uid the highest resourceVersion counts", newest_counts},
    {"a workload that is gone holds nothing", gone_and_done},
    {"a workload is never demoted, and its pods are not counted again", holders_keep},
    {"a workload is Admitted when its checks are Ready", checks},
    {"a workload that is held is told the reason", held},
    {"a victim goes for who may preempt, and keeps its quota until its job has stopped", preempts},
    {"nobody is sent away for a workload with a closed gate, it signals", gated},
    {"pods are evicted for others as the policies say, where evictPod is named", victims_of_pods},
    {"a host without writeWorkload is given no workloads", unasked},
    {0},
};
