/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/queue_users.h"
#include "examples/sim/translate.h"

#include <string.h>

#include "examples/sim/composites.h"
#include "examples/sim/groups.h"
#include "examples/sim/pod_queue.h"
#include "examples/sim/podlife.h"
#include "examples/sim/sim.h"
#include "examples/sim/workload_show.h"

static const struct {
    const char *kind;
    const char *message;
    const char *object;
} kinds[] = {
    {"queue", "queue", "Queue"},          {"clusterqueue", "queue", "ClusterQueue"},
    {"cohort", "queue", "Cohort"},        {"resourceflavor", "flavor", NULL},
    {"podgroup", "group", NULL},          {"workload", "workload", NULL},
    {"compositepodgroup", "group", NULL},
};

bool translate_kind(const char *kind, const char **ret_message_kind, const char **ret_object_kind)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        if (strcmp(kinds[i].kind, kind) == 0) {
            *ret_message_kind = kinds[i].message;
            *ret_object_kind = kinds[i].object;
            return true;
        }
    return false;
}

void translate_tree(struct request *r, const struct tree *tree)
{
    int64_t number;
    bool truth;

    if (tree->type == TREE_NULL) {
        r_nil(r);
    } else if (tree->type == TREE_MAP) {
        r_map(r);
        for (size_t i = 0; i < tree->count; i++) {
            r_str(r, tree->pairs[i].key);
            translate_tree(r, tree->pairs[i].value);
        }
        r_end(r);
    } else if (tree->type == TREE_LIST) {
        r_array(r);
        for (size_t i = 0; i < tree->count; i++)
            translate_tree(r, tree->pairs[i].value);
        r_end(r);
    } else if (tree_is_int(tree, &number)) {
        r_int(r, number);
    } else if (tree_is_bool(tree, &truth)) {
        r_bool(r, truth);
    } else {
        r_str(r, tree->text);
    }
}

void translate_key(struct request *r, const char *key, const struct tree *tree)
{
    if (!tree)
        return;
    r_str(r, key);
    translate_tree(r, tree);
}

/* Quantities go as text, whatever they look like: 1 is one cpu, and not one thousandth. */
static void put_quantities(struct request *r, const char *key, const struct tree *map)
{
    if (!map || map->type != TREE_MAP) {
        translate_key(r, key, map); /* the library says what it wants */
        return;
    }
    r_key_map(r, key);
    for (size_t i = 0; i < map->count; i++)
        if (map->pairs[i].value->type == TREE_TEXT)
            r_key_str(r, map->pairs[i].key, map->pairs[i].value->text);
        else
            translate_key(r, map->pairs[i].key, map->pairs[i].value);
    r_end(r);
}

void translate_pairs(struct request *r, const char *key, const struct pairs *pairs)
{
    r_key_map(r, key);
    for (size_t i = 0; i < pairs->count; i++)
        r_key_str(r, pairs->items[i].key, pairs->items[i].value);
    r_end(r);
}

static void put_resources(struct request *r, const char *key, const struct resources *resources)
{
    r_key_map(r, key);
    for (size_t i = 0; i < resources->count; i++)
        r_key_int(r, resources->items[i].name, resources->items[i].amount);
    r_end(r);
}

/* The topmost controller: owners make their pods themselves here. */
static void put_controller(struct request *r, const struct sim *sim, const struct pod *pod)
{
    const struct object *owner = map_get(&sim->world.objects, pod->parent);

    if (!owner || !owner->is)
        return;
    r_key_map(r, "controller");
    r_key_str(r, "uid", owner->uid);
    r_key_str(r, "kind", pod->owner);
    r_key_str(r, "name", owner->name);
    r_key_int(r, "replicas", podlife_replicas(owner));
    r_key_bool(r, "ordered", podlife_orders(owner, pod));
    r_key_bool(r, "supersedes", podlife_supersedes(owner, pod));
    r_end(r);
}

void translate_pod(struct request *r, const char *key, const struct sim *sim, const struct pod *pod,
                   const struct pod_state *state)
{
    r_key_map(r, key);
    r_key_str(r, "uid", pod->uid);
    r_key_str(r, "namespace", pod->namespace);
    r_key_str(r, "name", pod->name);
    r_key_int(r, "created", pod->created);
    r_key_int(r, "generation", state->generation);
    r_key_int(r, "resourceVersion", state->version);
    r_key_str(r, "scheduler", pod->scheduler);
    r_key_array(r, "gates");
    for (size_t i = 0; i < state->gates.count; i++)
        r_str(r, state->gates.items[i]);
    r_end(r);
    pod_queue_put(r, sim, pod, state);
    put_resources(r, "requests", &state->requests);
    r_key_str(r, "node", state->node);
    r_key_str(r, "nominated", state->nominated);
    r_key_str(r, "phase", state->phase);
    r_key_bool(r, "deleted", state->deleted);
    r_key_bool(r, "unschedulable", strcmp(state->reason, "Unschedulable") == 0);
    r_key_str(r, "schedulingGroup", pod->native);
    r_key_str(r, "compositeGroup", composites_of_pod(sim, pod));
    r_key_str(r, "owner", pod->owner);
    r_key_bool(r, "mirror", pod->mirror);
    translate_key(r, "preemptionPolicy", tree_get(pod->spec, "preemptionPolicy"));
    put_controller(r, sim, pod);
    r_end(r);
}

