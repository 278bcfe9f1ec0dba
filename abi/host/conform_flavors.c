/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "abi/host/conform_promises.h"
#include "abi/host/conform_steps.h"

static void flavor(struct story *s, const char *queue, const char *more, int x, int y)
{
    s_see(s, "queue",
          "{kind: ClusterQueue, name: %s, groups: [{resources: [cpu], flavors: [{name: x, quotas: "
          "{cpu: {nominal: %d}}}, {name: y, quotas: {cpu: {nominal: %d}}}]}], %s}",
          queue, x, y, more);
}

static void begin(struct story *s)
{
    s_open(s, "{effects: [writeWorkload, evictPod]}");
    s_lead(s);
    s_see(s, "flavor", "{name: x}");
    s_see(s, "flavor", "{name: y}");
    for (const char *c = "abc"; *c; c++)
        s_see(s, "localQueue", "{namespace: n, name: l%c, clusterQueue: %c}", *c, *c);
}

/* Who waits: of so many cpus, in such a queue. */
static void wait_in(struct story *s, const char *queue, const char *name, int cpu, const char *more)
{
    s_see(
        s, "workload",
        "{role: worker, uid: %s, namespace: n, name: %s, created: 5, queue: l%s, podSets: [{name: "
        "main, count: 1, requests: {cpu: %d}}], %s}",
        name, name, queue, cpu, more);
}

/* Who holds: that much, of this flavor, since such a time. */
static void hold_in(struct story *s, const char *queue, const char *name, int cpu, const char *of,
                    const char *more)
{
    s_see(
        s, "workload",
        "{role: worker, uid: %s, namespace: n, name: %s, created: 1, queue: l%s, podSets: [{name: "
        "main, count: 1, requests: {cpu: %d}}], conditions: {QuotaReserved: {status: 'True', "
        "since: 1}, Admitted: {status: 'True', since: 1}}, admission: {clusterQueue: %s, podSets: "
        "[{name: main, count: 1, flavors: {cpu: %s}}]}, %s}",
        name, name, queue, cpu, queue, of, more);
}

/* What is written next, alone: for this workload. */
static void writes(struct story *s, const char *want)
{
    for (int i = 0; i < 9 && s_int(s, "pending") == 0; i++)
        s_tick(s, s->now);
    s_drain(s);
    s_want(s, "{effects: [%s]}", want);
}

static void takes(struct story *s, const char *name, const char *of)
{
    s_drain(s);
    s_want(s,
           "{effects: [{write: reserve, name: %s, admission: {podSets: [{flavors: {cpu: %s}}]}}]}",
           name, of);
}

static void borrows(struct story *s)
{
    static const struct {
        const char *word, *of;
    } said[] = {{"whenCanBorrow: TryNextFlavor", "y"},
                {"whenCanBorrow: Borrow", "x"},
                {"whenCanBorrow: Other", "x"},
                {"", "x"}};

    for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++) {
        char more[100];

        snprintf(more, sizeof(more), "parent: co, %s", said[i].word);
        begin(s);
        flavor(s, "b", "parent: co", 5, 5);
        flavor(s, "a", more, 1, 2);
        s_pod(s, "p", "{queue: a, queueKind: ClusterQueue, requests: {cpu: 2}}");
        s_state(s, "p", "reserved");
        s_want(s, "{flavors: {cpu: %s}}", said[i].of);
        s_lose(s, "pod", "{uid: p}");
        wait_in(s, "a", "w", 2, "");
        takes(s, "w", said[i].of);
    }
}

/* x is lent by another half of the tree, y by the next queue. */
static void borrows_near(struct story *s)
{
    for (int nearest = 0; nearest < 2; nearest++) {
        begin(s);
        s_see(s, "queue", "{kind: Cohort, name: co, parent: all}");
        flavor(s, "c", "parent: all", 5, 0);
        flavor(s, "b", "parent: co", 0, 5);
        flavor(s, "a", nearest ? "parent: co, whenCanBorrow: TryNextFlavor" : "parent: co", 1, 1);
        s_pod(s, "p", "{queue: a, queueKind: ClusterQueue, requests: {cpu: 2}}");
        s_state(s, "p", "reserved");
        s_want(s, "{flavors: {cpu: %s}}", nearest ? "y" : "x");
    }
}

static void preempts(struct story *s)
{
    static const char within[] = "preemption: {withinClusterQueue: LowerPriority}, "
                                 "whenCanPreempt: %s";

    for (int next = 0; next < 2; next++) {
        char more[100];

        snprintf(more, sizeof(more), within, next ? "TryNextFlavor" : "Preempt");
        begin(s);
        flavor(s, "a", more, 1, 1);
        hold_in(s, "a", "low", 1, "x", "");
        wait_in(s, "a", "high", 1, "priority: 5");
        if (next)
            takes(s, "high", "y");
        else
            writes(s, "{write: evict, name: low, reason: Preempted, cause: InClusterQueue}");
    }
}

