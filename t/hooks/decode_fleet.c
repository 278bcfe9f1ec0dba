/* SPDX-License-Identifier: Apache-2.0 */

/* A manager's objects through the door: as they are read, and what the host is told to do. */
#include "t/kit/ask.h"
#include "t/kit/tap.h"

#define CONFIG "{multiKueue: {orchestratedPreemption: true, singleClusterPreemptionTimeout: 60}}"
#define STATUS(n) ", \"pending\"=>" #n ", \"next\"=>%, \"more\"=>false}"
#define WHO "namespace: ns, name: w, uid: "
#define GATE "kueue.x-k8s.io/multikueue"
#define WORKLOAD                                                                                   \
    "{role: manager, resourceVersion: 5, conditions: {QuotaReserved: 'True', Evicted: 'False'}, "  \
    "checksReady: true, nominated: [a, b], gates: [mine], " WHO "u1}"
#define REPLICA(more) "{cluster: a, " WHO "r1, gates: [" GATE ", mine], resourceVersion: " more "}"

static void test_way(void)
{
    static const struct ask_line lines[] = {
        {HOOK_OBSERVE, "{now: 1, kind: synced}", "{\"ignored\"=>false}"},
        {HOOK_OBSERVE, "{now: 1, kind: leader}", "{\"ignored\"=>false}"},
        {HOOK_OBSERVE, "{now: 1, kind: cluster, object: {name: a, connected: true}}",
         "{\"ignored\"=>false}"},
        {HOOK_OBSERVE, "{now: 1, kind: cluster, object: {name: b, since: 1}}",
         "{\"ignored\"=>false}"},
        {HOOK_OBSERVE, "{now: 1, kind: workload, object: " WORKLOAD "}", "{\"ignored\"=>false}"},
        {HOOK_DRAIN, "{now: 1}",
         "{\"effects\"=>[{\"id\"=>%, \"kind\"=>\"createReplica\", \"uid\"=>\"\", "
         "\"namespace\"=>\"ns\", \"name\"=>\"w\", \"attempt\"=>1, \"cluster\"=>\"a\", "
         "\"workload\"=>\"u1\", \"annotations\"=>{\"sluice.sh/workload-uid\"=>\"u1\"}, "
         "\"gates\"=>[\"" GATE "\", \"mine\"]}]}"},
        {HOOK_OBSERVE,
         "{now: 2, kind: replica, object: " REPLICA(
             "9, conditions: {BlockedOnPreemptionGates: 'True'}") "}",
         "{\"ignored\"=>false}"},
        {HOOK_DRAIN, "{now: 2}", "{\"effects\"=>[]}"},
        {HOOK_OBSERVE,
         "{now: 2, kind: replica, object: " REPLICA(
             "10, gateStatus: {mine: Open, " GATE ": Shut}, "
             "conditions: {PreemptionBlocked: 'True'}, origin: u1") "}",
         "{\"ignored\"=>false}"},
        {HOOK_DRAIN, "{now: 3}",
         "{\"effects\"=>[{\"id\"=>%, \"kind\"=>\"writeMemory\", \"uid\"=>\"u1\", "
         "\"namespace\"=>\"ns\", \"name\"=>\"w\", \"attempt\"=>1, \"resourceVersion\"=>5, "
         "\"annotations\"=>{\"sluice.sh/preemption-memory\"=>\"v1 0 a,r1,2,2\"}}]}"},
        {HOOK_INSPECT, "{now: 3, what: fleet}",
         "{\"workloads\"=>[{\"uid\"=>\"u1\", \"namespace\"=>\"ns\", \"name\"=>\"w\", "
         "\"known\"=>true, \"cluster\"=>\"\", \"state\"=>\"Writing\", "
         "\"message\"=>\"a: written down before its gate is opened\", \"timeout\"=>60, "
         "\"opened\"=>0, \"acts\"=>0, \"copies\"=>1, \"signals\"=>1, \"open\"=>0}], \"from\"=>0}"},
        {HOOK_INSPECT, "{now: 3, what: fleet, namespace: ns, name: w, from: 0, max: 1}",
         "{\"uid\"=>\"u1\", %\"replicas\"=>[{\"cluster\"=>\"a\", \"uid\"=>\"r1\", "
         "\"connected\"=>true, \"nominated\"=>true, \"there\"=>true, \"gate\"=>\"closed\", "
         "\"signal\"=>2, \"opened\"=>0, \"reserved\"=>false, \"admitted\"=>false, "
         "\"evicted\"=>false, \"deleted\"=>false}], \"from\"=>%}"},
        {HOOK_INSPECT, "{now: 3, what: fleet, namespace: ns}",
         "FIELD name: nothing, want a value, the key is required"},
        {HOOK_INSPECT, "{now: 3, what: fleet, namespace: ns, name: x}",
         "FIELD name: \"x\", want a workload of a manager's that was seen, or that has replicas"},
        {HOOK_INSPECT, "{now: 3, what: clusters}",
         "{\"clusters\"=>[{\"name\"=>\"a\", \"known\"=>true, \"connected\"=>true, \"since\"=>0, "
         "\"copies\"=>1}, {\"name\"=>\"b\", \"known\"=>true, \"connected\"=>false, \"since\"=>1, "
         "\"copies\"=>1}], \"from\"=>0}"},
        {HOOK_OBSERVE, "{now: 4, kind: replica, gone: true, object: {cluster: a, " WHO "other}}",
         "{\"ignored\"=>false}"},
        {HOOK_OBSERVE, "{now: 4, kind: workload, gone: true, object: {role: manager, " WHO "u1}}",
         "{\"ignored\"=>false}"},
        {HOOK_DRAIN, "{now: 4}",
         "{\"effects\"=>[{\"id\"=>%, \"kind\"=>\"deleteReplica\", \"uid\"=>\"r1\", "
         "\"namespace\"=>\"ns\", \"name\"=>\"w\", \"attempt\"=>1, \"cluster\"=>\"a\", "
         "\"workload\"=>\"\"}]}"},
        {HOOK_OBSERVE, "{now: 5, kind: cluster, gone: true, object: {name: a}}",
         "{\"ignored\"=>false}"},
    };
    uint64_t handle = ask_open(CONFIG);

    ask_play(handle, lines, sizeof(lines) / sizeof(lines[0]));
    sluice_close(handle);
}