void translate_observe_pod(struct request *r, const struct sim *sim, const struct pod *pod,
                           const struct pod_state *state)
{
    r_key_str(r, "kind", "pod");
    r_key_bool(r, "gone", state->gone);
    translate_pod(r, "object", sim, pod, state);
}

static void put_flavor_quotas(struct request *r, const struct tree *resources)
{
    r_key_map(r, "quotas");
    for (size_t i = 0; resources && i < resources->count; i++) {
        const struct tree *resource = resources->pairs[i].value;
        static const char *const limits[][2] = {{"nominalQuota", "nominal"},
                                                {"borrowingLimit", "borrowing"},
                                                {"lendingLimit", "lending"}};
        const struct tree *name = tree_get(resource, "name");
        r_key_map(r, name && name->type == TREE_TEXT ? name->text : "");
        for (size_t limit = 0; limit < 3; limit++) {
            const struct tree *amount = tree_get(resource, limits[limit][0]);
            if (amount && amount->type == TREE_TEXT)
                r_key_str(r, limits[limit][1], amount->text);
            else
                translate_key(r, limits[limit][1], amount);
        }
        r_end(r);
    }
    r_end(r);
}

static void put_groups(struct request *r, const struct tree *groups)
{
    r_key_array(r, "groups");
    for (size_t i = 0; groups && i < groups->count; i++) {
        const struct tree *flavors = tree_get(groups->pairs[i].value, "flavors");
        r_map(r);
        translate_key(r, "resources", tree_get(groups->pairs[i].value, "coveredResources"));
        r_key_array(r, "flavors");
        for (size_t f = 0; flavors && f < flavors->count; f++) {
            r_map(r);
            translate_key(r, "name", tree_get(flavors->pairs[f].value, "name"));
            put_flavor_quotas(r, tree_get(flavors->pairs[f].value, "resources"));
            r_end(r);
        }
        r_end(r);
        r_end(r);
    }
    r_end(r);
}

static void put_volcano_queue(struct request *r, const struct tree *doc)
{
    const struct tree *spec = tree_get(doc, "spec");

    translate_key(r, "parent", tree_get(spec, "parent"));
    translate_key(r, "priority", tree_get(spec, "priority"));
    translate_key(r, "strategy", tree_get(spec, "dequeueStrategy"));
    translate_key(r, "state", tree_find(doc, "status/state"));
    translate_key(r, "annotations", tree_find(doc, "metadata/annotations"));
    translate_key(r, "reclaimable", tree_get(spec, "reclaimable"));
    put_quantities(r, "capability", tree_get(spec, "capability"));
    put_quantities(r, "deserved", tree_get(spec, "deserved"));
    put_quantities(r, "guarantee", tree_find(spec, "guarantee/resource"));
}

/* The names of both of Kueue's API versions. */
static const struct tree *either(const struct tree *spec, const char *newer, const char *older)
{
    const struct tree *value = tree_get(spec, newer);

    return value ? value : tree_get(spec, older);
}

static void put_queue(struct request *r, const char *kind, const struct object *object)
{
    const struct tree *spec = tree_get(object->doc, "spec");

    r_key_str(r, "kind", kind);
    r_key_str(r, "name", object->name);
    if (!object->is)
        return;
    r_key_int(r, "created", object->created);
    if (*object->uid) /* else it is not made yet */
        r_key_str(r, "uid", object->uid);
    r_key_int(r, "resourceVersion", object->version);
    if (strcmp(kind, "Queue") == 0) {
        put_volcano_queue(r, object->doc);
        return;
    }
    translate_key(r, "parent",
                  strcmp(kind, "Cohort") == 0 ? either(spec, "parentName", "parent")
                                              : either(spec, "cohortName", "cohort"));
    translate_key(r, "strategy", tree_get(spec, "queueingStrategy"));
    translate_key(r, "stopPolicy", tree_get(spec, "stopPolicy"));
    translate_key(r, "preemption", tree_get(spec, "preemption"));
    translate_key(r, "whenCanBorrow", tree_find(spec, "flavorFungibility/whenCanBorrow"));
    if (strcmp(kind, "ClusterQueue") == 0)
        workload_show_queue(r, spec);
    put_groups(r, tree_get(spec, "resourceGroups"));
}

