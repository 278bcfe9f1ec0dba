/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/host/conform_promises.h"
#include "abi/host/conform_steps.h"

/* A tick with one more key, whose value is these bytes. */
static void tick_with(struct story *s, bool refused, const char *bytes, size_t len)
{
    struct request r;

    request_init(&r);
    r_map(&r);
    r_key_int(&r, "now", s->now);
    r_str(&r, "zz");
    r_nil(&r);
    r_end(&r);
    uint8_t *whole = malloc(request_len(&r) + len);
    if (!whole)
        abort();
    memcpy(whole, request_bytes(&r), request_len(&r) - 1);
    memcpy(whole + request_len(&r) - 1, bytes, len);
    len += request_len(&r) - 1;
    if (refused)
        s_refuse_bytes(s, SLUICE_MESSAGE, LOADER_TICK, whole, len);
    else
        s_holds(s, probe_ask(s->probe, LOADER_TICK, s->handle, whole, len) >= 0,
                "what is well formed is skipped");
    free(whole);
    request_finish(&r);
}

#define REFUSED(bytes) tick_with(s, true, bytes, sizeof(bytes) - 1)
#define TAKEN(bytes) tick_with(s, false, bytes, sizeof(bytes) - 1)

static void below_unknown_keys(struct story *s)
{
    TAKEN("\xc0");
    TAKEN("\x81\xa1k\x91\xc4\x02\xff\xfe");
    TAKEN("\x81\xa1k\x81\xa1k\x01");
    REFUSED("\xcb\x3f\xf0\0\0\0\0\0\0");
    REFUSED("\xca\0\0\0\0");
    REFUSED("\x91\xcb\x3f\xf0\0\0\0\0\0\0");
    REFUSED("\x81\xa1k\xca\0\0\0\0");
    REFUSED("\xd4\x01\x02");
    REFUSED("\x91\xd6\xff\0\0\0\0");
    REFUSED("\x82\xa1k\x01\xa1k\x02");
    REFUSED("\x91\x82\xa1k\x01\xd9\x01k\x02");
    REFUSED("\x81\x01\x01");
    REFUSED("\x91\xa1\xff");
    REFUSED("\x81\xa2\xc0\x80\x01");
    REFUSED("\x91\xcf\x80\0\0\0\0\0\0\0");
    REFUSED("\x91\xc1");
}

/* The key is within the request's map, so 2,047 of it are its own. */
static void many_keys(struct story *s)
{
    for (int over = 0; over < 2; over++) {
        struct request r;
        char key[16];

        request_init(&r);
        r_map(&r);
        r_key_int(&r, "now", s->now);
        r_key_map(&r, "zz");
        for (int i = 0; i < 2046 + over; i++) {
            snprintf(key, sizeof(key), "k%d", i);
            r_key_int(&r, key, i);
        }
        r_end(&r);
        r_end(&r);
        if (over)
            s_refuse_bytes(s, SLUICE_MESSAGE, LOADER_TICK, request_bytes(&r), request_len(&r));
        else
            s_holds(s,
                    probe_ask(s->probe, LOADER_TICK, s->handle, request_bytes(&r),
                              request_len(&r)) >= 0,
                    "2,048 keys are taken");
        request_finish(&r);
    }
}

/* Every map of ours, however deep: each is shown with a key that must be understood, and with one
 * that need not be. */
