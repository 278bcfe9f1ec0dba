/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/pod.h"

#include <string.h>

enum {
    POD_BYTES = 1000, /* of what is about one pod, at a time */
    GRACE_SECONDS = 30,
};

struct pairs pairs_read(struct arena *arena, struct fault *fault, const struct tree *map)
{
    struct pairs pairs = {0};

    if (!map)
        return pairs;
    pairs.items = arena_get(arena, map->count * sizeof(*pairs.items));
    for (size_t i = 0; i < map->count; i++)
        if (map->pairs[i].value->type != TREE_NULL)
            pairs.items[pairs.count++] =
                (struct pair){map->pairs[i].key, tree_as_text(fault, map->pairs[i].value)};
    return pairs;
}

const char *pairs_get(const struct pairs *pairs, const char *key)
{
    for (size_t i = 0; i < pairs->count; i++)
        if (strcmp(pairs->items[i].key, key) == 0)
            return pairs->items[i].value;
    return NULL;
}

struct pairs pairs_set(struct arena *arena, struct pairs old, const char *key, const char *value)
{
    struct pairs pairs = {arena_get(arena, (old.count + 1) * sizeof(*pairs.items)), old.count};
    size_t i = 0;

    if (old.count > 0)
        memcpy(pairs.items, old.items, old.count * sizeof(*old.items));
    while (i < old.count && strcmp(old.items[i].key, key) != 0)
        i++;
    pairs.items[i] = (struct pair){key, value};
    pairs.count += i == old.count;
    return pairs;
}

bool names_have(const struct names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->items[i], name) == 0)
            return true;
    return false;
}

struct names gates_read(struct arena *arena, struct fault *fault, const struct tree *list)
{
    struct names gates = {0};

    if (!list)
        return gates;
    gates.items = arena_get(arena, list->count * sizeof(*gates.items));
    for (size_t i = 0; i < list->count; i++) {
        const struct tree *gate = list->pairs[i].value;
        const char *name = tree_text(fault, gate, "name", NULL);
        if (!name)
            fault_at(fault, gate, "a map with the gate's name: {name: example.com/ready}");
        else if (names_have(&gates, name))
            fault_at(fault, gate, "each gate once; %s is there twice", name);
        else
            gates.items[gates.count++] = name;
    }
    return gates;
}

struct tolerations tolerations_read(struct arena *arena, struct fault *fault,
                                    const struct tree *list)
{
    struct tolerations read = {0};

    if (!list)
        return read;
    read.items = arena_get(arena, list->count * sizeof(*read.items));
    for (size_t i = 0; i < list->count; i++) {
        const struct tree *item = list->pairs[i].value;
        if (item->type != TREE_MAP)
            fault_at(fault, item, "a toleration: {key: KEY, operator: Exists, effect: EFFECT}");
        read.items[read.count++] = (struct toleration){
            .key = tree_text(fault, item, "key", ""),
            .how = tree_text(fault, item, "operator", "Equal"),
            .value = tree_text(fault, item, "value", ""),
            .effect = tree_text(fault, item, "effect", ""),
            .seconds = tree_int(fault, item, "tolerationSeconds", 0, INT32_MAX, -1),
        };
    }
    return read;
}

static const char *owner_read(struct fault *fault, const struct tree *metadata)
{
    const struct tree *owners = tree_list(fault, metadata, "ownerReferences");

    for (size_t i = 0; owners && i < owners->count; i++)
        if (tree_bool(fault, owners->pairs[i].value, "controller", false))
            return tree_text(fault, owners->pairs[i].value, "kind", "");
    return "";
}

struct pod *pod_read(struct arena *arena, struct fault *fault, const struct tree *metadata,
                     const struct tree *spec)
{
    struct pod *pod = arena_get(arena, sizeof(*pod));
    struct arena own = {.chunk = POD_BYTES};
    struct pod_state *state = arena_get(&own, sizeof(*state));

    *state = (struct pod_state){
        .generation = 1,
        .gates = gates_read(&own, fault, tree_list(fault, spec, "schedulingGates")),
        .annotations = pairs_read(&own, fault, tree_map(fault, metadata, "annotations")),
        .labels = pairs_read(&own, fault, tree_map(fault, metadata, "labels")),
        .selector = pairs_read(&own, fault, tree_map(fault, spec, "nodeSelector")),
        .tolerations = tolerations_read(&own, fault, tree_list(fault, spec, "tolerations")),
        .node = tree_text(fault, spec, "nodeName", ""),
        .nominated = "",
        .phase = "Pending",
        .reason = "",
        .message = "",
    };
    resources_of_pod(&own, fault, spec, &state->requests);
    int64_t seconds =
        tree_int(fault, spec, "terminationGracePeriodSeconds", 0, INT32_MAX, GRACE_SECONDS);
    *pod = (struct pod){
        .arena = own,
        .scheduler = tree_text(fault, spec, "schedulerName", "default-scheduler"),
        .native = tree_text(fault, tree_map(fault, spec, "schedulingGroup"), "podGroupName", ""),
        .owner = owner_read(fault, metadata),
        .parent = "",
        .spec = spec,
        .priority = tree_int(fault, spec, "priority", INT32_MIN, INT32_MAX, 0),
        .grace = seconds * INT64_C(1000000000),
        .mirror = pairs_get(&state->annotations, "kubernetes.io/config.mirror") != NULL,
        .state = state,
        .told_state = "",
        .told_reason = "",
    };
    const struct tree *runs_for =
        tree_get(tree_get(metadata, "annotations"), "sim.sluice.sh/runs-for");
    if (runs_for)
        pod->runs_for = tree_as_duration(fault, runs_for);
    return pod;
}

struct pod_state *pod_write(struct pod *pod, int64_t version)
{
    struct pod_state *next = arena_get(&pod->arena, sizeof(*next));

    *next = *pod->state;
    next->version = version;
    return next;
}

void pod_bury(struct pod *pod)
{
    static const struct pod_state buried = {
        .version = INT64_MAX,
        .node = "",
        .nominated = "",
        .phase = "",
        .reason = "",
        .message = "",
        .deleted = true,
        .gone = true,
    };

    pod->state = &buried;
    pod->seen = pod->seen ? &buried : NULL;
    arena_finish(&pod->arena);
}

bool pod_is_over(const struct pod_state *state)
{
    return state->gone || strcmp(state->phase, "Succeeded") == 0 ||
           strcmp(state->phase, "Failed") == 0;
}
