/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "abi/host/conform_promises.h"
#include "abi/host/conform_steps.h"

#define SEE                                                                                        \
    LOADER_OBSERVE, "{kind: workload, object: {role: worker, uid: a, namespace: n, name: a, "      \
                    "created: 1, queue: l, podSets: [{name: main, count: 2, requests: {cpu: 1}}]," \
                    " %s}}"
#define RESERVED "QuotaReserved: {status: 'True', since: 1}"
#define ADMITTED RESERVED ", Admitted: {status: 'True', since: 1}"
#define ADMISSION                                                                                  \
    "admission: {clusterQueue: c, podSets: [{name: main, count: 2, flavors: {cpu: f}}]}"

static void queue(struct story *s, const char *more)
{
    s_see(s, "queue",
          "{kind: ClusterQueue, name: c, groups: [{resources: [cpu], flavors: [{name: f, quotas: "
          "{cpu: {nominal: 2}}}]}], %s}",
          more);
}

static void begin(struct story *s, const char *config, const char *more)
{
    s_open(s, "{effects: [writeWorkload], preemptionGates: true, %s}", config);
    s_lead(s);
    s_see(s, "flavor", "{name: f}");
    s_see(s, "check", "{name: k}");
    queue(s, more);
    s_see(s, "localQueue", "{namespace: n, name: l, clusterQueue: c}");
}

/* What is written into the workload next, and nothing else. */
static void writes(struct story *s, const char *want)
{
    for (int i = 0; i < 5 && s_int(s, "pending") == 0; i++)
        s_tick(s, s->now);
    s_drain(s);
    s_want(s, "{effects: [{kind: writeWorkload, uid: a, %s}], pending: 0}", want);
    s_ask(s, LOADER_ACK, "{acks: [{id: %lld, result: done, resourceVersion: 0}]}",
          (long long)s_effect(s, "writeWorkload", "a"));
    s_want(s, "{unknown: 0}");
}

static void gates(struct story *s)
{
    begin(s, "", "");
    s_ask(s, SEE, "resourceVersion: 1, gates: [g, h], gateStatus: {h: Open}");
    writes(s, "write: gates, resourceVersion: 1, gates: {g: Closed, h: Open}");
}

static void deactivated(struct story *s)
{
    begin(s, "", "");
    s_ask(s, SEE, "conditions: {" ADMITTED "}, active: false, " ADMISSION);
    writes(s, "write: evict, reason: Deactivated, cause: ''");
    s_ask(s, SEE,
          "conditions: {" ADMITTED ", Evicted: {status: 'True', reason: Deactivated, since: 2}}, "
          "active: false, " ADMISSION);
    s_drain(s);
    s_want(s, "{effects: []}");
    s_ask(s, SEE,
          "conditions: {" ADMITTED ", Evicted: {status: 'True', reason: Deactivated, since: 2}}, "
          "active: false, jobStopped: true, " ADMISSION);
    writes(s, "write: endEviction, reason: Deactivated, requeued: false");
}

static void stopped(struct story *s)
{
    begin(s, "", "");
    s_ask(s, SEE, "conditions: {" ADMITTED "}, " ADMISSION);
    s_want(s, "{pending: 0}");
    queue(s, "stopPolicy: Hold");
    s_tick(s, s->now);
    s_drain(s);
    s_want(s, "{effects: []}");
    queue(s, "stopPolicy: HoldAndDrain");
    writes(s, "write: evict, reason: ClusterQueueStopped");
    begin(s, "", "");
    s_ask(s, SEE, "conditions: {" ADMITTED "}, " ADMISSION);
    s_see(s, "localQueue", "{namespace: n, name: l, clusterQueue: c, stopPolicy: HoldAndDrain}");
    writes(s, "write: evict, reason: LocalQueueStopped");
}

static void checks(struct story *s)
{
    begin(s, "", "checks: [{name: k}]");
    s_ask(s, SEE, "resourceVersion: 1");
    writes(s, "write: reserve, admitted: false, checks: [k]");
    s_ask(s, SEE, "conditions: {" RESERVED "}, checks: [{name: k, state: Retry}], " ADMISSION);
    writes(s, "write: evict, reason: AdmissionCheck, checks: [k]");
    begin(s, "", "checks: [{name: k}]");
    s_ask(s, SEE, "conditions: {" RESERVED "}, checks: [{name: k, state: Rejected}], " ADMISSION);
    s_drain(s);
    s_want(s, "{effects: [{write: target}]}");
}

