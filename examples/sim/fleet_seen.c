/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/fleet_seen.h"

#include <inttypes.h>
#include <string.h>

#include "examples/sim/fleet_kueue.h"
#include "examples/sim/fleet_manager.h"
#include "examples/sim/sim.h"

#define OUR_GATE "kueue.x-k8s.io/multikueue"
#define OUR_MEMORY "sluice.sh/preemption-memory"

static const struct {
    const char *prefix;
    const char *keys[18];
} kinds[] = {
    {"workload/",
     {"cluster", "check", "nominated", "reserved", "finished", "memory", "openings", "preemptions",
      "retries", "writes", "state", "why", "copies", "signals", "open", "timeout"}},
    {"workload@",
     {"gate", "gates", "signal", "reserved", "admitted", "evicted", "finished", "leaving",
      "origin"}},
    {"cluster/", {"connected", "preemptions", "copies", "created"}},
    {"manager/", {"leads", "pending", "unknownAcks"}},
};

enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

static int kind_of(const char *ref)
{
    for (int i = 0; i < KINDS; i++)
        if (strncmp(kinds[i].prefix, ref, strlen(kinds[i].prefix)) == 0 && strchr(ref, '/')[1])
            return i;
    return -1;
}

bool fleet_seen_is(const char *ref)
{
    return strchr(ref, '/') && kind_of(ref) >= 0;
}

void fleet_seen_check(struct fault *fault, const struct tree_pair *entry)
{
    int kind = kind_of(entry->key);
    char want[400] = "";

    if (entry->value->type == TREE_TEXT && strcmp(entry->value->text, "gone") == 0)
        return;
    if (entry->value->type != TREE_MAP) {
        fault_at(fault, entry->value, "a map of what is expected, or gone");
        return;
    }
    for (size_t k = 0; kinds[kind].keys[k]; k++)
        snprintf(want + strlen(want), sizeof(want) - strlen(want), "%s%s", k ? ", " : "",
                 kinds[kind].keys[k]);
    for (size_t i = 0; i < entry->value->count; i++) {
        const struct tree_pair *field = &entry->value->pairs[i];
        size_t k = 0;
        while (kinds[kind].keys[k] && strcmp(kinds[kind].keys[k], field->key) != 0)
            k++;
        if (!kinds[kind].keys[k])
            fault_say(fault, field->value, "%s cannot be expected, want one of %s", field->key,
                      want);
        else if (field->value->type != TREE_TEXT)
            fault_at(fault, field->value, "text, \"*\" or \"!text\" (a list is \"a, b\")");
    }
}

static const char *number(struct sim *sim, int64_t n)
{
    return arena_format(&sim->arena, "%" PRId64, n);
}

static const char *truth(bool is)
{
    return is ? "true" : "false";
}

/* What the manager that leads says about it. */
static const char *of_engine(struct sim *sim, const struct dispatch *workload, const char *key)
{
    const msgpack_object *seen =
        manager_inspect(sim, manager_first(sim), workload->namespace, workload->name);

    if (strcmp(key, "why") == 0)
        return arena_copy(&sim->arena, value_str(seen, "message", "unknown"));
    if (strcmp(key, "state") == 0)
        return arena_copy(&sim->arena, value_str(seen, "state", "unknown"));
    if (strcmp(key, "timeout") == 0)
        return arena_format(&sim->arena, "%" PRId64 "s", value_int(seen, key, 0) / SECOND);
    return number(sim, value_int(seen, key, 0));
}

