/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/host/conform_promises.h"
#include "abi/host/conform_steps.h"

/* Two nodes, of which one has what the flavor of a granted pod names. */
static void flavors(struct story *s, const char *more, int64_t ids[2])
{
    s_lead(s);
    s_see(s, "node", "{name: a, labels: {kind: spot}}");
    ids[0] = s_int(s, "id");
    s_see(s, "node", "{name: b, labels: {kind: dear}}");
    ids[1] = s_int(s, "id");
    s_see(s, "flavor", "{name: spot, nodeLabels: {kind: spot}, %s}", more);
    s_see(s, "queue",
          "{kind: ClusterQueue, name: c, groups: [{resources: [cpu], flavors: [{name: "
          "spot, quotas: {cpu: {nominal: 5}}}]}]}");
    s_pod(s, "p", "{queue: c, queueKind: ClusterQueue, requests: {cpu: 1}, generation: 3}");
    s_state(s, "p", "reserved");
    s_want(s, "{flavors: {cpu: spot}}");
}

static uint8_t bits_of(struct story *s, const char *nodes, size_t *ret_len)
{
    s_ask(s, LOADER_FILTER, "{uid: p, nodes: %s}", nodes);
    const char *hex = json_string_value(json_object_get(s_value(s, "bits"), "$bin"));

    *ret_len = hex ? strlen(hex) / 2 : 0;
    return hex ? (uint8_t)strtoul((char[]){hex[0], hex[0] ? hex[1] : '\0', 0}, NULL, 16) : 0;
}

static void filters(struct story *s)
{
    int64_t ids[2];
    char nodes[128];
    size_t len;

    flavors(s, "", ids);
    s_ask(s, LOADER_PRE_FILTER, "{uid: p}");
    s_want(s, "{pass: true, nodes: true, reason: '', message: '', unschedulable: false}");
    snprintf(nodes, sizeof(nodes), "[%lld, %lld, %lld, 77, %lld]", (long long)ids[1],
             (long long)ids[0], (long long)ids[0], (long long)ids[1]);
    s_equal(s, bits_of(s, nodes, &len), 6, "the bits of b, a, a, nobody, b");
    s_equal(s, (int64_t)len, 1, "the bytes of five bits");
    snprintf(nodes, sizeof(nodes), "[%lld, 77, 77, 77, 77, 77, 77, 77, %lld]", (long long)ids[0],
             (long long)ids[0]);
    s_equal(s, bits_of(s, nodes, &len), 1, "the first of two bytes");
    s_equal(s, (int64_t)len, 2, "the bytes of nine bits");
    bits_of(s, "[]", &len);
    s_equal(s, (int64_t)len, 0, "the bytes of no bits");
    uint8_t all = bits_of(s, "nil", &len);
    s_equal(s, all & 1 << ids[0], 1 << ids[0], "the bit of a, of every node");
    s_equal(s, all & 1 << ids[1], 0, "the bit of b, of every node");
    s_ask(s, LOADER_PRE_FILTER, "{uid: nobody}");
    s_want(s, "{pass: true, nodes: false, unschedulable: false}");
    s_lose(s, "flavor", "{name: spot}");
    snprintf(nodes, sizeof(nodes), "[%lld]", (long long)ids[0]);
    s_equal(s, bits_of(s, nodes, &len), 0, "the bit of a node for a flavor that is gone");
}

/* Neither one that is gone, nor one that never was, and also for whom no flavor matters. */
static void dead_nodes(struct story *s)
{
    int64_t ids[2];
    char nodes[128];
    size_t len;

    flavors(s, "", ids);
    s_lose(s, "node", "{name: a}");
    snprintf(nodes, sizeof(nodes), "[%lld, %lld, 0, 4000000]", (long long)ids[0],
             (long long)ids[1]);
    s_equal(s, bits_of(s, nodes, &len), 0, "the bits of nodes that are not there");
    s_equal(s, bits_of(s, "nil", &len) & 1 << ids[0], 0, "the bit of a node that is gone");
    s_ask(s, LOADER_FILTER, "{uid: nobody, nodes: %s}", nodes);
    s_want(s, "{bits: {$bin: '02'}}");
    s_ask(s, LOADER_FILTER, "{uid: nobody, nodes: nil}");
    s_lose(s, "node", "{name: b}");
    s_ask(s, LOADER_FILTER, "{uid: nobody, nodes: %s}", nodes);
    s_want(s, "{bits: {$bin: '00'}}");
    s_refuse(s, SLUICE_FIELD, NULL, LOADER_FILTER, "{uid: p, nodes: [-1]}");
    s_refuse(s, SLUICE_FIELD, "nodes", LOADER_FILTER, "{uid: p}");
}