/* Another workload, that has all of the quota. */
static void see_admitted(struct story *s)
{
    s_see(s, "workload",
          "{role: worker, uid: b, namespace: n, name: b, created: 1, queue: l, podSets: [{name: "
          "main, count: 2, requests: {cpu: 1}}], conditions: {" ADMITTED "}, " ADMISSION "}");
}

static void waiting(struct story *s)
{
    begin(s, "waitingReasons: true", "");
    see_admitted(s);
    s_ask(s, SEE, "resourceVersion: 1");
    writes(s, "write: pending, reason: Pending, resourceVersion: 1");
    s_ask(s, SEE, "conditions: {QuotaReserved: {status: 'False', reason: Pending, since: 1}}");
    s_tick(s, s->now);
    s_drain(s);
    s_want(s, "{effects: []}");
    begin(s, "", "");
    see_admitted(s);
    s_ask(s, SEE, "resourceVersion: 1");
    s_tick(s, s->now);
    s_drain(s);
    s_want(s, "{effects: []}");
}

static void waits_first(struct story *s)
{
    begin(s, "waitingReasons: true, waitingReasonsAfter: 2000000000, waitingReasonsPerSecond: 2",
          "");
    see_admitted(s);
    s_ask(s, SEE, "resourceVersion: 1");
    s_tick(s, s->now);
    s_drain(s);
    s_want(s, "{effects: []}");
    s_see(s, "workload",
          "{role: worker, uid: d, namespace: n, name: d, created: 2, queue: l, podSets: [{name: "
          "main, count: 2, requests: {cpu: 1}}], resourceVersion: 1}");
    s_tick(s, s->now + 2 * (int64_t)STORY_SECOND);
    s_drain(s);
    s_want(s, "{effects: [{uid: a, write: pending, reason: Pending}]}");
    s_tick(s, s->now + 2 * (int64_t)STORY_SECOND + STORY_SECOND / 2);
    s_drain(s);
    s_want(s, "{effects: [{uid: d, write: pending, reason: Pending}]}");
    begin(s, "waitingReasons: true, waitingReasonsAfter: 2000000000", "");
    see_admitted(s);
    s_ask(s, SEE, "resourceVersion: 1");
    s_tick(s, s->now + STORY_SECOND);
    s_lose(s, "workload", "{role: worker, namespace: n, name: b}");
    writes(s, "write: reserve");
}

static void waits_for_victims(struct story *s)
{
    begin(s, "waitingReasons: true", "preemption: {withinClusterQueue: LowerPriority}");
    see_admitted(s);
    s_ask(s, SEE, "resourceVersion: 1, priority: 1");
    s_tick(s, s->now);
    s_drain(s);
    s_want(s, "{effects: [{uid: b, write: evict}, {uid: a, write: pending, reason: Pending}]}");
}

static void finished(struct story *s)
{
    begin(s, "", "");
    s_ask(s, SEE, "conditions: {" ADMITTED ", Finished: {status: 'True', since: 2}}, " ADMISSION);
    s_tick(s, s->now);
    s_drain(s);
    s_want(s, "{effects: []}");
    s_ask(s, LOADER_INSPECT, "{what: clusterQueue, name: c}");
    s_want(s, "{reserving: 0, admitted: 0}");
}

#define EVICTED(why) ADMITTED ", Evicted: {status: 'True', reason: " why ", since: 2}"
#define FREED(why)                                                                                 \
    "QuotaReserved: {status: 'False', reason: Pending, since: 3}, Evicted: {status: 'True', "      \
    "reason: " why ", since: 2}, Requeued: {status: 'False', reason: " why ", since: 3}"

