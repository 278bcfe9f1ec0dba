/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/fleet.h"

#include <stdlib.h>
#include <string.h>

#include "examples/sim/fleet_manager.h"
#include "examples/sim/sim.h"

static bool is_name(const char *name)
{
    size_t len = strlen(name);

    return len > 0 && len <= 63 && !strpbrk(name, "/@, ");
}

/* A step names managers and workers alike. */
static bool is_taken(const struct tree *list, size_t place, const struct tree *workers)
{
    const char *name = list->pairs[place].value->text;

    for (size_t i = 0; i < place; i++)
        if (strcmp(list->pairs[i].value->text, name) == 0)
            return true;
    return tree_get(workers, name) != NULL;
}

static void check_names(struct fault *fault, const struct tree *list, const struct tree *workers)
{
    if (list->type != TREE_LIST || list->count == 0 || list->count > 8)
        fault_at(fault, list, "a list of 1 to 8 names");
    for (size_t i = 0; list->type == TREE_LIST && i < list->count; i++)
        if (!is_name(tree_as_text(fault, list->pairs[i].value)) ||
            (!fault->is && is_taken(list, i, workers)))
            fault_at(fault, list->pairs[i].value, "a name that nobody else has");
}

static void check_workers(struct fault *fault, const struct tree *map)
{
    if (map->type != TREE_MAP || map->count == 0)
        fault_at(fault, map, "a map such as {east: {quota: {cpu: 4}}}");
    for (size_t i = 0; map->type == TREE_MAP && i < map->count; i++) {
        if (!is_name(map->pairs[i].key))
            fault_say(fault, map->pairs[i].value, "%s is no name of a cluster", map->pairs[i].key);
        worker_check(fault, map->pairs[i].value);
    }
}

void fleet_check(struct fault *fault, const struct tree *clusters)
{
    if (!clusters)
        return;
    if (!tree_get(clusters, "workers"))
        fault_say(fault, clusters, "clusters.workers is missing, want a map from name");
    for (size_t i = 0; i < clusters->count; i++) {
        const struct tree *value = clusters->pairs[i].value;
        const char *key = clusters->pairs[i].key;
        if (strcmp(key, "workers") == 0)
            check_workers(fault, value);
        else if (strcmp(key, "managers") == 0)
            check_names(fault, value, tree_get(clusters, "workers"));
        else if (strcmp(key, "config") != 0)
            fault_say(fault, value, "%s is not known here, want managers, workers or config", key);
        else if (value->type != TREE_MAP)
            fault_at(fault, value, "a map such as {orchestratedPreemption: true}");
    }
}

static void add_manager(struct sim *sim, const char *name, const struct tree *config, bool leads)
{
    struct manager *manager = arena_get(&sim->arena, sizeof(*manager));

    *manager = (struct manager){
        .name = name,
        .ref = arena_format(&sim->arena, "manager/%s", name),
        .config = config,
        .leads = leads,
    };
    map_put(&sim->fleet.managers, name, manager);
}

void fleet_start(struct sim *sim, const char *library)
{
    struct fleet *fleet = &sim->fleet;
    const struct tree *clusters = sim->scenario->clusters;
    const struct tree *workers = tree_get(clusters, "workers");
    const struct tree *managers = tree_get(clusters, "managers");
    const struct tree *config = tree_get(clusters, "config");

    if (!clusters)
        return;
    *fleet = (struct fleet){.is = true, .library = library};
    for (size_t i = 0; i < workers->count; i++)
        map_put(&fleet->workers, workers->pairs[i].key,
                worker_new(sim, workers->pairs[i].key, workers->pairs[i].value));
    for (size_t i = 0; managers && i < managers->count; i++)
        add_manager(sim, managers->pairs[i].value->text, config, i == 0);
    if (!managers)
        add_manager(sim, "manager", config, true);
    for (size_t i = 0; i < fleet->managers.count && !sim->fault.is; i++)
        manager_start(sim, fleet->managers.entries[i].value);
}

void fleet_record(struct sim *sim)
{
    for (size_t i = 0; i < sim->fleet.managers.count; i++)
        manager_record(sim, sim->fleet.managers.entries[i].value);
}

void fleet_finish(struct fleet *fleet)
{
    for (size_t i = 0; i < fleet->managers.count; i++)
        library_finish(&((struct manager *)fleet->managers.entries[i].value)->library);
    for (size_t i = 0; i < fleet->workers.count; i++)
        map_finish(&((struct worker *)fleet->workers.entries[i].value)->copies);
    map_finish(&fleet->workers);
    map_finish(&fleet->managers);
    map_finish(&fleet->workloads);
    free(fleet->touched);
}

bool fleet_owns(const struct sim *sim, const char *ref)
{
    return sim->fleet.is &&
           (strncmp(ref, "workload/", 9) == 0 || strncmp(ref, "workload@", 9) == 0);
}