static void nested_keys(struct story *s)
{
    static const struct {
        enum loader_hook hook;
        const char *path, *before, *after;
    } maps[] = {
        {LOADER_OBSERVE, "object", "kind: pod, object: {uid: p, namespace: n, name: p, created: 1,",
         "}"},
        {LOADER_OBSERVE, "object.controller",
         "kind: pod, object: {uid: p, namespace: n, name: p, created: 1, controller: {uid: c, "
         "kind: Job, name: c,",
         "}}"},
        {LOADER_OBSERVE, "object", "kind: queue, object: {kind: Queue, name: q,", "}"},
        {LOADER_OBSERVE, "object.preemption",
         "kind: queue, object: {kind: ClusterQueue, name: q, preemption: {", "}}"},
        {LOADER_OBSERVE, "object.preemption.borrowWithinCohort",
         "kind: queue, object: {kind: ClusterQueue, name: q, preemption: {borrowWithinCohort: {",
         "}}}"},
        {LOADER_OBSERVE, "object.checks[0]",
         "kind: queue, object: {kind: ClusterQueue, name: q, checks: [{name: k,", "}]}"},
        {LOADER_OBSERVE, "object.groups[0]",
         "kind: queue, object: {kind: ClusterQueue, name: q, groups: [{resources: [cpu], flavors: "
         "[{name: f, quotas: {}}],",
         "}]}"},
        {LOADER_OBSERVE, "object.groups[0].flavors[0]",
         "kind: queue, object: {kind: ClusterQueue, name: q, groups: [{resources: [cpu], flavors: "
         "[{name: f, quotas: {},",
         "}]}]}"},
        {LOADER_OBSERVE, "object.groups[0].flavors[0].quotas.cpu",
         "kind: queue, object: {kind: ClusterQueue, name: q, groups: [{resources: [cpu], flavors: "
         "[{name: f, quotas: {cpu: {nominal: 1,",
         "}}}]}]}"},
        {LOADER_OBSERVE, "object", "kind: node, object: {name: a,", "}"},
        {LOADER_OBSERVE, "object", "kind: flavor, object: {name: f,", "}"},
        {LOADER_OBSERVE, "object.taints[0]", "kind: flavor, object: {name: f, taints: [{key: k,",
         "}]}"},
        {LOADER_OBSERVE, "object.tolerations[0]",
         "kind: flavor, object: {name: f, tolerations: [{key: k,", "}]}"},
        {LOADER_OBSERVE, "object",
         "kind: group, object: {uid: g, namespace: n, name: g, created: 1,", "}"},
        {LOADER_OBSERVE, "object.condition",
         "kind: group, object: {uid: g, namespace: n, name: g, created: 1, condition: {", "}}"},
        {LOADER_OBSERVE, "object", "kind: cluster, object: {name: w,", "}"},
        {LOADER_OBSERVE, "object",
         "kind: workload, object: {role: manager, uid: m, namespace: n, name: m,", "}"},
        {LOADER_OBSERVE, "object",
         "kind: workload, object: {role: worker, uid: m, namespace: n, name: m, created: 1, "
         "podSets: [{name: a, count: 1}],",
         "}"},
        {LOADER_OBSERVE, "object.podSets[0]",
         "kind: workload, object: {role: worker, uid: m, namespace: n, name: m, created: 1, "
         "podSets: [{name: a, count: 1,",
         "}]}"},
        {LOADER_OBSERVE, "object.podSets[0].affinity[0][0]",
         "kind: workload, object: {role: worker, uid: m, namespace: n, name: m, created: 1, "
         "podSets: [{name: a, count: 1, affinity: [[{key: k, operator: Exists,",
         "}]]}]}"},
        {LOADER_OBSERVE, "object.conditions.Admitted",
         "kind: workload, object: {role: worker, uid: m, namespace: n, name: m, created: 1, "
         "podSets: [{name: a, count: 1}], conditions: {Admitted: {status: 'True',",
         "}}}"},
        {LOADER_OBSERVE, "object.admission",
         "kind: workload, object: {role: worker, uid: m, namespace: n, name: m, created: 1, "
         "podSets: [{name: a, count: 1}], admission: {clusterQueue: c, podSets: [],",
         "}}"},
        {LOADER_OBSERVE, "object.checks[0]",
         "kind: workload, object: {role: worker, uid: m, namespace: n, name: m, created: 1, "
         "podSets: [{name: a, count: 1}], checks: [{name: k, state: Ready,",
         "}]}"},
        {LOADER_OBSERVE, "object",
         "kind: localQueue, object: {namespace: n, name: l, "
         "clusterQueue: c,",
         "}"},
        {LOADER_OBSERVE, "object", "kind: check, object: {name: k,", "}"},
        {LOADER_OBSERVE, "object",
         "kind: replica, object: {cluster: w, namespace: n, name: m, uid: r,", "}"},
        {LOADER_OBSERVE, "object", "kind: pod, gone: true, object: {uid: p,", "}"},
        {LOADER_OBSERVE, "object", "kind: node, gone: true, object: {name: a,", "}"},
        {LOADER_OBSERVE, "object", "kind: queue, gone: true, object: {kind: Queue, name: q,", "}"},
        {LOADER_ADMIT, "object", "kind: pod, operation: CREATE, object: {namespace: n,", "}"},
        {LOADER_ADMIT, "object", "kind: queue, operation: CREATE, object: {kind: Queue, name: z,",
         "}"},
        {LOADER_PRE_ENQUEUE, "pod", "pod: {uid: p, namespace: n, name: p, created: 1,", "}"},
        {LOADER_COMMAND, "command",
         "command: {uid: c, namespace: n, name: c, action: OpenQueue, target: {kind: Queue, name: "
         "default},",
         "}"},
        {LOADER_COMMAND, "command.target",
         "command: {uid: c, namespace: n, name: c, action: OpenQueue, target: {kind: Queue, name: "
         "default,",
         "}}"},
        {LOADER_ACK, "acks[0]", "acks: [{id: 1, result: done,", "}]"},
    };
    char path[128];

    s_open(s, "{effects: [queueStatus, answerPermit, writeWorkload], multiKueue: {}}");
    s_lead(s);
    s_see(s, "cluster", "{name: w, connected: true}");
    s_see(s, "workload", "{role: manager, uid: m, namespace: n, name: m}");
    for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
        snprintf(path, sizeof(path), "%s.!new", maps[i].path);
        s_refuse(s, SLUICE_FIELD, path, maps[i].hook, "{%s '!new': {a: 1}%s}", maps[i].before,
                 maps[i].after);
        s_ask(s, maps[i].hook, "{%s new: {a: 1}%s}", maps[i].before, maps[i].after);
    }
}

