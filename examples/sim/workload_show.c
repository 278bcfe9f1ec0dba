/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/queue_users.h"
#include "examples/sim/workload_show.h"

#include <string.h>

#include "examples/sim/pod_queue.h"
#include "examples/sim/sim.h"
#include "examples/sim/translate.h"
#include "examples/sim/tree_make.h"
#include "examples/sim/workload_status.h"

#define CANNOT_PREEMPT "kueue.x-k8s.io/cannot-preempt"

static void put_text(struct request *r, const char *key, const char *text)
{
    if (*text)
        r_key_str(r, key, text);
}

static void put_time(struct request *r, const char *key, const char *text)
{
    if (*text)
        r_key_int(r, key, status_time_read(text));
}

static size_t count_of(const struct tree *list)
{
    return list && list->type == TREE_LIST ? list->count : 0;
}

static void put_expression(struct request *r, const struct tree *said)
{
    const struct tree *values = tree_get(said, "values");

    r_map(r);
    r_key_str(r, "key", tree_word(said, "key"));
    r_key_str(r, "operator", tree_word(said, "operator"));
    r_key_array(r, "values");
    for (size_t i = 0; i < count_of(values); i++)
        r_str(r, tree_word_of(values->pairs[i].value));
    r_end(r);
    r_end(r);
}

static void put_affinity(struct request *r, const struct tree *pod)
{
    const struct tree *terms = tree_find(
        pod,
        "affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms");

    if (!terms)
        return;
    r_key_array(r, "affinity");
    for (size_t t = 0; t < count_of(terms); t++) {
        const struct tree *said = tree_get(terms->pairs[t].value, "matchExpressions");
        r_array(r);
        for (size_t i = 0; i < count_of(said); i++)
            put_expression(r, said->pairs[i].value);
        r_end(r);
    }
    r_end(r);
}

static void put_texts(struct request *r, const char *key, const struct tree *map)
{
    if (!map || map->type != TREE_MAP)
        return;
    r_key_map(r, key);
    for (size_t i = 0; i < map->count; i++)
        r_key_str(r, map->pairs[i].key, tree_word_of(map->pairs[i].value));
    r_end(r);
}

static void put_pod_set(struct sim *sim, struct request *r, const struct tree *set)
{
    const struct tree *pod = tree_find(set, "template/spec");
    struct resources asks = {0};
    int64_t count = tree_int(&sim->fault, set, "count", 0, INT32_MAX, 1);

    resources_of_pod(&sim->arena, &sim->fault, pod, &asks);
    r_map(r);
    r_key_str(r, "name", *tree_word(set, "name") ? tree_word(set, "name") : "main");
    r_key_int(r, "count", count);
    translate_key(r, "minCount", tree_get(set, "minCount"));
    r_key_map(r, "requests");
    for (size_t i = 0; i < asks.count; i++)
        if (strcmp(asks.items[i].name, "pods") != 0)
            r_key_int(r, asks.items[i].name, asks.items[i].amount);
    r_end(r);
    put_texts(r, "nodeSelector", tree_get(pod, "nodeSelector"));
    put_affinity(r, pod);
    translate_tolerations(r, tree_get(pod, "tolerations"));
    r_end(r);
}

static void put_conditions(struct request *r, const struct tree *list)
{
    r_key_map(r, "conditions");
    for (size_t i = 0; i < count_of(list); i++) {
        const struct tree *said = list->pairs[i].value;
        r_key_map(r, tree_word(said, "type"));
        r_key_str(r, "status", tree_word(said, "status"));
        r_key_str(r, "reason", tree_word(said, "reason"));
        put_time(r, "since", tree_word(said, "lastTransitionTime"));
        r_end(r);
    }
    r_end(r);
}

static void put_admission(struct request *r, const struct tree *admission)
{
    const struct tree *sets = tree_get(admission, "podSetAssignments");

    if (!admission)
        return;
    r_key_map(r, "admission");
    r_key_str(r, "clusterQueue", tree_word(admission, "clusterQueue"));
    r_key_array(r, "podSets");
    for (size_t i = 0; i < count_of(sets); i++) {
        const struct tree *set = sets->pairs[i].value;
        r_map(r);
        r_key_str(r, "name", tree_word(set, "name"));
        translate_key(r, "count", tree_get(set, "count"));
        put_texts(r, "flavors", tree_get(set, "flavors"));
        r_end(r);
    }
    r_end(r);
    r_end(r);
}

static void put_checks(struct sim *sim, struct request *r, const struct tree *list)
{
    r_key_array(r, "checks");
    for (size_t i = 0; i < count_of(list); i++) {
        const struct tree *said = list->pairs[i].value;
        int64_t after = tree_int(&sim->fault, said, "requeueAfterSeconds", 0, INT32_MAX, 0);
        r_map(r);
        r_key_str(r, "name", tree_word(said, "name"));
        r_key_str(r, "state", tree_word(said, "state"));
        if (after > 0)
            r_key_int(r, "retryAfter",
                      status_time_read(tree_word(said, "lastTransitionTime")) + after * SECOND);
        r_end(r);
    }
    r_end(r);
}

