/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/host/conform_promises.h"
#include "abi/host/conform_steps.h"

/* A row that is longer than 16 KiB: what TOO_SMALL says is enough, little more than what it takes,
 * and the same whatever it was given. */
static void exact(struct story *s, enum loader_hook hook, const char *request)
{
    static const size_t caps[] = {CAP_LEAST, CAP_LEAST + 1, CAP_LEAST + 100};
    char before[STORY_DIGEST];
    size_t needs = 0;

    s_digest(s, before);
    for (size_t i = 0; i < sizeof(caps) / sizeof(caps[0]); i++) {
        s->cap = caps[i];
        s_try(s, hook, "%s", request);
        s_holds(s, sluice_error_code(s->result) == SLUICE_TOO_SMALL, "it does not fit (%.60s)",
                request);
        s_holds(s, i == 0 || needs == sluice_error_length(s->result),
                "it needs as much whatever it was given (%.60s)", request);
        needs = (size_t)sluice_error_length(s->result);
    }
    probe_unchanged(s->probe, probe_function(hook), s->handle, before);
    s->cap = needs;
    s_ask(s, hook, "%s", request);
    s_holds(s, (size_t)s->result <= needs && needs <= (size_t)s->result + 128,
            "it needs what it takes, and little more (%zu for %lld)", needs, (long long)s->result);
    s->cap = 0;
}

static char *long_queue(int flavors)
{
    char *text = malloc(1 << 20);
    size_t used = 0;

    if (!text)
        abort();
    used += (size_t)snprintf(text, 512, "{kind: ClusterQueue, name: long, groups: [{resources: [");
    for (int r = 0; r < 8; r++)
        used += (size_t)snprintf(text + used, 512, "example.com/resource-%d,", r);
    used += (size_t)snprintf(text + used, 512, "], flavors: [");
    for (int f = 0; f < flavors; f++) {
        used +=
            (size_t)snprintf(text + used, 512, "{name: flavor-with-a-long-name-%d, quotas: {", f);
        for (int r = 0; r < 8; r++)
            used += (size_t)snprintf(text + used, 512, "example.com/resource-%d: {nominal: 5},", r);
        used += (size_t)snprintf(text + used, 512, "}},");
    }
    snprintf(text + used, 512, "]}]}");
    return text;
}

static void long_rows(struct story *s)
{
    char *queue = long_queue(64);
    char page[64];

    s_lead(s);
    s_see(s, "queue", "%s", queue);
    free(queue);
    exact(s, LOADER_INSPECT, "{what: queue, kind: ClusterQueue, name: long}");
    s_ask(s, LOADER_INSPECT, "{what: queues, max: 2}");
    snprintf(page, sizeof(page), "{what: queues, from: %lld}", (long long)s_int(s, "from"));
    exact(s, LOADER_INSPECT, page);
}

static void long_bits(struct story *s)
{
    char *request = malloc(4 << 20);
    size_t used = 0;

    if (!request)
        abort();
    used += (size_t)snprintf(request, 64, "{uid: nobody, nodes: [");
    for (int i = 0; i < 140000; i++)
        used += (size_t)snprintf(request + used, 8, "%d,", i % 7);
    snprintf(request + used, 8, "]}");
    exact(s, LOADER_FILTER, request);
    free(request);
}

