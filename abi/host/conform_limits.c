/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/host/conform_promises.h"
#include "abi/host/conform_steps.h"

/* So many letters; of two that are asked for at once the first is still there. */
static const char *letters(size_t count)
{
    static char texts[2][1024];
    static int turn;
    char *text = texts[turn ^= 1];

    memset(text, 'x', count);
    text[count] = '\0';
    return text;
}

/* So many items; # is the item's number. */
static char *list(int count, const char *item)
{
    char *text = malloc((strlen(item) + 16) * (size_t)count + 1);
    char *at = text;

    if (!text)
        abort();
    for (int i = 0; i < count; i++) {
        for (const char *from = item; *from; from++)
            if (*from == '#')
                at += snprintf(at, 12, "%d", i);
            else
                *at++ = *from;
        *at++ = ',';
    }
    *at = '\0';
    return text;
}

/* The most of it is taken, one more is refused. */
static void counted(struct story *s, int most, const char *key, const char *kind,
                    const char *before, const char *item, const char *behind)
{
    for (int over = 0; over < 2; over++) {
        char *items = list(most + over, item);

        if (over)
            s_refuse(s, SLUICE_FIELD, key, LOADER_OBSERVE, "{kind: %s, object: {%s%s%s}}", kind,
                     before, items, behind);
        else
            s_see(s, kind, "{%s%s%s}", before, items, behind);
        free(items);
    }
}

static void counts(struct story *s)
{
    s_open(s, "{effects: [writeWorkload, answerPermit], multiKueue: {}}");
    s_lead(s);
    s_see(s, "cluster", "{name: w, connected: true}");
    counted(s, 64, "object.gates", "pod", "uid: p, namespace: n, name: p, created: 1, gates: [",
            "g#", "]");
    counted(s, 32, "object.requests", "pod",
            "uid: p, namespace: n, name: p, created: 1, gates: [" STORY_GATE "], requests: {",
            "r#: 1", "}");
    counted(s, 32, "object.allocatable", "node", "name: a, allocatable: {", "r#: 1", "}");
    counted(s, 8, "object.nodeLabels", "flavor", "name: f, nodeLabels: {", "l#: x", "}");
    counted(s, 8, "object.taints", "flavor", "name: f, taints: [", "{key: k#}", "]");
    counted(s, 8, "object.tolerations", "flavor", "name: f, tolerations: [", "{key: k#}", "]");
    counted(s, 16, "object.checks", "queue", "kind: ClusterQueue, name: c, checks: [", "{name: k#}",
            "]");
    counted(s, 64, "object.checks[0].flavors", "queue",
            "kind: ClusterQueue, name: c, checks: [{name: k, flavors: [", "f#", "]}]");
    counted(s, 64, "object.groups[0].flavors", "queue",
            "kind: ClusterQueue, name: c, groups: [{resources: [cpu], flavors: [",
            "{name: f#, quotas: {cpu: {nominal: 1}}}", "]}]");
    counted(s, 32, "object.groups[0].resources", "queue",
            "kind: ClusterQueue, name: c, groups: [{flavors: [{name: f, quotas: {}}], resources: [",
            "r#", "]}]");
    counted(s, 16, "object.groups", "queue", "kind: ClusterQueue, name: c, groups: [",
            "{flavors: [{name: f#, quotas: {}}], resources: [r#]}", "]");
}

