/* SPDX-License-Identifier: Apache-2.0 */

/* Workloads that are admitted here, and their queues, through the door: as they are read, and what
 * the host is told to write. */
#include "t/kit/ask.h"
#include "t/kit/tap.h"

#include <stdio.h>
#include <string.h>

#define CONFIG "{effects: [writeWorkload], preemptionGates: true}"
#define WHO "namespace: ns, name: w, uid: u1"
#define NAMES "\"uid\"=>\"u1\", \"namespace\"=>\"ns\", \"name\"=>\"w\", \"attempt\"=>1, "
#define SETS                                                                                       \
    "podSets: [{name: main, count: 2, requests: {cpu: '1', memory: 1Gi}, nodeSelector: {zone: "    \
    "a}, "                                                                                         \
    "affinity: [[{key: zone, operator: In, values: [a, b]}]], "                                    \
    "tolerations: [{key: spot, operator: Exists}]}]"
#define WORKLOAD(more) "{role: worker, " WHO ", created: 5, queue: l, " SETS more "}"
#define SEE(more) "{now: 1, kind: workload, object: " WORKLOAD(more) "}"
#define SEEN "{\"ignored\"=>false}"

static void test_way(void)
{
    static const struct ask_line lines[] = {
        {HOOK_OBSERVE,
         "{now: 1, kind: flavor, object: {name: f, nodeLabels: {zone: a}, "
         "taints: [{key: spot, value: 'true', effect: NoSchedule}]}}",
         SEEN},
        {HOOK_OBSERVE, "{now: 1, kind: check, object: {name: k}}", SEEN},
        {HOOK_OBSERVE,
         "{now: 1, kind: queue, object: {kind: ClusterQueue, name: c, whenCanPreempt: "
         "TryNextFlavor, preference: PreemptionOverBorrowing, checks: [{name: k, flavors: [f]}], "
         "groups: [{resources: [cpu, memory], flavors: [{name: f, quotas: {cpu: {nominal: '2'}, "
         "memory: {nominal: 4Gi}}}]}]}}",
         SEEN},
        {HOOK_OBSERVE,
         "{now: 1, kind: localQueue, object: {namespace: ns, name: l, clusterQueue: c}}", SEEN},
        {HOOK_OBSERVE, "{now: 1, kind: synced}", SEEN},
        {HOOK_OBSERVE, "{now: 1, kind: leader}", SEEN},
        {HOOK_OBSERVE, SEE(", resourceVersion: 7, gates: [g], gateStatus: {g: Closed}"), SEEN},
        {HOOK_DRAIN, "{now: 1}",
         "{\"effects\"=>[{\"id\"=>%, \"kind\"=>\"writeWorkload\", " NAMES
         "\"resourceVersion\"=>7, \"write\"=>\"reserve\", \"reason\"=>\"QuotaReserved\", "
         "\"message\"=>\"Quota reserved in ClusterQueue c\", \"admission\"=>{\"clusterQueue\"=>"
         "\"c\", \"podSets\"=>[{\"name\"=>\"main\", \"count\"=>2, \"flavors\"=>{\"cpu\"=>\"f\", "
         "\"memory\"=>\"f\"}, \"requests\"=>{\"cpu\"=>2000, \"memory\"=>2147483648}}]}, "
         "\"checks\"=>[\"k\"], \"admitted\"=>false, \"clear\"=>false}]}"},
        {HOOK_OBSERVE,
         SEE(", resourceVersion: 8, conditions: {QuotaReserved: {status: 'True', since: 1}}, "
             "admission: {clusterQueue: c, podSets: [{name: main, count: 2, flavors: {cpu: f, "
             "memory: f}}]}, checks: [{name: k, state: Pending}], gates: [g, g], "
             "gateStatus: {g: Closed}"),
         SEEN},
        {HOOK_INSPECT, "{now: 1, what: workload, namespace: ns, name: w}",
         "{\"uid\"=>\"u1\", %\"state\"=>\"reserved\", \"reason\"=>\"AdmissionChecks\", %"
         "\"gates\"=>[{\"name\"=>\"g\", \"open\"=>false}], "
         "\"checks\"=>[{\"name\"=>\"k\", \"state\"=>\"Pending\"}], %"},
        {HOOK_INSPECT, "{now: 1, what: clusterQueue, name: c}",
         "{\"name\"=>\"c\", \"active\"=>true, \"reason\"=>\"Ready\", "
         "\"message\"=>\"Can admit new workloads\", \"waiting\"=>0, \"idle\"=>0, "
         "\"reserving\"=>1, "
         "\"admitted\"=>0, \"usage\"=>[{\"flavor\"=>\"f\", \"resource\"=>\"cpu\", "
         "\"reserved\"=>2000, \"admitted\"=>0, \"borrowed\"=>0}, %"},
        {HOOK_INSPECT,
         "{now: 1, what: workloads, kind: LocalQueue, namespace: ns, name: l, "
         "holding: true}",
         "{\"workloads\"=>[{\"uid\"=>\"u1\", %}], \"from\"=>0}"},
        {HOOK_INSPECT, "{now: 1, what: workloads, kind: ClusterQueue, name: c}",
         "{\"workloads\"=>[], \"from\"=>0}"},
        {HOOK_INSPECT, "{now: 1, what: localQueue, namespace: ns, name: l}",
         "{\"namespace\"=>\"ns\", \"clusterQueue\"=>\"c\", \"name\"=>\"l\", \"active\"=>true, %"},
        {HOOK_INSPECT, "{now: 1, what: localQueues}",
         "{\"localQueues\"=>[{\"namespace\"=>\"ns\", %}], \"from\"=>0}"},
        {HOOK_INSPECT, "{now: 1, what: workload, namespace: ns, name: x}",
         "FIELD name: \"x\", want a workload that was seen in the role worker"},
        {HOOK_OBSERVE, "{now: 1, kind: workload, gone: true, object: {role: worker, " WHO "}}",
         SEEN},
        {HOOK_OBSERVE, "{now: 1, kind: localQueue, gone: true, object: {namespace: ns, name: l}}",
         SEEN},
        {HOOK_OBSERVE, "{now: 1, kind: check, gone: true, object: {name: k}}", SEEN},
    };
    uint64_t handle = ask_open(CONFIG);

    ask_play(handle, lines, sizeof(lines) / sizeof(lines[0]));
    sluice_close(handle);
}