/* In a map of names that a user gave a key with ! is a name. */
static void names_of_users(struct story *s)
{
    s_open(s, "{effects: [writeWorkload, answerPermit], multiKueue: {}}");
    s_lead(s);
    s_see(s, "node", "{name: a, labels: {'!x': y}, allocatable: {'!gpu': 4}}");
    s_see(s, "flavor", "{name: f, nodeLabels: {'!x': y}}");
    s_pod(s, "p", "{annotations: {'!a': b}, requests: {'!gpu': 2}}");
    s_ask(s, LOADER_INSPECT, "{what: pod, uid: p}");
    s_want(s, "{asks: {'!gpu': 2, pods: 1}}");
    s_see(s, "queue", "{kind: Queue, name: q, annotations: {'!a': b}, capability: {'!gpu': 1}}");
    s_pod(s, "r", "{queue: q, requests: {'!gpu': 2}}");
    s_ask(s, LOADER_INSPECT, "{what: pod, uid: r}");
    s_want(s, "{state: waiting, on: {resource: '!gpu', asked: 2, room: 1}}");
    s_see(s, "queue",
          "{kind: ClusterQueue, name: c, groups: [{resources: ['!gpu'], flavors: "
          "[{name: f, quotas: {'!gpu': {nominal: 1}}}]}]}");
    s_see(s, "group", "{uid: g, namespace: n, name: g, created: 1, minResources: {'!gpu': 1}}");
    s_see(s, "workload",
          "{role: worker, uid: w, namespace: n, name: w, created: 1, podSets: "
          "[{name: a, count: 1, requests: {'!gpu': 1}, nodeSelector: {'!x': y}}], "
          "gates: ['!g'], gateStatus: {'!g': Open}, "
          "conditions: {'!c': {status: 'True'}}}");
    s_see(s, "workload",
          "{role: manager, uid: m, namespace: n, name: m, annotations: {'!a': b}, "
          "conditions: {'!c': 'True'}}");
    s_open(s, "{rootCeiling: {'!gpu': 1}}");
}

const struct promise promises_of_whole[] = {
    {"no float, no ext type and no other flaw is taken, also below an unknown key",
     below_unknown_keys},
    {"a map and the maps around it have 2,048 keys at most", many_keys},
    {"an unknown key is skipped in every map of ours, one with ! is refused by its path",
     nested_keys},
    {"a key with ! is a name in a map of names that users give", names_of_users},
    {0},
};
