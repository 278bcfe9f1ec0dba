/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/fleet_worker.h"

#include <inttypes.h>
#include <string.h>

#include "examples/sim/fleet_kueue.h"
#include "examples/sim/fleet_manager.h"
#include "examples/sim/sim.h"

static const char *const policies[] = {
    [WORKER_NEVER] = "Never",
    [WORKER_LOWER] = "LowerPriority",
    [WORKER_LOWER_OR_NEWER] = "LowerOrNewerEqualPriority",
};

static int policy_of(const char *text)
{
    for (int i = 0; i < 3; i++)
        if (strcmp(policies[i], text) == 0)
            return i;
    return -1;
}

static bool is_duration(const char *key)
{
    return strcmp(key, "cycle") == 0 || strcmp(key, "grace") == 0 || strcmp(key, "check") == 0 ||
           strcmp(key, "clock") == 0;
}

static void check_key(struct fault *fault, const struct tree_pair *pair)
{
    const struct tree *value = pair->value;
    bool truth;

    if (strcmp(pair->key, "quota") == 0) {
        if (value->type != TREE_MAP)
            fault_at(fault, value, "a map of amounts such as {cpu: 4}");
    } else if (is_duration(pair->key)) {
        if (tree_as_duration(fault, value) < 0 && strcmp(pair->key, "clock") != 0)
            fault_at(fault, value, "a duration that is not negative");
    } else if (strcmp(pair->key, "queueing") == 0) {
        const char *text = tree_as_text(fault, value);
        if (strcmp(text, "StrictFIFO") != 0 && strcmp(text, "BestEffortFIFO") != 0)
            fault_at(fault, value, "BestEffortFIFO or StrictFIFO");
    } else if (strcmp(pair->key, "withinClusterQueue") == 0) {
        if (policy_of(tree_as_text(fault, value)) < 0)
            fault_at(fault, value, "Never, LowerPriority or LowerOrNewerEqualPriority");
    } else if (strcmp(pair->key, "deaf") == 0 || strcmp(pair->key, "prunes") == 0) {
        if (!tree_is_bool(value, &truth))
            fault_at(fault, value, "true or false");
    } else {
        fault_say(fault, value,
                  "%s is not known here, want quota, queueing, withinClusterQueue, cycle, grace, "
                  "check, clock, deaf or prunes",
                  pair->key);
    }
}

void worker_check(struct fault *fault, const struct tree *spec)
{
    for (size_t i = 0; spec->type == TREE_MAP && i < spec->count; i++)
        check_key(fault, &spec->pairs[i]);
    if (spec->type != TREE_MAP || !tree_get(spec, "quota"))
        fault_at(fault, spec, "a map with a quota: {quota: {cpu: 4}}");
}

static int64_t duration(struct fault *fault, const struct tree *spec, const char *key,
                        int64_t otherwise)
{
    const struct tree *value = tree_get(spec, key);

    return value ? tree_as_duration(fault, value) : otherwise;
}

struct worker *worker_new(struct sim *sim, const char *name, const struct tree *spec)
{
    struct fault *fault = &sim->fault;
    struct worker *worker = arena_get(&sim->arena, sizeof(*worker));

    *worker = (struct worker){
        .name = name,
        .ref = arena_format(&sim->arena, "cluster/%s", name),
        .strict = strcmp(tree_text(fault, spec, "queueing", "BestEffortFIFO"), "StrictFIFO") == 0,
        .within = (enum worker_policy)policy_of(
            tree_text(fault, spec, "withinClusterQueue", "LowerPriority")),
        .deaf = tree_bool(fault, spec, "deaf", false),
        .prunes = tree_bool(fault, spec, "prunes", false),
        .cycle = duration(fault, spec, "cycle", SECOND),
        .grace = duration(fault, spec, "grace", 5 * SECOND),
        .check = duration(fault, spec, "check", 0),
        .skew = duration(fault, spec, "clock", 0),
        .reachable = true,
        .configured = true,
    };
    resources_read(&sim->arena, fault, tree_get(spec, "quota"), &worker->quota);
    return worker;
}

/* namespace/name */
static const char *key_of(struct arena *arena, const char *namespace, const char *name)
{
    return arena_format(arena, "%s/%s", namespace, name);
}

struct copy *worker_find(const struct worker *worker, const char *namespace, const char *name)
{
    char key[600];

    snprintf(key, sizeof(key), "%s/%s", namespace, name);
    struct copy *copy = map_get(&worker->copies, key);
    return copy && copy->there ? copy : NULL;
}

void worker_changed(struct sim *sim, struct worker *worker, struct copy *copy)
{
    copy->version = ++worker->version;
    sim->world.changes++;
    if (*copy->origin)
        managers_hear_copy(sim, worker, copy);
}

enum write worker_create(struct sim *sim, struct worker *worker, const struct copy *about)
{
    const char *key = key_of(&sim->arena, about->namespace, about->name);
    struct copy *copy = map_get(&worker->copies, key);