/* In x somebody would have to go, in y it would borrow; neither is one to stop at. */
static void prefers(struct story *s)
{
    for (int least = 0; least < 2; least++) {
        begin(s);
        flavor(s, "b", "parent: co", 0, 5);
        flavor(s, "a",
               least ? "parent: co, preemption: {withinClusterQueue: LowerPriority}, "
                       "whenCanPreempt: TryNextFlavor, whenCanBorrow: TryNextFlavor, preference: "
                       "PreemptionOverBorrowing"
                     : "parent: co, preemption: {withinClusterQueue: LowerPriority}, "
                       "whenCanPreempt: TryNextFlavor, whenCanBorrow: TryNextFlavor",
               1, 0);
        hold_in(s, "a", "low", 1, "x", "");
        wait_in(s, "a", "high", 1, "priority: 5");
        if (least)
            writes(s, "{write: evict, name: low, cause: InClusterQueue}");
        else
            takes(s, "high", "y");
    }
}

/* b lives above its share, with what is a's: whose may go for one of a. */
static void reclaims(struct story *s)
{
    static const struct {
        const char *policy, *cause;
        int priority;
    } said[] = {{"Any", "InCohortReclamation", 0},
                {"LowerPriority", "InCohortReclamation", 5},
                {"LowerPriority", "", 0},
                {"Never", "", 5}};

    for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++) {
        char more[200];

        snprintf(more, sizeof(more), "parent: co, preemption: {reclaimWithinCohort: %s}",
                 said[i].policy);
        begin(s);
        flavor(s, "b", "parent: co", 1, 0);
        flavor(s, "a", more, 1, 0);
        hold_in(s, "b", "one", 1, "x", "priority: 3");
        hold_in(s, "b", "two", 1, "x", "priority: 2");
        snprintf(more, sizeof(more), "priority: %d", said[i].priority);
        wait_in(s, "a", "w", 1, more);
        if (said[i].cause[0])
            writes(s, "{write: evict, name: two, reason: Preempted, cause: InCohortReclamation}");
        else
            writes(s, "");
    }
}

/* a would borrow itself: only those below the threshold go, and only for one that is worth more. */
static void reclaims_while_borrowing(struct story *s)
{
    static const struct {
        const char *borrow;
        int goes;
    } said[] = {{"{policy: LowerPriority}", 1},
                {"{policy: LowerPriority, maxPriorityThreshold: 2}", 1},
                {"{policy: LowerPriority, maxPriorityThreshold: 1}", 0},
                {"{policy: Never}", 0}};

    for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++) {
        char more[200];

        snprintf(more, sizeof(more),
                 "parent: co, preemption: {reclaimWithinCohort: Any, borrowWithinCohort: %s}",
                 said[i].borrow);
        begin(s);
        flavor(s, "c", "parent: co", 2, 0);
        flavor(s, "b", "parent: co", 0, 0);
        flavor(s, "a", more, 1, 0);
        hold_in(s, "b", "two", 3, "x", "priority: 2");
        wait_in(s, "a", "w", 2, "priority: 5");
        if (said[i].goes)
            writes(s, "{write: evict, name: two, cause: InCohortReclaimWhileBorrowing}");
        else
            writes(s, "");
    }
}

/* Whoever is sent away keeps its quota until its job has stopped; then it stands in line again. */
static void makes_room(struct story *s)
{
    begin(s);
    flavor(s, "a", "preemption: {withinClusterQueue: LowerPriority}", 1, 0);
    hold_in(s, "a", "low", 1, "x", "resourceVersion: 1");
    wait_in(s, "a", "high", 1, "priority: 5");
    writes(s, "{write: evict, name: low}");
    s_ask(s, LOADER_ACK, "{acks: [{id: %lld, result: done, resourceVersion: 2}]}",
          (long long)s_effect(s, "writeWorkload", "low"));
    s_see(
        s, "workload",
        "{role: worker, uid: low, namespace: n, name: low, created: 1, queue: la, "
        "resourceVersion: 2, jobStopped: true, podSets: [{name: main, count: 1, requests: {cpu: "
        "1}}], conditions: {QuotaReserved: {status: 'True', since: 1}, Admitted: {status: 'True', "
        "since: 1}, Evicted: {status: 'True', reason: Preempted, since: 2}}, admission: "
        "{clusterQueue: a, podSets: [{name: main, count: 1, flavors: {cpu: x}}]}}");
    writes(s, "{write: endEviction, name: low, reason: Preempted, requeued: true}");
    s_ask(s, LOADER_ACK, "{acks: [{id: %lld, result: done, resourceVersion: 3}]}",
          (long long)s_effect(s, "writeWorkload", "low"));
    s_see(s, "workload",
          "{role: worker, uid: low, namespace: n, name: low, created: 1, queue: la, "
          "resourceVersion: 3, jobStopped: true, podSets: [{name: main, count: 1, requests: {cpu: "
          "1}}]}");
    takes(s, "high", "x");
}

const struct promise promises_of_flavors[] = {
    {"whenCanBorrow: TryNextFlavor goes on behind a flavor that must be borrowed", borrows},
    {"where each flavor must be borrowed, TryNextFlavor takes the one from nearest", borrows_near},
    {"whenCanPreempt: TryNextFlavor goes on behind a flavor in which others would go", preempts},
    {"preference says whether preempting or borrowing is worse", prefers},
    {"reclaimWithinCohort says whose workload goes for one within its share", reclaims},
    {"borrowWithinCohort says who goes for one that borrows, up to a threshold",
     reclaims_while_borrowing},
    {"who is preempted ends its eviction, stands in line again, and its room is given", makes_room},
    {0},
};
