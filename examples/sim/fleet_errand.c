/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/fleet_errand.h"

#include <string.h>

#include "examples/sim/effects.h"
#include "examples/sim/sim.h"

enum { BATCH = 64, WRITE_TAKES = 2 /* ms */, NEVER_GIVEN = 1000000007 };

struct errand {
    struct manager *manager;
    int epoch;
    enum write (*act)(struct sim *sim, const struct errand *errand);
    int64_t id;
    int64_t version;
    int64_t until;
    int64_t timeout; /* the workload's, when it was sent */
    const char *namespace;
    const char *name;
    const char *uid;
    const char *workload; /* uid */
    const char *gate;
    const char *message;
    const char *cluster;
    struct worker *worker;   /* NULL: it is about a workload at home */
    struct gate_patch patch; /* its gates and annotations */
};

static void ack(struct sim *sim, const struct errand *errand, const char *result)
{
    struct manager *manager = errand->manager;

    if (errand->epoch != manager->epoch || sim->faults.acks == ACKS_NEVER)
        return;
    int64_t ids[] = {errand->id, errand->id + (sim->faults.acks == ACKS_WRONG ? NEVER_GIVEN : 0)};
    struct request *r = library_begin(&manager->library, manager_wall(sim, manager));
    r_key_array(r, "acks");
    for (int i = 0; i < (sim->faults.acks == ACKS_RIGHT ? 1 : 2); i++) {
        r_map(r);
        r_key_int(r, "id", ids[i]);
        r_key_str(r, "result", result);
        r_end(r);
    }
    r_end(r);
    manager->unknown += value_int(manager_call(sim, manager, LOADER_ACK), "unknown", 0);
}

/* How long a workload's job runs, where it says so. */
static int64_t runs_for(struct sim *sim, const struct dispatch *workload)
{
    const char *text = pairs_get(&workload->annotations, "sim.sluice.sh/runs-for");
    const struct tree value = {.type = TREE_TEXT, .text = text, .key = "sim.sluice.sh/runs-for"};

    return text ? tree_as_duration(&sim->fault, &value) : 0;
}

/* A clone: what it asks for is the original's, its gates are the library's to say. */
static enum write create(struct sim *sim, const struct errand *errand)
{
    const struct dispatch *workload = home_find(sim, errand->namespace, errand->name);

    if (!workload || strcmp(workload->uid, errand->workload) != 0)
        return WRITE_CONFLICT;
    return worker_create(sim, errand->worker,
                         &(struct copy){.namespace = errand->namespace,
                                        .name = errand->name,
                                        .origin = errand->workload,
                                        .priority = workload->priority,
                                        .asks = workload->asks,
                                        .runs_for = runs_for(sim, workload),
                                        .gates = errand->patch.gates});
}

static enum write delete (struct sim *sim, const struct errand *errand) {
    return worker_delete(sim, errand->worker, errand->namespace, errand->name, errand->uid);
}

static enum write open_gate(struct sim *sim, const struct errand *errand)
{
    struct copy *copy = worker_find(errand->worker, errand->namespace, errand->name);

    if (!copy || strcmp(copy->uid, errand->uid) != 0)
        return WRITE_GONE;
    enum write done =
        worker_set_gate(sim, errand->worker, copy, errand->gate, true, errand->version);
    if (done == WRITE_DONE && errand->until > 0)
        home_count_opening(sim, copy, errand->worker->name, errand->timeout);
    return done;
}

static enum write write_memory(struct sim *sim, const struct errand *errand)
{
    return home_annotate(sim, home_find(sim, errand->namespace, errand->name), errand->uid,
                         errand->version, &errand->patch.annotations);
}

static enum write set_cluster(struct sim *sim, const struct errand *errand)
{
    return home_set_cluster(sim, home_find(sim, errand->namespace, errand->name), errand->uid,
                            errand->version, errand->cluster);
}