static void test_over(void)
{
    static const char *const why[] = {"active: false", "deleted: true",
                                      "conditions: {QuotaReserved: 'True', Finished: 'True'}",
                                      "conditions: {QuotaReserved: 'True', Evicted: 'True'}"};
    static const char *const requests[] = {
        "{now: 2, kind: workload, object: {role: manager, active: false, checksReady: true, "
        "conditions: {QuotaReserved: 'True'}, nominated: [a], " WHO "u1}}",
        "{now: 2, kind: workload, object: {role: manager, deleted: true, checksReady: true, "
        "conditions: {QuotaReserved: 'True'}, nominated: [a], " WHO "u1}}",
        "{now: 2, kind: workload, object: {role: manager, checksReady: true, "
        "conditions: {QuotaReserved: 'True', Finished: 'True'}, nominated: [a], " WHO "u1}}",
        "{now: 2, kind: workload, object: {role: manager, checksReady: true, "
        "conditions: {QuotaReserved: 'True', Evicted: 'True'}, nominated: [a], " WHO "u1}}",
    };
    uint64_t handle = ask_open(CONFIG);

    ask(handle, HOOK_OBSERVE, "{now: 1, kind: synced}");
    ask(handle, HOOK_OBSERVE, "{now: 1, kind: leader}");
    ask(handle, HOOK_OBSERVE, "{now: 1, kind: cluster, object: {name: a, connected: true}}");
    for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
        is_str(ask(handle, HOOK_OBSERVE, requests[i]),
               "{\"ignored\"=>false, \"pending\"=>0, \"next\"=>0, \"more\"=>false}",
               "not dispatched: %s", why[i]);
    sluice_close(handle);
}

static void test_refusals(void)
{
    static const struct ask_line lines[] = {
        {HOOK_OBSERVE, "{now: 1, kind: workload, object: {role: worker, uid: u}}",
         "UNSUPPORTED object.role: \"worker\", want manager: without writeWorkload among the "
         "effects "
         "of `open` nothing is admitted here"},
        {HOOK_OBSERVE, "{now: 1, kind: workload, gone: true, object: {role: worker, " WHO "u}}",
         "UNSUPPORTED object.role: \"worker\", want manager: without writeWorkload among the "
         "effects "
         "of `open` nothing is admitted here"},
        {HOOK_OBSERVE, "{now: 1, kind: workload, object: {uid: u}}",
         "FIELD object.role: nothing, want a value, the key is required"},
        {HOOK_OBSERVE, "{now: 1, kind: workload, object: {role: boss}}",
         "FIELD object.role: \"boss\", want one of manager, worker"},
        {HOOK_OBSERVE, "{now: 1, kind: workload, object: {role: manager, uid: u, name: n}}",
         "FIELD object.namespace: nothing, want a value, the key is required"},
        {HOOK_OBSERVE, "{now: 1, kind: replica, object: {" WHO "u}}",
         "FIELD object.cluster: nothing, want a value, the key is required"},
        {HOOK_OBSERVE, "{now: 1, kind: replica, gone: true, object: {" WHO "u}}",
         "FIELD object.cluster: nothing, want a value, the key is required"},
        {HOOK_OBSERVE, "{now: 1, kind: replica, object: {gates: [1, 2, 3, 4, 5, 6, 7, 8, 9]}}",
         "FIELD object.gates: an array, want at most 8 gates"},
        {HOOK_OBSERVE, "{now: 1, kind: cluster, object: {name: ''}}",
         "FIELD object.name: \"\", want text of 1 to 253 bytes"},
        {HOOK_OBSERVE, "{now: 1, kind: cluster, object: {name: a}}", "{\"ignored\"=>false}"},
        {HOOK_OBSERVE, "{now: 1, kind: cluster, object: {name: b}}",
         "LIMIT limits.clusters: 1, want fewer objects, or a higher limit in the configuration"},
        {HOOK_OBSERVE, "{now: 1, kind: workload, object: {role: manager, " WHO "u}}",
         "{\"ignored\"=>false}"},
        {HOOK_OBSERVE,
         "{now: 1, kind: workload, object: {role: manager, namespace: n, name: v, uid: u}}",
         "LIMIT limits.workloads: 1, want fewer objects, or a higher limit in the configuration"},
    };
    uint64_t handle = ask_open("{multiKueue: {}, limits: {clusters: 1, workloads: 1}}");

    ask_play(handle, lines, sizeof(lines) / sizeof(lines[0]));
    sluice_close(handle);
    ok(ask_open("{multiKueue: {timeout: 5}}") == 0, "a key of a manager's that is not known");
    ok(ask_open("{multiKueue: {singleClusterPreemptionTimeout: 0}}") == 0, "no timeout of nothing");
}

int main(void)
{
    test_way();
    test_over();
    test_refusals();
    return tap_done();
}