static void test_refusals(void)
{
    static const struct ask_line lines[] = {
        {HOOK_OBSERVE, "{now: 1, kind: workload, object: {role: worker, " WHO ", created: 1}}",
         "FIELD object.podSets: nothing, want a value, the key is required"},
        {HOOK_OBSERVE,
         "{now: 1, kind: workload, object: {role: worker, " WHO ", created: 1, podSets: []}}",
         "FIELD object.podSets: %, want 1 to 18 pod sets"},
        {HOOK_OBSERVE,
         "{now: 1, kind: workload, object: {role: worker, " WHO ", created: 1, podSets: "
         "[{name: a, count: 1}, {name: a, count: 1}]}}",
         "FIELD object.podSets[1]: %, want pod sets of different names"},
        {HOOK_OBSERVE, "{now: 1, kind: workload, object: {role: manager, " WHO "}}",
         "UNSUPPORTED object.role: \"manager\", want worker: only a manager of worker clusters "
         "dispatches workloads"},
        {HOOK_OBSERVE, "{now: 1, kind: localQueue, object: {namespace: ns, name: l}}",
         "FIELD object.clusterQueue: nothing, want a value, the key is required"},
        {HOOK_OBSERVE, "{now: 1, kind: check, object: {active: true}}",
         "FIELD object.name: nothing, want a value, the key is required"},
    };
    static const struct ask_line without[] = {
        {HOOK_OBSERVE, "{now: 1, kind: check, object: {name: k}}",
         "UNSUPPORTED kind: \"check\", want writeWorkload among the effects of `open`: %"},
    };
    uint64_t handle = ask_open(CONFIG);

    ask_play(handle, lines, sizeof(lines) / sizeof(lines[0]));
    sluice_close(handle);
    handle = ask_open("{}");
    ask_play(handle, without, sizeof(without) / sizeof(without[0]));
    sluice_close(handle);
}

/* A queue of so many flavors, of which only the last has anything; and a workload of so many pod
 * sets. */
