/* SPDX-License-Identifier: Apache-2.0 */
#include "abi/host/conform_promises.h"
#include "abi/host/conform_steps.h"

#define SHORT_GATE "volcano.sh/queue-allocation-gate"
#define STORY_MINIMUM "scheduling.volcano.sh/group-min-member"
#define CREATE LOADER_ADMIT, "{kind: pod, operation: CREATE, object: {namespace: n, %s}}"

static void gates(struct story *s)
{
    static const struct {
        const char *pod, *gates;
    } asked[] = {
        {"annotations: {" STORY_GATE ": 'true'}", STORY_GATE},
        {"annotations: {" SHORT_GATE ": 'true'}", SHORT_GATE},
        {"annotations: {" SHORT_GATE ": 'true', " STORY_GATE ": 'true'}", STORY_GATE},
        {"annotations: {" STORY_GATE ": 'false', " SHORT_GATE ": 'true'}", SHORT_GATE},
        {"annotations: {" STORY_GATE ": 'false'}", ""},
        {"annotations: {" STORY_GATE ": 'True'}", ""},
        {"name: p", ""},
        {"annotations: {" STORY_MINIMUM ": '2'}", STORY_GATE},
        {"annotations: {" STORY_MINIMUM ": '2', " SHORT_GATE ": 'true'}", SHORT_GATE},
        {"annotations: {scheduling.k8s.io/group-name: g}", STORY_GATE},
        {"annotations: {scheduling.k8s.io/group-name: ''}", ""},
        {"annotations: {" STORY_GATE ": 'true'}, gates: [foreign]", STORY_GATE},
        {"annotations: {" STORY_GATE ": 'true'}, gates: [" STORY_GATE "]", ""},
        {"annotations: {" STORY_GATE ": 'true'}, gates: [" SHORT_GATE "]", ""},
        {"annotations: {" STORY_GATE ": 'true'}, node: a", ""},
        {"annotations: {" STORY_GATE ": 'true'}, scheduler: other", ""},
        {"annotations: {" STORY_GATE ": 'true'}, owner: DaemonSet", ""},
        {"annotations: {" STORY_GATE ": 'true'}, mirror: true", ""},
        {"annotations: {" STORY_GATE ": 'true'}, namespace: kube-system", ""},
    };

    for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
        s_ask(s, LOADER_ADMIT, "{kind: pod, operation: CREATE, object: {%s%s}}",
              i == 18 ? "" : "namespace: n, ", asked[i].pod);
        s_want(s, "{allow: true, reason: '', gates: [%s]}", asked[i].gates);
        s_ask(s, LOADER_ADMIT, "{kind: pod, operation: UPDATE, object: {%s%s}}",
              i == 18 ? "" : "namespace: n, ", asked[i].pod);
        s_want(s, "{allow: true, reason: '', gates: []}");
        s_ask(s, LOADER_ADMIT, "{kind: pod, operation: DELETE, object: {%s%s}}",
              i == 18 ? "" : "namespace: n, ", asked[i].pod);
        s_want(s, "{allow: true, reason: '', gates: []}");
    }
}

static void refused(struct story *s)
{
    s_ask(s, CREATE, "annotations: {" STORY_GATE ": 'true', sluice.sh/granted: '7'}");
    s_want(s, "{allow: false, gates: []}");
    s_holds(s, s_text(s, "reason")[0] != '\0', "a refusal has a reason");
    s_ask(s, CREATE, "annotations: {sluice.sh/granted: '7'}");
    s_want(s, "{allow: false}");
    s_ask(s, CREATE, "annotations: {sluice.sh/granted: '7'}, scheduler: other");
    s_want(s, "{allow: true}");
    s_ask(s, CREATE, "annotations: {scheduling.volcano.sh/group-min-member: '0'}");
    s_want(s, "{allow: false}");
    s_ask(s, CREATE, "annotations: {scheduling.volcano.sh/group-min-member: many}");
    s_want(s, "{allow: false}");
    s_ask(s, CREATE,
          "annotations: {scheduling.volcano.sh/group-min-member: '2'}, controller: {uid: "
          "c, kind: StatefulSet, name: c, ordered: true}");
    s_want(s, "{allow: false}");
    s_ask(s, CREATE,
          "annotations: {scheduling.volcano.sh/group-min-member: '1'}, controller: {uid: "
          "c, kind: StatefulSet, name: c, ordered: true}");
    s_want(s, "{allow: true}");
    s_ask(s, CREATE, "annotations: {scheduling.volcano.sh/group-min-member: '2'}");
    s_want(s, "{allow: true}");
}

