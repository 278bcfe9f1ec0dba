/* SPDX-License-Identifier: Apache-2.0 */
#include "abi/host/conform_promises.h"
#include "abi/host/conform_steps.h"

#define MEMBER "annotations: {scheduling.k8s.io/group-name: g}"

static void begin(struct story *s)
{
    s_open(s, "{effects: [answerPermit, createGroup, changeGroup, setGroup, setGroupStatus, "
              "queueStatus]}");
    s_lead(s);
    s_see(s, "queue", "{kind: Queue, name: q, capability: {cpu: 2}}");
}

static void all_or_none(struct story *s)
{
    begin(s);
    s_pod(s, "lone", "{queue: q, requests: {cpu: 1}, created: 1}");
    s_see(s, "group", "{uid: g, namespace: n, name: g, created: 2, queue: q, minMember: 2}");
    s_pod(s, "a", "{" MEMBER ", requests: {cpu: 1}, resourceVersion: 1}");
    s_ask(s, LOADER_PRE_ENQUEUE, "{uid: a, resourceVersion: 1}");
    s_want(s, "{pass: false, reason: GroupIncomplete}");
    s_pod(s, "b", "{" MEMBER ", requests: {cpu: 1}, resourceVersion: 1}");
    s_ask(s, LOADER_PRE_ENQUEUE, "{uid: a, resourceVersion: 1}");
    s_want(s, "{pass: false, reason: QueueCapacity}");
    s_ask(s, LOADER_INSPECT, "{what: group, namespace: n, name: g}");
    s_want(s, "{uid: g, known: true, queue: q, state: waiting, minimum: 2, pods: 2, ready: 2, "
              "reserved: 0, members: [{uid: a, state: waiting}, {uid: b, state: waiting}]}");
    s_ask(s, LOADER_INSPECT, "{what: pending, kind: Queue, name: q}");
    s_want(s, "{pods: [{uid: g, name: g, members: 2}]}");
    s_lose(s, "pod", "{uid: lone}");
    s_state(s, "a", "reserved");
    s_want(s, "{group: g, members: 2, minimum: 2}");
    s_state(s, "b", "reserved");
    s_lose(s, "pod", "{uid: b}");
    s_ask(s, LOADER_INSPECT, "{what: pod, uid: a}");
    s_want(s, "{state: held, reason: GroupIncomplete}");
}

static void minimum_of_none(struct story *s)
{
    begin(s);
    for (int minimum = -1; minimum < 2; minimum++) {
        s_see(s, "group", "{uid: g, namespace: n, name: g, created: 2, queue: q, minMember: %d}",
              minimum);
        s_pod(s, "a", "{" MEMBER "}");
        s_state(s, "a", minimum < 0 ? "held" : "reserved");
        s_lose(s, "pod", "{uid: a}");
    }
}

static void permits(struct story *s)
{
    begin(s);
    s_see(s, "group", "{uid: g, namespace: n, name: g, created: 2, queue: q, minMember: 2}");
    s_pod(s, "a", "{" MEMBER "}");
    s_pod(s, "b", "{" MEMBER "}");
    s_settle(s);
    s_ask(s, LOADER_RESERVE, "{uid: a, node: x}");
    s_want(s, "{pass: true}");
    s_ask(s, LOADER_PERMIT, "{uid: a, node: x}");
    s_want(s, "{allow: false}");
    s_holds(s, s_int(s, "wait") > s->now, "who waits in Permit is told until when");
    s_ask(s, LOADER_RESERVE, "{uid: b, node: y}");
    s_ask(s, LOADER_PERMIT, "{uid: b, node: y}");
    s_want(s, "{allow: true}");
    s_drain(s);
    s_holds(s, s_effect(s, "answerPermit", "a") != 0, "its sibling's wait is ended");
    s_ack(s, s_effect(s, "answerPermit", "a"), "done");
    s_drain(s);
    s_holds(s, s_effect(s, "answerPermit", "a") == 0, "it is answered once");
}