static const char *see_flavors(uint64_t handle, int count)
{
    static char text[12000];
    size_t len = (size_t)snprintf(text, sizeof(text),
                                  "{now: 1, kind: queue, object: {kind: ClusterQueue, name: c, "
                                  "groups: [{resources: [cpu], flavors: [");

    for (int i = 1; i <= count; i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len,
                                "%s{name: f%d, quotas: {cpu: {nominal: %d}}}", i > 1 ? ", " : "", i,
                                i == 64 ? 18 : 0);
    snprintf(text + len, sizeof(text) - len, "]}]}}");
    return ask_own(handle, HOOK_OBSERVE, text);
}

static const char *see_sets(uint64_t handle, int count)
{
    static char text[4000];
    size_t len = (size_t)snprintf(text, sizeof(text),
                                  "{now: 1, kind: workload, object: {role: worker, " WHO
                                  ", created: 5, queue: l, podSets: [");

    for (int i = 1; i <= count; i++)
        len +=
            (size_t)snprintf(text + len, sizeof(text) - len,
                             "%s{name: s%d, count: 1, requests: {cpu: 1}}", i > 1 ? ", " : "", i);
    snprintf(text + len, sizeof(text) - len, "]}}");
    return ask_own(handle, HOOK_OBSERVE, text);
}

/* As many as Kueue's own definitions allow. */
static void test_most(void)
{
    uint64_t handle = ask_open(CONFIG);
    char name[100];
    int granted = 0;

    for (int i = 1; i <= 64; i++) {
        snprintf(name, sizeof(name), "{now: 1, kind: flavor, object: {name: f%d}}", i);
        ask(handle, HOOK_OBSERVE, name);
    }
    ask(handle, HOOK_OBSERVE,
        "{now: 1, kind: localQueue, object: {namespace: ns, name: l, clusterQueue: c}}");
    ask(handle, HOOK_OBSERVE, "{now: 1, kind: synced}");
    ask(handle, HOOK_OBSERVE, "{now: 1, kind: leader}");
    is_str(see_flavors(handle, 65),
           "FIELD object.groups[0].flavors: an array, want 1 to 64 flavors", "65 flavors");
    is_str(see_flavors(handle, 64), SEEN, "64 flavors");
    is_str(see_sets(handle, 19), "FIELD object.podSets: an array, want 1 to 18 pod sets",
           "19 pod sets");
    is_str(see_sets(handle, 18), SEEN, "18 pod sets");
    for (const char *at = ask(handle, HOOK_DRAIN, "{now: 1}"); (at = strstr(at, "f64")) != NULL;
         at++)
        granted++;
    is_int(granted, 18, "each of them gets the last flavor");
    sluice_close(handle);
}

/* Of a workload that waits for something without a name nothing could be said. */
static void test_gated_by_nothing(void)
{
    uint64_t handle = ask_open("{effects: [writeWorkload], waitingReasons: true}");

    ask(handle, HOOK_OBSERVE, "{now: 1, kind: flavor, object: {name: f, nodeLabels: {zone: a}}}");
    ask(handle, HOOK_OBSERVE,
        "{now: 1, kind: queue, object: {kind: ClusterQueue, name: c, groups: [{resources: [cpu, "
        "memory], flavors: [{name: f, quotas: {cpu: {nominal: '1'}, memory: {nominal: 4Gi}}}]}]}}");
    ask(handle, HOOK_OBSERVE,
        "{now: 1, kind: localQueue, object: {namespace: ns, name: l, clusterQueue: c}}");
    ask(handle, HOOK_OBSERVE, "{now: 1, kind: synced}");
    ask(handle, HOOK_OBSERVE, "{now: 1, kind: leader}");
    is_str(ask_own(handle, HOOK_OBSERVE, SEE(", admissionGated: true")), SEEN, "it is read");
    ok(strstr(ask(handle, HOOK_DRAIN, "{now: 1}"), "\"reason\"=>\"Pending\"") != NULL,
       "and waits for room as any other");
    sluice_close(handle);
}

int main(void)
{
    test_way();
    test_refusals();
    test_most();
    test_gated_by_nothing();
    return tap_done();
}