static void counts_of_workloads(struct story *s)
{
    s_open(s, "{effects: [writeWorkload, answerPermit], multiKueue: {}}");
    s_lead(s);
    s_see(s, "cluster", "{name: w, connected: true}");
    counted(s, 8, "object.gates", "workload",
            "role: worker, uid: u, namespace: n, name: w, created: 1, podSets: [{name: a, count: "
            "1}], gates: [",
            "g#", "]");
    counted(s, 16, "object.gateStatus", "workload",
            "role: worker, uid: u, namespace: n, name: w, created: 1, podSets: [{name: a, count: "
            "1}], gateStatus: {",
            "g#: Open", "}");
    counted(s, 16, "object.checks", "workload",
            "role: worker, uid: u, namespace: n, name: w, created: 1, podSets: [{name: a, count: "
            "1}], checks: [",
            "{name: k#, state: Ready}", "]");
    counted(s, 18, "object.podSets", "workload",
            "role: worker, uid: u, namespace: n, name: w, created: 1, podSets: [",
            "{name: a#, count: 1}", "]");
    counted(s, 8, "object.gates", "workload",
            "role: manager, uid: u, namespace: n, name: m, gates: [", "g#", "]");
    counted(s, 128, "object.nominated", "workload",
            "role: manager, uid: u, namespace: n, name: m, nominated: [", "c#", "]");
    counted(s, 8, "object.gates", "replica", "cluster: w, uid: u, namespace: n, name: m, gates: [",
            "g#", "]");
    counted(s, 16, "object.gateStatus", "replica",
            "cluster: w, uid: u, namespace: n, name: m, gateStatus: {", "g#: Open", "}");
    s_refuse(s, SLUICE_FIELD, "object.podSets", LOADER_OBSERVE,
             "{kind: workload, object: {role: worker, uid: u, namespace: n, name: w, created: 1, "
             "podSets: []}}");
}

static void names(struct story *s)
{
    static const struct {
        const char *key, *kind, *before, *after;
        size_t most;
    } texts[] = {
        {"object.uid", "pod",
         "namespace: n, name: p, created: 1, gates: [" STORY_GATE "], uid: ", "", 64},
        {"object.namespace", "pod",
         "uid: u, name: p, created: 1, gates: [" STORY_GATE "], "
         "namespace: ",
         "", 253},
        {"object.name", "pod",
         "uid: u, namespace: n, created: 1, gates: [" STORY_GATE "], name: ", "", 253},
        {"object.gates[0]", "pod", "uid: u, namespace: n, name: p, created: 1, gates: [", "]", 253},
        {"object.name", "node", "name: ", "", 253},
        {"object.name", "queue", "kind: Queue, name: ", "", 253},
        {"object.name", "flavor", "name: ", "", 253},
        {"object.labels", "node", "name: a, labels: {", ": x}", 317},
        {"object.labels.k", "node", "name: a, labels: {k: ", "}", 63},
        {"object.allocatable", "node", "name: a, allocatable: {", ": 1}", 317},
        {"object.uid", "group", "namespace: n, name: g, created: 1, uid: ", "", 64},
        {"object.uid", "workload",
         "role: worker, namespace: n, name: w, created: 1, podSets: "
         "[{name: a, count: 1}], uid: ",
         "", 64},
    };

    s_open(s, "{effects: [writeWorkload, answerPermit]}");
    s_lead(s);
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        s_see(s, texts[i].kind, "{%s%s%s}", texts[i].before, letters(texts[i].most),
              texts[i].after);
        s_try(s, LOADER_OBSERVE, "{kind: %s, object: {%s%s%s}}", texts[i].kind, texts[i].before,
              letters(texts[i].most + 1), texts[i].after);
        s_holds(s, sluice_error_code(s->result) == SLUICE_FIELD, "%s of a %s has at most %zu bytes",
                texts[i].key, texts[i].kind, texts[i].most);
        s_holds(s, strncmp(s->probe->error_key, texts[i].key, strlen(texts[i].key)) == 0,
                "the refusal of %s names it", texts[i].key);
        if (!strstr(texts[i].key, "labels.k")) {
            s_try(s, LOADER_OBSERVE, "{kind: %s, object: {%s''%s}}", texts[i].kind, texts[i].before,
                  texts[i].after);
            s_holds(s, sluice_error_code(s->result) == SLUICE_FIELD, "%s of a %s is not empty",
                    texts[i].key, texts[i].kind);
        }
    }
}