static void put_gates(struct request *r, const struct tree *spec, const struct tree *status)
{
    const struct tree *list = tree_get(spec, "preemptionGates");
    const struct tree *said = tree_get(status, "preemptionGates");

    r_key_array(r, "gates");
    for (size_t i = 0; i < count_of(list); i++)
        r_str(r, tree_word(list->pairs[i].value, "name"));
    r_end(r);
    r_key_map(r, "gateStatus");
    for (size_t i = 0; i < count_of(said); i++)
        r_key_str(r, tree_word(said->pairs[i].value, "name"),
                  tree_word(said->pairs[i].value, "position"));
    r_end(r);
}

static void put_workload(struct sim *sim, struct request *r, const struct object *object)
{
    const struct tree *spec = tree_get(object->doc, "spec");
    const struct tree *status = tree_get(object->doc, "status");
    const struct tree *sets = tree_get(spec, "podSets");

    r_key_str(r, "uid", object->uid);
    r_key_int(r, "created", object->created);
    r_key_int(r, "resourceVersion", object->version);
    put_text(r, "queue", tree_word(spec, "queueName"));
    translate_key(r, "priority", tree_get(spec, "priority"));
    translate_key(r, "active", tree_get(spec, "active"));
    r_key_array(r, "podSets");
    for (size_t i = 0; i < count_of(sets); i++)
        put_pod_set(sim, r, sets->pairs[i].value);
    r_end(r);
    put_gates(r, spec, status);
    put_conditions(r, tree_get(status, "conditions"));
    put_admission(r, tree_get(status, "admission"));
    put_checks(sim, r, tree_get(status, "admissionChecks"));
    put_time(r, "requeueAt", tree_word(status, "requeueState/requeueAt"));
    translate_key(r, "requeueCount", tree_find(status, "requeueState/count"));
    r_key_bool(r, "jobStopped", !object->runs);
    const struct tree *cannot =
        tree_get(tree_find(object->doc, "metadata/annotations"), CANNOT_PREEMPT);
    r_key_bool(r, "cannotPreempt", strcmp(tree_word_of(cannot), "true") == 0);
}

/* A check's controller is there unless its object says that it is not. */
static bool is_active(const struct object *check)
{
    const struct tree *status = tree_get(check->doc, "status");

    return strcmp(status_of(status, "Active", "status"), "False") != 0;
}

bool workload_show(struct sim *sim, struct request *r, const struct object *object)
{
    bool is_workload = strcmp(object->kind, "workload") == 0;
    bool is_local = strcmp(object->kind, "localqueue") == 0;

    if (!is_workload && !is_local && strcmp(object->kind, "admissioncheck") != 0)
        return false;
    r_key_str(r, "kind", is_workload ? "workload" : is_local ? "localQueue" : "check");
    r_key_bool(r, "gone", !object->is);
    r_key_map(r, "object");
    r_key_str(r, "name", object->name);
    if (is_workload)
        r_key_str(r, "role", "worker");
    if (is_workload || is_local)
        r_key_str(r, "namespace", object->namespace);
    if (object->is && is_workload) {
        put_workload(sim, r, object);
    } else if (object->is && is_local) {
        r_key_str(r, "uid", object->uid);
        r_key_int(r, "resourceVersion", object->version);
        r_key_str(r, "clusterQueue", tree_word(object->doc, "spec/clusterQueue"));
        put_text(r, "stopPolicy", tree_word(object->doc, "spec/stopPolicy"));
        r_key_bool(r, "selected",
                   queue_users_selected(sim, tree_word(object->doc, "spec/clusterQueue"),
                                        object->namespace));
    } else if (object->is) {
        r_key_bool(r, "active", is_active(object));
    }
    r_end(r);
    return true;
}

void workload_show_queue(struct request *r, const struct tree *spec)
{
    const struct tree *checks = tree_find(spec, "admissionChecksStrategy/admissionChecks");
    const char *preempt = tree_word(spec, "flavorFungibility/whenCanPreempt");

    /* What the API server writes into a ClusterQueue that does not say it. */
    put_text(r, "whenCanPreempt", *preempt ? preempt : "TryNextFlavor");
    put_text(r, "preference", tree_word(spec, "flavorFungibility/preference"));
    if (!checks)
        return;
    r_key_array(r, "checks");
    for (size_t i = 0; i < count_of(checks); i++) {
        r_map(r);
        r_key_str(r, "name", tree_word(checks->pairs[i].value, "name"));
        translate_key(r, "flavors", tree_get(checks->pairs[i].value, "onFlavors"));
        r_end(r);
    }
    r_end(r);
}

void workload_show_flavor(struct request *r, const struct tree *spec)
{
    const struct tree *taints = tree_get(spec, "nodeTaints");

    if (!taints)
        return;
    r_key_array(r, "taints");
    for (size_t i = 0; i < count_of(taints); i++) {
        const struct tree *taint = taints->pairs[i].value;
        r_map(r);
        r_key_str(r, "key", tree_word(taint, "key"));
        r_key_str(r, "value", tree_word(taint, "value"));
        r_key_str(r, "effect", tree_word(taint, "effect"));
        r_end(r);
    }
    r_end(r);
}

const msgpack_object *workload_inspect(struct sim *sim, const struct object *object)
{
    struct request *r = library_begin(&sim->library, sim_wall(sim));

    r_key_str(r, "what", "workload");
    r_key_str(r, "namespace", object->namespace);
    r_key_str(r, "name", object->name);
    return host_call(sim, LOADER_INSPECT);
}
