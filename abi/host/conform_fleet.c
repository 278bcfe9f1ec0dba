/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "abi/host/conform_promises.h"
#include "abi/host/conform_steps.h"

#define WORKLOAD                                                                                   \
    "role: manager, uid: m, namespace: n, name: m, nominated: [v, w], checksReady: true, "         \
    "conditions: {QuotaReserved: 'True'}"
#define REPLICA "namespace: n, name: m, origin: m, gates: [kueue.x-k8s.io/multikueue]"

static int64_t of_cluster(struct story *s, const char *kind, const char *cluster)
{
    const json_t *effects = s_value(s, "effects");

    for (size_t i = 0; i < json_array_size(effects); i++) {
        const json_t *effect = json_array_get(effects, i);
        const char *its_kind = json_string_value(json_object_get(effect, "kind"));
        const char *its_cluster = json_string_value(json_object_get(effect, "cluster"));

        if (its_kind && its_cluster && strcmp(its_kind, kind) == 0 &&
            strcmp(its_cluster, cluster) == 0)
            return json_integer_value(json_object_get(effect, "id"));
    }
    return 0;
}

static void begin(struct story *s)
{
    s_open(s, "{multiKueue: {orchestratedPreemption: true}}");
    s_lead(s);
    s_see(s, "cluster", "{name: v, connected: true}");
    s_see(s, "cluster", "{name: w, connected: true}");
    s_see(s, "workload", "{" WORKLOAD ", resourceVersion: 5}");
}

/* Both copies are there, and the one in w signals. */
static void signals(struct story *s)
{
    begin(s);
    s_settle(s);
    s_see(s, "replica", "{cluster: v, uid: rv, resourceVersion: 1, " REPLICA "}");
    s_see(s, "replica", "{cluster: w, uid: rw, resourceVersion: 1, " REPLICA "}");
    s_want(s, "{pending: 0}");
    s_see(s, "replica",
          "{cluster: w, uid: rw, resourceVersion: 2, conditions: "
          "{BlockedOnPreemptionGates: 'True'}, " REPLICA "}");
    s_want(s, "{pending: 1}");
    s_drain(s);
    s_want(s, "{effects: [{kind: writeMemory, uid: m, resourceVersion: 5}]}");
}

static void dispatches(struct story *s)
{
    begin(s);
    s_want(s, "{pending: 2}");
    s_drain(s);
    s_want(s,
           "{effects: [{kind: createReplica, uid: '', namespace: n, name: m, workload: m, attempt: "
           "1, gates: [kueue.x-k8s.io/multikueue], annotations: {sluice.sh/workload-uid: m}}, "
           "{kind: createReplica}]}");
    int64_t id = of_cluster(s, "createReplica", "v");
    s_holds(s, id != 0 && of_cluster(s, "createReplica", "w") != 0,
            "one for each nominated cluster");
    s_ack(s, id, "done");
    s_want(s, "{unknown: 0}");
    s_ask(s, LOADER_INSPECT, "{what: clusters}");
    s_want(s, "{clusters: [{name: v, known: true, connected: true}, {name: w}]}");
}

static void not_without_it(struct story *s)
{
    s_refuse(s, SLUICE_UNSUPPORTED, NULL, LOADER_OBSERVE, "{kind: cluster, object: {name: w}}");
    s_refuse(s, SLUICE_UNSUPPORTED, NULL, LOADER_OBSERVE,
             "{kind: workload, object: {" WORKLOAD "}}");
    s_refuse(s, SLUICE_UNSUPPORTED, NULL, LOADER_OBSERVE,
             "{kind: replica, object: {cluster: w, uid: r, " REPLICA "}}");
    s_open(s, "{multiKueue: {}}");
    s_lead(s);
    s_see(s, "cluster", "{name: w, connected: true}");
    s_see(s, "workload",
          "{role: manager, uid: m, namespace: n, name: m, nominated: [w], checksReady: "
          "true, conditions: {QuotaReserved: 'True'}}");
    s_drain(s);
    s_want(s, "{effects: [{kind: createReplica, gates: []}]}");
    s_refuse_open(s, SLUICE_FIELD, "multiKueue.colour", "{multiKueue: {colour: 1}}");
    s_refuse_open(s, SLUICE_FIELD, NULL, "{multiKueue: {singleClusterPreemptionTimeout: 0}}");
}