void translate_tolerations(struct request *r, const struct tree *tolerations)
{
    if (!tolerations)
        return;
    r_key_array(r, "tolerations");
    for (size_t i = 0; i < tolerations->count; i++) {
        const struct tree *item = tolerations->pairs[i].value;
        r_map(r);
        translate_key(r, "key", tree_get(item, "key"));
        translate_key(r, "operator", tree_get(item, "operator"));
        translate_key(r, "value", tree_get(item, "value"));
        translate_key(r, "effect", tree_get(item, "effect"));
        translate_key(r, "seconds", tree_get(item, "tolerationSeconds"));
        r_end(r);
    }
    r_end(r);
}

static void put_flavor(struct request *r, const struct object *object)
{
    const struct tree *spec = tree_get(object->doc, "spec");

    r_key_str(r, "name", object->name);
    translate_key(r, "nodeLabels", tree_get(spec, "nodeLabels"));
    translate_tolerations(r, tree_get(spec, "tolerations"));
    workload_show_flavor(r, spec);
}

void translate_queue(struct request *r, const char *kind, const struct object *object)
{
    r_key_map(r, "object");
    put_queue(r, kind, object);
    r_end(r);
}

/* Of the conditions the last one is the newest. */
static void put_status(struct request *r, const struct tree *status)
{
    const struct tree *conditions = tree_get(status, "conditions");

    translate_key(r, "phase", tree_get(status, "phase"));
    translate_key(r, "running", tree_get(status, "running"));
    translate_key(r, "succeeded", tree_get(status, "succeeded"));
    translate_key(r, "failed", tree_get(status, "failed"));
    if (conditions && conditions->count > 0)
        translate_key(r, "condition", conditions->pairs[conditions->count - 1].value);
}

/* Returns the queue that the group is in; "": its members' own. */
static const char *put_group_queue(struct request *r, const struct sim *sim,
                                   const struct object *object)
{
    const struct tree *named = tree_find(object->doc, "spec/queue");
    bool binds;
    const char *home = queue_users_home(sim, object->namespace, &binds);
    const char *queue = named && named->type == TREE_TEXT ? named->text : "";

    if (!*queue)
        return queue;
    if (binds)
        queue = home ? home : "default";
    r_key_str(r, "queue", queue);
    r_key_bool(r, "mayUse", queue_users_listed(sim, queue, object->namespace));
    return queue;
}

static void put_pod_group(struct request *r, struct sim *sim, const struct object *object,
                          bool is_there)
{
    const struct tree *class = tree_find(object->doc, "spec/priorityClassName");

    r_key_str(r, "namespace", object->namespace);
    r_key_str(r, "name", object->name);
    r_key_str(r, "uid", object->uid);
    r_key_int(r, "created", object->created);
    r_key_int(r, "resourceVersion", object->version);
    r_key_bool(r, "native", groups_is_native(object));
    r_key_bool(r, "composite", strcmp(object->kind, "compositepodgroup") == 0);
    if (!is_there)
        return;
    if (groups_is_native(object)) {
        groups_put_native(r, sim, object);
        groups_put_own(r, object);
        return;
    }
    put_status(r, tree_get(object->doc, "status"));
    const char *queue = put_group_queue(r, sim, object);
    translate_key(r, "minMember", tree_find(object->doc, "spec/minMember"));
    put_quantities(r, "minResources", tree_find(object->doc, "spec/minResources"));
    groups_put_own(r, object);
    if (!class || class->type != TREE_TEXT)
        return;
    int64_t value = queue_users_class(sim, class->text, INT64_MIN);
    if (value != INT64_MIN)
        r_key_int(r, "priority", queue_users_priority(sim, "queue", queue, value));
}

void translate_observe_object(struct request *r, struct sim *sim, const struct object *object)
{
    const char *message = object->kind;
    const char *kind = NULL;
    bool is_there = object->is;

    if (sim->workloads.is && workload_show(sim, r, object))
        return;
    translate_kind(object->kind, &message, &kind);
    r_key_str(r, "kind", message);
    if (composites_is_part(object)) { /* of what is told instead, if that is there */
        const struct object *top = composites_top(sim, object);
        r_key_bool(r, "gone", top == NULL);
        object = top ? top : object;
        is_there = top != NULL;
    } else {
        r_key_bool(r, "gone", !object->is);
    }
    if (strcmp(message, "queue") == 0) {
        translate_queue(r, kind, object);
        return;
    }
    r_key_map(r, "object");
    if (strcmp(message, "flavor") == 0)
        put_flavor(r, object);
    else if (strcmp(message, "group") == 0)
        put_pod_group(r, sim, object, is_there);
    else
        r_key_str(r, "name", object->name);
    r_end(r);
}

void translate_observe_machine(struct request *r, const struct machine *machine)
{
    r_key_str(r, "kind", "node");
    r_key_bool(r, "gone", !machine->is);
    r_key_map(r, "object");
    r_key_str(r, "name", machine->name);
    translate_pairs(r, "labels", &machine->labels);
    put_resources(r, "allocatable", &machine->allocatable);
    r_end(r);
}
