/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "abi/host/conform_promises.h"
#include "abi/host/conform_steps.h"

/* Something for each kind of effect that a new lead would give out. */
static void world(struct story *s)
{
    s_see(s, "queue", "{kind: Queue, name: shut, state: Closed}");
    s_pod(s, "p", "{queue: shut, unschedulable: true}");
    s_see(s, "flavor", "{name: f}");
    s_see(s, "queue",
          "{kind: ClusterQueue, name: c, groups: [{resources: [cpu], flavors: [{name: f, "
          "quotas: {cpu: {nominal: 5}}}]}]}");
    s_see(s, "localQueue", "{namespace: n, name: l, clusterQueue: c}");
    s_see(s, "workload",
          "{role: worker, uid: w, namespace: n, name: w, created: 1, queue: l, "
          "podSets: [{name: a, count: 1, requests: {cpu: 1}}]}");
    s_see(s, "cluster", "{name: k, connected: true}");
    s_see(s, "workload",
          "{role: manager, uid: m, namespace: n, name: m, nominated: [k], "
          "conditions: {QuotaReserved: 'True'}, checksReady: true}");
    s_see(s, "group", "{uid: g, namespace: n, name: g, created: 1, minMember: 2}");
    s_ask(s, LOADER_COMMAND,
          "{command: {uid: o, namespace: n, name: o, action: OpenQueue, target: "
          "{kind: Queue, name: shut}}}");
    s_pod(s, "free", "{}");
}

static void open_world(struct story *s)
{
    s_open(s, "{removal: onAdmission, effects: [queueStatus, event, deleteCommand, answerPermit, "
              "setGroup, createGroup, setGroupStatus, writeWorkload], multiKueue: {}}");
}

static const struct {
    const char *kind, *about;
} given[] = {
    {"removeGates", "free"}, {"writeWorkload", "w"},  {"createReplica", "m"},
    {"setGroupStatus", "g"}, {"queueStatus", "shut"},
};

enum { GIVEN = sizeof(given) / sizeof(given[0]) };

static void all_given(struct story *s, int64_t ids[GIVEN])
{
    for (int i = 0; i < 30 && json_is_true(s_value(s, "more")); i++)
        s_tick(s, s->now);
    for (int i = 0; i < GIVEN; i++)
        ids[i] = 0;
    for (int round = 0; round < 2; round++) {
        s_drain(s);
        for (int i = 0; i < GIVEN; i++)
            ids[i] += s_effect(s, given[i].kind, given[i].about);
        int64_t wakes = s_effect(s, "activate", "free"); /* then its gate goes */
        if (wakes)
            s_ack(s, wakes, "done");
    }
    for (int i = 0; i < GIVEN; i++)
        s_holds(s, ids[i] != 0, "%s of %s is given", given[i].kind, given[i].about);
}

static void waits_for_both(struct story *s)
{
    static const char *const kinds[] = {"synced", "leader"};

    for (int first = 0; first < 2; first++) {
        int64_t ids[GIVEN];

        open_world(s);
        world(s);
        s_want(s, "{pending: 0}");
        s_state(s, "free", "waiting");
        for (int i = 0; i < 2; i++) {
            s_drain(s);
            s_want(s, "{effects: [], pending: 0}");
            s_ask(s, LOADER_PRE_ENQUEUE,
                  "{pod: {uid: x, namespace: n, name: x, created: 1, gates: [" STORY_GATE "]}}");
            s_want(s, "{pass: false, reason: NotReady}");
            s_ask(s, LOADER_INSPECT, "{what: workload, namespace: n, name: w}");
            s_want(s, "{state: waiting}");
            s_ask(s, LOADER_OBSERVE, "{kind: %s}", kinds[first ^ i]);
        }
        for (int i = 0; i < 30 && json_is_true(s_value(s, "more")); i++)
            s_tick(s, s->now);
        s_state(s, "free", "reserved");
        all_given(s, ids);
    }
}

static void end_takes_back(struct story *s)
{
    int64_t ids[GIVEN], later[GIVEN];

    open_world(s);
    s_lead(s);
    world(s);
    all_given(s, ids);
    s_ask(s, LOADER_OBSERVE, "{kind: leader, gone: true}");
    s_want(s, "{pending: 0}");
    s_drain(s);
    s_want(s, "{effects: [], pending: 0}");
    for (int i = 0; i < GIVEN; i++) {
        s_ack(s, ids[i], i % 2 ? "done" : "gone");
        s_holds(s, s_int(s, "unknown") == 1, "after the lead the ack of %s is unknown",
                given[i].kind);
    }
    s_ask(s, LOADER_INSPECT, "{what: effects}");
    s_want(s, "{effects: []}");
    s_tick(s, s->now += 120 * (int64_t)STORY_SECOND);
    s_drain(s);
    s_want(s, "{effects: [], pending: 0}");
    s_state(s, "free", "waiting");
    s_ask(s, LOADER_OBSERVE, "{kind: leader}");
    all_given(s, later);
    for (int i = 0; i < GIVEN; i++) {
        s_holds(s, later[i] != ids[i], "%s has another id under another lead", given[i].kind);
        s_ack(s, ids[i], "done");
        s_holds(s, s_int(s, "unknown") == 1, "an ack of %s for an earlier lead is unknown",
                given[i].kind);
    }
}

static void none_after(struct story *s)
{
    s_lead(s);
    s_ask(s, LOADER_OBSERVE, "{kind: leader, gone: true}");
    s_pod(s, "p", "{}");
    s_state(s, "p", "waiting");
    s_want(s, "{reason: NotReady}");
    s_ask(s, LOADER_PRE_ENQUEUE,
          "{pod: {uid: x, namespace: n, name: x, created: 1, gates: [" STORY_GATE "]}}");
    s_want(s, "{pass: false, reason: NotReady, would: false}");
    s_ask(s, LOADER_OBSERVE, "{kind: leader}");
    s_state(s, "p", "reserved");
}

