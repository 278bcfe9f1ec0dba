/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/fleet_home.h"

#include <inttypes.h>
#include <string.h>

#include "examples/sim/fleet_kueue.h"
#include "examples/sim/fleet_manager.h"
#include "examples/sim/sim.h"

struct dispatch *home_find(const struct sim *sim, const char *namespace, const char *name)
{
    char ref[600];
    bool usual = strcmp(namespace, "default") == 0;

    snprintf(ref, sizeof(ref), "workload/%s%s%s", usual ? "" : namespace, usual ? "" : "/", name);
    struct dispatch *workload = map_get(&sim->fleet.workloads, ref);
    return workload && workload->there ? workload : NULL;
}

void home_touch(struct sim *sim, struct dispatch *workload)
{
    struct fleet *fleet = &sim->fleet;

    sim->world.changes++;
    if (workload->touched)
        return;
    workload->touched = true;
    fleet->touched =
        array_room(fleet->touched, fleet->n_touched, &fleet->touched_cap, sizeof(*fleet->touched));
    fleet->touched[fleet->n_touched++] = workload;
}

static void changed(struct sim *sim, struct dispatch *workload)
{
    workload->version = ++sim->world.version;
    home_touch(sim, workload);
    managers_hear_workload(sim, workload);
}

static struct names names_read(struct sim *sim, const struct tree *list, const char *key)
{
    struct names names = {0};

    if (!list)
        return names;
    if (list->type != TREE_LIST || list->count > HOME_NAMES) {
        fault_at(&sim->fault, list, "a list of at most %d", HOME_NAMES);
        return names;
    }
    names.items = arena_get(&sim->arena, list->count * sizeof(*names.items));
    for (size_t i = 0; i < list->count; i++) {
        const struct tree *item = list->pairs[i].value;
        names.items[names.count++] =
            key ? tree_text(&sim->fault, item, key, "") : tree_as_text(&sim->fault, item);
    }
    return names;
}

/* Each pod set asks for so many of its pod. */
static void read_pod_sets(struct sim *sim, const struct tree *list, struct resources *ret)
{
    for (size_t i = 0; list && list->type == TREE_LIST && i < list->count; i++) {
        const struct tree *set = list->pairs[i].value;
        int64_t count = tree_int(&sim->fault, set, "count", 0, 1000, 1);
        struct resources pod = {0};
        resources_of_pod(&sim->arena, &sim->fault, tree_find(set, "template/spec"), &pod);
        for (int64_t n = 0; n < count; n++)
            resources_add(&sim->arena, ret, &pod, 1);
    }
}

void home_read_spec(struct sim *sim, const struct tree *doc, struct copy *ret)
{
    const struct tree *spec = tree_map(&sim->fault, doc, "spec");
    const int64_t most = INT32_MAX;

    ret->priority = tree_int(&sim->fault, spec, "priority", -most, most, 0);
    ret->gates = names_read(sim, tree_list(&sim->fault, spec, "preemptionGates"), "name");
    read_pod_sets(sim, tree_list(&sim->fault, spec, "podSets"), &ret->asks);
}

static bool reserves(const struct dispatch *workload)
{
    return workload->there && workload->active && !workload->reserved && !workload->finished;
}

/* The manager's own Kueue. */
static void reserve(struct sim *sim, void *what)
{
    struct dispatch *workload = what;

    if (!reserves(workload))
        return;
    workload->reserved = true;
    workload->check = "Pending";
    workload->nominated = workload->chosen;
    if (!workload->chooses) {
        const struct map *workers = &sim->fleet.workers;
        workload->nominated =
            (struct names){arena_get(&sim->arena, workers->count * sizeof(char *)), 0};
        for (size_t i = 0; i < workers->count; i++)
            workload->nominated.items[workload->nominated.count++] = workers->entries[i].key;
    }
    story(sim, workload->ref, "reserved", "reserves quota, is nominated to %s",
          names_show(&sim->arena, &workload->nominated));
    changed(sim, workload);
}

static void plan_reservation(struct sim *sim, struct dispatch *workload)
{
    if (reserves(workload))
        clock_at(&sim->clock, sim->clock.now + SECOND, reserve, workload);
}

/* What a document or a patch says, and nothing else, is changed. */
static void take(struct sim *sim, struct dispatch *workload, const struct tree *doc)
{
    struct fault *fault = &sim->fault;
    const struct tree *spec = tree_map(fault, doc, "spec");
    const struct tree *status = tree_map(fault, doc, "status");
    const struct tree *chosen = tree_list(fault, status, "nominatedClusterNames");
    struct pairs said = pairs_read(&sim->arena, fault, tree_find(doc, "metadata/annotations"));
    struct copy about = {0};

    home_read_spec(sim, doc, &about);
    if (tree_get(spec, "priority"))
        workload->priority = about.priority;
    if (tree_get(spec, "podSets"))
        workload->asks = about.asks;
    if (tree_get(spec, "preemptionGates"))
        workload->gates = about.gates;
    workload->active = tree_bool(fault, spec, "active", workload->active);
    for (size_t i = 0; i < said.count; i++)
        workload->annotations =
            pairs_set(&sim->arena, workload->annotations, said.items[i].key, said.items[i].value);
    if (chosen) {
        workload->chosen = names_read(sim, chosen, NULL);
        workload->chooses = true;
        if (workload->reserved)
            workload->nominated = workload->chosen;
    }
    if (!workload->active)
        workload->reserved = false;
    changed(sim, workload);
    plan_reservation(sim, workload);
}