/* An effect that is too long stays, and is given when there is room. */
static void long_effects(struct story *s)
{
    char value[64];
    char *flavors = malloc(1 << 20);

    if (!flavors)
        abort();
    memset(value, 'v', 63);
    value[63] = '\0';
    s_open(s, "{removal: onAdmission}");
    s_lead(s);
    for (int f = 0; f < 16; f++) {
        size_t used = 0;

        for (int i = 0; i < 8; i++)
            used += (size_t)snprintf(flavors + used, 512,
                                     "{key: '%0*d', operator: Equal, value: '%s', effect: "
                                     "NoSchedule},",
                                     200, i, value);
        s_see(s, "flavor", "{name: f%d, tolerations: [%s]}", f, flavors);
    }
    char *at = flavors;
    for (int f = 0; f < 16; f++)
        at += snprintf(at, 128,
                       "{resources: [r%d], flavors: [{name: f%d, quotas: {r%d: {nominal: 9}}}]},",
                       f, f, f);
    s_see(s, "queue", "{kind: ClusterQueue, name: c, groups: [%s]}", flavors);
    at = flavors;
    for (int f = 0; f < 16; f++)
        at += snprintf(at, 128, "r%d: 1,", f);
    s_pod(s, "p", "{queue: c, queueKind: ClusterQueue, requests: {%s}}", flavors);
    free(flavors);
    s_want(s, "{pending: 1}");
    exact(s, LOADER_DRAIN, "{max: 5}");
    s_want(s, "{effects: [{kind: removeGates, uid: p, attempt: 1}], pending: 0}");
    s_ack(s, s_effect(s, "removeGates", "p"), "retry");
    s_open(s, "{}");
}

/* Every page but the last ends where the next begins; together they are the whole. */
static void pages(struct story *s, const char *request, const char *rows, size_t count)
{
    int64_t from = 0;
    size_t seen = 0;
    json_t *all;

    s->cap = STEPS_LARGE;
    s_ask(s, LOADER_INSPECT, "{%s, max: 65536}", request);
    all = json_incref((json_t *)s_value(s, rows));
    s->cap = 0;
    s_equal(s, (int64_t)json_array_size(all), (int64_t)count, request);
    for (int i = 0; i < 2000; i++) {
        s_ask(s, LOADER_INSPECT, "{%s, max: 3, from: %lld}", request, (long long)from);
        const json_t *page = s_value(s, rows);

        s_holds(s, json_array_size(page) <= 3, "a page has `max` rows at most");
        for (size_t k = 0; k < json_array_size(page); k++, seen++)
            s_holds(s, json_equal(json_array_get(page, k), json_array_get(all, seen)),
                    "the pages of %s are the whole", request);
        from = s_int(s, "from");
        if (from == 0)
            break;
    }
    s_equal(s, (int64_t)seen, (int64_t)count, "rows of all pages");
    json_decref(all);
    s_refuse(s, SLUICE_FIELD, "max", LOADER_INSPECT, "{%s, max: 0}", request);
    s_refuse(s, SLUICE_FIELD, "max", LOADER_INSPECT, "{%s, max: 65537}", request);
    s_refuse(s, SLUICE_FIELD, "from", LOADER_INSPECT, "{%s, from: -1}", request);
}

static void all_pages(struct story *s)
{
    s_open(s, "{effects: [answerPermit, writeWorkload, setGroupStatus], multiKueue: {}}");
    s_lead(s);
    s_see(s, "flavor", "{name: f}");
    s_see(s, "queue",
          "{kind: ClusterQueue, name: c, groups: [{resources: [cpu], flavors: [{name: f, "
          "quotas: {cpu: {nominal: 0}}}]}]}");
    s_see(s, "localQueue", "{namespace: n, name: l, clusterQueue: c}");
    s_see(s, "queue", "{kind: Queue, name: none, capability: {pods: 0}}");
    for (int i = 0; i < 10; i++) {
        char uid[8];

        snprintf(uid, sizeof(uid), "p%d", i);
        s_pod(s, uid, "{queue: none}");
        s_see(s, "queue", "{kind: Queue, name: q%d}", i);
        s_see(s, "group", "{uid: g%d, namespace: n, name: g%d, created: 1, minMember: 2}", i, i);
        s_see(s, "cluster", "{name: w%d, connected: true}", i);
        s_see(s, "localQueue", "{namespace: n, name: l%d, clusterQueue: c}", i);
        s_see(s, "workload",
              "{role: manager, uid: m%d, namespace: n, name: m%d, nominated: [w1], "
              "conditions: {QuotaReserved: 'True'}}",
              i, i);
        s_see(s, "workload",
              "{role: worker, uid: w%d, namespace: n, name: w%d, created: 1, queue: l, "
              "podSets: [{name: a, count: 1, requests: {cpu: 1}}]}",
              i, i);
    }
    s_settle(s);
    pages(s, "what: queues", "queues", 14);
    pages(s, "what: groups", "groups", 10);
    pages(s, "what: clusters", "clusters", 10);
    pages(s, "what: localQueues", "localQueues", 11);
    pages(s, "what: fleet", "workloads", 10);
    pages(s, "what: pending, kind: Queue, name: none", "pods", 10);
    pages(s, "what: workloads, kind: ClusterQueue, name: c", "workloads", 10);
    pages(s, "what: workloads, kind: LocalQueue, namespace: n, name: l", "workloads", 10);
    pages(s, "what: workloads, kind: ClusterQueue, name: c, holding: true", "workloads", 0);
}