static void reservation_ends(struct story *s)
{
    begin(s, "", "checks: [{name: k}]");
    s_ask(s, SEE, "conditions: {" RESERVED "}, checks: [{name: k, state: Pending}], " ADMISSION);
    queue(s, "checks: [{name: k}], stopPolicy: Hold");
    writes(s, "write: unreserve, reason: Inadmissible");
    begin(s, "", "checks: [{name: k}]");
    s_ask(s, SEE, "conditions: {" RESERVED "}, checks: [{name: k, state: Pending}], " ADMISSION);
    s_lose(s, "localQueue", "{namespace: n, name: l}");
    writes(s, "write: unreserve, reason: Inadmissible");
}

static void obstacles(struct story *s)
{
    begin(s, "", "stopPolicy: Hold");
    s_ask(s, SEE, "resourceVersion: 1");
    writes(s, "write: pending, reason: Inadmissible");
    begin(s, "", "");
    s_lose(s, "localQueue", "{namespace: n, name: l}");
    s_ask(s, SEE, "resourceVersion: 1");
    writes(s, "write: pending, reason: Inadmissible");
    s_ask(s, SEE, "conditions: {QuotaReserved: {status: 'False', reason: Inadmissible}}");
    s_tick(s, s->now);
    s_drain(s);
    s_want(s, "{effects: []}");
}

/* Its check names a time: that is written, it goes, and it is asked for again at that time. */
static void waits_for_its_check(struct story *s)
{
    long long at = (long long)(s->now + 100 * (int64_t)STORY_SECOND);
    char more[1000];

    begin(s, "", "checks: [{name: k}]");
    snprintf(more, sizeof(more),
             "conditions: {" RESERVED
             "}, checks: [{name: k, state: Retry, retryAfter: %lld}], " ADMISSION,
             at);
    s_ask(s, SEE, more);
    snprintf(more, sizeof(more), "write: requeueAt, at: %lld", at);
    writes(s, more);
    snprintf(more, sizeof(more),
             "conditions: {" RESERVED "}, checks: [{name: k, state: Retry, retryAfter: %lld}], "
             "requeueAt: %lld, requeueCount: 1, " ADMISSION,
             at, at);
    s_ask(s, SEE, more);
    writes(s, "write: evict, reason: AdmissionCheck, checks: [k], forgetRequeue: false");
    snprintf(more, sizeof(more),
             "conditions: {" EVICTED(
                 "AdmissionCheck") "}, jobStopped: true, checks: [{name: k, "
                                   "state: Pending}], requeueAt: %lld, requeueCount: 1, " ADMISSION,
             at);
    s_ask(s, SEE, more);
    writes(s, "write: endEviction, reason: AdmissionCheck, requeued: false");
    snprintf(more, sizeof(more),
             "conditions: {" FREED(
                 "AdmissionCheck") "}, jobStopped: true, checks: [{name: k, "
                                   "state: Pending}], requeueAt: %lld, requeueCount: 1",
             at);
    s_ask(s, SEE, more);
    s_want(s, "{next: %lld}", at);
    s_tick(s, at - 1);
    s_drain(s);
    s_want(s, "{effects: []}");
    s->now = at;
    writes(s, "write: requeued, reason: BackoffFinished");
}

static void comes_back(struct story *s)
{
    begin(s, "", "stopPolicy: HoldAndDrain");
    s_ask(s, SEE, "conditions: {" FREED("ClusterQueueStopped") "}");
    writes(s, "write: pending, reason: Inadmissible");
    s_ask(s, SEE, "conditions: {" FREED("ClusterQueueStopped") "}");
    queue(s, "");
    writes(s, "write: requeued, reason: ClusterQueueRestarted");
    begin(s, "", "");
    s_ask(s, SEE, "conditions: {" FREED("LocalQueueStopped") "}");
    writes(s, "write: requeued, reason: LocalQueueRestarted");
    begin(s, "", "");
    s_ask(s, SEE, "conditions: {" FREED("Deactivated") "}");
    writes(s, "write: requeued, reason: Reactivated");
}

static void backoff_is_over(struct story *s)
{
    begin(s, "", "");
    s_ask(s, SEE, "requeueAt: 7, requeueCount: 1");
    writes(s, "write: clearBackoff");
    s_ask(s, SEE, "requeueCount: 1");
    writes(s, "write: reserve");
}

