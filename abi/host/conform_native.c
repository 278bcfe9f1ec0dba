/* SPDX-License-Identifier: Apache-2.0 */
#include "abi/host/conform_promises.h"
#include "abi/host/conform_steps.h"

#define MEMBER                                                                                     \
    "schedulingGroup: g, queue: q, requests: {cpu: 1}, "                                           \
    "annotations: {scheduling.volcano.sh/queue-allocation-gate: 'true'}"

static void begin(struct story *s, const char *config)
{
    s_open(s, "{effects: [answerPermit, setGroupStatus]%s}", config);
    s_lead(s);
    s_see(s, "queue", "{kind: Queue, name: q, capability: {cpu: 2}}");
}

static void see_group(struct story *s, int minimum)
{
    s_see(s, "group", "{uid: g, namespace: n, name: g, created: 2, minMember: %d, native: true}",
          minimum);
}

static void all_at_once(struct story *s)
{
    begin(s, "");
    see_group(s, 2);
    s_pod(s, "lone", "{queue: q, requests: {cpu: 1}, created: 1}");
    s_pod(s, "a", "{" MEMBER "}");
    s_state(s, "a", "held");
    s_pod(s, "b", "{" MEMBER "}");
    s_pod(s, "c", "{" MEMBER "}");
    s_state(s, "a", "waiting");
    s_lose(s, "pod", "{uid: lone}");
    s_state(s, "a", "waiting");
    s_see(s, "queue", "{kind: Queue, name: q, capability: {cpu: 3}}");
    s_state(s, "a", "reserved");
    s_state(s, "c", "reserved");
    s_ask(s, LOADER_INSPECT, "{what: group, namespace: n, name: g, native: true}");
    s_want(s, "{native: true, minimum: 2, pods: 3, reserved: 3}");
}

static void in_parts(struct story *s)
{
    begin(s, ", partialGroups: true");
    see_group(s, 2);
    for (int n = 0; n < 3; n++)
        s_pod(s, (const char *const[]){"a", "b", "c"}[n], "{" MEMBER "}");
    s_state(s, "a", "reserved");
    s_state(s, "b", "reserved");
    s_state(s, "c", "waiting");
}

static void one_joins(struct story *s)
{
    begin(s, "");
    see_group(s, 1);
    s_pod(s, "a", "{" MEMBER "}");
    s_pod(s, "b", "{" MEMBER "}");
    s_state(s, "b", "reserved");
    s_pod(s, "c", "{" MEMBER "}");
    s_state(s, "a", "waiting");
    s_state(s, "c", "waiting");
}

static void two_of_a_name(struct story *s)
{
    begin(s, "");
    s_see(s, "group", "{uid: v, namespace: n, name: g, created: 2, queue: q, minMember: 1}");
    s_pod(s, "a", "{" MEMBER "}");
    s_state(s, "a", "held");
    see_group(s, 1);
    s_state(s, "a", "reserved");
    s_lose(s, "group", "{namespace: n, name: g}");
    s_state(s, "a", "reserved");
    s_lose(s, "group", "{namespace: n, name: g, native: true}");
    s_state(s, "a", "held");
}

static void one_priority(struct story *s)
{
    begin(s, "");
    s_see(s, "group",
          "{uid: g, namespace: n, name: g, created: 2, minMember: 1, native: true, priority: 5}");
    s_pod(s, "a", "{" MEMBER ", priority: 4}");
    s_ask(s, LOADER_INSPECT, "{what: pod, uid: a}");
    s_want(s, "{state: held, reason: GroupInvalid}");
    s_pod(s, "a", "{" MEMBER ", priority: 5}");
    s_state(s, "a", "reserved");
}

static void tries(struct story *s)
{
    begin(s, "");
    see_group(s, 2);
    s_pod(s, "a", "{" MEMBER "}");
    s_pod(s, "b", "{" MEMBER "}");
    s_settle(s);
    s_ask(s, LOADER_RESERVE, "{uid: a, node: x, groupCycle: true}");
    s_want(s, "{pass: true}");
    s_state(s, "a", "reserved");
    s_ask(s, LOADER_RESERVE, "{uid: a, node: x}");
    s_state(s, "a", "allocated");
    s_ask(s, LOADER_UNRESERVE, "{uid: a, node: x, groupCycle: true}");
    s_state(s, "a", "allocated");
    s_ask(s, LOADER_PERMIT, "{uid: a, node: x}");
    s_want(s, "{allow: true}");
}