static void uids_of_hooks(struct story *s)
{
    static const struct {
        enum loader_hook hook;
        const char *more;
    } asked[] = {
        {LOADER_PRE_ENQUEUE, "resourceVersion: 1"},
        {LOADER_PRE_FILTER, "x: 1"},
        {LOADER_FILTER, "nodes: []"},
        {LOADER_POST_FILTER, "x: 1"},
        {LOADER_RESERVE, "node: a"},
        {LOADER_UNRESERVE, "node: a"},
        {LOADER_PERMIT, "node: a"},
        {LOADER_BIND, "node: a"},
        {LOADER_POST_BIND, "node: a"},
    };

    for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
        s_ask(s, asked[i].hook, "{uid: %s, %s}", letters(64), asked[i].more);
        s_refuse(s, SLUICE_FIELD, "uid", asked[i].hook, "{uid: %s, %s}", letters(65),
                 asked[i].more);
        s_refuse(s, SLUICE_FIELD, "uid", asked[i].hook, "{uid: '', %s}", asked[i].more);
    }
    s_refuse(s, SLUICE_FIELD, "node", LOADER_RESERVE, "{uid: p, node: %s}", letters(254));
    s_ask(s, LOADER_RESERVE, "{uid: p, node: %s}", letters(253));
}

/* As many as the limit says, and what is refused has left nothing behind. */
static void nodes(struct story *s)
{
    s_open(s, "{limits: {nodes: 2}}");
    s_see(s, "node", "{name: a}");
    s_see(s, "node", "{name: b}");
    s_refuse(s, SLUICE_LIMIT, "limits.nodes", LOADER_OBSERVE,
             "{kind: node, object: {name: c, labels: {x: y}, allocatable: {cpu: 1}}}");
    s_see(s, "node", "{name: a, labels: {x: y}}");
    s_ask(s, LOADER_INSPECT, "{what: limits}");
    s_want(s, "{nodes: 2, used: {nodes: 2}}");
    s_lose(s, "node", "{name: a}");
    s_see(s, "node", "{name: c}");
}

static void pods(struct story *s)
{
    s_open(s, "{limits: {pods: 2}}");
    s_lead(s);
    s_pod(s, "a", "{}");
    s_pod(s, "b", "{}");
    char *pod = story_pod("c", "{queue: unseen, requests: {gpu: 1}}");
    s_refuse(s, SLUICE_LIMIT, "limits.pods", LOADER_OBSERVE, "{kind: pod, object: %s}", pod);
    s_refuse(s, SLUICE_LIMIT, "limits.pods", LOADER_PRE_ENQUEUE, "{pod: %s}", pod);
    free(pod);
    s_refuse(s, SLUICE_FIELD, "name", LOADER_INSPECT, "{what: queue, kind: Queue, name: unseen}");
    s_ask(s, LOADER_INSPECT, "{what: limits}");
    s_want(s, "{pods: 2, used: {pods: 2}}");
    s_pod(s, "a", "{priority: 3}");
    s_lose(s, "pod", "{uid: a}");
    s_pod(s, "c", "{}");
}

static void queues(struct story *s)
{
    s_open(s, "{limits: {queues: 4}}");
    s_lead(s);
    s_ask(s, LOADER_INSPECT, "{what: limits}");
    s_want(s, "{queues: 4, used: {queues: 2}}");
    s_see(s, "queue", "{kind: Queue, name: a}");
    s_see(s, "queue", "{kind: ClusterQueue, name: a, parent: unseen}");
    s_refuse(s, SLUICE_LIMIT, "limits.queues", LOADER_OBSERVE,
             "{kind: queue, object: {kind: Queue, name: c}}");
    s_ask(s, LOADER_INSPECT, "{what: queues}");
    s_equal(s, (int64_t)s_count(s, "queues"), 5,
            "how many queues there are, and one that is named");
    s_lose(s, "queue", "{kind: Queue, name: a}");
    s_see(s, "queue", "{kind: Queue, name: c}");
}