/* A check that is rejected deactivates for good: the target, then spec.active, then it goes. */
static void rejected(struct story *s)
{
    begin(s, "", "checks: [{name: k}]");
    s_ask(s, SEE, "conditions: {" RESERVED "}, checks: [{name: k, state: Rejected}], " ADMISSION);
    writes(s, "write: target, reason: AdmissionCheck");
    s_ask(s, SEE,
          "conditions: {" RESERVED ", DeactivationTarget: {status: 'True', reason: "
          "AdmissionCheck}}, checks: [{name: k, state: Rejected}], " ADMISSION);
    writes(s, "write: deactivate");
    s_ask(s, SEE,
          "conditions: {" RESERVED ", DeactivationTarget: {status: 'True', reason: "
          "AdmissionCheck}}, checks: [{name: k, state: Rejected}], active: false, requeueCount: "
          "2, " ADMISSION);
    writes(s, "write: evict, reason: Deactivated, cause: AdmissionCheck, forgetRequeue: true");
    s_ask(s, SEE,
          "conditions: {QuotaReserved: {status: 'False', reason: Pending, since: 3}, Evicted: "
          "{status: 'True', reason: Deactivated, since: 2}}, active: false, requeueCount: 2");
    writes(s, "write: clearRequeue");
}

static void checks_change(struct story *s)
{
    begin(s, "", "");
    s_ask(s, SEE, "conditions: {" ADMITTED "}, " ADMISSION);
    s_drain(s);
    s_want(s, "{effects: []}");
    queue(s, "checks: [{name: k}, {name: j, flavors: [other]}]");
    writes(s, "write: checks, checks: [k]");
    queue(s, "checks: [{name: k, flavors: [f]}, {name: j, flavors: [f]}]");
    s_ask(s, SEE, "conditions: {" ADMITTED "}, checks: [{name: k, state: Ready}], " ADMISSION);
    writes(s, "write: checks, checks: [k, j]");
}

/* A signal goes when nobody is left who could go, or with the quota. */
static void signal_goes(struct story *s)
{
    static const char other[] =
        "{role: worker, uid: b, namespace: n, name: b, created: 1, queue: l, priority: %d, "
        "podSets: [{name: main, count: 2, requests: {cpu: 1}}], conditions: {" ADMITTED
        "}, " ADMISSION "}";
    static const char signals[] =
        "gates: [g], gateStatus: {g: Closed}, priority: 5, conditions: {BlockedOnPreemptionGates: "
        "{status: 'True', since: 1}}";

    begin(s, "", "preemption: {withinClusterQueue: LowerPriority}");
    s_see(s, "workload", other, 1);
    s_ask(s, SEE, signals);
    s_tick(s, s->now);
    s_drain(s);
    s_want(s, "{effects: []}");
    s_see(s, "workload", other, 9);
    writes(s, "write: clearSignal");
    s_ask(s, SEE, signals);
    begin(s, "", "preemption: {withinClusterQueue: LowerPriority}");
    s_see(s, "workload", other, 1);
    s_ask(s, SEE, signals);
    s_lose(s, "workload", "{role: worker, namespace: n, name: b}");
    writes(s, "write: reserve, clear: true");
}

const struct promise promises_of_writes[] = {
    {"gates of a workload that have no status get one", gates},
    {"who is deactivated is evicted, and the eviction ends when its job has stopped", deactivated},
    {"who is stopped with HoldAndDrain is evicted, with Hold not", stopped},
    {"checks are listed with the quota, and may send a workload away", checks},
    {"with waitingReasons who waits is told why, once", waiting},
    {"with waitingReasonsAfter who waits is told so when it has waited, and so many a second",
     waits_first},
    {"with waitingReasons who waits for victims says so", waits_for_victims},
    {"into a workload that is finished nothing is written", finished},
    {"who has a reservation alone loses it when its queue stops or goes", reservation_ends},
    {"who waits for a queue that is stopped or not there is told so, once", obstacles},
    {"who a check sends away until a time waits for it, and then comes back", waits_for_its_check},
    {"what was evicted is requeued when its reason is over, and why", comes_back},
    {"a backoff that is over is cleared before the quota is given", backoff_is_over},
    {"a rejected check targets, deactivates and evicts, and the requeue state goes", rejected},
    {"the checks that are listed follow the queue and the flavors", checks_change},
    {"a signal is cleared when nobody could go, or with the quota", signal_goes},
    {0},
};