static void no_nodes_for_one(struct story *s)
{
    begin(s);
    s_see(s, "group", "{uid: g, namespace: n, name: g, created: 2, queue: q, minMember: 2}");
    s_pod(s, "a", "{" MEMBER "}");
    s_pod(s, "b", "{" MEMBER ", resourceVersion: 1}");
    s_settle(s);
    s_ask(s, LOADER_RESERVE, "{uid: a, node: x}");
    s_ask(s, LOADER_PERMIT, "{uid: a, node: x}");
    s_ask(s, LOADER_POST_FILTER, "{uid: b}");
    s_drain(s);
    s_holds(s, s_effect(s, "answerPermit", "a") != 0,
            "who waits is let go when a sibling finds none");
    s_ask(s, LOADER_UNRESERVE, "{uid: a, node: x}");
    s_ask(s, LOADER_PRE_FILTER, "{uid: b}");
    s_want(s, "{pass: false, unschedulable: true}");
    s_ask(s, LOADER_PRE_ENQUEUE, "{uid: b, resourceVersion: 1}");
    s_want(s, "{pass: false, reason: GroupBackoff}");
}

static void made(struct story *s)
{
    begin(s);
    for (int i = 0; i < 2; i++)
        s_pod(
            s, i ? "b" : "a",
            "{queue: q, requests: {cpu: 1}, annotations: {scheduling.volcano.sh/group-min-member: "
            "'2'}, priorityClass: pc, controller: {uid: d, kind: Deployment, name: web, "
            "apiVersion: apps/v1}}");
    s_drain(s);
    int64_t id = s_effect(s, "createGroup", "podgroup-d");
    s_holds(s, id != 0, "the group of a minimum is made");
    s_settle(s);
    s_ack(s, id, "done");
    s_want(s, "{unknown: 0}");
    s_see(s, "group",
          "{uid: g, namespace: n, name: podgroup-d, created: 5, queue: q, minMember: 2, "
          "resourceVersion: 3}");
    s_drain(s);
    int64_t set = s_effect(s, "setGroup", "a");
    s_holds(s, set != 0, "its members are told of it");
    s_ask(s, LOADER_ACK, "{acks: [{id: %lld, result: done, resourceVersion: 4}]}", (long long)set);
    s_want(s, "{unknown: 0}");
    s_state(s, "a", "reserved");
}

static void follows(struct story *s)
{
    begin(s);
    s_see(s, "queue", "{kind: Queue, name: r}");
    s_see(s, "group",
          "{uid: g, namespace: n, name: podgroup-d, created: 2, queue: q, minMember: 1, "
          "minResources: {cpu: 1}, resourceVersion: 3, ours: true}");
    s_pod(s, "a",
          "{queue: r, requests: {cpu: 1}, annotations: {scheduling.volcano.sh/group-min-member: "
          "'1'}, controller: {uid: d, kind: Deployment, name: web}}");
    s_state(s, "a", "held");
    s_drain(s);
    int64_t id = s_effect(s, "changeGroup", "podgroup-d");
    s_holds(s, id != 0, "the group of ours follows its newest pod");
    s_ack(s, id, "done");
    s_want(s, "{unknown: 0}");
    s_see(s, "group",
          "{uid: g, namespace: n, name: podgroup-d, created: 2, queue: r, minMember: 1, "
          "minResources: {cpu: 1}, resourceVersion: 4, ours: true}");
    s_state(s, "a", "reserved");
    s_ask(s, LOADER_INSPECT, "{what: pod, uid: a}");
    s_want(s, "{queue: r}");
}

