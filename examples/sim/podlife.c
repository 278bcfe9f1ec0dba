/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/podlife.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "examples/sim/host.h"
#include "examples/sim/plan_arrive.h"
#include "examples/sim/queue_users.h"
#include "examples/sim/sim.h"
#include "examples/sim/translate.h"
#include "examples/sim/watch.h"

const char podlife_gated[] = "SchedulingGated";

static const struct {
    const char *prefix;
    const char *kind;
    const char *count; /* path to how many pods there are to be */
} owners[] = {
    {"job/", "Job", "spec/parallelism"},
    {"replicaset/", "ReplicaSet", "spec/replicas"},
    {"deployment/", "Deployment", "spec/replicas"},
    {"statefulset/", "StatefulSet", "spec/replicas"},
};

static size_t owner_of(const char *ref)
{
    size_t i = 0;

    while (i < sizeof(owners) / sizeof(*owners) &&
           strncmp(ref, owners[i].prefix, strlen(owners[i].prefix)) != 0)
        i++;
    return i;
}

int64_t podlife_replicas(const struct object *owner)
{
    const struct tree *count = tree_find(owner->doc, owners[owner_of(owner->ref)].count);
    int64_t n = 1;

    if (count)
        tree_is_int(count, &n);
    return n;
}

bool podlife_is_owner(const char *ref)
{
    return owner_of(ref) < sizeof(owners) / sizeof(*owners);
}

/* The library's webhook: false if it refuses. Else the gates that it adds are in the state. */
static bool admitted(struct sim *sim, const struct tree *where, struct pod *pod,
                     struct pod_state *state)
{
    struct request *r = library_begin(&sim->library, sim_wall(sim));

    r_key_str(r, "kind", "pod");
    r_key_str(r, "operation", "CREATE");
    translate_pod(r, "object", sim, pod, state);
    const msgpack_object *answer = host_call(sim, LOADER_ADMIT);
    if (!answer)
        host_refused(sim, where, pod->ref, sim->library.error);
    else if (!value_bool(answer, "allow", false))
        host_refused(sim, where, pod->ref, value_str(answer, "reason", "it does not say why"));
    if (!answer || !value_bool(answer, "allow", false))
        return false;
    const msgpack_object *added = value_array(answer, "gates");
    struct names gates = {0};
    gates.items =
        arena_get(&pod->arena, (state->gates.count + value_count(added)) * sizeof(*gates.items));
    for (size_t i = 0; i < state->gates.count; i++)
        gates.items[gates.count++] = state->gates.items[i];
    for (uint32_t i = 0; i < value_count(added); i++) {
        const char *gate = value_item_str(added, i, "");
        if (!names_have(&gates, gate))
            gates.items[gates.count++] = arena_copy(&pod->arena, gate);
    }
    state->gates = gates;
    return true;
}

void podlife_take_status(struct fault *fault, const struct tree *status, struct pod_state *state)
{
    const struct tree *conditions = tree_list(fault, status, "conditions");

    state->phase = tree_text(fault, status, "phase", state->phase);
    state->nominated = tree_text(fault, status, "nominatedNodeName", state->nominated);
    for (size_t i = 0; conditions && i < conditions->count; i++) {
        const struct tree *condition = conditions->pairs[i].value;
        if (strcmp(tree_text(fault, condition, "type", ""), "PodScheduled") != 0)
            continue;
        bool is_false = strcmp(tree_text(fault, condition, "status", "False"), "False") == 0;
        state->reason = is_false ? tree_text(fault, condition, "reason", "") : "";
        state->message = is_false ? tree_text(fault, condition, "message", "") : "";
    }
}

static void take_priority_class(struct sim *sim, struct pod *pod)
{
    const char *name = tree_text(&sim->fault, pod->spec, "priorityClassName", "");

    pod->priority = queue_users_class(sim, name, pod->priority);
}

static const char *gates_text(struct sim *sim, const struct names *gates)
{
    const char *text = "";

    for (size_t i = 0; i < gates->count; i++)
        text = arena_format(&sim->arena, "%s%s%s", text, i ? ", " : ", gated by ", gates->items[i]);
    return text;
}

