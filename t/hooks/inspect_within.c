/* SPDX-License-Identifier: Apache-2.0 */

/* What is asked within a namespace names nobody of another one, whatever the world is like: every
 * name in it but a uid tells whose it is, and no answer has one that is somebody else's. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "t/kit/ask.h"
#include "t/kit/msg_random.h"
#include "t/kit/tap.h"

#define GATE "scheduling.volcano.sh/queue-allocation-gate"

enum { SPACES = 4, EACH = 6, WORLDS = 60, STEPS = 90 };

static const char *const spaces[SPACES] = {"alpha", "bravo", "delta", "gamma"};

/* What the answers of all worlds had in them, or the test shows nothing. */
static struct {
    unsigned answers, refusals, later, victims, for_other, by_uid, another_queue, paths;
} met;

static uint64_t state, handle;
static long now;
static unsigned leaks;

static unsigned pick(unsigned from)
{
    return (unsigned)(msg_random_next(&state) % from);
}

static const char *format(const char *text, ...)
{
    static char out[4096];
    va_list args;

    va_start(args, text);
    vsnprintf(out, sizeof(out), text, args);
    va_end(args);
    return out;
}

static void see(const char *kind, const char *object)
{
    static char request[5000];

    snprintf(request, sizeof(request), "{now: %ld, kind: %s, object: %s}", now, kind, object);
    ask(handle, HOOK_OBSERVE, request);
}

/* A queue that all use, or one that a namespace has for itself; both below one. */
static const char *queue_for(const char *space)
{
    static char name[32];

    snprintf(name, sizeof(name), pick(2) ? "shared" : "%s-q", space);
    return name;
}

static void see_pod(unsigned which)
{
    const char *space = spaces[which];
    unsigned n = pick(EACH);
    char group[64] = "";

    if (pick(3) == 0)
        snprintf(group, sizeof(group), "scheduling.k8s.io/group-name: %s-g%u, ", space, pick(2));
    see("pod", format("{uid: %u-%u, namespace: %s, name: %s-p%u, created: %u, gates: [%s], "
                      "priority: %u, %s annotations: {" GATE ": 'true', %s"
                      "scheduling.volcano.sh/queue-name: %s}, requests: {cpu: %u}}",
                      which, n, space, space, n, n + 1, pick(3) ? GATE : "other", pick(3) * 5,
                      pick(4) ? "" : "node: n,", group, queue_for(space), 1 + pick(3)));
}

static void see_workload(unsigned which)
{
    const char *space = spaces[which];
    unsigned n = pick(EACH);

    see("workload",
        format("{role: worker, uid: %u-%u-w, namespace: %s, name: %s-w%u, created: %u, queue: "
               "%s-l, priority: %u, resourceVersion: %ld, %s podSets: [{name: main, count: 1, "
               "requests: {cpu: %u}}]}",
               which, n, space, space, n, n + 1, space, pick(4) * 5, now / 1000000000,
               pick(4) ? "" : "gates: [kueue.x-k8s.io/multikueue],", 1 + pick(3)));
}

static void step(void)
{
    unsigned which = pick(SPACES);
    const char *space = spaces[which];

    now += 1000000000L * (1 + pick(2));
    switch (pick(10)) {
    case 0:
        see("group", format("{uid: %s-g, namespace: %s, name: %s-g%u, created: 1, minMember: %u, "
                            "queue: %s}",
                            space, space, space, pick(2), 1 + pick(3), queue_for(space)));
        break;
    case 1:
        ask(handle, HOOK_OBSERVE,
            format("{now: %ld, gone: true, kind: workload, object: {role: worker, namespace: %s, "
                   "name: %s-w%u}}",
                   now, space, space, pick(EACH)));
        break;
    case 2:
        ask(handle, HOOK_TICK, format("{now: %ld}", now));
        break;
    case 3:
    case 4:
    case 5:
        see_workload(which);
        break;
    default:
        see_pod(which);
        break;
    }
    ask(handle, HOOK_DRAIN, format("{now: %ld}", now));
}

static void see_queues(void)
{
    see("flavor", "{name: f}");
    see("queue", "{kind: Queue, name: top, capability: {cpu: 9}}");
    see("queue", "{kind: Queue, name: shared, parent: top, strategy: fifo, capability: {cpu: 5}}");
    see("queue", "{kind: Cohort, name: all}");
    for (unsigned i = 0; i < SPACES; i++) {
        see("queue", format("{kind: Queue, name: %s-q, parent: top}", spaces[i]));
        see("queue",
            format("{kind: ClusterQueue, name: %s-c, parent: all, preemption: {withinClusterQueue: "
                   "LowerPriority, reclaimWithinCohort: Any}, groups: [{resources: [cpu], flavors: "
                   "[{name: f, quotas: {cpu: {nominal: 2}}}]}]}",
                   spaces[i]));
        see("localQueue", format("{namespace: %s, name: %s-l, uid: %s, clusterQueue: %s-c}",
                                 spaces[i], spaces[i], spaces[i], spaces[i]));
    }
}

static bool names(const char *text, const char *what)
{
    return strstr(text, what) != NULL;
}

static void judge(const char *space, const char *request)
{
    const char *answer = ask(handle, HOOK_INSPECT, request);

    for (unsigned i = 0; i < SPACES; i++) {
        if (spaces[i] == space || !names(answer, spaces[i]) || leaks++ > 5)
            continue;
        tap_diag("%s is answered\n%s\nwhich names %s", request, answer, spaces[i]);
    }
    met.answers += *answer == '{';
    met.refusals += *answer != '{';
    met.later += names(answer, "\"position\"=>2") || names(answer, "\"position\"=>3");
    met.victims += names(answer, "\"otherVictims\"=>") && !names(answer, "\"otherVictims\"=>0");
    met.for_other += names(answer, "\"forOther\"=>true");
    met.by_uid += names(answer, "comes after UID ");
    met.another_queue += names(answer, "head of another queue");
    met.paths += names(answer, "\"path\"=>[{");
}

