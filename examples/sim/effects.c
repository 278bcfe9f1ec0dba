/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/effects.h"

#include <stdlib.h>
#include <string.h>

#include "examples/sim/groups.h"
#include "examples/sim/podlife.h"
#include "examples/sim/queue_writes.h"
#include "examples/sim/sim.h"
#include "examples/sim/workload_write.h"

enum {
    BATCH = 64,
    WRITE_TAKES = 2, /* ms */
    NEVER_GIVEN = 1000000007,
};

struct effect {
    struct effect *before, *after; /* of those that are under way */
    int64_t id;
    struct queue_write *queue;       /* NULL: it is about a pod */
    struct workload_write *workload; /* NULL: it is about no Workload */
    struct pod *pod;                 /* NULL: nobody knows it */
    bool is_condition;
    bool is_group;
    struct group_write group;
    const char *named; /* the pod's group; NULL: of another effect */
    bool is_answer;
    bool is_eviction;
    bool allow;
    struct gate_patch patch;
    int64_t version;
    const char *reason;
    const char *message;
    int epoch;
};

static void put_ack(struct request *r, int64_t id, const char *result, int64_t version)
{
    r_map(r);
    r_key_int(r, "id", id);
    r_key_str(r, "result", result);
    if (version > 0)
        r_key_int(r, "resourceVersion", version);
    r_end(r);
}

static void ack(struct sim *sim, int64_t id, const char *result, int64_t version)
{
    if (sim->faults.acks == ACKS_NEVER)
        return;
    struct request *r = library_begin(&sim->library, sim_wall(sim));
    r_key_array(r, "acks");
    put_ack(r, id, result, version);
    if (sim->faults.acks == ACKS_TWICE)
        put_ack(r, id, result, version);
    if (sim->faults.acks == ACKS_WRONG)
        put_ack(r, id + NEVER_GIVEN, result, version);
    r_end(r);
    sim->host.unknown += value_int(host_must(sim, LOADER_ACK), "unknown", 0);
}

static const char *result_of(enum write write)
{
    return write == WRITE_DONE ? "done" : write == WRITE_GONE ? "gone" : "conflict";
}

/* What goes already is not told twice. */
static enum write evict(struct sim *sim, const struct effect *effect)
{
    if (effect->pod->state->gone || pod_is_over(effect->pod->state))
        return WRITE_GONE;
    if (effect->pod->state->deleted)
        return WRITE_DONE;
    story(sim, effect->pod->ref, "evicted", "%s", effect->message);
    effect->pod->events++;
    effect->pod->told = effect->reason;
    podlife_delete(sim, effect->pod);
    return WRITE_DONE;
}

static enum write carry_out(struct sim *sim, const struct effect *effect)
{
    if (effect->queue)
        return queue_write_do(sim, effect->queue);
    if (effect->workload)
        return workload_write_do(sim, effect->workload);
    if (effect->is_group)
        return groups_write(sim, &effect->group);
    if (!effect->pod)
        return WRITE_GONE;
    if (effect->is_eviction)
        return evict(sim, effect);
    if (effect->named)
        return groups_name(sim, effect->pod, effect->named);
    if (effect->is_condition)
        return world_set_condition(sim, effect->pod, effect->version, effect->reason,
                                   effect->message);
    return world_remove_gates(sim, effect->pod, &effect->patch);
}

/* What the library wants to know of a write that is done. */
static int64_t version_of(const struct sim *sim, const struct effect *effect)
{
    if (effect->queue)
        return queue_write_version(effect->queue);
    if (effect->workload)
        return workload_write_version(effect->workload);
    return effect->named ? sim->world.version : 0;
}

static void finish(struct sim *sim, struct effect *effect)
{
    *(effect->before ? &effect->before->after : &sim->host.effects) = effect->after;
    if (effect->after)
        effect->after->before = effect->before;
    queue_write_finish(effect->queue);
    free(effect);
}

void effects_finish(struct sim *sim)
{
    while (sim->host.effects)
        finish(sim, sim->host.effects);
}

static void write_effect(struct sim *sim, void *what)
{
    struct effect *effect = what;
    bool patches = !effect->queue || queue_write_patches(effect->queue);
    int fault = patches ? sim->faults.patches : PATCHES_RIGHT;

    /* The process that sent it is gone; what it had sent would have arrived long before. */
    if (effect->epoch != sim->scheduler.epoch) {
        finish(sim, effect);
        return;
    }
    if (effect->is_eviction && sim->faults.evictions == EVICTIONS_REFUSED)
        fault = PATCHES_FAIL;
    if (fault == PATCHES_CONFLICT)
        ack(sim, effect->id, "conflict", 0);
    else if (fault == PATCHES_FAIL)
        ack(sim, effect->id, "retry", 0);
    else {
        const char *result = result_of(carry_out(sim, effect));
        ack(sim, effect->id, fault == PATCHES_LOST ? "retry" : result, version_of(sim, effect));
    }
    finish(sim, effect);
}

