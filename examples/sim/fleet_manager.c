/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/fleet_manager.h"

#include <string.h>

#include "examples/sim/fleet_errand.h"
#include "examples/sim/fleet_show.h"
#include "examples/sim/sim.h"
#include "examples/sim/translate.h"

int64_t manager_wall(const struct sim *sim, const struct manager *manager)
{
    return sim_wall(sim) + manager->skew;
}

/* A process's own event: one that has died since does not have it any more. */
struct own_event {
    struct manager *manager;
    int epoch;
};

static struct own_event *own_event(struct sim *sim, struct manager *manager)
{
    struct own_event *event = arena_get(&sim->arena, sizeof(*event));

    *event = (struct own_event){manager, manager->epoch};
    return event;
}

static void tick(struct sim *sim, void *what)
{
    const struct own_event *event = what;
    struct manager *manager = event->manager;

    if (event->epoch != manager->epoch || manager->tick_at > sim->clock.now)
        return;
    manager->tick_at = INT64_MAX;
    library_begin(&manager->library, manager_wall(sim, manager));
    manager_call(sim, manager, LOADER_TICK);
}

static void drain(struct sim *sim, void *what)
{
    const struct own_event *event = what;

    if (event->epoch != event->manager->epoch)
        return;
    event->manager->draining = false;
    if (event->manager->leads)
        errands_drain(sim, event->manager);
}

static void see_to(struct sim *sim, struct manager *manager)
{
    const struct library *library = &manager->library;
    int64_t now = sim->clock.now;
    int64_t at = INT64_MAX;

    if (library->more)
        at = now;
    else if (library->next > 0)
        at = library->next - manager_wall(sim, manager) + now;
    if (!library->more && at <= now)
        at = now + MILLISECOND;
    if (at < manager->tick_at) {
        manager->tick_at = at;
        clock_at(&sim->clock, at, tick, own_event(sim, manager));
    }
    if (library->pending > 0 && manager->leads && !manager->draining) {
        manager->draining = true;
        clock_at(&sim->clock, now + MILLISECOND, drain, own_event(sim, manager));
    }
}

void manager_look_at_clock(struct sim *sim, struct manager *manager)
{
    manager->tick_at = INT64_MAX;
    see_to(sim, manager);
}

const msgpack_object *manager_call(struct sim *sim, struct manager *manager, enum loader_hook hook)
{
    const msgpack_object *answer = library_call(&manager->library, hook);

    if (!answer) {
        if (hook != LOADER_INSPECT)
            fault_say(&sim->fault, sim->scenario->tree, "%s: the library fails in %s: %s",
                      manager->ref, loader_hook_name(hook), manager->library.error);
        return NULL;
    }
    if (hook != LOADER_INSPECT) {
        sim->world.changes++;
        see_to(sim, manager);
    }
    return answer;
}

const msgpack_object *manager_inspect(struct sim *sim, struct manager *manager,
                                      const char *namespace, const char *name)
{
    struct request *r;

    if (!manager->library.handle)
        return NULL;
    r = library_begin(&manager->library, manager_wall(sim, manager));
    r_key_str(r, "what", "fleet");
    r_key_str(r, "namespace", namespace);
    r_key_str(r, "name", name);
    return manager_call(sim, manager, LOADER_INSPECT);
}

struct manager *manager_first(const struct sim *sim)
{
    const struct map *managers = &sim->fleet.managers;

    for (size_t i = 0; i < managers->count; i++) {
        struct manager *manager = managers->entries[i].value;
        if (manager->leads)
            return manager;
    }
    return managers->entries[0].value;
}

static struct request *observe(struct sim *sim, struct manager *manager, const char *kind,
                               bool gone)
{
    struct request *r = library_begin(&manager->library, manager_wall(sim, manager));

    r_key_str(r, "kind", kind);
    r_key_bool(r, "gone", gone);
    return r;
}

static void observe_workload(struct sim *sim, struct manager *manager,
                             const struct dispatch *workload)
{
    struct request *r = observe(sim, manager, "workload", !workload->there);

    show_workload(r, workload);
    manager_call(sim, manager, LOADER_OBSERVE);
}

static void observe_copy(struct sim *sim, struct manager *manager, const struct worker *worker,
                         const struct copy *copy)
{
    struct request *r = observe(sim, manager, "replica", !copy->there);
    struct dispatch *workload = home_find(sim, copy->namespace, copy->name);

    show_copy(r, worker, copy);
    manager_call(sim, manager, LOADER_OBSERVE);
    /* The state of what runs is brought home by the leader; the library has no part in it. */
    if (manager->leads && copy->there && copy->finished && workload && !workload->finished &&
        strcmp(workload->cluster, worker->name) == 0 && strcmp(workload->uid, copy->origin) == 0)
        home_finish(sim, workload);
    if (workload)
        home_touch(sim, workload);
}

/* Of a worker that is reached everything is shown, and what is gone, before it counts as
 * connected. */
static void observe_worker(struct sim *sim, struct manager *manager, const struct worker *worker)
{
    bool shows = worker->reachable && worker->configured;
    struct request *r = observe(sim, manager, "cluster", !worker->configured);

    show_cluster(r, worker, false);
    manager_call(sim, manager, LOADER_OBSERVE);
    for (size_t i = 0; shows && i < worker->copies.count; i++) {
        const struct copy *copy = worker->copies.entries[i].value;
        if (*copy->origin)
            observe_copy(sim, manager, worker, copy);
    }
    if (!shows)
        return;
    r = observe(sim, manager, "cluster", false);
    show_cluster(r, worker, true);
    manager_call(sim, manager, LOADER_OBSERVE);
}