/* Nobody takes the places of objects by naming what is not there. */
static void names_cost_nothing(struct story *s)
{
    s_open(s, "{effects: [writeWorkload, answerPermit], limits: {queues: 4, pods: 5}}");
    s_lead(s);
    for (int i = 0; i < 4; i++) {
        char name[8], facts[120];

        snprintf(name, sizeof(name), "p%d", i);
        snprintf(facts, sizeof(facts),
                 "{queue: made-up-%d, annotations: {scheduling.k8s.io/group-name: made-up-%d}}", i,
                 i);
        s_pod(s, name, facts);
        s_ask(s, LOADER_OBSERVE,
              "{kind: workload, object: {role: worker, uid: w%d, namespace: n, name: w%d, created: "
              "1, queue: made-up-%d, podSets: [{name: a, count: 1}]}}",
              i, i, i);
    }
    s_ask(s, LOADER_INSPECT, "{what: limits}");
    s_want(s, "{used: {queues: 2, pods: 4}}");
    s_see(s, "queue", "{kind: Queue, name: a}");
    s_see(s, "queue", "{kind: Queue, name: made-up-1}");
    for (int i = 0; i < 4; i++)
        s_see(s, "localQueue", "{namespace: n, name: l%d, clusterQueue: made-up-%d}", i, i);
    for (int i = 0; i < 5; i++)
        s_see(s, "group", "{uid: g%d, namespace: n, name: g%d, created: 1}", i, i);
    s_refuse(s, SLUICE_LIMIT, "limits.queues", LOADER_OBSERVE,
             "{kind: queue, object: {kind: Queue, name: made-up-0}}");
    s_refuse(s, SLUICE_LIMIT, "limits.queues", LOADER_OBSERVE,
             "{kind: localQueue, object: {namespace: n, name: made-up-0, clusterQueue: c}}");
    s_refuse(s, SLUICE_LIMIT, "limits.pods", LOADER_OBSERVE,
             "{kind: group, object: {uid: x, namespace: n, name: made-up-0, created: 1}}");
    s_lose(s, "queue", "{kind: Queue, name: made-up-1}");
    s_see(s, "queue", "{kind: Queue, name: made-up-0}");
    s_ask(s, LOADER_INSPECT, "{what: limits}");
    s_want(s, "{used: {queues: 4, pods: 4}}");
}

static void workloads(struct story *s)
{
    static const char worker[] = "{kind: workload, object: {role: worker, uid: %s, namespace: n, "
                                 "name: %s, created: 1, podSets: [{name: a, count: 1}]}}";
    static const char manager[] =
        "{kind: workload, object: {role: manager, uid: %s, namespace: n, name: %s}}";

    s_open(s, "{effects: [writeWorkload], multiKueue: {}, limits: {workloads: 1, clusters: 1}}");
    s_lead(s);
    s_ask(s, LOADER_OBSERVE, worker, "a", "a");
    s_ask(s, LOADER_OBSERVE, worker, "b", "a");
    s_refuse(s, SLUICE_LIMIT, "limits.workloads", LOADER_OBSERVE, worker, "c", "c");
    s_ask(s, LOADER_INSPECT, "{what: limits}");
    s_want(s, "{workloads: 1, used: {workloads: 1}}");
    s_ask(s, LOADER_OBSERVE, manager, "a", "a");
    s_refuse(s, SLUICE_LIMIT, "limits.workloads", LOADER_OBSERVE, manager, "c", "c");
    s_see(s, "cluster", "{name: w}");
    s_refuse(s, SLUICE_LIMIT, "limits.clusters", LOADER_OBSERVE,
             "{kind: cluster, object: {name: v}}");
    s_refuse(s, SLUICE_LIMIT, "limits.clusters", LOADER_OBSERVE,
             "{kind: replica, object: {cluster: v, uid: r, namespace: n, name: a}}");
    s_ask(s, LOADER_INSPECT, "{what: limits}");
    s_want(s, "{clusters: 1, used: {clusters: 1, workloads: 1}}");
}

static void each_of_queues(struct story *s)
{
    s_open(s, "{effects: [writeWorkload, queueStatus], limits: {queues: 3}}");
    s_lead(s);
    for (int i = 0; i < 3; i++) {
        s_see(s, "localQueue", "{namespace: n, name: l%d, clusterQueue: c}", i);
        s_see(s, "check", "{name: k%d}", i);
        s_ask(s, LOADER_COMMAND,
              "{command: {uid: u%d, namespace: n, name: u%d, action: OpenQueue, target: {kind: "
              "Queue, name: default}}}",
              i, i);
    }
    s_refuse(s, SLUICE_LIMIT, "limits.queues", LOADER_OBSERVE,
             "{kind: localQueue, object: {namespace: n, name: x, clusterQueue: c}}");
    s_refuse(s, SLUICE_LIMIT, "limits.queues", LOADER_OBSERVE, "{kind: check, object: {name: x}}");
    s_refuse(s, SLUICE_LIMIT, "limits.queues", LOADER_COMMAND,
             "{command: {uid: x, namespace: n, name: x, action: OpenQueue, target: {kind: Queue, "
             "name: default}}}");
}