/* Of Kubernetes' own, where the host makes such. */
static void made_native(struct story *s)
{
    static const char member[] =
        "{queue: q, requests: {cpu: 1}, annotations: {scheduling.volcano.sh/group-min-member: "
        "'2'}, schedulingGroup: podgroup-j, controller: {uid: j, kind: Job, name: j, "
        "apiVersion: batch/v1}}";

    s_open(s, "{effects: [answerPermit, createNativeGroup, changeGroup, setGroup], "
              "partialGroups: false}");
    s_lead(s);
    s_see(s, "queue", "{kind: Queue, name: q}");
    s_pod(s, "a", member);
    s_pod(s, "b", member);
    s_drain(s);
    int64_t id = s_effect(s, "createNativeGroup", "podgroup-j");
    s_holds(s, id != 0, "the native group of a minimum is made");
    s_ack(s, id, "done");
    s_want(s, "{unknown: 0}");
    s_see(s, "group",
          "{uid: g, namespace: n, name: podgroup-j, created: 5, native: true, ours: true, "
          "minMember: 3, resourceVersion: 3}");
    s_drain(s);
    id = s_effect(s, "changeGroup", "podgroup-j");
    s_holds(s, id != 0, "and follows its newest pod");
    s_ack(s, id, "done");
    s_want(s, "{unknown: 0}");
    s_see(s, "group",
          "{uid: g, namespace: n, name: podgroup-j, created: 5, native: true, ours: true, "
          "minMember: 2, resourceVersion: 4}");
    s_state(s, "a", "reserved");
    s_state(s, "b", "reserved");
    s_drain(s);
    s_holds(s, s_effect(s, "setGroup", "a") == 0, "nothing is written into its members");
}

static void owner_gone(struct story *s)
{
    begin(s);
    s_pod(s, "a",
          "{queue: q, annotations: {scheduling.volcano.sh/group-min-member: '2'}, "
          "controller: {uid: d, kind: Deployment, name: web}}");
    s_drain(s);
    int64_t id = s_effect(s, "createGroup", "podgroup-d");
    s_want(s, "{pending: 0}");
    s_ack(s, id, "gone");
    s_want(s, "{unknown: 0}");
    s_tick(s, s->now += 3600 * (int64_t)STORY_SECOND);
    s_drain(s);
    s_holds(s, s_effect(s, "createGroup", "podgroup-d") == 0,
            "whose owner is gone is not made again");
}

static void identity(struct story *s)
{
    begin(s);
    s_see(s, "group",
          "{uid: g, namespace: n, name: g, created: 2, queue: q, minMember: 3, "
          "resourceVersion: 5}");
    s_see(s, "group",
          "{uid: g, namespace: n, name: g, created: 2, queue: q, minMember: 4, "
          "resourceVersion: 4}");
    s_ask(s, LOADER_INSPECT, "{what: group, namespace: n, name: g}");
    s_want(s, "{minimum: 3}");
    s_see(s, "group",
          "{uid: h, namespace: n, name: g, created: 2, queue: q, minMember: 5, "
          "resourceVersion: 1}");
    s_lose(s, "group", "{namespace: n, name: g, uid: g}");
    s_ask(s, LOADER_INSPECT, "{what: group, namespace: n, name: g}");
    s_want(s, "{uid: h, minimum: 5}");
    s_lose(s, "group", "{namespace: n, name: g}");
    s_refuse(s, SLUICE_FIELD, "name", LOADER_INSPECT, "{what: group, namespace: n, name: g}");
    s_see(s, "group", "{uid: h, namespace: n, name: g, created: 2, deleted: true}");
    s_refuse(s, SLUICE_FIELD, "name", LOADER_INSPECT, "{what: group, namespace: n, name: g}");
}

static void queue_of_group(struct story *s)
{
    begin(s);
    s_see(s, "queue", "{kind: Queue, name: r}");
    s_see(s, "group", "{uid: g, namespace: n, name: g, created: 2, queue: q, minMember: 1}");
    s_pod(s, "a", "{" MEMBER ", queue: default}");
    s_ask(s, LOADER_INSPECT, "{what: pod, uid: a}");
    s_want(s, "{queue: q}");
    s_see(s, "group", "{uid: g, namespace: n, name: g, created: 2, queue: r, minMember: 1}");
    s_tick(s, s->now);
    s_ask(s, LOADER_INSPECT, "{what: pod, uid: a}");
    s_want(s, "{queue: r}");
}