static void open_library(struct sim *sim, struct manager *manager)
{
    struct library *library = &manager->library;
    struct request *r = &library->request;

    if (!library->loader && !library_load(library, sim->fleet.library)) {
        fault_say(&sim->fault, NULL, "%s", library->error);
        return;
    }
    request_clear(r);
    r_map(r);
    if (sim->recording)
        r_key_int(r, "record", RECORDING_BYTES);
    r_key_map(r, "multiKueue");
    for (size_t i = 0; manager->config && i < manager->config->count; i++)
        show_config(sim, r, &manager->config->pairs[i]);
    r_end(r);
    r_end(r);
    if (!library_open(library))
        fault_say(&sim->fault, manager->config ? manager->config : sim->scenario->tree,
                  "the library refuses the configuration: %s", library->error);
}

void manager_lead(struct sim *sim, struct manager *manager, bool leads)
{
    story(sim, manager->ref, "lease", leads ? "leads" : "does not lead any more");
    manager->leads = leads;
    observe(sim, manager, "leader", !leads);
    manager_call(sim, manager, LOADER_OBSERVE);
}

void manager_start(struct sim *sim, struct manager *manager)
{
    const struct fleet *fleet = &sim->fleet;

    manager->tick_at = INT64_MAX;
    manager->draining = false;
    manager->orchestrates =
        tree_bool(&sim->fault, manager->config, "orchestratedPreemption", false);
    open_library(sim, manager);
    for (size_t i = 0; i < fleet->workers.count && !sim->fault.is; i++)
        observe_worker(sim, manager, fleet->workers.entries[i].value);
    for (size_t i = 0; i < fleet->workloads.count && !sim->fault.is; i++) {
        const struct dispatch *workload = fleet->workloads.entries[i].value;
        if (workload->there)
            observe_workload(sim, manager, workload);
    }
    if (sim->fault.is)
        return;
    observe(sim, manager, "synced", false);
    manager_call(sim, manager, LOADER_OBSERVE);
    if (manager->leads)
        manager_lead(sim, manager, true);
}

void manager_record(struct sim *sim, struct manager *manager)
{
    struct library *library = &manager->library;

    if (sim->recording && library->handle &&
        !library_recording(library, manager_wall(sim, manager), sim->recording))
        fault_say(&sim->fault, sim->scenario->tree, "%s: the recording cannot be had: %s",
                  manager->ref, library->error);
}

void manager_restart(struct sim *sim, struct manager *manager, const struct tree *config)
{
    story(sim, manager->ref, "restarted", "restarts%s", config ? ", configured anew" : "");
    manager->epoch++;
    manager->config = config ? config : manager->config;
    manager_record(sim, manager);
    library_close(&manager->library);
    manager_start(sim, manager);
}

/* What is on its way from an API server to a process, as it was when it was sent. */
struct notice {
    struct manager *manager;
    int epoch; /* of the manager, and of its connection to the worker */
    int connection;
    struct worker *worker;   /* NULL: it is about a workload at home */
    const struct copy *copy; /* NULL: about the worker */
    const struct dispatch *workload;
};

static void deliver(struct sim *sim, void *what)
{
    const struct notice *notice = what;
    struct manager *manager = notice->manager;
    int times = sim->faults.observe == OBSERVE_TWICE ? 2 : 1;

    if (notice->epoch != manager->epoch)
        return;
    if (notice->worker && notice->connection != notice->worker->epoch)
        return;
    while (times-- > 0) {
        if (notice->workload)
            observe_workload(sim, manager, notice->workload);
        else if (notice->copy)
            observe_copy(sim, manager, notice->worker, notice->copy);
        else
            observe_worker(sim, manager, notice->worker);
    }
}

static void send_to_all(struct sim *sim, struct notice about)
{
    const struct map *managers = &sim->fleet.managers;

    for (size_t i = 0; i < managers->count; i++) {
        struct manager *manager = managers->entries[i].value;
        struct notice *notice = arena_get(&sim->arena, sizeof(*notice));
        int64_t at = sim->clock.now + MILLISECOND + sim->faults.watch;
        *notice = about;
        notice->manager = manager;
        notice->epoch = manager->epoch;
        notice->connection = about.worker ? about.worker->epoch : 0;
        manager->heard = at > manager->heard ? at : manager->heard;
        clock_at(&sim->clock, manager->heard, deliver, notice);
    }
}

void managers_hear_workload(struct sim *sim, struct dispatch *workload)
{
    struct dispatch *state = arena_get(&sim->arena, sizeof(*state));

    *state = *workload;
    send_to_all(sim, (struct notice){.workload = state});
}

void managers_hear_copy(struct sim *sim, struct worker *worker, struct copy *copy)
{
    struct copy *state = arena_get(&sim->arena, sizeof(*state));
    struct dispatch *workload = home_find(sim, copy->namespace, copy->name);

    *state = *copy;
    if (workload)
        home_touch(sim, workload);
    if (worker->reachable && worker->configured)
        send_to_all(sim, (struct notice){.worker = worker, .copy = state});
}

void managers_hear_worker(struct sim *sim, struct worker *worker)
{
    sim->world.changes++;
    send_to_all(sim, (struct notice){.worker = worker});
}
