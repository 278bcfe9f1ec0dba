/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/workload_steps.h"

#include <string.h>

#include "examples/sim/sim.h"
#include "examples/sim/text.h"
#include "examples/sim/tree_make.h"
#include "examples/sim/workload_status.h"

static const char gate_example[] = "a map such as {workload/w: {example.com/mine: Open}}";
static const char check_example[] =
    "a map such as {workload/w: {budget: Ready}}, with Pending, Ready, Retry, Rejected or {state: "
    "Retry, after: 1m}";

/* Whether it is {workload/NAME: {...}, ...}, none of them empty. */
static bool is_about_loads(struct fault *fault, const struct tree *map, const char *example)
{
    bool is = map->type == TREE_MAP && map->count > 0;

    for (size_t i = 0; is && i < map->count; i++)
        is = strncmp(map->pairs[i].key, "workload/", 9) == 0 &&
             map->pairs[i].value->type == TREE_MAP && map->pairs[i].value->count > 0;
    if (!is)
        fault_at(fault, map, "%s", example);
    return is;
}

void workload_check_gate(struct fault *fault, const struct tree *map)
{
    static const char *const words[] = {"Open", "Closed", NULL};

    if (!is_about_loads(fault, map, gate_example))
        return;
    for (size_t i = 0; i < map->count; i++) {
        const struct tree *gates = map->pairs[i].value;
        for (size_t n = 0; n < gates->count; n++)
            if (!text_is_one_of(tree_as_text(fault, gates->pairs[n].value), words))
                fault_at(fault, gates->pairs[n].value, "Open or Closed");
    }
}

static struct workload *workload_at(struct sim *sim, const struct tree_pair *pair)
{
    struct workload *workload = workload_find(sim, pair->key);

    if (!workload)
        fault_say(&sim->fault, pair->value, "%s does not exist at that time", pair->key);
    return workload;
}

static void set_gates(struct sim *sim, struct workload *workload, const struct tree *gates)
{
    const struct tree *has = tree_find(workload->object->doc, "spec/preemptionGates");
    const struct tree *status = tree_get(workload->object->doc, "status");

    for (size_t i = 0; i < gates->count; i++) {
        const char *name = gates->pairs[i].key;
        const char *position = gates->pairs[i].value->text;
        if (!tree_item(has, "name", name))
            fault_say(&sim->fault, gates, "%s has no gate %s", workload->object->ref, name);
        status = status_gate(&sim->arena, status, name, position, sim_wall(sim));
        story(sim, workload->object->ref, "gate", "its gate %s is %s", name,
              strcmp(position, "Open") == 0 ? "opened" : "closed");
    }
    workload_set_status(sim, workload, status);
}

void workload_step_gate(struct sim *sim, const struct tree *map)
{
    for (size_t i = 0; i < map->count && !sim->fault.is; i++) {
        struct workload *workload = workload_at(sim, &map->pairs[i]);
        if (workload)
            set_gates(sim, workload, map->pairs[i].value);
    }
}

/* The state of an answer, which may stand in a map. */
static const struct tree *state_of(const struct tree *answer)
{
    return answer->type == TREE_MAP ? tree_get(answer, "state") : answer;
}

static void check_answer(struct fault *fault, const struct tree *answer)
{
    static const char *const words[] = {"Pending", "Ready", "Retry", "Rejected", NULL};
    const struct tree *state = state_of(answer);
    const struct tree *after = tree_get(answer, "after");

    if (!state || state->type != TREE_TEXT || !text_is_one_of(state->text, words))
        fault_at(fault, answer, "%s", check_example);
    else if (after && tree_as_duration(fault, after) < 0)
        fault_at(fault, after, "a duration that is not negative");
}

void workload_check_check(struct fault *fault, const struct tree *map)
{
    if (!is_about_loads(fault, map, check_example))
        return;
    for (size_t i = 0; i < map->count; i++)
        for (size_t n = 0; n < map->pairs[i].value->count; n++)
            check_answer(fault, map->pairs[i].value->pairs[n].value);
}

static void answer(struct sim *sim, struct workload *workload, const struct tree *answers)
{
    const struct tree *status = tree_get(workload->object->doc, "status");

    for (size_t i = 0; i < answers->count; i++) {
        const char *name = answers->pairs[i].key;
        const char *state = state_of(answers->pairs[i].value)->text;
        const struct tree *after = tree_get(answers->pairs[i].value, "after");
        int64_t seconds = after ? tree_as_duration(&sim->fault, after) / SECOND : 0;
        if (!tree_item(tree_get(status, "admissionChecks"), "name", name))
            fault_say(&sim->fault, answers, "%s is not asked by %s at that time", name,
                      workload->object->ref);
        status = status_check(&sim->arena, status, name, state, seconds, sim_wall(sim));
        story(sim, workload->object->ref, "check", "the check %s says %s", name, state);
    }
    workload_set_status(sim, workload, status);
}

void workload_step_check(struct sim *sim, const struct tree *map)
{
    for (size_t i = 0; i < map->count && !sim->fault.is; i++) {
        struct workload *workload = workload_at(sim, &map->pairs[i]);
        if (workload)
            answer(sim, workload, map->pairs[i].value);
    }
}
