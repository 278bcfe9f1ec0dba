/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/scenario.h"

#include <string.h>

#include "examples/sim/expect.h"
#include "examples/sim/faults.h"
#include "examples/sim/fleet.h"
#include "examples/sim/fleet_steps.h"
#include "examples/sim/host.h"
#include "examples/sim/workload_steps.h"
#include "examples/sim/world.h"

const char *scenario_target(struct fault *fault, const struct tree *item, int64_t *ret_copies)
{
    int64_t copies = 0;
    const char *ref = NULL;

    if (item->type == TREE_TEXT) {
        ref = item->text;
    } else if (item->type == TREE_MAP && item->count == 1) {
        ref = item->pairs[0].key;
        copies = tree_int(fault, item, ref, 1, SCENARIO_COPIES, 1);
    }
    if (!ref || !strchr(ref, '/') || fault->is) {
        fault_at(fault, item, "kind/name, or {kind/name: COPIES}");
        return NULL;
    }
    *ret_copies = copies;
    return ref;
}

struct reading {
    struct arena *arena;
    struct fault *fault;
    struct scenario *scenario;
};

static const struct tree *document(struct reading *in, const struct tree *where, const char *ref)
{
    const struct tree *doc = map_get(&in->scenario->documents, fleet_document(in->arena, ref));

    if (!doc)
        fault_say(in->fault, where,
                  "%s is not described: want a document with that kind and name "
                  "in this file",
                  ref);
    return doc;
}

static void check_targets(struct reading *in, const struct tree *value, bool described)
{
    if (value->type != TREE_LIST)
        fault_at(in->fault, value, "a list of kind/name");
    for (size_t i = 0; value->type == TREE_LIST && i < value->count; i++) {
        int64_t copies;
        const char *ref = scenario_target(in->fault, value->pairs[i].value, &copies);
        if (ref && described)
            document(in, value->pairs[i].value, ref);
    }
}

static void check_apply(struct reading *in, const struct tree *value)
{
    check_targets(in, value, true);
}

static void check_list(struct reading *in, const struct tree *value)
{
    check_targets(in, value, false);
}

static void check_map(struct reading *in, const struct tree *value)
{
    if (value->type != TREE_MAP || value->count == 0)
        fault_at(in->fault, value, "a map from kind/name");
    for (size_t i = 0; value->type == TREE_MAP && i < value->count; i++)
        if (!strchr(value->pairs[i].key, '/'))
            fault_say(in->fault, value->pairs[i].value, "%s is no reference, want kind/name",
                      value->pairs[i].key);
}

static void check_refuse(struct reading *in, const struct tree *value)
{
    check_map(in, value);
    for (size_t i = 0; value->type == TREE_MAP && i < value->count; i++) {
        document(in, value->pairs[i].value, value->pairs[i].key);
        tree_as_text(in->fault, value->pairs[i].value);
    }
}

static bool has_clusters(const struct reading *in)
{
    return tree_find(in->scenario->tree, "spec/clusters") != NULL;
}

/* Some steps are about one who is named in a map, where a story has clusters. */
static bool names_someone(const struct reading *in, const struct tree *value)
{
    return has_clusters(in) && value->type == TREE_MAP;
}

static void check_restart(struct reading *in, const struct tree *value)
{
    if (names_someone(in, value)) {
        fleet_check_restart(in->fault, value);
        return;
    }
    if (strcmp(tree_as_text(in->fault, value), "scheduler") != 0)
        fault_at(in->fault, value, "scheduler");
}

static void check_bool(struct reading *in, const struct tree *value)
{
    bool truth;

    if (names_someone(in, value))
        fleet_check_leader(in->fault, value);
    else if (!tree_is_bool(value, &truth))
        fault_at(in->fault, value, "true or false");
}

static void check_duration(struct reading *in, const struct tree *value)
{
    tree_as_duration(in->fault, value);
}

static void check_clock(struct reading *in, const struct tree *value)
{
    if (names_someone(in, value))
        fleet_check_clock(in->fault, value);
    else
        check_duration(in, value);
}

static void check_cluster(struct reading *in, const struct tree *value)
{
    fleet_check_cluster(in->fault, value);
}

static void check_gate(struct reading *in, const struct tree *value)
{
    if (has_clusters(in))
        fleet_check_gate(in->fault, value);
    else
        workload_check_gate(in->fault, value);
}

static void check_check(struct reading *in, const struct tree *value)
{
    workload_check_check(in->fault, value);
}

static void check_evict(struct reading *in, const struct tree *value)
{
    fleet_check_evict(in->fault, value);
}