static void page_fills(struct story *s)
{
    s_lead(s);
    for (int i = 0; i < 300; i++)
        s_see(s, "queue", "{kind: Queue, name: q%03d, capability: {cpu: 1, memory: 2}}", i);
    s_ask(s, LOADER_INSPECT, "{what: queues}");
    size_t first = s_count(s, "queues");
    s_holds(s, first > 5 && first < 256, "a page is what fits into `cap`");
    s_holds(s, s_int(s, "from") > 0, "and says where the next begins");
    s->cap = STEPS_LARGE;
    s_ask(s, LOADER_INSPECT, "{what: queues}");
    s_equal(s, (int64_t)s_count(s, "queues"), 256, "rows of a page that is not told how many");
}

/* By kind and name. */
static void sorted(struct story *s)
{
    s_see(s, "queue", "{kind: Queue, name: zoo}");
    s_see(s, "queue", "{kind: ClusterQueue, name: b, parent: co}");
    s_see(s, "queue", "{kind: ClusterQueue, name: a}");
    s_see(s, "queue", "{kind: Queue, name: ant}");
    s_ask(s, LOADER_INSPECT, "{what: queues}");
    s_want(s,
           "{queues: [{kind: Queue, name: ant}, {kind: Queue, name: default}, {kind: Queue, name: "
           "root}, {kind: Queue, name: zoo}, {kind: ClusterQueue, name: a}, {kind: ClusterQueue, "
           "name: b}, {kind: Cohort, name: co}], from: 0}");
}

static void refuses(struct story *s)
{
    static const char *const unknown[][2] = {
        {"what: weather", "what"},
        {"what: queue, kind: Queue, name: nobody", "name"},
        {"what: queue, kind: Queue", "name"},
        {"what: queue, name: default", "kind"},
        {"what: pod, uid: nobody", "uid"},
        {"what: pod, namespace: n, name: nobody", "name"},
        {"what: pod, name: p", "namespace"},
        {"what: pod", "uid"},
        {"what: group, namespace: n, name: nobody", "name"},
        {"what: pending, kind: Queue, name: nobody", "name"},
        {"what: workload, namespace: n, name: nobody", "name"},
        {"what: fleet, namespace: n, name: nobody", "name"},
        {"what: clusterQueue, name: nobody", "name"},
        {"what: localQueue, namespace: n, name: nobody", "name"},
        {"uid: p", "what"},
    };

    for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
        s_refuse(s, SLUICE_FIELD, unknown[i][1], LOADER_INSPECT, "{%s}", unknown[i][0]);
}

