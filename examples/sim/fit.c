/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/fit.h"

#include <string.h>

struct resources fit_charge(struct arena *arena, const struct pod_state *state)
{
    struct resources charge = {0};

    resources_set(arena, &charge, "pods", 1);
    resources_add(arena, &charge, &state->requests, 1);
    return charge;
}

static const char *text_of(const struct tree *map, const char *key)
{
    const struct tree *value = tree_get(map, key);

    return value && value->type == TREE_TEXT ? value->text : "";
}

static bool tolerates(const struct pod_state *state, const struct tree *taint)
{
    for (size_t i = 0; i < state->tolerations.count; i++) {
        const struct toleration *toleration = &state->tolerations.items[i];
        bool exists = strcmp(toleration->how, "Exists") == 0;
        if (toleration->effect[0] && strcmp(toleration->effect, text_of(taint, "effect")) != 0)
            continue;
        if (toleration->key[0] == '\0' && exists)
            return true;
        if (strcmp(toleration->key, text_of(taint, "key")) == 0 &&
            (exists || strcmp(toleration->value, text_of(taint, "value")) == 0))
            return true;
    }
    return false;
}

bool fit_allows(const struct pod_state *state, const struct machine *machine)
{
    const struct tree *taints = tree_find(machine->doc, "spec/taints");
    bool cordoned = strcmp(text_of(tree_get(machine->doc, "spec"), "unschedulable"), "true") == 0;

    if (cordoned)
        return false;
    for (size_t i = 0; i < state->selector.count; i++) {
        const char *label = pairs_get(&machine->labels, state->selector.items[i].key);
        if (!label || strcmp(label, state->selector.items[i].value) != 0)
            return false;
    }
    for (size_t i = 0; taints && i < taints->count; i++) {
        const struct tree *taint = taints->pairs[i].value;
        if (strcmp(text_of(taint, "effect"), "PreferNoSchedule") != 0 && !tolerates(state, taint))
            return false;
    }
    return true;
}

static bool room_for(const char *name, int64_t amount, const struct machine *machine,
                     const struct resources *used)
{
    return amount <= 0 ||
           amount <= resources_get(&machine->allocatable, name) - resources_get(used, name);
}

bool fit_on(const struct pod_state *state, const struct machine *machine,
            const struct resources *used)
{
    if (!room_for("pods", 1, machine, used) || !fit_allows(state, machine))
        return false;
    for (size_t i = 0; i < state->requests.count; i++)
        if (!room_for(state->requests.items[i].name, state->requests.items[i].amount, machine,
                      used))
            return false;
    return true;
}