static void one_gate_at_a_time(struct story *s)
{
    signals(s);
    int64_t id = s_effect(s, "writeMemory", "m");
    s_see(s, "replica",
          "{cluster: v, uid: rv, resourceVersion: 2, conditions: {PreemptionBlocked: "
          "'True'}, " REPLICA "}");
    s_drain(s);
    s_want(s, "{effects: []}");
    s_ack(s, id, "done");
    s_drain(s);
    s_want(s, "{effects: [{kind: openGate, uid: rw, cluster: w, resourceVersion: 2, gate: "
              "kueue.x-k8s.io/multikueue}]}");
    s_ack(s, s_effect(s, "openGate", "rw"), "done");
    s_tick(s, s->now);
    s_want(s, "{pending: 0, next: %lld}", (long long)(s->now + 300 * (int64_t)STORY_SECOND));
    s_tick(s, s->now + 300 * (int64_t)STORY_SECOND - 1);
    s_want(s, "{pending: 0}");
    s_tick(s, s->now + 300 * (int64_t)STORY_SECOND);
    s_want(s, "{pending: 1}");
}

/* While its memory is written nothing else of a workload is, even if its cluster is found. */
static void one_for_a_workload(struct story *s)
{
    signals(s);
    int64_t id = s_effect(s, "writeMemory", "m");
    s_see(s, "replica",
          "{cluster: w, uid: rw, resourceVersion: 3, conditions: {QuotaReserved: "
          "'True', Admitted: 'True'}, " REPLICA "}");
    s_drain(s);
    s_holds(s, s_effect(s, "setCluster", "m") == 0, "one effect is under way for a workload");
    s_ack(s, id, "done");
    s_tick(s, s->now);
    s_drain(s);
    s_holds(s, s_effect(s, "setCluster", "m") != 0, "then the next one");
}

static void one_for_a_replica(struct story *s)
{
    signals(s);
    s_ack(s, s_effect(s, "writeMemory", "m"), "done");
    s_drain(s);
    int64_t id = s_effect(s, "openGate", "rw");
    s_holds(s, id != 0, "a gate is opened");
    s_see(s, "workload", "{" WORKLOAD ", resourceVersion: 6, active: false}");
    s_lose(s, "workload", "{role: manager, namespace: n, name: m}");
    s_tick(s, s->now += 61 * (int64_t)STORY_SECOND / 2);
    s_drain(s);
    s_holds(s, of_cluster(s, "deleteReplica", "w") == 0, "one effect is under way for a replica");
}

static void a_cluster_that_returns(struct story *s)
{
    begin(s);
    s_drain(s);
    int64_t old = of_cluster(s, "createReplica", "w");
    s_lose(s, "cluster", "{name: w}");
    s_see(s, "cluster", "{name: w, connected: true}");
    s_tick(s, s->now);
    s_drain(s);
    int64_t id = of_cluster(s, "createReplica", "w");
    s_holds(s, id != 0 && id != old, "a cluster that returns has effects of its own");
    s_ack(s, old, "done");
    s_want(s, "{unknown: 1}");
    s_ack(s, id, "done");
    s_want(s, "{unknown: 0}");
}

static void newest_counts(struct story *s)
{
    begin(s);
    s_see(s, "workload", "{" WORKLOAD ", resourceVersion: 4, active: false}");
    s_ask(s, LOADER_INSPECT, "{what: fleet, namespace: n, name: m}");
    s_want(s, "{state: Dispatched}");
    s_see(s, "replica",
          "{cluster: w, uid: rw, resourceVersion: 5, conditions: "
          "{BlockedOnPreemptionGates: 'True'}, " REPLICA "}");
    s_see(s, "replica", "{cluster: w, uid: rw, resourceVersion: 4, " REPLICA "}");
    s_ask(s, LOADER_INSPECT, "{what: fleet, namespace: n, name: m}");
    s_want(s, "{signals: 1}");
    s_lose(s, "workload", "{role: manager, namespace: n, name: m, uid: other}");
    s_ask(s, LOADER_INSPECT, "{what: fleet, namespace: n, name: m}");
    s_want(s, "{known: true}");
    s_lose(s, "workload", "{role: manager, namespace: n, name: m, uid: m}");
    s_ask(s, LOADER_INSPECT, "{what: fleet, namespace: n, name: m}");
    s_want(s, "{known: false, state: LeftBehind}");
}

static void left_behind(struct story *s)
{
    s_open(s, "{multiKueue: {}}");
    s_lead(s);
    s_see(s, "cluster", "{name: w, connected: true}");
    s_see(s, "replica", "{cluster: w, uid: rw, resourceVersion: 5, " REPLICA "}");
    s_tick(s, s->now + 60 * (int64_t)STORY_SECOND - 1);
    s_drain(s);
    s_want(s, "{effects: []}");
    s_tick(s, s->now + 60 * (int64_t)STORY_SECOND);
    s_drain(s);
    s_want(s, "{effects: [{kind: deleteReplica, uid: rw, cluster: w}]}");
}

