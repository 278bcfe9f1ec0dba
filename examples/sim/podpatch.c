/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "examples/sim/podlife.h"
#include "examples/sim/sim.h"

/* What the API server lets be changed in a pod, and how. */

static struct pairs patched_pairs(struct sim *sim, struct pairs old, const struct tree *patch)
{
    struct pairs kept = {arena_get(&sim->arena, old.count * sizeof(*old.items)), 0};

    for (size_t i = 0; i < old.count; i++) {
        bool removed = false;
        for (size_t p = 0; p < patch->count; p++)
            removed |= patch->pairs[p].value->type == TREE_NULL &&
                       strcmp(patch->pairs[p].key, old.items[i].key) == 0;
        if (!removed)
            kept.items[kept.count++] = old.items[i];
    }
    for (size_t p = 0; p < patch->count; p++)
        if (patch->pairs[p].value->type != TREE_NULL)
            kept = pairs_set(&sim->arena, kept, patch->pairs[p].key,
                             tree_as_text(&sim->fault, patch->pairs[p].value));
    return kept;
}

static void patch_metadata(struct sim *sim, const struct tree_pair *pair, struct pod_state *next)
{
    struct pairs *pairs = strcmp(pair->key, "annotations") == 0 ? &next->annotations
                          : strcmp(pair->key, "labels") == 0    ? &next->labels
                                                                : NULL;

    if (!pairs)
        fault_say(&sim->fault, pair->value,
                  "metadata.%s of a pod cannot be patched here, "
                  "want annotations or labels",
                  pair->key);
    else if (pair->value->type != TREE_MAP)
        fault_at(&sim->fault, pair->value, "a map");
    else
        *pairs = patched_pairs(sim, *pairs, pair->value);
}

static void patch_gates(struct sim *sim, const struct tree *list, struct pod_state *next)
{
    static const struct tree none = {.type = TREE_LIST};
    struct names gates =
        gates_read(&sim->arena, &sim->fault, list->type == TREE_NULL ? &none : list);

    for (size_t i = 0; i < gates.count; i++)
        if (!names_have(&next->gates, gates.items[i]))
            fault_say(&sim->fault, list,
                      "the gate %s cannot be added: gates may only be removed "
                      "once a pod exists",
                      gates.items[i]);
    next->gates = gates;
}

static void patch_spec(struct sim *sim, struct pod *pod, const struct tree *patch,
                       struct pod_state *next)
{
    const struct tree *merged = tree_merge(&sim->arena, pod->spec, patch);

    for (size_t i = 0; i < patch->count; i++) {
        const struct tree_pair *pair = &patch->pairs[i];
        if (strcmp(pair->key, "schedulingGates") == 0)
            patch_gates(sim, pair->value, next);
        else if (strcmp(pair->key, "nodeSelector") == 0 && pod->state->gates.count > 0 &&
                 pair->value->type == TREE_MAP)
            next->selector = patched_pairs(sim, next->selector, pair->value);
        else if (strcmp(pair->key, "tolerations") == 0)
            next->tolerations = tolerations_read(&sim->arena, &sim->fault, pair->value);
        else if (strcmp(pair->key, "containers") == 0 || strcmp(pair->key, "resources") == 0)
            continue;
        else
            fault_say(&sim->fault, pair->value,
                      "spec.%s of a pod cannot be patched, want schedulingGates, containers, "
                      "resources, tolerations or (while it has gates) nodeSelector",
                      pair->key);
    }
    pod->spec = merged;
    next->requests = (struct resources){0};
    resources_of_pod(&sim->arena, &sim->fault, merged, &next->requests);
    next->generation++;
}

void podlife_patch(struct sim *sim, struct pod *pod, const struct tree *patch)
{
    struct pod_state *next = pod_write(pod, ++sim->world.version);
    const struct tree *metadata = tree_map(&sim->fault, patch, "metadata");
    const struct tree *spec = tree_map(&sim->fault, patch, "spec");
    const struct tree *status = tree_map(&sim->fault, patch, "status");

    for (size_t i = 0; metadata && i < metadata->count; i++)
        patch_metadata(sim, &metadata->pairs[i], next);
    if (spec)
        patch_spec(sim, pod, spec, next);
    podlife_take_status(&sim->fault, status, next);
    story(sim, pod->ref, "patched", "patched%s%s%s", metadata ? " (metadata)" : "",
          spec ? " (spec)" : "", status ? " (status)" : "");
    world_commit(sim, pod, next);
    if (strcmp(next->reason, "Unschedulable") == 0)
        autoscaler_hear(sim, pod);
}
