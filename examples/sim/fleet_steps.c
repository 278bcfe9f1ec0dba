/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/fleet_steps.h"

#include <string.h>

#include "examples/sim/fleet_manager.h"
#include "examples/sim/sim.h"

static void forget(struct sim *sim, struct worker *worker)
{
    worker->configured = false;
    worker->epoch++;
    story(sim, worker->ref, "removed", "is taken out of the managers' configuration");
    managers_hear_worker(sim, worker);
}

static void know(struct sim *sim, struct worker *worker)
{
    worker->configured = true;
    worker->epoch++;
    story(sim, worker->ref, "added", "is added to the managers' configuration");
    managers_hear_worker(sim, worker);
}

static const struct {
    const char *word;
    void (*act)(struct sim *sim, struct worker *worker);
} events[] = {
    {"disconnect", worker_disconnect}, {"connect", worker_connect}, {"save", worker_save},
    {"restore", worker_restore},       {"remove", forget},          {"add", know},
};

enum { EVENTS = sizeof(events) / sizeof(*events) };

static int event_of(const char *word)
{
    for (int i = 0; i < EVENTS; i++)
        if (strcmp(events[i].word, word) == 0)
            return i;
    return -1;
}

static void check_map(struct fault *fault, const struct tree *map, const char *want)
{
    if (map->type != TREE_MAP || map->count == 0)
        fault_at(fault, map, "a map such as %s", want);
}

static size_t count_of(const struct tree *map)
{
    return map->type == TREE_MAP ? map->count : 0;
}

/* What is said of one cluster: a word, a list of words, or its new quota. */
static void check_events(struct fault *fault, const struct tree *value)
{
    static const char want[] = "disconnect, connect, save, restore, remove, add, a list of these, "
                               "or {quota: {...}}";
    size_t count = value->type == TREE_LIST ? value->count : 1;

    if (value->type == TREE_MAP) {
        if (value->count != 1 || !tree_map(fault, value, "quota"))
            fault_at(fault, value, want);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const struct tree *word = value->type == TREE_LIST ? value->pairs[i].value : value;
        if (word->type != TREE_TEXT || event_of(word->text) < 0)
            fault_at(fault, word, want);
    }
}

void fleet_check_cluster(struct fault *fault, const struct tree *map)
{
    check_map(fault, map, "{east: disconnect}");
    for (size_t i = 0; i < count_of(map); i++)
        check_events(fault, map->pairs[i].value);
}

static struct worker *worker_named(struct sim *sim, const struct tree_pair *pair)
{
    struct worker *worker = map_get(&sim->fleet.workers, pair->key);

    if (!worker)
        fault_say(&sim->fault, pair->value, "there is no worker %s in spec.clusters", pair->key);
    return worker;
}

void fleet_step_cluster(struct sim *sim, const struct tree *map)
{
    for (size_t i = 0; i < map->count && !sim->fault.is; i++) {
        struct worker *worker = worker_named(sim, &map->pairs[i]);
        const struct tree *value = map->pairs[i].value;
        size_t count = value->type == TREE_LIST ? value->count : 1;
        if (worker && value->type == TREE_MAP)
            worker_resize(sim, worker, tree_get(value, "quota"));
        for (size_t n = 0; worker && value->type != TREE_MAP && n < count; n++) {
            const struct tree *word = value->type == TREE_LIST ? value->pairs[n].value : value;
            events[event_of(word->text)].act(sim, worker);
        }
    }
}

static bool is_in_worker(const char *ref)
{
    return strncmp(ref, "workload@", 9) == 0 && strchr(ref, '/') != NULL;
}

void fleet_check_gate(struct fault *fault, const struct tree *map)
{
    check_map(fault, map, "{workload@east/w: {example.com/mine: Open}}");
    for (size_t i = 0; i < count_of(map); i++) {
        const struct tree *gates = map->pairs[i].value;
        if (!is_in_worker(map->pairs[i].key))
            fault_say(fault, gates, "%s is no reference, want workload@CLUSTER/NAME",
                      map->pairs[i].key);
        check_map(fault, gates, "{example.com/mine: Open}");
        for (size_t n = 0; n < count_of(gates); n++) {
            const char *word = tree_as_text(fault, gates->pairs[n].value);
            if (strcmp(word, "Open") != 0 && strcmp(word, "Closed") != 0)
                fault_at(fault, gates->pairs[n].value, "Open or Closed");
        }
    }
}

