/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/queue_users.h"
#include "examples/sim/world.h"

#include <inttypes.h>
#include <string.h>

#include "examples/sim/host.h"
#include "examples/sim/podlife.h"
#include "examples/sim/sim.h"
#include "examples/sim/watch.h"

const char *world_ref_of(struct arena *arena, struct fault *fault, const struct tree *doc)
{
    const struct tree *metadata = tree_map(fault, doc, "metadata");
    const char *kind = tree_text(fault, doc, "kind", "");
    const char *name = tree_text(fault, metadata, "name", "");
    const char *namespace = tree_text(fault, metadata, "namespace", "default");

    if (*kind == '\0')
        fault_say(fault, doc, "a document without its kind");
    else if (*name == '\0' || strlen(name) > 253 || strlen(namespace) > 253)
        fault_say(fault, doc, "metadata.name is missing or too long, want 1 to 253 bytes");
    if (fault->is)
        return NULL;
    char *lower = arena_copy(arena, kind);
    for (char *c = lower; *c; c++)
        if (*c >= 'A' && *c <= 'Z')
            *c = (char)(*c - 'A' + 'a');
    if (strcmp(namespace, "default") == 0)
        return arena_format(arena, "%s/%s", lower, name);
    return arena_format(arena, "%s/%s/%s", lower, namespace, name);
}

void world_split(struct arena *arena, const char *ref, const char **ret_namespace,
                 const char **ret_name)
{
    const char *first = strchr(ref, '/');
    const char *second = first ? strchr(first + 1, '/') : NULL;

    *ret_namespace =
        second ? arena_text(arena, first + 1, (size_t)(second - first - 1)) : "default";
    *ret_name = second ? second + 1 : first ? first + 1 : ref;
}

struct pod *world_pod(const struct sim *sim, const char *ref)
{
    struct pod *pod = map_get(&sim->world.pods, ref);

    return pod && !pod->state->gone ? pod : NULL;
}

void world_commit(struct sim *sim, struct pod *pod, struct pod_state *next)
{
    pod->state = next;
    autoscaler_see(sim, pod);
    story_touch(sim, pod);
    watch_pod(sim, pod);
}

static struct pod_state *write_of(struct sim *sim, struct pod *pod)
{
    return pod_write(pod, ++sim->world.version);
}

enum write world_set_condition(struct sim *sim, struct pod *pod, int64_t version,
                               const char *reason, const char *message)
{
    if (pod->state->gone)
        return WRITE_GONE;
    if (version > 0 && version != pod->state->version)
        return WRITE_CONFLICT;
    struct pod_state *next = write_of(sim, pod);
    next->reason = arena_copy(&pod->arena, reason);
    next->message = arena_copy(&pod->arena, message);
    pod->writes++;
    story(sim, pod->ref, "condition", "PodScheduled=False, %s: %s", reason, message);
    world_commit(sim, pod, next);
    autoscaler_hear(sim, pod);
    return WRITE_DONE;
}

static void become_running(struct sim *sim, void *what)
{
    struct pod *pod = what;

    if (pod->state->deleted || strcmp(pod->state->phase, "Pending") != 0 || pod->state->gone)
        return;
    struct pod_state *next = write_of(sim, pod);
    next->phase = "Running";
    world_commit(sim, pod, next);
    podlife_started(sim, pod);
}

enum write world_bind(struct sim *sim, struct pod *pod, const char *node)
{
    const struct machine *machine = map_get(&sim->world.machines, node);

    if (pod->state->gone)
        return WRITE_GONE;
    if (pod->state->gates.count > 0 || pod->state->deleted || pod->state->node[0] || !machine ||
        !machine->is)
        return WRITE_CONFLICT;
    struct pod_state *next = write_of(sim, pod);
    next->node = node;
    next->reason = "";
    next->message = "";
    story(sim, pod->ref, "bound", "bound to %s", node);
    plan_started(sim, pod->planned);
    world_commit(sim, pod, next);
    clock_at(&sim->clock, sim->clock.now + SECOND, become_running, pod);
    return WRITE_DONE;
}

static struct names without(struct arena *arena, const struct names *gates,
                            const struct names *removed)
{
    struct names left = {arena_get(arena, gates->count * sizeof(*left.items)), 0};

    for (size_t i = 0; i < gates->count; i++)
        if (!names_have(removed, gates->items[i]))
            left.items[left.count++] = gates->items[i];
    return left;
}

enum write world_remove_gates(struct sim *sim, struct pod *pod, const struct gate_patch *patch)
{
    struct arena *arena = &pod->arena;