static const char *of_workload(struct sim *sim, const char *ref, const char *key)
{
    const struct dispatch *workload = map_get(&sim->fleet.workloads, ref);

    if (!workload)
        return "gone";
    if (strcmp(key, "openings") == 0)
        return workload->openings;
    if (strcmp(key, "preemptions") == 0)
        return number(sim, workload->preemptions);
    if (strcmp(key, "retries") == 0)
        return number(sim, workload->retries);
    if (strcmp(key, "writes") == 0)
        return number(sim, workload->writes);
    if (!workload->there)
        return "gone";
    if (strcmp(key, "cluster") == 0)
        return workload->cluster;
    if (strcmp(key, "check") == 0)
        return workload->check;
    if (strcmp(key, "nominated") == 0)
        return names_show(&sim->arena, &workload->nominated);
    if (strcmp(key, "reserved") == 0)
        return truth(workload->reserved);
    if (strcmp(key, "finished") == 0)
        return truth(workload->finished);
    if (strcmp(key, "memory") == 0) {
        const char *memory = pairs_get(&workload->annotations, OUR_MEMORY);
        return memory ? memory : "";
    }
    return of_engine(sim, workload, key);
}

static struct copy *copy_of(struct sim *sim, const char *ref)
{
    const char *at = strchr(ref, '@') + 1;
    struct worker *worker =
        map_get(&sim->fleet.workers, arena_text(&sim->arena, at, strcspn(at, "/")));
    const char *namespace;
    const char *name;

    world_split(&sim->arena, ref, &namespace, &name);
    return worker ? worker_find(worker, namespace, name) : NULL;
}

/* "Open", "Closed" or "none". */
static const char *gate_of(const struct copy *copy)
{
    for (size_t i = 0; i < copy->gates.count; i++)
        if (strcmp(copy->gates.items[i], OUR_GATE) == 0)
            return copy->open >> i & 1 ? "Open" : "Closed";
    return "none";
}

static const char *of_copy(struct sim *sim, const char *ref, const char *key)
{
    const struct copy *copy = copy_of(sim, ref);

    if (!copy)
        return "gone";
    const struct {
        const char *key;
        bool is;
    } flags[] = {
        {"signal", copy->signals},  {"reserved", copy->reserved}, {"admitted", copy->admitted},
        {"evicted", copy->evicted}, {"finished", copy->finished}, {"leaving", copy->leaving},
    };
    for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
        if (strcmp(flags[i].key, key) == 0)
            return truth(flags[i].is);
    if (strcmp(key, "gate") == 0)
        return gate_of(copy);
    return strcmp(key, "gates") == 0 ? names_show(&sim->arena, &copy->gates) : copy->origin;
}

static int64_t copies_in(const struct worker *worker)
{
    int64_t count = 0;

    for (size_t i = 0; i < worker->copies.count; i++) {
        const struct copy *copy = worker->copies.entries[i].value;
        count += copy->there && *copy->origin;
    }
    return count;
}

static const char *of_cluster(struct sim *sim, const char *ref, const char *key)
{
    const struct worker *worker = map_get(&sim->fleet.workers, strchr(ref, '/') + 1);

    if (!worker)
        return "gone";
    if (strcmp(key, "connected") == 0)
        return truth(worker->reachable);
    if (strcmp(key, "copies") == 0)
        return number(sim, copies_in(worker));
    return number(sim, *key == 'p' ? worker->preemptions : worker->created);
}

static const char *of_manager(struct sim *sim, const char *ref, const char *key)
{
    const struct manager *manager = map_get(&sim->fleet.managers, strchr(ref, '/') + 1);

    if (!manager)
        return "gone";
    if (strcmp(key, "leads") == 0)
        return truth(manager->leads);
    return number(sim, *key == 'p' ? manager->library.pending : manager->unknown);
}

const char *fleet_seen(struct sim *sim, const char *ref, const char *key)
{
    static const char *(*const readers[KINDS])(struct sim *, const char *, const char *) = {
        of_workload, of_copy, of_cluster, of_manager};

    return readers[kind_of(ref)](sim, ref, key);
}

bool fleet_seen_exists(struct sim *sim, const char *ref)
{
    const struct dispatch *workload = map_get(&sim->fleet.workloads, ref);

    if (strncmp(ref, "workload@", 9) == 0)
        return copy_of(sim, ref) != NULL;
    return strncmp(ref, "workload/", 9) != 0 || (workload && workload->there);
}