static void check_fault(struct reading *in, const struct tree *value)
{
    faults_check(in->fault, value);
}

static void check_send(struct reading *in, const struct tree *value)
{
    host_check_send(in->fault, value);
}

static void check_expect(struct reading *in, const struct tree *value)
{
    expect_check(in->fault, value, &in->scenario->documents, has_clusters(in));
}

static void check_text(struct reading *in, const struct tree *value)
{
    tree_as_text(in->fault, value);
}

static void check_show(struct reading *in, const struct tree *value)
{
    if (value->type != TREE_LIST)
        fault_at(in->fault, value, "a list of pods, workloads, queues or nodes");
    for (size_t i = 0; value->type == TREE_LIST && i < value->count; i++) {
        const char *what = tree_as_text(in->fault, value->pairs[i].value);
        if (strcmp(what, "pods") != 0 && strcmp(what, "workloads") != 0 &&
            strcmp(what, "queues") != 0 && strcmp(what, "nodes") != 0)
            fault_at(in->fault, value->pairs[i].value, "pods, workloads, queues or nodes");
    }
}

static const struct {
    const char *key;
    void (*check)(struct reading *in, const struct tree *value);
} step_keys[] = {
    {"at", check_duration},   {"apply", check_apply},     {"delete", check_list},
    {"complete", check_list}, {"fail", check_list},       {"patch", check_map},
    {"command", check_map},   {"refuse", check_refuse},   {"restart", check_restart},
    {"leader", check_bool},   {"clock", check_clock},     {"fault", check_fault},
    {"send", check_send},     {"expect", check_expect},   {"say", check_text},
    {"show", check_show},     {"cluster", check_cluster}, {"gate", check_gate},
    {"evict", check_evict},   {"check", check_check},
};

enum {
    STEP_KEYS = sizeof(step_keys) / sizeof(*step_keys),
};

static void check_step_key(struct reading *in, const struct tree_pair *pair)
{
    static const char *const fleet_keys[] = {"cluster", "evict"};

    for (size_t i = 0; i < sizeof(fleet_keys) / sizeof(*fleet_keys); i++)
        if (strcmp(fleet_keys[i], pair->key) == 0 && !has_clusters(in))
            fault_say(in->fault, pair->value, "%s is a step of stories with spec.clusters",
                      pair->key);
    for (size_t i = 0; i < STEP_KEYS; i++)
        if (strcmp(step_keys[i].key, pair->key) == 0) {
            step_keys[i].check(in, pair->value);
            return;
        }
    fault_say(
        in->fault, pair->value,
        "%s is no step, want at, apply, delete, complete, fail, patch, command, refuse, "
        "restart, leader, clock, fault, gate, check, cluster, evict, send, say, show or expect",
        pair->key);
}

static void read_steps(struct reading *in, const struct tree *spec)
{
    struct scenario *scenario = in->scenario;
    const struct tree *list = tree_list(in->fault, spec, "steps");
    int64_t at = 0;

    if (!list || list->count == 0) {
        fault_say(in->fault, scenario->tree, "spec.steps is missing or empty, want a list");
        return;
    }
    scenario->steps = arena_get(in->arena, list->count * sizeof(*scenario->steps));
    for (size_t i = 0; i < list->count && !in->fault->is; i++) {
        const struct tree *tree = list->pairs[i].value;
        if (tree->type == TREE_NULL || (tree->type == TREE_MAP && tree->count == 0))
            fault_say(in->fault, tree,
                      "a step is empty, want {at: 10s, apply: [pod/p]} or the like");
        else if (tree->type != TREE_MAP)
            fault_at(in->fault, tree, "a map such as {at: 10s, apply: [pod/p]}");
        for (size_t k = 0; tree->type == TREE_MAP && k < tree->count; k++)
            check_step_key(in, &tree->pairs[k]);
        const struct tree *when = tree_get(tree, "at");
        int64_t time = when ? tree_as_duration(in->fault, when) : at;
        if (time < at)
            fault_at(in->fault, when, "a time that is not before that of the step above it");
        at = time;
        scenario->steps[i] = (struct step){.tree = tree, .at = at, .until = INT64_MAX};
        if (i > 0)
            scenario->steps[i - 1].until = at;
    }
    scenario->n_steps = list->count;
}

static void only_keys(struct fault *fault, const struct tree *map, const char *const *keys,
                      const char *want)
{
    for (size_t i = 0; map && i < map->count; i++) {
        size_t k = 0;
        while (keys[k] && strcmp(keys[k], map->pairs[i].key) != 0)
            k++;
        if (!keys[k])
            fault_say(fault, map->pairs[i].value, "%s is not known here, want %s",
                      map->pairs[i].key, want);
    }
}