static void queue_map(struct story *s)
{
    s_lead(s);
    s_see(s, "queue",
          "{kind: Queue, name: q, parent: top, strategy: fifo, capability: {cpu: 3}, "
          "deserved: {cpu: 2}, guarantee: {cpu: 1}}");
    s_pod(s, "a", "{queue: q, requests: {cpu: 1}, node: x}");
    s_pod(s, "b", "{queue: q, requests: {cpu: 1}}");
    s_pod(s, "c", "{queue: q, requests: {cpu: 2}}");
    s_pod(s, "d", "{queue: q, requests: {cpu: 7}, gates: [other]}");
    s_ask(s, LOADER_INSPECT, "{what: queue, kind: Queue, name: q}");
    s_want(s, "{kind: Queue, name: q, parent: top, known: true, leaf: true, strategy: fifo, "
              "waiting: 2, held: 1, reserved: 0, allocated: 1, asks: {cpu: 3, pods: 2}, "
              "quota: [{flavor: default, resource: cpu, share: 2, kept: 1, ceiling: 3, usage: 1, "
              "reserved: 0, allocated: 1}]}");
    s_see(s, "queue", "{kind: Queue, name: top}");
    s_ask(s, LOADER_INSPECT, "{what: queue, kind: Queue, name: q}");
    s_want(s,
           "{waiting: 1, held: 1, reserved: 1, allocated: 1, granted: 1, released: 0, demoted: 0, "
           "quota: [{usage: 2, reserved: 1, allocated: 1}]}");
    s_lose(s, "pod", "{uid: b}");
    s_ask(s, LOADER_INSPECT, "{what: queue, kind: Queue, name: q}");
    s_want(s, "{reserved: 1, granted: 2, released: 1, quota: [{usage: 3}]}");
    s_ask(s, LOADER_INSPECT, "{what: queue, kind: Queue, name: top}");
    s_want(s, "{leaf: false, reserved: 1, allocated: 1, held: 1, waiting: 0}");
}

static void checks_itself(struct story *s)
{
    s_lead(s);
    s_pod(s, "p", "{}");
    s_ask(s, LOADER_INSPECT, "{what: check}");
    s_want(s, "{ok: true, broken: ''}");
    s_ask(s, LOADER_INSPECT, "{what: limits}");
    int64_t longest = s_int(s, "used.message");
    s_see(s, "node",
          "{name: a, labels: {a: b, c: d, e: f}, allocatable: {cpu: 1, memory: 2, gpu: 3, "
          "example.com/very-long-name-of-a-resource-that-is-rather-unusual: 4, "
          "example.com/and-yet-another-one-that-makes-this-the-longest-message: 5}}");
    s_ask(s, LOADER_INSPECT, "{what: limits}");
    s_holds(s, s_int(s, "used.message") > longest && s_int(s, "used.message") < 1024,
            "`used` tells the longest message");
    longest = s_int(s, "used.message");
    s_tick(s, s->now);
    s_ask(s, LOADER_INSPECT, "{what: limits}");
    s_equal(s, s_int(s, "used.message"), longest, "the longest message after a short one");
    s_want(s, "{used: {pods: 1, nodes: 1, queues: 2}}");
}

/* Who may see one namespace is told of what is in it, and of others only numbers. */
static void within(struct story *s)
{
    static const char *const whole[] = {
        "queues",  "pending, kind: Queue, name: q", "effects", "limits", "digest", "fleet",
        "clusters"};

    s_open(s, "{effects: [answerPermit, writeWorkload], multiKueue: {}}");
    s_lead(s);
    s_see(s, "queue", "{kind: Queue, name: q, parent: top, capability: {pods: 0}}");
    s_see(s, "queue", "{kind: Queue, name: top}");
    s_pod(s, "a", "{queue: q, requests: {cpu: 1}, created: 1, namespace: theirs}");
    s_pod(s, "b", "{queue: q, requests: {cpu: 1}, created: 2, namespace: ours}");
    s_see(s, "group", "{uid: g, namespace: ours, name: g, created: 1, minMember: 2}");
    s_see(s, "group", "{uid: h, namespace: theirs, name: h, created: 1, minMember: 2}");
    s_see(s, "localQueue", "{namespace: ours, name: l, clusterQueue: c}");
    s_see(s, "localQueue", "{namespace: theirs, name: m, clusterQueue: c}");
    s_ask(s, LOADER_INSPECT, "{what: pod, name: b, '!within': ours, path: true}");
    s_want(s, "{uid: b, namespace: ours, position: 2, ahead: {cpu: 1}, path: [{kind: Queue, name: "
              "q, waiting: 2}, {name: top}, {name: root}]}");
    s_ask(s, LOADER_INSPECT, "{what: groups, '!within': ours}");
    s_want(s, "{groups: [{name: g}], from: 0}");
    s_ask(s, LOADER_INSPECT, "{what: localQueues, '!within': ours}");
    s_want(s, "{localQueues: [{name: l}], from: 0}");
    s_refuse(s, SLUICE_FIELD, "uid", LOADER_INSPECT, "{what: pod, uid: a, '!within': ours}");
    s_refuse(s, SLUICE_FIELD, "namespace", LOADER_INSPECT,
             "{what: pod, namespace: theirs, name: a, '!within': ours}");
    s_refuse(s, SLUICE_FIELD, "kind", LOADER_INSPECT,
             "{what: workloads, kind: ClusterQueue, name: c, '!within': ours}");
    for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++)
        s_refuse(s, SLUICE_FIELD, "what", LOADER_INSPECT, "{what: %s, '!within': ours}", whole[i]);
}