static void changes_nothing(struct story *s)
{
    char before[STORY_DIGEST];

    s_open(s, "{effects: [queueStatus]}");
    s_lead(s);
    s_digest(s, before);
    s_ask(s, CREATE, "annotations: {" STORY_GATE ": 'true', " STORY_QUEUE ": unseen}");
    s_ask(s, LOADER_ADMIT, "{kind: queue, operation: CREATE, object: {kind: Queue, name: q}}");
    s_ask(s, LOADER_ADMIT,
          "{kind: queue, operation: DELETE, object: {kind: Queue, name: default}}");
    probe_unchanged(s->probe, "sluice_admit", s->handle, before);
    s_refuse(s, SLUICE_FIELD, "name", LOADER_INSPECT, "{what: queue, kind: Queue, name: unseen}");
}

static void closed_queues(struct story *s)
{
    s_open(s, "{effects: [queueStatus, answerPermit]}");
    s_lead(s);
    s_see(s, "queue", "{kind: Queue, name: shut, state: Closed}");
    s_see(s, "queue", "{kind: Queue, name: below, parent: shut}");
    s_see(s, "queue", "{kind: Queue, name: paused, state: Suspended}");
    s_see(s, "group", "{uid: g, namespace: n, name: g, created: 1, queue: shut, minMember: 2}");
    static const struct {
        const char *pod;
        const char *allow;
    } asked[] = {
        {"annotations: {" STORY_GATE ": 'true', " STORY_QUEUE ": shut}", "false"},
        {"annotations: {" STORY_GATE ": 'true', " STORY_QUEUE ": below}", "false"},
        {"annotations: {" STORY_GATE ": 'true', " STORY_QUEUE ": paused}", "true"},
        {"annotations: {" STORY_GATE ": 'true'}, namespaceQueue: shut", "false"},
        {"annotations: {" STORY_GATE ": 'true'}, gates: [" SHORT_GATE "], namespaceQueue: shut",
         "false"},
        {"annotations: {" STORY_GATE ": 'true', scheduling.k8s.io/group-name: g}", "false"},
        {"annotations: {" STORY_GATE ": 'true', " STORY_QUEUE ": shut}, node: a", "true"},
        {"annotations: {scheduling.k8s.io/group-name: g}", "false"},
        {"annotations: {" STORY_QUEUE ": shut}", "true"},
        {"annotations: {" STORY_GATE ": 'true', " STORY_QUEUE ": unseen}", "true"},
    };
    for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
        s_ask(s, CREATE, asked[i].pod);
        s_want(s, "{allow: %s}", asked[i].allow);
    }
    s_ask(s, LOADER_ADMIT,
          "{kind: group, operation: CREATE, object: {uid: h, namespace: n, name: h, "
          "created: 1, queue: shut}}");
    s_want(s, "{allow: false}");
    s_ask(s, LOADER_ADMIT,
          "{kind: group, operation: CREATE, object: {uid: h, namespace: n, name: h, "
          "created: 1, minMember: -1}}");
    s_want(s, "{allow: false}");
    s_ask(s, LOADER_ADMIT,
          "{kind: group, operation: CREATE, object: {uid: h, namespace: n, name: h, "
          "created: 1, minMember: 3}}");
    s_want(s, "{allow: true}");
    s_open(s, "{}");
    s_see(s, "queue", "{kind: Queue, name: shut, state: Closed}");
    s_ask(s, CREATE, "annotations: {" STORY_GATE ": 'true', " STORY_QUEUE ": shut}");
    s_want(s, "{allow: true}");
}