static void read_autoscaler(struct reading *in, const struct tree *autoscaler)
{
    static const char *const keys[] = {"template", "max", "delay", NULL};
    const char *template = tree_text(in->fault, autoscaler, "template", "");

    if (!autoscaler)
        return;
    only_keys(in->fault, autoscaler, keys, "template, max and delay");
    if (strncmp(template, "node/", 5) != 0)
        fault_say(in->fault, autoscaler, "autoscaler.template is missing, want node/NAME");
    else
        document(in, autoscaler, template);
    tree_int(in->fault, autoscaler, "max", 0, 100000, 0);
    if (tree_get(autoscaler, "delay") &&
        tree_as_duration(in->fault, tree_get(autoscaler, "delay")) < 0)
        fault_at(in->fault, tree_get(autoscaler, "delay"), "a duration that is not negative");
    in->scenario->autoscaler = autoscaler;
}

static void read_story(struct reading *in)
{
    static const char *const keys[] = {"removal", "autoscaler", "config", "clusters",
                                       "steps",   "about",      NULL};
    struct scenario *scenario = in->scenario;
    const struct tree *spec = tree_map(in->fault, scenario->tree, "spec");

    scenario->name =
        tree_text(in->fault, tree_map(in->fault, scenario->tree, "metadata"), "name", "scenario");
    scenario->file = scenario->tree->file;
    const char *version = tree_text(in->fault, scenario->tree, "apiVersion", "");
    if (strcmp(version, "sluice/v1") != 0)
        fault_say(in->fault, scenario->tree, "apiVersion is %s, want sluice/v1",
                  *version ? version : "missing");
    only_keys(in->fault, spec, keys, "removal, autoscaler, config, clusters, about or steps");
    const char *removal = tree_text(in->fault, spec, "removal", "onBind");
    scenario->on_admission = strcmp(removal, "onAdmission") == 0;
    if (!scenario->on_admission && strcmp(removal, "onBind") != 0)
        fault_at(in->fault, tree_get(spec, "removal"), "onBind or onAdmission");
    scenario->config = tree_map(in->fault, spec, "config");
    read_autoscaler(in, tree_map(in->fault, spec, "autoscaler"));
    scenario->clusters = tree_map(in->fault, spec, "clusters");
    fleet_check(in->fault, scenario->clusters);
    read_steps(in, spec);
}

/* As an API server does of a Queue; a ceiling by another name would be none. */
static void check_queue(struct reading *in, const struct tree *doc)
{
    static const char *const keys[] = {
        "affinity", "capability", "dequeueStrategy", "deserved", "extendClusters", "guarantee",
        "parent",   "priority",   "reclaimable",     "type",     "weight",         NULL};

    only_keys(in->fault, tree_map(in->fault, doc, "spec"), keys,
              "parent, capability, deserved, guarantee, priority, dequeueStrategy, reclaimable, "
              "weight, type, affinity or extendClusters");
}

static void read_document(struct reading *in, const struct tree *doc)
{
    struct scenario *scenario = in->scenario;

    if (doc->type != TREE_MAP) {
        fault_at(in->fault, doc, "a Kubernetes document: a map with kind and metadata");
        return;
    }
    if (strcmp(tree_text(in->fault, doc, "kind", ""), "Scenario") == 0) {
        if (scenario->tree)
            fault_say(in->fault, doc, "a second Scenario, the first is in line %d: want one",
                      scenario->tree->line);
        scenario->tree = doc;
        return;
    }
    const char *ref = world_ref_of(in->arena, in->fault, doc);
    if (!ref)
        return;
    const struct tree *other = map_get(&scenario->documents, ref);
    if (other)
        fault_say(in->fault, doc, "%s is described twice, first in line %d", ref, other->line);
    if (strncmp(ref, "queue/", 6) == 0)
        check_queue(in, doc);
    map_put(&scenario->documents, ref, (void *)(uintptr_t)doc);
}

bool scenario_read(struct arena *arena, struct fault *fault, const struct tree *documents,
                   struct scenario *ret)
{
    struct reading in = {arena, fault, ret};

    *ret = (struct scenario){0};
    for (size_t i = 0; documents && i < documents->count && !fault->is; i++)
        read_document(&in, documents->pairs[i].value);
    if (!fault->is && !ret->tree)
        fault_say(fault, documents, "no document of kind Scenario in this file");
    if (!fault->is)
        read_story(&in);
    return !fault->is;
}

void scenario_finish(struct scenario *scenario)
{
    map_finish(&scenario->documents);
}