void home_apply(struct sim *sim, const struct tree *doc, const char *ref)
{
    struct dispatch *workload = map_get(&sim->fleet.workloads, ref);

    if (!workload) {
        workload = arena_get(&sim->arena, sizeof(*workload));
        workload->place = map_put(&sim->fleet.workloads, ref, workload);
    }
    story(sim, ref, workload->there ? "changed" : "created",
          workload->there ? "changed" : "created");
    if (!workload->there) {
        *workload = (struct dispatch){
            .ref = ref,
            .uid = arena_format(&sim->arena, "home-%012" PRIx64, (uint64_t)++sim->world.uids),
            .cluster = "",
            .check = "Pending",
            .openings = "",
            .opened_in = "",
            .told_state = "",
            .there = true,
            .active = true,
            .place = workload->place,
            .touched = workload->touched,
        };
        world_split(&sim->arena, ref, &workload->namespace, &workload->name);
    }
    take(sim, workload, doc);
}

void home_patch(struct sim *sim, struct dispatch *workload, const struct tree *patch)
{
    story(sim, workload->ref, "changed", "changed");
    take(sim, workload, patch);
}

void home_delete(struct sim *sim, struct dispatch *workload)
{
    workload->there = false;
    story(sim, workload->ref, "deleted", "deleted");
    changed(sim, workload);
}

static enum write may_write(const struct dispatch *workload, const char *uid, int64_t version)
{
    if (!workload || strcmp(workload->uid, uid) != 0)
        return WRITE_GONE;
    return workload->version == version ? WRITE_DONE : WRITE_CONFLICT;
}

enum write home_annotate(struct sim *sim, struct dispatch *workload, const char *uid,
                         int64_t version, const struct pairs *annotations)
{
    enum write may = may_write(workload, uid, version);

    if (may != WRITE_DONE)
        return may;
    for (size_t i = 0; i < annotations->count; i++)
        workload->annotations = pairs_set(&sim->arena, workload->annotations,
                                          annotations->items[i].key, annotations->items[i].value);
    workload->writes++;
    story(sim, workload->ref, "remembered", "is written down who is to be opened, or who signals");
    changed(sim, workload);
    return WRITE_DONE;
}

enum write home_set_cluster(struct sim *sim, struct dispatch *workload, const char *uid,
                            int64_t version, const char *cluster)
{
    enum write may = may_write(workload, uid, version);

    if (may != WRITE_DONE)
        return may;
    if (*workload->cluster)
        expect_failed(sim, sim->scenario->tree, "the cluster, once it is written",
                      workload->cluster, cluster);
    workload->cluster = cluster;
    workload->check = "Ready";
    story(sim, workload->ref, "bound", "runs in %s, for good: its Job is created there", cluster);
    changed(sim, workload);
    return WRITE_DONE;
}

/* The manager's own eviction, and its next attempt. */
static void evict(struct sim *sim, void *what)
{
    struct dispatch *workload = what;

    if (!workload->there || strcmp(workload->check, "Retry") != 0)
        return;
    workload->reserved = false;
    workload->cluster = "";
    workload->nominated.count = 0;
    workload->check = "Pending";
    story(sim, workload->ref, "evicted", "loses its reservation, to try again");
    changed(sim, workload);
    plan_reservation(sim, workload);
}

enum write home_retry(struct sim *sim, struct dispatch *workload, const char *uid, int64_t version,
                      const char *message)
{
    enum write may = may_write(workload, uid, version);

    if (may != WRITE_DONE || strcmp(workload->check, "Retry") == 0)
        return may; /* what is so already is not written */
    workload->check = "Retry";
    workload->retries++;
    story(sim, workload->ref, "retry", "asks for another attempt: %s", message);
    changed(sim, workload);
    clock_at(&sim->clock, sim->clock.now + SECOND, evict, workload);
    return WRITE_DONE;
}

void home_finish(struct sim *sim, struct dispatch *workload)
{
    workload->finished = true;
    story(sim, workload->ref, "finished", "finished");
    changed(sim, workload);
}

static struct dispatch *of_copy(const struct sim *sim, const struct copy *copy)
{
    struct dispatch *workload = home_find(sim, copy->namespace, copy->name);

    return workload && strcmp(workload->uid, copy->origin) == 0 ? workload : NULL;
}

void home_count_preemptions(struct sim *sim, const struct copy *copy, int64_t count)
{
    struct dispatch *workload = of_copy(sim, copy);

    sim->fleet.preemptions += count;
    if (workload)
        workload->preemptions += count;
}

void home_count_opening(struct sim *sim, const struct copy *copy, const char *worker,
                        int64_t timeout)
{
    struct dispatch *workload = of_copy(sim, copy);

    if (!workload)
        return;
    int64_t since = sim->clock.now - workload->opened_at;
    if (*workload->opened_in && strcmp(workload->opened_in, worker) != 0 && since < timeout) {
        char text[32];
        expect_failed(sim, sim->scenario->tree, "at one time one worker may preempt",
                      workload->opened_in,
                      arena_format(&sim->arena, "%s, %s later", worker,
                                   clock_show(since, text, sizeof(text))));
    }
    workload->openings = arena_format(&sim->arena, "%s%s%s", workload->openings,
                                      *workload->openings ? ", " : "", worker);
    workload->opened_in = worker;
    workload->opened_at = sim->clock.now;
}