static void gone_is_not_done(struct story *s)
{
    begin(s);
    s_settle(s);
    s_see(s, "replica",
          "{cluster: w, uid: rw, resourceVersion: 5, conditions: {QuotaReserved: "
          "'True', Admitted: 'True'}, " REPLICA "}");
    s_tick(s, s->now);
    s_drain(s);
    s_want(s, "{effects: [{kind: setCluster, uid: m, cluster: w, resourceVersion: 5}]}");
    s_ack(s, s_effect(s, "setCluster", "m"), "gone");
    s_ask(s, LOADER_INSPECT, "{what: fleet, namespace: n, name: m}");
    s_want(s, "{known: false}");
}

static void lost_worker(struct story *s)
{
    int64_t seconds = STORY_SECOND;

    s_open(s, "{multiKueue: {workerLostTimeout: %lld}}", (long long)(100 * seconds));
    s_lead(s);
    s_see(s, "cluster", "{name: v, connected: true}");
    s_see(s, "workload", "{" WORKLOAD ", cluster: v, resourceVersion: 5}");
    s_see(s, "replica",
          "{cluster: v, uid: rv, resourceVersion: 1, conditions: {QuotaReserved: "
          "'True', Admitted: 'True'}, " REPLICA "}");
    s_see(s, "cluster", "{name: v, connected: false}");
    s_tick(s, s->now + 100 * seconds - 1);
    s_drain(s);
    s_holds(s, s_effect(s, "retryCheck", "m") == 0, "a worker that is lost has its time");
    s_tick(s, s->now + 100 * seconds);
    s_drain(s);
    s_holds(s, s_effect(s, "retryCheck", "m") != 0, "then the check is retried");
}

static void patient(struct story *s)
{
    int64_t seconds = STORY_SECOND;

    for (int admitted = 0; admitted < 2; admitted++) {
        s_open(s, "{multiKueue: {orchestratedPreemption: true, preferNoPreemption: %lld}}",
               (long long)(10 * seconds));
        s_lead(s);
        s_see(s, "cluster", "{name: v, connected: true}");
        s_see(s, "cluster", "{name: w, connected: true}");
        s_see(s, "workload", "{" WORKLOAD ", resourceVersion: 5}");
        s_settle(s);
        s_see(s, "replica", "{cluster: v, uid: rv, resourceVersion: 1, " REPLICA "}");
        s_see(s, "replica",
              "{cluster: w, uid: rw, resourceVersion: 2, conditions: "
              "{BlockedOnPreemptionGates: 'True'}, " REPLICA "}");
        s_ask(s, LOADER_INSPECT, "{what: fleet, namespace: n, name: m}");
        s_want(s, "{state: Patient, signals: 1}");
        s_settle(s); /* that it waits may be written down */
        s->now += 10 * seconds - 1;
        s_see(s, "replica",
              "{cluster: v, uid: rv, resourceVersion: 2, conditions: {%s}, " REPLICA "}",
              admitted ? "QuotaReserved: 'True', Admitted: 'True'"
                       : "BlockedOnPreemptionGates: 'True'");
        s_drain(s);
        s_holds(s, (s_effect(s, "setCluster", "m") != 0) == admitted, "who has room is taken");
        s_ask(s, LOADER_INSPECT, "{what: fleet, namespace: n, name: m}");
        s_want(s, "{opened: 0}");
        s_tick(s, s->now += 1);
        s_settle(s);
        s_ask(s, LOADER_INSPECT, "{what: fleet, namespace: n, name: m}");
        s_holds(s, (s_int(s, "opened") != 0) != admitted, "then a gate is opened, if one must be");
    }
}

const struct promise promises_of_fleet[] = {
    {"a workload is dispatched to each nominated cluster", dispatches},
    {"without multiKueue there is no fleet, without orchestration no gates", not_without_it},
    {"one gate is opened at a time, after its memory was written", one_gate_at_a_time},
    {"preferNoPreemption waits so long from the oldest signal for a worker with room", patient},
    {"one effect is under way for a workload of a manager", one_for_a_workload},
    {"one effect is under way for a replica", one_for_a_replica},
    {"a cluster that goes and returns has effects of its own", a_cluster_that_returns},
    {"of a workload and a replica the highest resourceVersion counts", newest_counts},
    {"a replica whose workload is not known for a minute is deleted", left_behind},
    {"`gone` drops a manager's workload", gone_is_not_done},
    {"a worker is lost after its time", lost_worker},
    {0},
};