void effects_read_patch(struct arena *arena, const msgpack_object *from, struct gate_patch *ret)
{
    const msgpack_object *gates = value_array(from, "gates");
    const msgpack_object *tolerations = value_array(from, "tolerations");
    const msgpack_object *maps[] = {value_map(from, "annotations"),
                                    value_map(from, "nodeSelector")};
    struct pairs *pairs[] = {&ret->annotations, &ret->selector};

    *ret = (struct gate_patch){.generation = value_int(from, "generation", -1)};
    ret->gates.items = arena_get(arena, value_count(gates) * sizeof(*ret->gates.items));
    for (uint32_t i = 0; i < value_count(gates); i++)
        ret->gates.items[ret->gates.count++] = arena_copy(arena, value_item_str(gates, i, ""));
    for (size_t m = 0; m < 2; m++)
        for (uint32_t i = 0; i < value_count(maps[m]); i++) {
            const msgpack_object *value;
            const char *key = arena_copy(arena, value_pair(maps[m], i, &value));
            bool is_text = value_is(value, MSGPACK_OBJECT_STR);
            *pairs[m] = pairs_set(arena, *pairs[m], key,
                                  is_text ? arena_copy(arena, value->via.str.ptr) : "");
        }
    ret->tolerations.count = value_count(tolerations);
    ret->tolerations.items =
        arena_get(arena, ret->tolerations.count * sizeof(*ret->tolerations.items));
    for (uint32_t i = 0; i < value_count(tolerations); i++) {
        const msgpack_object *item = value_item(tolerations, i);
        ret->tolerations.items[i] = (struct toleration){
            .key = arena_copy(arena, value_str(item, "key", "")),
            .how = arena_copy(arena, value_str(item, "operator", "Equal")),
            .value = arena_copy(arena, value_str(item, "value", "")),
            .effect = arena_copy(arena, value_str(item, "effect", "")),
            .seconds = value_int(item, "seconds", -1),
        };
    }
}

/* Of a pod with a gate the condition says that it has one, as the API server's does. */
static void read_condition(struct arena *about, const msgpack_object *item, struct effect *effect)
{
    const char *reason = value_str(item, "reason", "");
    const char *message = value_str(item, "message", "");
    bool gated = value_bool(item, "gated", false);

    effect->reason = arena_copy(about, gated ? podlife_gated : reason);
    effect->message =
        gated ? arena_format(about, "%s: %s", reason, message) : arena_copy(about, message);
}

static struct effect *effect_read(struct sim *sim, const msgpack_object *item)
{
    const char *kind = value_str(item, "kind", "");
    struct pod *pod = map_get(&sim->world.by_uid, value_str(item, "uid", ""));
    struct arena *about = pod && !pod->state->gone ? &pod->arena : &sim->arena;
    struct effect *effect = array_zeroed(1, sizeof(*effect));

    *effect = (struct effect){
        .id = value_int(item, "id", 0),
        .after = sim->host.effects,
        .pod = pod,
        .queue = queue_write_read(sim, item),
        .workload = workload_write_read(sim, item),
        .epoch = sim->scheduler.epoch,
    };
    if (effect->after)
        effect->after->before = effect;
    sim->host.effects = effect;
    if (strcmp(kind, "removeGates") == 0) {
        effects_read_patch(about, item, &effect->patch);
    } else if (strcmp(kind, "setCondition") == 0) {
        effect->is_condition = true;
        effect->version = value_int(item, "resourceVersion", 0);
        read_condition(about, item, effect);
    } else if (strcmp(kind, "createGroup") == 0 || strcmp(kind, "createNativeGroup") == 0) {
        effect->is_group = true;
        effect->group = groups_read_creation(sim, item);
    } else if (strcmp(kind, "changeGroup") == 0) {
        effect->is_group = true;
        effect->group = groups_read_change(sim, item);
    } else if (strcmp(kind, "setGroupStatus") == 0) {
        effect->is_group = true;
        effect->group = groups_read_status(sim, item);
    } else if (strcmp(kind, "setGroup") == 0) {
        effect->named = arena_copy(about, value_str(item, "group", ""));
    } else if (strcmp(kind, "answerPermit") == 0) {
        effect->is_answer = true;
        effect->allow = value_bool(item, "allow", false);
        effect->message = arena_copy(about, value_str(item, "message", ""));
    } else if (strcmp(kind, "evictPod") == 0) {
        effect->is_eviction = true;
        effect->reason = arena_copy(&sim->arena, value_str(item, "reason", ""));
        effect->message = arena_copy(about, value_str(item, "message", ""));
    } else if (strcmp(kind, "activate") != 0 && !effect->queue && !effect->workload) {
        fault_say(&sim->fault, sim->scenario->tree,
                  "the library asks for the effect \"%s\", want "
                  "activate, removeGates, setCondition, answerPermit, setGroup, createGroup, "
                  "createNativeGroup, changeGroup, setGroupStatus, evictPod, queueStatus, event, "
                  "writeWorkload or "
                  "deleteCommand",
                  kind);
    }
    return effect;
}

void effects_drain(struct sim *sim)
{
    struct effect *effects[BATCH];
    bool at_once[BATCH];

    r_key_int(library_begin(&sim->library, sim_wall(sim)), "max", BATCH);
    const msgpack_object *answer = host_must(sim, LOADER_DRAIN);
    const msgpack_object *list = value_array(answer, "effects");
    uint32_t n = value_count(list) < BATCH ? value_count(list) : BATCH;
    for (uint32_t i = 0; i < n; i++) {
        effects[i] = effect_read(sim, value_item(list, i));
        at_once[i] = strcmp(value_str(value_item(list, i), "kind", ""), "activate") == 0 ||
                     effects[i]->is_answer;
    }
    /* The answer is gone with the next call. */
    for (uint32_t i = 0; i < n; i++) {
        if (!at_once[i]) {
            clock_at(&sim->clock, sim->clock.now + WRITE_TAKES * MILLISECOND, write_effect,
                     effects[i]);
            continue;
        }
        if (effects[i]->pod && effects[i]->is_answer)
            scheduler_answer_permit(sim, effects[i]->pod, effects[i]->allow, effects[i]->message);
        else if (effects[i]->pod)
            scheduler_activate(sim, effects[i]->pod);
        ack(sim, effects[i]->id, effects[i]->pod ? "done" : "gone", 0);
        finish(sim, effects[i]);
    }
}