    if (pod->state->gone)
        return WRITE_GONE;
    struct names left = without(arena, &pod->state->gates, &patch->gates);
    if (patch->gates.count > 0 && left.count == pod->state->gates.count)
        return WRITE_DONE;
    if (patch->generation >= 0 && patch->generation != pod->state->generation)
        return WRITE_CONFLICT;
    struct pod_state *next = write_of(sim, pod);
    next->generation += patch->gates.count > 0;
    next->gates = left;
    for (size_t i = 0; i < patch->annotations.count; i++)
        next->annotations = pairs_set(arena, next->annotations, patch->annotations.items[i].key,
                                      patch->annotations.items[i].value);
    for (size_t i = 0; i < patch->selector.count; i++)
        next->selector = pairs_set(arena, next->selector, patch->selector.items[i].key,
                                   patch->selector.items[i].value);
    struct tolerations both = {0};
    both.count = next->tolerations.count + patch->tolerations.count;
    both.items = arena_get(arena, both.count * sizeof(*both.items));
    for (size_t i = 0; i < both.count; i++)
        both.items[i] = i < next->tolerations.count
                            ? next->tolerations.items[i]
                            : patch->tolerations.items[i - next->tolerations.count];
    next->tolerations = both;
    pod->writes++;
    story(sim, pod->ref, "gateRemoved", "%s%s",
          left.count ? "our gate is removed, others stay" : "its gate is removed",
          patch->selector.count ? ", its flavor's node labels are written" : "");
    world_commit(sim, pod, next);
    return WRITE_DONE;
}

static struct object *object_of(struct sim *sim, const char *ref)
{
    struct object *object = map_get(&sim->world.objects, ref);

    if (object)
        return object;
    object = arena_get(&sim->arena, sizeof(*object));
    object->ref = ref;
    object->kind = arena_text(&sim->arena, ref, strcspn(ref, "/"));
    world_split(&sim->arena, ref, &object->namespace, &object->name);
    map_put(&sim->world.objects, ref, object);
    return object;
}

void world_changed(struct sim *sim, struct object *object)
{
    object->version = ++sim->world.version;
    watch_object(sim, object);
}

static bool is_kind(const char *ref, const char *kind)
{
    size_t len = strlen(kind);

    return strncmp(ref, kind, len) == 0 && ref[len] == '/';
}

/* The webhook is asked where a story expects it to refuse, by a host that writes states. */
static bool is_admitted(struct sim *sim, const struct tree *doc, const struct object *object)
{
    struct object next = *object;

    if (sim->faults.webhook != WEBHOOK_RIGHT || tree_get(sim->scenario->config, "effects") ||
        !map_get(&sim->refusals, object->ref) ||
        (!is_kind(object->ref, "queue") && !is_kind(object->ref, "command")))
        return true;
    next.doc = doc;
    next.uid = object->is ? object->uid : "";
    next.is = true;
    return host_admits(sim, doc, &next, object->is ? "UPDATE" : "CREATE");
}

const struct tree *world_document(const struct sim *sim, const char *kind, const char *name)
{
    char ref[600];

    snprintf(ref, sizeof(ref), "%s/%s", kind, name);
    const struct object *object = map_get(&sim->world.objects, ref);
    return object && object->is ? object->doc : NULL;
}

static void apply_object(struct sim *sim, const struct tree *doc, const char *ref)
{
    struct object *object = object_of(sim, ref);
    const char *namespace;
    const char *name;

    if (!is_admitted(sim, doc, object))
        return;
    story(sim, ref, object->is ? "changed" : "created", "%s%s", object->is ? "changed" : "created",
          story_limits(sim, doc));
    if (!object->is) {
        object->created = sim_wall(sim) / SECOND * SECOND;
        object->uid = arena_format(&sim->arena, "00000000-0000-4000-9000-%012" PRIx64,
                                   (uint64_t)++sim->world.uids);
    }
    bool others_use = is_kind(ref, "queue") && queue_users_differ(object->doc, doc);
    object->doc = workload_owns(sim, ref) ? workload_document(sim, object, doc) : doc;
    object->version = ++sim->world.version;
    object->is = true;
    world_split(&sim->arena, ref, &namespace, &name);
    if (is_kind(ref, "clusterqueue")) /* before it grants anything by what it says now */
        watch_cluster_queue(sim, name);
    if (others_use)
        watch_users(sim);
    if (is_kind(ref, "namespace"))
        watch_namespace(sim, name);
    else if (is_kind(ref, "localqueue"))
        watch_namespace(sim, namespace);
    else if (workload_owns(sim, ref))
        workload_changed(sim, object);
    else if (podlife_is_owner(ref))
        watch_owner(sim, ref);
    else if (!is_kind(ref, "priorityclass"))
        watch_object(sim, object);
}

struct machine *world_add_machine(struct sim *sim, const struct tree *doc, const char *name)
{
    struct fault *fault = &sim->fault;
    struct arena *arena = &sim->arena;
    struct machine *machine = map_get(&sim->world.machines, name);
    const struct tree *status = tree_map(fault, doc, "status");
    const struct tree *amounts = tree_map(fault, status, "allocatable");
    struct resources allocatable = {0};