static void counts_the_finished(struct story *s)
{
    begin(s);
    s_see(s, "group", "{uid: g, namespace: n, name: g, created: 2, queue: q, minMember: 2}");
    s_pod(s, "a", "{" MEMBER ", phase: Succeeded}");
    s_pod(s, "c", "{" MEMBER ", phase: Failed}");
    s_pod(s, "b", "{" MEMBER "}");
    s_state(s, "b", "reserved");
    s_ask(s, LOADER_INSPECT, "{what: group, namespace: n, name: g}");
    s_want(s, "{succeeded: 1, failed: 1, pods: 1, reserved: 1}");
    s_ask(s, LOADER_RESERVE, "{uid: b, node: x}");
    s_ask(s, LOADER_PERMIT, "{uid: b, node: x}");
    s_want(s, "{allow: true}");
    s_lose(s, "pod", "{uid: a}");
    s_ask(s, LOADER_INSPECT, "{what: group, namespace: n, name: g}");
    s_want(s, "{succeeded: 0}");
}

static void status(struct story *s)
{
    begin(s);
    s_see(s, "group",
          "{uid: g, namespace: n, name: g, created: 2, queue: q, minMember: 1, "
          "resourceVersion: 7, phase: Pending}");
    s_pod(s, "a", "{" MEMBER ", node: x}");
    s_drain(s);
    int64_t id = s_effect(s, "setGroupStatus", "g");
    s_holds(s, id != 0, "the status of a group is written");
    s_ack(s, id, "done");
    s_want(s, "{unknown: 0}");
    s_tick(s, s->now += 5 * (int64_t)STORY_SECOND);
    s_drain(s);
    s_holds(s, s_effect(s, "setGroupStatus", "g") == 0, "what was written is not written again");
}

/* Of a group that others made. */
static void room_before_pods(struct story *s)
{
    begin(s);
    s_see(s, "group",
          "{uid: g, namespace: n, name: g, created: 2, queue: q, minMember: 2, "
          "minResources: {cpu: 2}}");
    s_pod(s, "lone", "{queue: q, requests: {cpu: 1}, created: 1}");
    s_state(s, "lone", "waiting");
    s_ask(s, LOADER_INSPECT, "{what: group, namespace: n, name: g}");
    s_want(s, "{phase: Inqueue, pods: 0}");
    s_ask(s, LOADER_INSPECT, "{what: queue, kind: Queue, name: q}");
    s_want(s, "{reserved: 1, quota: [{resource: cpu, reserved: 2}]}");
    s_pod(s, "a", "{" MEMBER ", requests: {cpu: 1}}");
    s_state(s, "lone", "waiting");
    s_pod(s, "b", "{" MEMBER ", requests: {cpu: 1}}");
    s_state(s, "a", "reserved");
    s_state(s, "b", "reserved");
    s_state(s, "lone", "waiting");
    s_lose(s, "pod", "{uid: a}");
    s_lose(s, "pod", "{uid: b}");
    s_state(s, "lone", "reserved");
    s_lose(s, "pod", "{uid: lone}");
    s_ask(s, LOADER_INSPECT, "{what: group, namespace: n, name: g}");
    s_want(s, "{phase: Inqueue}");
    s_pod(s, "lone", "{queue: q, requests: {cpu: 1}, created: 1}");
    s_tick(s, s->now += 301 * (int64_t)STORY_SECOND);
    s_state(s, "lone", "reserved");
}

static void unasked(struct story *s)
{
    s_refuse(s, SLUICE_UNSUPPORTED, "kind", LOADER_OBSERVE,
             "{kind: group, object: {uid: g, namespace: n, name: g, created: 2}}");
}

const struct promise promises_of_groups[] = {
    {"a minimum is granted as a whole or not at all", all_or_none},
    {"a minMember of 0 or 1 lets each go alone, below 0 holds all", minimum_of_none},
    {"who waits in Permit for its gang is answered when all have nodes", permits},
    {"a gang whose member finds no node is let go, and backs off", no_nodes_for_one},
    {"a minimum asks for a group, and its members are told", made},
    {"a group that was made follows its pods", follows},
    {"a native group is made and changed for the minimum of pods that name it", made_native},
    {"a group whose owner is gone is not asked for again", owner_gone},
    {"of a group's uid the highest resourceVersion counts, another uid is another group", identity},
    {"a group's queue is that of its members, at once", queue_of_group},
    {"members that have succeeded count for the minimum", counts_the_finished},
    {"a group's status is written when it changed", status},
    {"a group whose pods are still to be made has room first, and not for ever", room_before_pods},
    {"a host without answerPermit is given no groups", unasked},
    {0},
};