/* Some run and end, then three hold all there is, and some wait. */
static void estimates(struct story *s)
{
    s_lead(s);
    s_see(s, "queue", "{kind: Queue, name: q, capability: {cpu: 3}}");
    s_pod(s, "none", "{queue: q, requests: {cpu: 4}, created: 1}");
    s_ask(s, LOADER_INSPECT, "{what: pod, uid: none}");
    s_want(s, "{position: 1, ahead: {}, atLeast: false, estimate: -1, earliest: -1, latest: -1}");
    s_holds(s, s_text(s, "basis")[0] != '\0', "it is said why there is no estimate");
    s_lose(s, "pod", "{uid: none}");
    for (int i = 0; i < 30; i++) {
        char uid[2] = {(char)('a' + i % 26), 0};

        s_pod(s, uid, "{queue: q, requests: {cpu: 1}, node: n, created: %lld}", (long long)s->now);
        s->now += INT64_C(60) * STORY_SECOND;
        s_lose(s, "pod", "{uid: %s}", uid);
    }
    for (int i = 0; i < 3; i++) {
        char uid[2] = {(char)('a' + i), 0};

        s->now += STORY_SECOND;
        s_pod(s, uid, "{queue: q, requests: {cpu: 1}}");
        s_state(s, uid, "reserved");
        s_want(s, "{position: 0, on: nil, granted: %lld}", (long long)s->now);
    }
    s_pod(s, "w1", "{queue: q, requests: {cpu: 1}, created: 2}");
    s_pod(s, "w2", "{queue: q, requests: {cpu: 2}, created: 3}");
    s_ask(s, LOADER_INSPECT, "{what: pod, uid: w1}");
    s_want(s, "{position: 1, ahead: {}}");
    int64_t first = s_int(s, "earliest");
    s_holds(s, first > 0 && s_int(s, "latest") >= first,
            "where some have ended it is told when it is over");
    s_ask(s, LOADER_INSPECT, "{what: pod, uid: w2}");
    s_want(s, "{position: 2, ahead: {cpu: 1}, atLeast: false, on: {kind: Queue, name: q, "
              "resource: cpu, room: 0, asked: 2, wanted: 3}}");
    s_pod(s, "w3", "{queue: q, requests: {cpu: 1}, created: 4}");
    s_ask(s, LOADER_INSPECT, "{what: pod, uid: w3}");
    s_holds(s, s_int(s, "earliest") > first, "who is behind one that asks for as much is later");
    s_holds(s, s_text(s, "basis")[0] != '\0', "an estimate says how it was made");
}

const struct promise promises_of_views[] = {
    {"TOO_SMALL of a long row says just what it needs", long_rows},
    {"TOO_SMALL of filter says just what it needs", long_bits},
    {"TOO_SMALL of a long effect says just what it needs, and the effect stays", long_effects},
    {"the pages of a view are the whole, in the same order", all_pages},
    {"a page is what fits, and 256 rows at most when it is not told", page_fills},
    {"queues come by kind and name", sorted},
    {"inspect of what is not known is FIELD, by name", refuses},
    {"a question within a namespace is about what is in it", within},
    {"the map of a queue counts its claims and amounts", queue_map},
    {"who waits is told its place, what is before it, and how long it may take", estimates},
    {"inspect of check and limits tells what holds and what is used", checks_itself},
    {0},
};