    resources_set(arena, &allocatable, "pods", 110);
    resources_read(arena, fault, amounts ? amounts : tree_map(fault, status, "capacity"),
                   &allocatable);
    if (!machine) {
        machine = arena_get(arena, sizeof(*machine));
        machine->name = name;
        machine->ref = arena_format(arena, "node/%s", name);
        machine->place = sim->world.machines.count;
        map_put(&sim->world.machines, name, machine);
    }
    machine->doc = doc;
    machine->labels =
        pairs_read(arena, fault, tree_map(fault, tree_map(fault, doc, "metadata"), "labels"));
    machine->labels = pairs_set(arena, machine->labels, "kubernetes.io/hostname", name);
    machine->allocatable = allocatable;
    sim->world.n_machines += !machine->is;
    machine->is = true;
    plan_nodes(sim);
    watch_machine(sim, machine);
    return machine;
}

void world_apply(struct sim *sim, const struct tree *where, const struct tree *doc, const char *ref)
{
    const char *namespace;
    const char *name;

    if (fleet_owns(sim, ref)) {
        fleet_apply(sim, where, doc, ref);
        return;
    }
    world_split(&sim->arena, ref, &namespace, &name);
    if (is_kind(ref, "pod")) {
        podlife_create(sim, where, tree_get(doc, "metadata"), tree_get(doc, "spec"), ref, "");
    } else if (is_kind(ref, "node")) {
        char amounts[256];
        const struct machine *machine = world_add_machine(sim, doc, name);
        story(sim, ref, "joined", "joins with %s",
              resources_show(&machine->allocatable, amounts, sizeof(amounts)));
    } else {
        apply_object(sim, doc, ref);
        if (podlife_is_owner(ref))
            podlife_create_all(sim, where, doc, ref);
    }
}

static void remove_machine(struct sim *sim, struct machine *machine)
{
    machine->is = false;
    sim->world.n_machines--;
    plan_nodes(sim);
    story(sim, machine->ref, "left", "leaves");
    watch_machine(sim, machine);
    podlife_lost_node(sim, machine->name);
}

void world_delete(struct sim *sim, const struct tree *where, const char *ref)
{
    struct pod *pod = world_pod(sim, ref);
    struct object *object = map_get(&sim->world.objects, ref);
    struct machine *machine =
        is_kind(ref, "node") ? map_get(&sim->world.machines, ref + strlen("node/")) : NULL;

    if (fleet_owns(sim, ref)) {
        fleet_delete(sim, where, ref);
    } else if (pod) {
        podlife_delete(sim, pod);
    } else if (machine && machine->is) {
        remove_machine(sim, machine);
    } else if (object && object->is) {
        object->is = false;
        story(sim, ref, "deleted", "deleted");
        if (podlife_is_owner(ref))
            podlife_each(sim, ref, podlife_delete);
        else if (workload_owns(sim, ref))
            workload_changed(sim, object);
        else
            watch_object(sim, object);
    } else {
        fault_say(&sim->fault, where, "%s cannot be deleted: it does not exist at that time", ref);
    }
}

void world_patch(struct sim *sim, const struct tree *patch, const char *ref)
{
    struct pod *pod = world_pod(sim, ref);
    struct object *object = map_get(&sim->world.objects, ref);
    const struct machine *machine =
        is_kind(ref, "node") ? map_get(&sim->world.machines, ref + strlen("node/")) : NULL;

    if (fleet_owns(sim, ref))
        fleet_patch(sim, patch, ref);
    else if (pod)
        podlife_patch(sim, pod, patch);
    else if (machine && machine->is)
        world_apply(sim, patch, tree_merge(&sim->arena, machine->doc, patch), ref);
    else if (object && object->is) {
        apply_object(sim, tree_merge(&sim->arena, object->doc, patch), ref);
        if (podlife_is_owner(ref))
            podlife_follow(sim, patch, object);
    } else
        fault_say(&sim->fault, patch, "%s cannot be patched: it does not exist at that time", ref);
}

void world_end(struct sim *sim, const struct tree *where, const char *ref, const char *phase)
{
    const struct object *object = map_get(&sim->world.objects, ref);
    struct pod *pod = world_pod(sim, ref);

    if (fleet_owns(sim, ref))
        fleet_end(sim, where, ref);
    else if (workload_owns(sim, ref))
        workload_end(sim, where, ref, phase);
    else if (pod && !pod_is_over(pod->state))
        podlife_end(sim, pod, phase);
    else if (object && object->is && podlife_is_owner(ref))
        podlife_each(sim, ref, strcmp(phase, "Failed") == 0 ? podlife_fail : podlife_complete);
    else
        fault_say(&sim->fault, where, "%s cannot end: it does not run at that time", ref);
}