static void ids_of_nodes(struct story *s)
{
    s_see(s, "node", "{name: a}");
    int64_t a = s_int(s, "id");
    s_see(s, "node", "{name: b}");
    s_holds(s, s_int(s, "id") != a, "each node has an id of its own");
    s_see(s, "node", "{name: a, labels: {x: y}}");
    s_equal(s, s_int(s, "id"), a, "the id of a node that is shown again");
    s_lose(s, "node", "{name: a}");
    s_holds(s, !s_value(s, "id"), "one that is gone has no id");
}

static void patches(struct story *s)
{
    int64_t ids[2];

    flavors(s, "", ids);
    s_ask(s, LOADER_RESERVE, "{uid: p, node: a}");
    s_want(s, "{pass: true, reason: '', message: ''}");
    s_ask(s, LOADER_PERMIT, "{uid: p, node: a}");
    s_want(s, "{allow: true}");
    for (int i = 0; i < 2; i++) {
        s_ask(s, LOADER_BIND, "{uid: p, node: a}");
        s_want(s,
               "{gates: [" STORY_GATE "], generation: 3, annotations: {sluice.sh/granted: "
               "'%lld', sluice.sh/flavors: 'cpu=spot'}, nodeSelector: {kind: spot}, "
               "tolerations: []}",
               (long long)s->now);
    }
    s_ask(s, LOADER_POST_BIND, "{uid: p, node: a}");
    s_pod(s, "p",
          "{queue: c, queueKind: ClusterQueue, requests: {cpu: 1}, generation: 4, gates: [], "
          "node: a, annotations: {sluice.sh/granted: '%lld', sluice.sh/flavors: 'cpu=spot'}}",
          (long long)s->now);
    s_ask(s, LOADER_BIND, "{uid: p, node: a}");
    s_want(s, "{gates: []}");
    s_ask(s, LOADER_BIND, "{uid: nobody, node: a}");
    s_want(s, "{gates: [], annotations: {}, nodeSelector: {}, tolerations: []}");
}

static void tolerates(struct story *s)
{
    int64_t ids[2];

    flavors(s, "tolerations: [{key: spot, operator: Exists, effect: NoSchedule, seconds: 5}]", ids);
    s_ask(s, LOADER_PRE_FILTER, "{uid: p}");
    s_want(s, "{pass: false, reason: NotReady}");
    s_drain(s);
    s_want(s,
           "{effects: [{kind: removeGates, uid: p, gates: [" STORY_GATE "], generation: 3, "
           "nodeSelector: {kind: spot}, tolerations: [{key: spot, operator: Exists, effect: "
           "NoSchedule, value: '', seconds: 5}], annotations: {sluice.sh/flavors: 'cpu=spot'}}]}");
    s_ack(s, s_effect(s, "removeGates", "p"), "done");
    s_pod(s, "p",
          "{queue: c, queueKind: ClusterQueue, requests: {cpu: 1}, generation: 4, gates: [], "
          "annotations: {sluice.sh/granted: '%lld', sluice.sh/flavors: 'cpu=spot'}}",
          (long long)s->now);
    s_ask(s, LOADER_PRE_FILTER, "{uid: p}");
    s_want(s, "{pass: true}");
}