static void make_pod(struct sim *sim, const struct tree *where, const struct tree *metadata,
                     const struct tree *spec, const struct tree *status, const char *ref,
                     const char *parent)
{
    struct pod *pod = pod_read(&sim->arena, &sim->fault, metadata, spec);
    struct pod_state *state = pod_write(pod, ++sim->world.version);
    char asks[256];

    pod->ref = ref;
    pod->parent = parent;
    pod->uid = arena_format(&sim->arena, "00000000-0000-4000-8000-%012" PRIx64,
                            (uint64_t)++sim->world.uids);
    world_split(&sim->arena, ref, &pod->namespace, &pod->name);
    pod->created = sim_wall(sim) / SECOND * SECOND;
    if (parent[0]) {
        const struct object *owner = map_get(&sim->world.objects, parent);
        pod->owner = owners[owner_of(parent)].kind;
        pod->edits = owner->edits;
    }
    take_priority_class(sim, pod);
    if (sim->faults.webhook != WEBHOOK_OFF && !admitted(sim, where, pod, state)) {
        arena_finish(&pod->arena);
        return;
    }
    if (state->gates.count > 0) {
        state->reason = podlife_gated;
        state->message = "Scheduling is blocked due to non-empty scheduling gates";
        if (state->node[0])
            fault_say(&sim->fault, where, "%s names its node and has gates: want one or the other",
                      ref);
    }
    podlife_take_status(&sim->fault, status, state);
    if (state->node[0])
        state->phase = "Running";
    story(sim, ref, "created", "created, asks for %s%s",
          resources_show(&state->requests, asks, sizeof(asks)), gates_text(sim, &state->gates));
    pod->place = map_put(&sim->world.pods, ref, pod);
    map_put(&sim->world.by_uid, pod->uid, pod);
    world_commit(sim, pod, state);
    if (strcmp(state->reason, "Unschedulable") == 0)
        autoscaler_hear(sim, pod);
}

void podlife_create(struct sim *sim, const struct tree *where, const struct tree *metadata,
                    const struct tree *spec, const char *ref, const char *parent)
{
    if (world_pod(sim, ref)) {
        fault_say(&sim->fault, where, "%s cannot be created: it exists at that time", ref);
        return;
    }
    const struct tree *document = map_get(&sim->world.documents, ref);
    const struct tree *status = parent[0] ? NULL : tree_map(&sim->fault, document, "status");
    make_pod(sim, where, metadata, spec, status, ref, parent);
}

static const char *ref_of_nth(struct sim *sim, const char *owner, int64_t n)
{
    return arena_format(&sim->arena, "pod/%s-%" PRId64, strchr(owner, '/') + 1, n);
}

void podlife_create_all(struct sim *sim, const struct tree *where, const struct tree *doc,
                        const char *ref)
{
    const struct tree *template = tree_find(doc, "spec/template");
    const struct tree *count = tree_find(doc, owners[owner_of(ref)].count);
    int64_t n = 1;

    if (count && (!tree_is_int(count, &n) || n < 0 || n > 1000000))
        fault_at(&sim->fault, count, "an integer from 0 to 1000000");
    if (!tree_find(template, "spec/containers"))
        fault_say(&sim->fault, doc, "spec.template.spec.containers is missing in %s", ref);
    for (int64_t i = 0; i < n && !sim->fault.is; i++)
        podlife_create(sim, where, tree_get(template, "metadata"), tree_get(template, "spec"),
                       ref_of_nth(sim, ref, i), ref);
}

/* One more than the latest that is there. */
static int64_t count_made(struct sim *sim, const char *owner)
{
    const struct map *pods = &sim->world.pods;
    int64_t count = 0;

    for (size_t i = 0; i < pods->count; i++) {
        const struct pod *pod = pods->entries[i].value;
        if (!pod || pod->state->gone || strcmp(pod->parent, owner) != 0)
            continue;
        int64_t n = strtoll(strrchr(pod->ref, '-') + 1, NULL, 10);
        count = n >= count ? n + 1 : count;
    }
    return count;
}

static bool says(const struct object *owner, const char *path, const char *what)
{
    const struct tree *value = tree_find(owner->doc, path);

    return value && value->type == TREE_TEXT && strcmp(value->text, what) == 0;
}

bool podlife_orders(const struct object *owner, const struct pod *pod)
{
    return strcmp(pod->owner, "StatefulSet") == 0 &&
           !says(owner, "spec/podManagementPolicy", "Parallel");
}