static void queues(struct story *s)
{
    static const struct {
        const char *operation, *queue, *allow;
    } asked[] = {
        {"CREATE", "name: a", "true"},
        {"CREATE", "name: a, parent: unseen", "false"},
        {"CREATE", "name: a, parent: a", "false"},
        {"UPDATE", "name: top, parent: low", "false"},
        {"CREATE", "name: a, guarantee: {cpu: 2}, deserved: {cpu: 1}", "false"},
        {"CREATE", "name: a, guarantee: {cpu: 1}, deserved: {cpu: 1}", "true"},
        {"CREATE", "name: a, deserved: {cpu: 2}, capability: {cpu: 1}", "false"},
        {"CREATE", "name: a, guarantee: {cpu: 2}, capability: {cpu: 1}", "false"},
        {"CREATE", "name: a, parent: top, capability: {cpu: 11}", "false"},
        {"CREATE", "name: a, parent: top, capability: {cpu: 10}", "true"},
        {"CREATE", "name: a, parent: top, deserved: {cpu: 6}", "false"},
        {"CREATE", "name: a, parent: top, deserved: {cpu: 5}", "true"},
        {"CREATE", "name: a, parent: top, deserved: {cpu: 5}, guarantee: {cpu: 3}", "false"},
        {"CREATE", "name: a, parent: top, deserved: {cpu: 5}, guarantee: {cpu: 2}", "true"},
        {"DELETE", "name: root", "false"},
        {"DELETE", "name: default", "false"},
        {"DELETE", "name: top", "false"},
        {"DELETE", "name: low", "true"},
        {"DELETE", "name: used", "false"},
        {"CREATE", "name: d8, parent: d7", "true"},
        {"CREATE", "name: d9, parent: d8", "false"},
        {"CREATE", "name: a, state: Suspended", "true"},
        {"CREATE", "name: a, guarantee: {cpu: 1}, deserved: {memory: 1}", "false"},
        {"CREATE", "name: a, parent: used", "false"},
        {"UPDATE", "name: top, capability: {cpu: 4}, deserved: {memory: 1}, guarantee: {}",
         "false"},
    };

    s_open(s, "{effects: [queueStatus]}");
    s_lead(s);
    s_see(s, "queue",
          "{kind: Queue, name: top, capability: {cpu: 10}, deserved: {cpu: 10}, "
          "guarantee: {cpu: 4}}");
    s_see(s, "queue",
          "{kind: Queue, name: low, parent: top, deserved: {cpu: 5}, guarantee: {cpu: "
          "2}}");
    s_see(s, "queue", "{kind: Queue, name: used}");
    s_pod(s, "p", "{queue: used}");
    s_see(s, "queue", "{kind: Queue, name: d1}");
    for (int i = 2; i <= 7; i++)
        s_see(s, "queue", "{kind: Queue, name: d%d, parent: d%d}", i, i - 1);
    for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
        if (i == 20)
            s_see(s, "queue", "{kind: Queue, name: d8, parent: d7}");
        s_ask(s, LOADER_ADMIT, "{kind: queue, operation: %s, object: {kind: Queue, %s}}",
              asked[i].operation, asked[i].queue);
        s_want(s, "{allow: %s}", asked[i].allow);
        s_holds(s, (asked[i].allow[0] == 'f') == (s_text(s, "reason")[0] != '\0'),
                "a refusal has a reason, and nothing else has (%s)", asked[i].queue);
    }
    s_ask(s, LOADER_ADMIT,
          "{kind: queue, operation: CREATE, object: {kind: ClusterQueue, name: a, "
          "parent: unseen}}");
    s_want(s, "{allow: true}");
    s_open(s, "{effects: [queueStatus], observeOnly: true}");
    s_ask(s, LOADER_ADMIT, "{kind: queue, operation: DELETE, object: {kind: Queue, name: root}}");
    s_want(s, "{allow: true}");
}

static void commands(struct story *s)
{
    s_open(s, "{effects: [queueStatus]}");
    s_lead(s);
    s_see(s, "queue", "{kind: Queue, name: q}");
    static const struct {
        const char *action, *target, *allow;
    } asked[] = {
        {"OpenQueue", "kind: Queue, name: q", "true"},
        {"BurnQueue", "kind: Queue, name: q", "false"},
        {"OpenQueue", "kind: Queue, name: unseen", "false"},
        {"BurnQueue", "kind: Job, name: j", "true"},
    };
    for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
        s_ask(s, LOADER_ADMIT,
              "{kind: command, operation: CREATE, object: {namespace: n, action: "
              "%s, target: {%s}}}",
              asked[i].action, asked[i].target);
        s_want(s, "{allow: %s}", asked[i].allow);
    }
    s_ask(s, LOADER_ADMIT, "{kind: command, operation: DELETE, object: {}}");
    s_want(s, "{allow: true}");
}

static void unsupported(struct story *s)
{
    static const char *const kinds[] = {"queue", "command", "group", "weather"};

    for (int i = 0; i < 4; i++)
        s_refuse(s, SLUICE_UNSUPPORTED, "kind", LOADER_ADMIT,
                 "{kind: %s, operation: CREATE, object: {}}", kinds[i]);
    s_open(s, "{effects: [queueStatus]}");
    s_refuse(s, SLUICE_UNSUPPORTED, "kind", LOADER_ADMIT,
             "{kind: weather, operation: CREATE, object: {}}");
    s_refuse(s, SLUICE_FIELD, "operation", LOADER_ADMIT,
             "{kind: pod, operation: PATCH, object: {namespace: n}}");
}

const struct promise promises_of_admit[] = {
    {"admit adds our gate to who opts in, beside the gates that are there", gates},
    {"admit refuses a stamp, and a minimum that cannot be", refused},
    {"admit changes nothing and leaves nothing", changes_nothing},
    {"admit refuses pods and groups for a queue that is closed, or below one", closed_queues},
    {"admit looks at a queue's amounts, parent, depth, and who is in it", queues},
    {"admit refuses a command that is none", commands},
    {"admit of other kinds is UNSUPPORTED", unsupported},
    {0},
};