/* All that may be asked within the namespace, of each object that it may have. */
static void ask_all(const char *space)
{
    static const char *const objects[] = {"pod", "p", "workload", "w", "group", "g"};
    static const char *const lists[] = {"what: groups", "what: localQueues"};

    for (unsigned k = 0; k < 6; k += 2) {
        for (unsigned n = 0; n < EACH; n++)
            judge(space, format("{now: %ld, what: %s, name: %s-%s%u, '!within': %s, path: true}",
                                now, objects[k], space, objects[k + 1], n, space));
    }
    judge(space, format("{now: %ld, what: localQueue, name: %s-l, '!within': %s, path: true}", now,
                        space, space));
    for (unsigned k = 0; k < 2; k++)
        judge(space, format("{now: %ld, %s, '!within': %s, path: true}", now, lists[k], space));
    for (unsigned k = 0; k < 2; k++)
        judge(space, format("{now: %ld, what: workloads, kind: LocalQueue, name: %s-l, holding: "
                            "%s, '!within': %s}",
                            now, space, k ? "true" : "false", space));
}

static void test_worlds(void)
{
    for (unsigned world = 0; world < WORLDS; world++) {
        state = world + 1;
        now = 1000000000L;
        handle = ask_open("{headGuard: 1000000000, effects: [evictPod, writeWorkload], "
                          "preemptionGates: true}");
        see_queues();
        ask(handle, HOOK_OBSERVE, format("{now: %ld, kind: synced}", now));
        ask(handle, HOOK_OBSERVE, format("{now: %ld, kind: leader}", now));
        for (unsigned i = 0; i < STEPS; i++) {
            step();
            if (i % 15 == 14)
                ask_all(spaces[i % SPACES]);
        }
        for (unsigned i = 0; i < SPACES; i++)
            ask_all(spaces[i]);
        sluice_close(handle);
    }
    is_int(leaks, 0, "no answer names anybody of another namespace");
    ok(met.answers > 1000 && met.refusals > 100, "there were answers (%u), and refusals (%u)",
       met.answers, met.refusals);
    ok(met.later > 50 && met.paths > 500, "places in a queue (%u), and queues (%u)", met.later,
       met.paths);
    ok(met.victims > 10 && met.for_other > 10, "workloads that go for those of others: %u and %u",
       met.victims, met.for_other);
    ok(met.by_uid > 10 && met.another_queue > 0, "turns after those of others: %u and %u",
       met.by_uid, met.another_queue);
}

/* What is another's is answered as what is not there; and only such questions are allowed that tell
 * no more. */
static void test_refusals(void)
{
    static const char *const whole[] = {
        "queues", "queue", "pending", "effects",   "limits",   "digest",
        "memory", "check", "fleet",   "recording", "clusters", "clusterQueue",
    };

    now = 1000000000L;
    handle = ask_open("{effects: [writeWorkload], multiKueue: {}}");
    see_queues();
    see("pod", "{uid: u, namespace: bravo, name: p, created: 1, requests: {cpu: 1}, node: n}");
    is_str(ask(handle, HOOK_INSPECT, "{now: 1, what: pod, uid: u, '!within': alpha}"),
           "FIELD uid: \"u\", want a pod of ours that was seen and is not gone",
           "a pod of another namespace by its uid is none");
    is_str(ask(handle, HOOK_INSPECT, "{now: 1, what: pod, uid: none, '!within': alpha}"),
           "FIELD uid: \"none\", want a pod of ours that was seen and is not gone",
           "as one that is not there is");
    ok(names(ask(handle, HOOK_INSPECT, "{now: 1, what: pod, uid: u, '!within': bravo}"),
             "\"name\"=>\"p\""),
       "its own namespace is told of it");
    ok(names(ask(handle, HOOK_INSPECT, "{now: 1, what: pod, name: p, '!within': bravo}"),
             "\"uid\"=>\"u\""),
       "also by its name alone");
    is_str(ask(handle, HOOK_INSPECT,
               "{now: 1, what: pod, namespace: bravo, name: p, '!within': alpha}"),
           "FIELD namespace: \"bravo\", want that of `!within`, or none",
           "another namespace cannot be named");
    is_str(ask(handle, HOOK_INSPECT,
               "{now: 1, what: workloads, kind: ClusterQueue, name: bravo-c, '!within': alpha}"),
           "FIELD kind: a queue of the cluster, want LocalQueue, within a namespace",
           "nor can the workloads of a ClusterQueue be listed");
    is_str(ask(handle, HOOK_INSPECT, "{now: 1, what: pod, uid: u, '!within': ''}"),
           "FIELD !within: \"\", want text of 1 to 253 bytes", "a namespace has a name");
    for (unsigned i = 0; i < sizeof(whole) / sizeof(whole[0]); i++) {
        char wanted[200];

        snprintf(wanted, sizeof(wanted),
                 "FIELD what: \"%s\", want one of the views that PROTOCOL.md lists for `!within`",
                 whole[i]);
        is_str(ask(handle, HOOK_INSPECT,
                   format("{now: 1, what: %s, kind: Queue, name: default, '!within': alpha}",
                          whole[i])),
               wanted, "%s tells of more than a namespace", whole[i]);
    }
    sluice_close(handle);
}

int main(void)
{
    test_worlds();
    test_refusals();
    return tap_done();
}