void fleet_step_gate(struct sim *sim, const struct tree *map)
{
    for (size_t i = 0; i < map->count && !sim->fault.is; i++) {
        const struct tree *gates = map->pairs[i].value;
        struct worker *worker;
        struct copy *copy = fleet_copy_of(sim, gates, map->pairs[i].key, &worker);
        for (size_t n = 0; copy && n < gates->count; n++) {
            bool open = strcmp(gates->pairs[n].value->text, "Open") == 0;
            if (worker_set_gate(sim, worker, copy, gates->pairs[n].key, open, 0) == WRITE_GONE)
                fault_say(&sim->fault, gates, "%s has no gate %s", map->pairs[i].key,
                          gates->pairs[n].key);
        }
    }
}

void fleet_check_evict(struct fault *fault, const struct tree *list)
{
    if (list->type != TREE_LIST)
        fault_at(fault, list, "a list of workload@CLUSTER/NAME");
    for (size_t i = 0; list->type == TREE_LIST && i < list->count; i++)
        if (!is_in_worker(tree_as_text(fault, list->pairs[i].value)))
            fault_at(fault, list->pairs[i].value, "workload@CLUSTER/NAME");
}

void fleet_step_evict(struct sim *sim, const struct tree *list)
{
    for (size_t i = 0; i < list->count && !sim->fault.is; i++) {
        const struct tree *item = list->pairs[i].value;
        struct worker *worker;
        struct copy *copy = fleet_copy_of(sim, item, item->text, &worker);
        if (copy)
            worker_evict(sim, worker, copy, "by a person");
    }
}

static struct manager *manager_named(struct sim *sim, const struct tree_pair *pair)
{
    struct manager *manager = map_get(&sim->fleet.managers, pair->key);

    if (!manager)
        fault_say(&sim->fault, pair->value, "there is no manager %s in spec.clusters", pair->key);
    return manager;
}

void fleet_check_clock(struct fault *fault, const struct tree *map)
{
    for (size_t i = 0; i < map->count; i++)
        tree_as_duration(fault, map->pairs[i].value);
}

void fleet_step_clock(struct sim *sim, const struct tree *map)
{
    for (size_t i = 0; i < map->count && !sim->fault.is; i++) {
        const struct tree_pair *pair = &map->pairs[i];
        struct worker *worker = map_get(&sim->fleet.workers, pair->key);
        struct manager *manager = worker ? NULL : manager_named(sim, pair);
        int64_t jump = tree_as_duration(&sim->fault, pair->value);
        if (worker) {
            worker->skew += jump;
            story(sim, worker->ref, "clock", "its clock jumps by %s", pair->value->text);
        } else if (manager) {
            manager->skew += jump;
            story(sim, manager->ref, "clock", "its clock jumps by %s", pair->value->text);
            manager_look_at_clock(sim, manager);
        }
    }
}

void fleet_check_leader(struct fault *fault, const struct tree *map)
{
    bool truth;

    for (size_t i = 0; i < map->count; i++)
        if (!tree_is_bool(map->pairs[i].value, &truth))
            fault_at(fault, map->pairs[i].value, "true or false");
}

void fleet_step_leader(struct sim *sim, const struct tree *map)
{
    for (size_t i = 0; i < map->count && !sim->fault.is; i++) {
        struct manager *manager = manager_named(sim, &map->pairs[i]);
        if (manager)
            manager_lead(sim, manager, strcmp(map->pairs[i].value->text, "true") == 0);
    }
}

void fleet_check_restart(struct fault *fault, const struct tree *map)
{
    for (size_t i = 0; i < map->count; i++)
        if (map->pairs[i].value->type != TREE_MAP)
            fault_at(fault, map->pairs[i].value, "its configuration, {} for the one it had");
}

void fleet_step_restart(struct sim *sim, const struct tree *map)
{
    for (size_t i = 0; i < map->count && !sim->fault.is; i++) {
        struct manager *manager = manager_named(sim, &map->pairs[i]);
        const struct tree *config = map->pairs[i].value;
        if (manager)
            manager_restart(sim, manager, config->count > 0 ? config : NULL);
    }
}