bool podlife_supersedes(const struct object *owner, const struct pod *pod)
{
    bool replaces = strcmp(pod->owner, "Deployment") == 0 ||
                    (strcmp(pod->owner, "StatefulSet") == 0 &&
                     !says(owner, "spec/updateStrategy/type", "OnDelete"));

    return replaces && pod->edits < owner->edits;
}

void podlife_follow(struct sim *sim, const struct tree *where, struct object *owner)
{
    int64_t made = count_made(sim, owner->ref), wanted = podlife_replicas(owner);

    if (tree_find(where, "spec/template")) {
        owner->edits++;
        podlife_each(sim, owner->ref, watch_pod); /* they may be older than another now */
    }
    if (!tree_find(where, owners[owner_of(owner->ref)].count))
        return;
    for (int64_t i = made; i < wanted && !sim->fault.is; i++)
        podlife_create(sim, where, tree_find(owner->doc, "spec/template/metadata"),
                       tree_find(owner->doc, "spec/template/spec"), ref_of_nth(sim, owner->ref, i),
                       owner->ref);
    for (int64_t i = made - 1; i >= wanted; i--) {
        struct pod *pod = world_pod(sim, ref_of_nth(sim, owner->ref, i));
        if (pod && strcmp(pod->parent, owner->ref) == 0)
            podlife_delete(sim, pod);
    }
}

void podlife_end(struct sim *sim, struct pod *pod, const char *phase)
{
    struct pod_state *next = pod_write(pod, ++sim->world.version);

    next->phase = phase;
    story(sim, pod->ref, "finished", "%s", strcmp(phase, "Failed") == 0 ? "failed" : "completed");
    plan_pod_ended(sim, pod);
    world_commit(sim, pod, next);
}

void podlife_complete(struct sim *sim, struct pod *pod)
{
    podlife_end(sim, pod, "Succeeded");
}

void podlife_fail(struct sim *sim, struct pod *pod)
{
    podlife_end(sim, pod, "Failed");
}

static void time_is_over(struct sim *sim, void *what)
{
    struct pod *pod = what;

    if (!pod_is_over(pod->state) && !pod->state->deleted)
        podlife_complete(sim, pod);
}

void podlife_started(struct sim *sim, struct pod *pod)
{
    story(sim, pod->ref, "running", "runs");
    if (pod->runs_for > 0)
        clock_at(&sim->clock, sim->clock.now + pod->runs_for, time_is_over, pod);
}

/* What is under way for a pod that is gone ends within an hour, unless the watch is as late. */
static void bury(struct sim *sim, void *what)
{
    if (sim->scheduler.watched > sim->clock.now + MINUTE)
        clock_at(&sim->clock, sim->scheduler.watched + HOUR, bury, what);
    else
        pod_bury(what);
}

static void vanish(struct sim *sim, void *what)
{
    struct pod *pod = what;

    if (pod->state->gone)
        return;
    struct pod_state *next = pod_write(pod, ++sim->world.version);
    next->deleted = true;
    next->gone = true;
    story(sim, pod->ref, "gone", "gone");
    plan_pod_gone(sim, pod);
    world_commit(sim, pod, next);
    clock_at(&sim->clock, sim->clock.now + HOUR, bury, pod);
}

void podlife_delete(struct sim *sim, struct pod *pod)
{
    if (!pod->state->node[0] || pod_is_over(pod->state) || pod->grace == 0) {
        vanish(sim, pod);
        return;
    }
    struct pod_state *next = pod_write(pod, ++sim->world.version);
    next->deleted = true;
    story(sim, pod->ref, "deleted", "deleted, has %d s to end", (int)(pod->grace / SECOND));
    world_commit(sim, pod, next);
    clock_at(&sim->clock, sim->clock.now + pod->grace, vanish, pod);
}

void podlife_each(struct sim *sim, const char *owner,
                  void (*visit)(struct sim *sim, struct pod *pod))
{
    const struct map *pods = &sim->world.pods;

    for (size_t i = 0; i < pods->count; i++) {
        struct pod *pod = pods->entries[i].value;
        if (pod && !pod_is_over(pod->state) && strcmp(pod->parent, owner) == 0)
            visit(sim, pod);
    }
}

void podlife_lost_node(struct sim *sim, const char *node)
{
    const struct map *pods = &sim->world.pods;

    for (size_t i = 0; i < pods->count; i++) {
        struct pod *pod = pods->entries[i].value;
        if (pod && !pod->state->gone && strcmp(pod->state->node, node) == 0)
            vanish(sim, pod);
    }
}