static void synced_stays(struct story *s)
{
    s_refuse(s, SLUICE_FIELD, "gone", LOADER_OBSERVE, "{kind: synced, gone: true}");
    s_lead(s);
    s_refuse(s, SLUICE_FIELD, "gone", LOADER_OBSERVE, "{kind: synced, gone: true}");
    s_ask(s, LOADER_OBSERVE, "{kind: synced}");
    s_ask(s, LOADER_OBSERVE, "{kind: leader}");
    s_pod(s, "p", "{}");
    s_state(s, "p", "reserved");
}

/* Three stamps for the room of two: the oldest are restored. */
static void restores_by_stamp(struct story *s)
{
    s_see(s, "queue", "{kind: Queue, name: q, capability: {cpu: 2}}");
    s_pod(s, "bound", "{queue: q, requests: {cpu: 1}, node: a, gates: [], created: 9}");
    s_pod(s, "late",
          "{queue: q, requests: {cpu: 1}, gates: [], created: 1, annotations: "
          "{sluice.sh/granted: '30'}}");
    s_pod(s, "early",
          "{queue: q, requests: {cpu: 1}, gates: [], created: 2, annotations: "
          "{sluice.sh/granted: '20'}}");
    s_lead(s);
    s_state(s, "bound", "allocated");
    s_state(s, "early", "reserved");
    s_want(s, "{granted: 20}");
    s_ask(s, LOADER_INSPECT, "{what: pod, uid: late}");
    s_holds(s, s_text(s, "state")[0] != 'r', "who does not fit is not restored");
}

/* Its owner writes another queue into it, which is full. */
static void restores_where_granted(struct story *s)
{
    s_see(s, "queue", "{kind: Queue, name: q, capability: {cpu: 2}}");
    s_see(s, "queue", "{kind: Queue, name: r, capability: {cpu: 1}}");
    s_pod(s, "full", "{queue: r, requests: {cpu: 1}, node: a, gates: []}");
    for (int bound = 0; bound <= 1; bound++) {
        s_pod(s, bound ? "runs" : "waits",
              "{queue: r, requests: {cpu: 1}, gates: [], node: '%s', annotations: "
              "{sluice.sh/granted: '20', sluice.sh/queue: queue/q}}",
              bound ? "a" : "");
    }
    s_lead(s);
    s_state(s, "runs", "allocated");
    s_want(s, "{queue: q}");
    s_state(s, "waits", "reserved");
    s_want(s, "{queue: q}");
    s_ask(s, LOADER_INSPECT, "{what: queue, kind: Queue, name: r}");
    s_want(s, "{allocated: 1, reserved: 0}");
}

static void stamps_that_are_none(struct story *s)
{
    static const char *const stamps[] = {"soon", "-1", "1.5", "4611686018427387904", ""};

    s_lead(s);
    for (size_t i = 0; i < sizeof(stamps) / sizeof(stamps[0]); i++) {
        s_open(s, "{}");
        s_pod(s, "p", "{annotations: {sluice.sh/granted: '%s', " STORY_GATE ": nil}, gates: []}",
              stamps[i]);
        s_refuse(s, SLUICE_FIELD, "uid", LOADER_INSPECT, "{what: pod, uid: p}");
    }
    s_open(s, "{}");
    s_pod(s, "p",
          "{annotations: {sluice.sh/granted: '4611686018427387903', " STORY_GATE
          ": nil}, gates: []}");
    s_lead(s);
    s_state(s, "p", "reserved");
    s_want(s, "{granted: %lld}", (long long)STORY_LATEST);
}

static void observes_only(struct story *s)
{
    s_open(s, "{observeOnly: true, removal: onAdmission, effects: [queueStatus, event]}");
    s_lead(s);
    s_see(s, "queue", "{kind: Queue, name: q, capability: {cpu: 1}}");
    s_pod(s, "a", "{queue: q, requests: {cpu: 1}, created: 1}");
    s_pod(s, "b",
          "{queue: q, requests: {cpu: 1}, created: 2, unschedulable: true, "
          "resourceVersion: 1}");
    s_want(s, "{pending: 0}");
    s_drain(s);
    s_want(s, "{effects: []}");
    s_state(s, "a", "reserved");
    s_state(s, "b", "waiting");
    s_ask(s, LOADER_PRE_ENQUEUE, "{uid: b, resourceVersion: 1}");
    s_want(s, "{pass: true, would: false, known: true, reason: '', message: ''}");
    s_ask(s, LOADER_ADMIT,
          "{kind: pod, operation: CREATE, object: {namespace: n, annotations: {" STORY_GATE
          ": 'true'}}}");
    s_want(s, "{allow: true, gates: []}");
    s_ask(s, LOADER_PRE_FILTER, "{uid: b}");
    s_want(s, "{pass: true}");
}

const struct promise promises_of_lead[] = {
    {"nothing is granted and no effect given before synced and leader", waits_for_both},
    {"the end of the lead ends every lease, and what was under way is unknown", end_takes_back},
    {"who leads no more grants nothing", none_after},
    {"synced is never withdrawn", synced_stays},
    {"a new leader restores reservations, the oldest stamp first, while they fit",
     restores_by_stamp},
    {"what was granted counts in the queue that its stamp names", restores_where_granted},
    {"a stamp that cannot be read, or lies beyond 2^62, is no stamp", stamps_that_are_none},
    {"observeOnly decides and reports, holds nothing and asks nothing", observes_only},
    {0},
};