static void reserves(struct story *s)
{
    s_lead(s);
    s_pod(s, "p", "{}");
    for (int i = 0; i < 2; i++) {
        s_ask(s, LOADER_RESERVE, "{uid: p, node: a}");
        s_want(s, "{pass: true}");
        s_state(s, "p", "allocated");
    }
    s->now += STORY_SECOND;
    for (int i = 0; i < 2; i++) {
        s_ask(s, LOADER_UNRESERVE, "{uid: p, node: a}");
        s_state(s, "p", "reserved");
        s_want(s, "{granted: %lld}", (long long)(s->now - STORY_SECOND));
    }
    for (int i = 0; i < 2; i++) {
        s_ask(s, LOADER_RESERVE, "{uid: p, node: a}");
        s_ask(s, LOADER_POST_BIND, "{uid: p, node: a}");
        s_state(s, "p", "allocated");
    }
    s_ask(s, LOADER_RESERVE, "{uid: nobody, node: a}");
    s_want(s, "{pass: true}");
    s_ask(s, LOADER_UNRESERVE, "{uid: nobody, node: a}");
    s_ask(s, LOADER_PERMIT, "{uid: nobody, node: a}");
    s_want(s, "{allow: true}");
    s_ask(s, LOADER_POST_BIND, "{uid: nobody, node: a}");
    s_ask(s, LOADER_POST_FILTER, "{uid: nobody}");
    s_ask(s, LOADER_PRE_FILTER, "{uid: nobody}");
    s_want(s, "{pass: true}");
}

/* Who is not granted, or was demoted meanwhile, passes no later hook. */
static void refuses_the_ungranted(struct story *s)
{
    s_lead(s);
    s_see(s, "queue", "{kind: Queue, name: q, capability: {cpu: 1}}");
    s_pod(s, "p", "{queue: q, requests: {cpu: 1}}");
    s_ask(s, LOADER_PRE_FILTER, "{uid: p}");
    s_want(s, "{pass: true}");
    s_see(s, "queue",
          "{kind: Queue, name: q, capability: {cpu: 1}, guarantee: {}, state: Suspended}");
    s_ask(s, LOADER_PRE_FILTER, "{uid: p}");
    s_want(s, "{pass: false, unschedulable: false, reason: QueueSuspended}");
    s_ask(s, LOADER_RESERVE, "{uid: p, node: a}");
    s_want(s, "{pass: false, reason: QueueSuspended}");
    s_state(s, "p", "reserved");
    s_pod(s, "w", "{queue: q, requests: {cpu: 1}}");
    s_ask(s, LOADER_RESERVE, "{uid: w, node: a}");
    s_want(s, "{pass: false}");
    s_ask(s, LOADER_PRE_FILTER, "{uid: w}");
    s_want(s, "{pass: false, unschedulable: false}");
    s_holds(s, s_text(s, "message")[0] != '\0', "a refusal has a message");
}

/* Where gates go on bind: at once when no node fits, and on admission at the grant. */
static void gates_go(struct story *s)
{
    s_lead(s);
    s_pod(s, "p", "{generation: 4}");
    s_want(s, "{pending: 0}");
    s_ask(s, LOADER_PRE_FILTER, "{uid: p}");
    s_ask(s, LOADER_POST_FILTER, "{uid: p}");
    s_want(s, "{pending: 1}");
    s_ask(s, LOADER_POST_FILTER, "{uid: p}");
    s_want(s, "{pending: 1}");
    s_drain(s);
    s_want(s,
           "{effects: [{kind: removeGates, uid: p, gates: [" STORY_GATE "], generation: 4, "
           "annotations: {sluice.sh/granted: '%lld'}, nodeSelector: {}, tolerations: []}]}",
           (long long)s->now);
    s_ack(s, s_effect(s, "removeGates", "p"), "done");
    s_ask(s, LOADER_BIND, "{uid: p, node: a}");
    s_want(s, "{gates: []}");
    s_pod(s, "r", "{}");
    s_pod(s, "r", "{unschedulable: true}");
    s_drain(s);
    s_holds(s, s_effect(s, "removeGates", "r") != 0, "who is Unschedulable loses its gate");
    s_open(s, "{removal: onAdmission}");
    s_lead(s);
    s_pod(s, "p", "{gates: [volcano.sh/queue-allocation-gate, " STORY_GATE "]}");
    s_drain(s);
    s_want(s, "{effects: [{kind: removeGates, uid: p}]}");
    s_equal(s, (int64_t)s_count(s, "effects.0.gates"), 2, "how many gates of ours are removed");
}

