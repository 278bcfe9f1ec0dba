/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/watch.h"

#include <string.h>

#include "examples/sim/composites.h"
#include "examples/sim/host.h"
#include "examples/sim/sim.h"
#include "examples/sim/translate.h"

enum {
    USUAL_DELAY = 1, /* ms */
    LATE = 50,
    BATCH = 100,
};

/* One change on its way: exactly one of the three. */
struct notice {
    struct notice *older; /* in a batch that will be turned around */
    struct pod *pod;
    const struct pod_state *state;
    struct object *object;
    struct machine *machine;
    int epoch; /* of the scheduler that listens */
};

static const struct tree *place_of(const struct notice *notice)
{
    if (notice->pod)
        return notice->pod->spec;
    return notice->object ? notice->object->doc : notice->machine->doc;
}

static const char *name_of(const struct notice *notice)
{
    if (notice->pod)
        return notice->pod->ref;
    return notice->object ? notice->object->ref : notice->machine->ref;
}

static void observe(struct sim *sim, const struct notice *notice)
{
    if (notice->object && strcmp(notice->object->kind, "command") == 0) {
        host_command(sim, notice->object);
        return;
    }

    struct request *r = library_begin(&sim->library, sim_wall(sim));

    if (notice->pod)
        translate_observe_pod(r, sim, notice->pod, notice->state);
    else if (notice->object)
        translate_observe_object(r, sim, notice->object);
    else
        translate_observe_machine(r, notice->machine);
    const msgpack_object *answer = host_call(sim, LOADER_OBSERVE);
    if (!answer)
        host_refused(sim, place_of(notice), name_of(notice), sim->library.error);
    else if (notice->machine && notice->machine->is)
        notice->machine->id = value_int(answer, "id", -1);
}

static void observe_late(struct sim *sim, void *what)
{
    const struct notice *notice = what;

    if (notice->epoch == sim->scheduler.epoch)
        observe(sim, notice);
}

static bool is_gone(const struct notice *notice)
{
    if (notice->pod)
        return notice->state->gone;
    return notice->object ? !notice->object->is : !notice->machine->is;
}

static void deliver(struct sim *sim, void *what)
{
    struct notice *notice = what;
    int how = sim->faults.observe;

    if (notice->epoch != sim->scheduler.epoch || !sim->library.handle)
        return;
    if (how == OBSERVE_DROP_DELETES && is_gone(notice))
        return;
    if (how == OBSERVE_LATE)
        clock_at(&sim->clock, sim->clock.now + LATE * MILLISECOND, observe_late, notice);
    else
        observe(sim, notice);
    if (how == OBSERVE_TWICE)
        observe(sim, notice);
    if (notice->pod)
        scheduler_saw_pod(sim, notice->pod, notice->state);
    else if (notice->machine)
        scheduler_saw_machine(sim, notice->machine);
}

static void deliver_batch(struct sim *sim, void *what)
{
    struct notice *notice = sim->scheduler.batch;

    (void)what;
    sim->scheduler.batch = NULL;
    for (; notice; notice = notice->older)
        deliver(sim, notice);
}

static struct notice *keep(struct sim *sim, struct notice about)
{
    struct arena *arena = about.pod ? &about.pod->arena : &sim->arena;
    struct notice *notice = arena_get(arena, sizeof(*notice));

    *notice = about;
    notice->epoch = sim->scheduler.epoch;
    return notice;
}

static void dispatch(struct sim *sim, struct notice about)
{
    struct notice *notice = keep(sim, about);
    struct scheduler *scheduler = &sim->scheduler;

    sim->world.changes++;
    if (sim->faults.observe == OBSERVE_REORDER) {
        if (!scheduler->batch)
            clock_at(&sim->clock, sim->clock.now + BATCH * MILLISECOND, deliver_batch, NULL);
        notice->older = scheduler->batch;
        scheduler->batch = notice;
        return;
    }
    int64_t at = sim->clock.now + USUAL_DELAY * MILLISECOND + sim->faults.watch;
    scheduler->watched = at > scheduler->watched ? at : scheduler->watched;
    clock_at(&sim->clock, scheduler->watched, deliver, notice);
}

void watch_pod(struct sim *sim, struct pod *pod)
{
    dispatch(sim, (struct notice){.pod = pod, .state = pod->state});
}