static void groups(struct story *s)
{
    s_open(s, "{effects: [answerPermit], limits: {pods: 2}}");
    s_lead(s);
    s_see(s, "group", "{uid: a, namespace: n, name: a, created: 1}");
    s_see(s, "group", "{uid: b, namespace: n, name: b, created: 1}");
    s_refuse(s, SLUICE_LIMIT, "limits.pods", LOADER_OBSERVE,
             "{kind: group, object: {uid: c, namespace: n, name: c, created: 1}}");
    s_pod(s, "p", "{annotations: {scheduling.k8s.io/group-name: c}}");
    s_lose(s, "group", "{uid: a, namespace: n, name: a}");
    s_see(s, "group", "{uid: c, namespace: n, name: c, created: 1}");
}

/* Each limit from its least to its most, as the table says. */
static void ranges(struct story *s)
{
    static const char *const keys[] = {"pods", "queues", "nodes", "workloads", "clusters"};

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        s_open(s, "{limits: {%s: 1}}", keys[i]);
        s_lead(s);
        s_ask(s, LOADER_INSPECT, "{what: limits}");
        s_want(s, "{%s: 1}", keys[i]);
        s_open(s, "{limits: {%s: %d}}", keys[i], 1 << 30);
        s_refuse_open(s, SLUICE_FIELD, NULL, "{limits: {%s: 0}}", keys[i]);
        s_refuse_open(s, SLUICE_FIELD, NULL, "{limits: {%s: %d}}", keys[i], (1 << 30) + 1);
    }
    s_open(s, "{limits: {message: 1024}}");
    s_open(s, "{limits: {message: %d}}", 16 << 20);
    s_refuse_open(s, SLUICE_FIELD, "limits.message", "{limits: {message: 1023}}");
    s_refuse_open(s, SLUICE_FIELD, "limits.message", "{limits: {message: %d}}", (16 << 20) + 1);
    s_refuse_open(s, SLUICE_FIELD, "limits.colour", "{limits: {colour: 1}}");
    s_open(s, "{}");
    s_ask(s, LOADER_INSPECT, "{what: limits}");
    s_want(s, "{message: %d, pods: %d, queues: 65536, nodes: 65536, workloads: %d, clusters: 1024}",
           1 << 20, 1 << 24, 1 << 20);
}

/* What is always there does not count against what is to come. */
static void one_queue(struct story *s)
{
    s_open(s, "{limits: {queues: 1}}");
    s_lead(s);
    s_pod(s, "p", "{}");
    s_state(s, "p", "reserved");
    s_refuse(s, SLUICE_LIMIT, "limits.queues", LOADER_OBSERVE,
             "{kind: queue, object: {kind: Queue, name: a}}");
}

const struct promise promises_of_limits[] = {
    {"each list has a most, and one more is refused by name", counts},
    {"each list of a workload has a most, and one more is refused by name", counts_of_workloads},
    {"each text has a most, and one byte more is refused by name", names},
    {"a uid has 1 to 64 bytes in every hook", uids_of_hooks},
    {"limits.nodes holds, and what it refuses leaves nothing", nodes},
    {"limits.pods holds, and what it refuses leaves nothing", pods},
    {"limits.queues holds", queues},
    {"what is only named counts against no limit", names_cost_nothing},
    {"limits.workloads and limits.clusters hold", workloads},
    {"commands, LocalQueues and checks may each be as many as queues", each_of_queues},
    {"groups may be as many as pods", groups},
    {"each limit may be what the table says", ranges},
    {"limits.queues of 1 has room for the queues that are always there", one_queue},
    {0},
};