static void condition(struct story *s)
{
    begin(s, "");
    see_group(s, 3);
    s_pod(s, "a", "{" MEMBER "}");
    s_drain(s);
    s_want(s, "{effects: [{kind: setGroupStatus, uid: g, native: true, condition: "
              "{type: sluice.sh/QuotaReserved, status: 'False'}}]}");
    s_ack(s, s_effect(s, "setGroupStatus", "g"), "done");
    s_drain(s);
    s_holds(s, s_effect(s, "setGroupStatus", "g") == 0, "what was written is not written again");
}

/* The one part is a PodGroup, the other a CompositePodGroup with one below it. */
static void see_composite(struct story *s, int deepest)
{
    s_see(s, "group",
          "{uid: t, namespace: n, name: top, created: 2, composite: true, minMember: 2, parts: ["
          "{name: g, depth: 1, minMember: 1}, {name: r, depth: 1, composite: true}, "
          "{name: w, depth: 2, minMember: %d}]}",
          deepest);
}

static void composite(struct story *s)
{
    begin(s, "");
    s_pod(s, "a", "{" MEMBER ", compositeGroup: top}");
    s_ask(s, LOADER_INSPECT, "{what: pod, uid: a}");
    s_want(s, "{state: held, reason: GroupMissing}");
    see_composite(s, 2);
    s_pod(s, "b",
          "{schedulingGroup: w, compositeGroup: top, queue: q, requests: {cpu: 1}, "
          "annotations: {scheduling.volcano.sh/queue-allocation-gate: 'true'}}");
    s_ask(s, LOADER_INSPECT, "{what: pod, uid: a}");
    s_want(s, "{state: held, reason: GroupIncomplete}");
    see_composite(s, 1);
    s_state(s, "a", "reserved");
    s_state(s, "b", "reserved");
    s_ask(s, LOADER_INSPECT, "{what: group, namespace: n, name: top, composite: true}");
    s_want(s, "{native: true, composite: true, pods: 2, reserved: 2}");
    s_lose(s, "group", "{namespace: n, name: top, composite: true}");
    s_state(s, "b", "held");
}

static void composite_too_deep(struct story *s)
{
    begin(s, "");
    s_see(s, "group",
          "{uid: t, namespace: n, name: top, created: 2, composite: true, parts: ["
          "{name: b, depth: 1, composite: true}, {name: c, depth: 2, composite: true}, "
          "{name: d, depth: 3, composite: true}, {name: g, depth: 4}]}");
    s_pod(s, "a", "{" MEMBER ", compositeGroup: top}");
    s_ask(s, LOADER_INSPECT, "{what: pod, uid: a}");
    s_want(s, "{state: held, reason: GroupInvalid}");
}

static void two_groups(struct story *s)
{
    begin(s, "");
    s_ask(s, LOADER_ADMIT,
          "{kind: pod, operation: CREATE, object: {namespace: n, schedulingGroup: g, "
          "annotations: {scheduling.k8s.io/group-name: h}}}");
    s_want(s, "{allow: false}");
}

const struct promise promises_of_native_groups[] = {
    {"all of a native group that are there are granted at once", all_at_once},
    {"where they are taken one by one, its minimum is", in_parts},
    {"who joins a native group, and does not fit, makes all of it wait", one_joins},
    {"a native group and Volcano's of one name are two", two_of_a_name},
    {"the members of a native group have its priority", one_priority},
    {"a group's cycle that only tries changes nothing", tries},
    {"a native group has a condition of ours", condition},
    {"a composite group is complete by its parts, and granted as one", composite},
    {"a composite group that is too deep holds its pods", composite_too_deep},
    {"a pod is in one group", two_groups},
    {0},
};