/* A Workload is written often, and a watch brings each of its versions. */
static struct object *as_it_is(struct sim *sim, struct object *object)
{
    struct object *copy;

    if (!workload_owns(sim, object->ref))
        return object;
    copy = arena_get(&sim->arena, sizeof(*copy));
    *copy = *object;
    return copy;
}

/* What of a tree of groups comes or goes makes its pods members of another group. */
static bool is_of_tree(const struct object *object)
{
    return strcmp(object->kind, "compositepodgroup") == 0 || composites_is_part(object);
}

static void watch_pods(struct sim *sim, const char *namespace, const char *owner);

void watch_object(struct sim *sim, struct object *object)
{
    dispatch(sim, (struct notice){.object = as_it_is(sim, object)});
    if (is_of_tree(object))
        watch_pods(sim, object->namespace, NULL);
}

void watch_machine(struct sim *sim, struct machine *machine)
{
    dispatch(sim, (struct notice){.machine = machine});
}

/* What is NULL matters not. */
static void watch_pods(struct sim *sim, const char *namespace, const char *owner)
{
    const struct map *pods = &sim->world.pods;

    for (size_t i = 0; i < pods->count; i++) {
        struct pod *pod = pods->entries[i].value;
        if (pod && (!namespace || strcmp(pod->namespace, namespace) == 0) &&
            (!owner || strcmp(pod->parent, owner) == 0))
            watch_pod(sim, pod);
    }
}

static void watch_local_queues(struct sim *sim, const char *namespace, const char *cluster_queue)
{
    const struct map *objects = &sim->world.objects;

    for (size_t i = 0; i < objects->count; i++) {
        struct object *object = objects->entries[i].value;
        if (!object->is || strcmp(object->kind, "localqueue") != 0)
            continue;
        const struct tree *behind = tree_find(object->doc, "spec/clusterQueue");
        if (cluster_queue &&
            !(behind && behind->type == TREE_TEXT && strcmp(behind->text, cluster_queue) == 0))
            continue;
        if (namespace && strcmp(object->namespace, namespace) != 0)
            continue;
        if (sim->workloads.is)
            watch_object(sim, object);
        if (cluster_queue)
            watch_pods(sim, object->namespace, NULL);
    }
}

static void watch_groups(struct sim *sim, const char *namespace)
{
    const struct map *objects = &sim->world.objects;

    for (size_t i = 0; i < objects->count; i++) {
        struct object *object = objects->entries[i].value;
        if (object->is && strcmp(object->kind, "podgroup") == 0 &&
            (!namespace || strcmp(object->namespace, namespace) == 0))
            watch_object(sim, object);
    }
}

void watch_namespace(struct sim *sim, const char *namespace)
{
    watch_local_queues(sim, namespace, NULL);
    watch_groups(sim, namespace);
    watch_pods(sim, namespace, NULL);
}

void watch_users(struct sim *sim)
{
    watch_groups(sim, NULL);
    watch_pods(sim, NULL, NULL);
}

void watch_cluster_queue(struct sim *sim, const char *name)
{
    watch_local_queues(sim, NULL, name);
}

void watch_owner(struct sim *sim, const char *owner)
{
    watch_pods(sim, NULL, owner);
}

/* Workloads come after what they name. */
static void list_objects(struct sim *sim, bool workloads)
{
    const struct map *objects = &sim->world.objects;

    for (size_t i = 0; i < objects->count; i++) {
        struct object *object = objects->entries[i].value;
        if (object->is && workload_owns(sim, object->ref) == workloads)
            deliver(sim, keep(sim, (struct notice){.object = object}));
    }
}

void watch_list(struct sim *sim)
{
    const struct world *world = &sim->world;

    list_objects(sim, false);
    list_objects(sim, true);
    for (size_t i = 0; i < world->machines.count; i++) {
        struct machine *machine = world->machines.entries[i].value;
        if (machine->is)
            deliver(sim, keep(sim, (struct notice){.machine = machine}));
    }
    for (size_t i = 0; i < world->pods.count; i++) {
        struct pod *pod = world->pods.entries[i].value;
        if (pod && !pod->state->gone)
            deliver(sim, keep(sim, (struct notice){.pod = pod, .state = pod->state}));
    }
}