static void conditions(struct story *s)
{
    s_lead(s);
    s_see(s, "queue", "{kind: Queue, name: q, capability: {cpu: 1}}");
    s_pod(s, "a", "{queue: q, requests: {cpu: 1}, created: 1}");
    s_pod(s, "p",
          "{queue: q, requests: {cpu: 1}, created: 2, unschedulable: true, "
          "resourceVersion: 8}");
    s_drain(s);
    s_want(s, "{effects: [{kind: setCondition, uid: p, resourceVersion: 8, reason: "
              "QueueCapacity, gated: true}]}");
    s_holds(s, s_text(s, "effects.0.message")[0] != '\0', "a condition has a message");
    s_lose(s, "pod", "{uid: a}");
    s_state(s, "p", "held");
    s_want(s, "{reason: ConditionStale}");
    s_ack(s, s_int(s, "nothing"), "done");
    s_pod(s, "p", "{queue: q, requests: {cpu: 1}, created: 2, resourceVersion: 9}");
    s_state(s, "p", "reserved");
    s_drain(s);
    s_pod(s, "bare",
          "{queue: q, requests: {cpu: 1}, created: 3, gates: [], unschedulable: true, "
          "resourceVersion: 3}");
    s_drain(s);
    s_want(s, "{effects: [{kind: setCondition, uid: bare, reason: QueueCapacity, gated: false}]}");
}

static void keeps_its_turn(struct story *s)
{
    s_lead(s);
    s_see(s, "queue", "{kind: Queue, name: q, capability: {cpu: 4}}");
    s_pod(s, "a", "{queue: q, requests: {cpu: 2}, created: 1}");
    s_pod(s, "b", "{queue: q, requests: {cpu: 2}, created: 2}");
    s_pod(s, "a", "{queue: q, requests: {cpu: 2}, created: 1, unschedulable: true}");
    s_pod(s, "b", "{queue: q, requests: {cpu: 2}, created: 2, unschedulable: true}");
    s_see(s, "queue", "{kind: Queue, name: q, capability: {cpu: 1}}");
    s_drain(s);
    s_holds(s, s_effect(s, "setCondition", "a") != 0, "who was demoted gets another condition");
    s_ack(s, s_effect(s, "setCondition", "b"), "done");
    s_pod(s, "b", "{queue: q, requests: {cpu: 2}, created: 2, resourceVersion: 9}");
    s_see(s, "queue", "{kind: Queue, name: q, capability: {cpu: 2}}");
    s_state(s, "b", "waiting");
    s_state(s, "a", "reserved");
    s_want(s, "{reason: ConditionStale}");
    s_pod(s, "a", "{queue: q, requests: {cpu: 2}, created: 1, resourceVersion: 9}");
    s_state(s, "a", "reserved");
    s_want(s, "{reason: ''}");
}

const struct promise promises_of_framework[] = {
    {"filter has a bit for each node in their order, the lowest bit first", filters},
    {"the bit of a node that is gone, or never was, is clear", dead_nodes},
    {"a node keeps its id until it is gone", ids_of_nodes},
    {"bind says what the patch writes: gates, stamp, flavor, its labels", patches},
    {"where a flavor has tolerations the gate goes first, with them", tolerates},
    {"reserve, unreserve and post_bind may come twice, and whoever is not known passes", reserves},
    {"who is not granted, or whose queue is suspended, passes neither pre_filter nor reserve",
     refuses_the_ungranted},
    {"gates go when no node fits, or at the grant", gates_go},
    {"a condition that says Unschedulable is overwritten before the grant", conditions},
    {"who was granted before keeps its turn while its condition is overwritten", keeps_its_turn},
    {0},
};