    if (copy && copy->there)
        return WRITE_CONFLICT;
    if (!copy) {
        copy = arena_get(&sim->arena, sizeof(*copy));
        map_put(&worker->copies, key, copy);
    }
    *copy = *about;
    copy->uid =
        arena_format(&sim->arena, "%s-%012" PRIx64, worker->name, (uint64_t)++sim->world.uids);
    copy->created = sim->world.uids;
    copy->ref = arena_format(&sim->arena, "workload@%s/%s%s%s", worker->name,
                             strcmp(about->namespace, "default") == 0 ? "" : about->namespace,
                             strcmp(about->namespace, "default") == 0 ? "" : "/", about->name);
    copy->there = true;
    worker->created += *copy->origin != '\0';
    if (worker->prunes)
        copy->gates.count = 0;
    story(sim, copy->ref, "created", "created%s%s", copy->gates.count ? ", gated by " : "",
          copy->gates.count ? names_show(&sim->arena, &copy->gates) : "");
    worker_changed(sim, worker, copy);
    kueue_plan(sim, worker);
    return WRITE_DONE;
}

enum write worker_delete(struct sim *sim, struct worker *worker, const char *namespace,
                         const char *name, const char *uid)
{
    struct copy *copy = worker_find(worker, namespace, name);

    if (!copy || (uid && strcmp(uid, copy->uid) != 0))
        return WRITE_GONE;
    copy->there = false;
    story(sim, copy->ref, "deleted", "deleted%s", copy->admitted ? ", while it runs" : "");
    worker_changed(sim, worker, copy);
    kueue_plan(sim, worker);
    return WRITE_DONE;
}

static int place_of(const struct copy *copy, const char *gate)
{
    for (size_t i = 0; i < copy->gates.count; i++)
        if (strcmp(copy->gates.items[i], gate) == 0)
            return (int)i;
    return -1;
}

bool worker_gate_is_open(const struct copy *copy, const char *gate)
{
    int place = place_of(copy, gate);

    return place >= 0 && (copy->open >> place & 1) != 0;
}

enum write worker_set_gate(struct sim *sim, struct worker *worker, struct copy *copy,
                           const char *gate, bool open, int64_t version)
{
    int place = place_of(copy, gate);

    if (version > 0 && version != copy->version)
        return WRITE_CONFLICT;
    if (place < 0)
        return WRITE_GONE;
    copy->open = open ? copy->open | 1U << place : copy->open & ~(1U << place);
    copy->parked = open && worker->deaf;
    story(sim, copy->ref, open ? "opened" : "closed", "its gate %s is %s%s", gate,
          open ? "opened" : "closed", copy->parked ? ", and nobody there hears of it" : "");
    worker_changed(sim, worker, copy);
    kueue_plan(sim, worker);
    return WRITE_DONE;
}

void worker_evict(struct sim *sim, struct worker *worker, struct copy *copy, const char *why)
{
    copy->reserved = copy->admitted = copy->signals = copy->leaving = copy->parked = false;
    copy->evicted = true;
    copy->open = 0;
    story(sim, copy->ref, "evicted", "is evicted%s%s", *why ? ": " : "", why);
    worker_changed(sim, worker, copy);
    kueue_plan(sim, worker);
}

void worker_complete(struct sim *sim, struct worker *worker, struct copy *copy)
{
    copy->finished = true;
    copy->reserved = copy->admitted = copy->leaving = false;
    story(sim, copy->ref, "finished", "finished");
    worker_changed(sim, worker, copy);
    kueue_plan(sim, worker);
}

void worker_disconnect(struct sim *sim, struct worker *worker)
{
    worker->reachable = false;
    worker->epoch++;
    story(sim, worker->ref, "lost", "cannot be reached any more");
    managers_hear_worker(sim, worker);
}

void worker_connect(struct sim *sim, struct worker *worker)
{
    worker->reachable = true;
    worker->epoch++;
    story(sim, worker->ref, "back", "is reached again");
    managers_hear_worker(sim, worker);
}

void worker_save(struct sim *sim, struct worker *worker)
{
    worker->n_saved = worker->copies.count;
    worker->saved = arena_get(&sim->arena, (worker->n_saved + 1) * sizeof(*worker->saved));
    worker->saved_version = worker->version;
    for (size_t i = 0; i < worker->n_saved; i++)
        worker->saved[i] = *(const struct copy *)worker->copies.entries[i].value;
    story(sim, worker->ref, "saved", "a backup is made");
}

void worker_restore(struct sim *sim, struct worker *worker)
{
    worker->version = worker->saved_version;
    worker->epoch++;
    for (size_t i = 0; i < worker->copies.count; i++) {
        struct copy *copy = worker->copies.entries[i].value;
        if (i < worker->n_saved)
            *copy = worker->saved[i];
        else
            copy->there = false;
    }
    story(sim, worker->ref, "restored", "is what it was when the backup was made");
    sim->world.changes++;
    managers_hear_worker(sim, worker);
    kueue_plan(sim, worker);
}

void worker_resize(struct sim *sim, struct worker *worker, const struct tree *quota)
{
    char amounts[256];

    worker->quota = (struct resources){0};
    resources_read(&sim->arena, &sim->fault, quota, &worker->quota);
    story(sim, worker->ref, "changed", "its quota is %s",
          resources_show(&worker->quota, amounts, sizeof(amounts)));
    sim->world.changes++;
    kueue_plan(sim, worker);
}
