/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "examples/sim/board_rows.h"
#include "examples/sim/fleet_manager.h"
#include "examples/sim/sim.h"

static void put_resources(struct json *json, const char *key, const struct resources *resources)
{
    json_begin(json, key, '{');
    for (size_t i = 0; i < resources->count; i++)
        json_number(json, resources->items[i].name, resources->items[i].amount);
    json_end(json, '}');
}

static void put_node(struct sim *sim, const struct machine *machine)
{
    struct json *json = board_row(sim);

    json_text(json, "key", machine->name);
    put_resources(json, "allocatable", &machine->allocatable);
    put_resources(json, "used", &machine->used);
    if (machine->labels.count > 0) {
        json_begin(json, "labels", '{');
        for (size_t i = 0; i < machine->labels.count; i++)
            json_text(json, machine->labels.items[i].key, machine->labels.items[i].value);
        json_end(json, '}');
    }
    board_row_end(sim, BOARD_NODES, machine->name, false);
}

/* A worker, and what the workloads that hold its quota ask for. */
static void put_cluster(struct sim *sim, const struct worker *worker)
{
    struct resources used = {0};
    struct arena scratch = {0};
    int64_t copies = 0;

    for (size_t i = 0; i < worker->copies.count; i++) {
        const struct copy *copy = worker->copies.entries[i].value;
        if (!copy || !copy->there)
            continue;
        copies++;
        if (copy->reserved && !copy->finished)
            resources_add(&scratch, &used, &copy->asks, 1);
    }
    struct json *json = board_row(sim);
    json_text(json, "key", worker->name);
    json_bool(json, "connected", worker->reachable);
    json_number(json, "copies", copies);
    put_resources(json, "quota", &worker->quota);
    put_resources(json, "used", &used);
    board_row_end(sim, BOARD_CLUSTERS, worker->name, false);
    arena_finish(&scratch);
}

static void put_replicas(struct json *json, const msgpack_object *seen)
{
    static const char *const states[] = {"nominated", "there",   "reserved",
                                         "admitted",  "evicted", "deleted"};
    const msgpack_object *replicas = value_array(seen, "replicas");

    json_begin(json, "replicas", '[');
    for (uint32_t i = 0; i < value_count(replicas); i++) {
        const msgpack_object *replica = value_item(replicas, i);
        json_begin(json, NULL, '{');
        json_text(json, "cluster", value_str(replica, "cluster", ""));
        json_text(json, "gate", value_str(replica, "gate", ""));
        if (value_int(replica, "signal", 0) > 0)
            json_bool(json, "signals", true);
        for (size_t k = 0; k < sizeof(states) / sizeof(*states); k++)
            if (value_bool(replica, states[k], false))
                json_bool(json, states[k], true);
        json_end(json, '}');
    }
    json_end(json, ']');
}

static void put_dispatch(struct sim *sim, const struct dispatch *dispatch)
{
    struct manager *manager = manager_first(sim);
    const msgpack_object *seen =
        manager ? manager_inspect(sim, manager, dispatch->namespace, dispatch->name) : NULL;

    if (!seen)
        return;
    struct json *json = board_row(sim);
    json_text(json, "key", dispatch->uid);
    json_text(json, "namespace", dispatch->namespace);
    json_text(json, "name", dispatch->name);
    json_text(json, "state", value_str(seen, "state", ""));
    board_some_text(json, "message", value_str(seen, "message", ""));
    board_some_text(json, "cluster", value_str(seen, "cluster", ""));
    put_replicas(json, seen);
    board_row_end(sim, BOARD_DISPATCHES, dispatch->uid, false);
}

void board_places(struct sim *sim)
{
    const struct map *machines = &sim->world.machines;
    const struct fleet *fleet = &sim->fleet;

    for (size_t i = 0; i < machines->count; i++) {
        const struct machine *machine = machines->entries[i].value;
        if (machine && machine->is)
            put_node(sim, machine);
    }
    for (size_t i = 0; i < fleet->workers.count; i++) {
        const struct worker *worker = fleet->workers.entries[i].value;
        if (worker && worker->configured)
            put_cluster(sim, worker);
    }
    for (size_t i = 0; i < fleet->workloads.count; i++) {
        const struct dispatch *dispatch = fleet->workloads.entries[i].value;
        if (dispatch && dispatch->there)
            put_dispatch(sim, dispatch);
    }
}