const char *fleet_document(struct arena *arena, const char *ref)
{
    const char *at = strchr(ref, '@');
    const char *slash = strchr(ref, '/');

    if (!at || !slash || at > slash)
        return ref;
    return arena_format(arena, "%.*s%s", (int)(at - ref), ref, slash);
}

struct worker *fleet_worker_of(struct sim *sim, const struct tree *where, const char *ref)
{
    const char *at = strchr(ref, '@');
    const char *name =
        at ? arena_text(&sim->arena, at + 1, strcspn(at + 1, "/")) : strchr(ref, '/') + 1;
    struct worker *worker = map_get(&sim->fleet.workers, name);

    if (!worker)
        fault_say(&sim->fault, where, "%s: there is no worker %s in spec.clusters", ref, name);
    return worker;
}

struct copy *fleet_copy_of(struct sim *sim, const struct tree *where, const char *ref,
                           struct worker **ret_worker)
{
    const char *namespace;
    const char *name;
    struct worker *worker = fleet_worker_of(sim, where, ref);
    struct copy *copy;

    world_split(&sim->arena, ref, &namespace, &name);
    copy = worker ? worker_find(worker, namespace, name) : NULL;
    if (worker && !copy)
        fault_say(&sim->fault, where, "%s does not exist at that time", ref);
    *ret_worker = worker;
    return copy;
}

static bool is_home(const char *ref)
{
    return strncmp(ref, "workload/", 9) == 0;
}

static struct dispatch *home_of(struct sim *sim, const struct tree *where, const char *ref)
{
    struct dispatch *workload = map_get(&sim->fleet.workloads, ref);

    if (!workload || !workload->there)
        fault_say(&sim->fault, where, "%s does not exist at that time", ref);
    return workload && workload->there ? workload : NULL;
}

void fleet_apply(struct sim *sim, const struct tree *where, const struct tree *doc, const char *ref)
{
    struct worker *worker = is_home(ref) ? NULL : fleet_worker_of(sim, where, ref);
    struct copy about = {.origin = ""};

    if (is_home(ref))
        home_apply(sim, doc, ref);
    if (!worker)
        return;
    world_split(&sim->arena, ref, &about.namespace, &about.name);
    home_read_spec(sim, doc, &about);
    if (worker_create(sim, worker, &about) != WRITE_DONE)
        fault_say(&sim->fault, where, "%s exists already", ref);
}

void fleet_patch(struct sim *sim, const struct tree *patch, const char *ref)
{
    struct dispatch *workload;

    if (!is_home(ref)) {
        fault_say(&sim->fault, patch, "%s cannot be patched: want one of the manager's", ref);
        return;
    }
    workload = home_of(sim, patch, ref);
    if (workload)
        home_patch(sim, workload, patch);
}

void fleet_delete(struct sim *sim, const struct tree *where, const char *ref)
{
    struct worker *worker;
    struct dispatch *workload = is_home(ref) ? home_of(sim, where, ref) : NULL;
    struct copy *copy = is_home(ref) ? NULL : fleet_copy_of(sim, where, ref, &worker);

    if (workload)
        home_delete(sim, workload);
    if (copy)
        worker_delete(sim, worker, copy->namespace, copy->name, NULL);
}

void fleet_end(struct sim *sim, const struct tree *where, const char *ref)
{
    struct worker *worker;
    struct copy *copy;

    if (is_home(ref)) {
        fault_say(&sim->fault, where, "%s cannot end: want the one in its cluster", ref);
        return;
    }
    copy = fleet_copy_of(sim, where, ref, &worker);
    if (copy)
        worker_complete(sim, worker, copy);
}

static int by_place(const void *a, const void *b)
{
    size_t one = (*(struct dispatch *const *)a)->place;
    size_t other = (*(struct dispatch *const *)b)->place;

    return (one > other) - (one < other);
}

void fleet_end_moment(struct sim *sim)
{
    struct fleet *fleet = &sim->fleet;

    if (fleet->n_touched > 1)
        qsort(fleet->touched, fleet->n_touched, sizeof(*fleet->touched), by_place);
    for (size_t i = 0; i < fleet->n_touched; i++) {
        struct dispatch *workload = fleet->touched[i];
        const msgpack_object *seen;
        const char *state;
        workload->touched = false;
        seen = manager_inspect(sim, manager_first(sim), workload->namespace, workload->name);
        state = value_str(seen, "state", "");
        if (!workload->there || !seen || strcmp(state, workload->told_state) == 0)
            continue;
        workload->told_state = arena_copy(&sim->arena, state);
        story(sim, workload->ref, "state", "%s: %s", state, value_str(seen, "message", ""));
    }
    fleet->n_touched = 0;
}