static enum write retry_check(struct sim *sim, const struct errand *errand)
{
    return home_retry(sim, home_find(sim, errand->namespace, errand->name), errand->uid,
                      errand->version, errand->message);
}

static const struct {
    const char *kind;
    enum write (*act)(struct sim *sim, const struct errand *errand);
} kinds[] = {
    {"createReplica", create},     {"deleteReplica", delete},   {"openGate", open_gate},
    {"writeMemory", write_memory}, {"setCluster", set_cluster}, {"retryCheck", retry_check},
};

static const char *result_of(enum write write)
{
    return write == WRITE_DONE ? "done" : write == WRITE_GONE ? "gone" : "conflict";
}

static void arrive(struct sim *sim, void *what)
{
    const struct errand *errand = what;
    int fault = sim->faults.patches;
    bool late = errand->until > 0 && manager_wall(sim, errand->manager) > errand->until;

    if (fault == PATCHES_CONFLICT)
        ack(sim, errand, "conflict");
    else if (fault == PATCHES_FAIL || late || (errand->worker && !errand->worker->reachable))
        ack(sim, errand, "retry");
    else {
        const char *result = result_of(errand->act(sim, errand));
        ack(sim, errand, fault == PATCHES_LOST ? "retry" : result);
    }
}

static struct errand *errand_read(struct sim *sim, struct manager *manager,
                                  const msgpack_object *item)
{
    struct arena *arena = &sim->arena;
    struct errand *errand = arena_get(arena, sizeof(*errand));
    const char *kind = value_str(item, "kind", "");
    const char *cluster = value_str(item, "cluster", "");
    bool is_home = strcmp(kind, "setCluster") == 0 || strcmp(kind, "retryCheck") == 0;

    *errand = (struct errand){
        .manager = manager,
        .epoch = manager->epoch,
        .id = value_int(item, "id", 0),
        .version = value_int(item, "resourceVersion", 0),
        .until = value_int(item, "until", 0),
        .namespace = arena_copy(arena, value_str(item, "namespace", "")),
        .name = arena_copy(arena, value_str(item, "name", "")),
        .uid = arena_copy(arena, value_str(item, "uid", "")),
        .workload = arena_copy(arena, value_str(item, "workload", "")),
        .gate = arena_copy(arena, value_str(item, "gate", "")),
        .message = arena_copy(arena, value_str(item, "message", "")),
        .cluster = arena_copy(arena, cluster),
        .worker = is_home ? NULL : map_get(&sim->fleet.workers, cluster),
    };
    effects_read_patch(arena, item, &errand->patch);
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        if (strcmp(kinds[i].kind, kind) == 0)
            errand->act = kinds[i].act;
    if (!errand->act || (*cluster && !is_home && !errand->worker))
        fault_say(&sim->fault, sim->scenario->tree,
                  "%s: the library asks for the effect \"%s\" in the cluster \"%s\"", manager->ref,
                  kind, cluster);
    return errand;
}

void errands_drain(struct sim *sim, struct manager *manager)
{
    struct errand *errands[BATCH];

    r_key_int(library_begin(&manager->library, manager_wall(sim, manager)), "max", BATCH);
    const msgpack_object *list = value_array(manager_call(sim, manager, LOADER_DRAIN), "effects");
    uint32_t n = value_count(list) < BATCH ? value_count(list) : BATCH;
    for (uint32_t i = 0; i < n; i++)
        errands[i] = errand_read(sim, manager, value_item(list, i));
    /* The answer is gone with the next call. */
    for (uint32_t i = 0; i < n && !sim->fault.is; i++) {
        const msgpack_object *seen =
            manager_inspect(sim, manager, errands[i]->namespace, errands[i]->name);
        errands[i]->timeout = value_int(seen, "timeout", 0);
        clock_at(&sim->clock, sim->clock.now + WRITE_TAKES * MILLISECOND + sim->faults.requests,
                 arrive, errands[i]);
    }
}
