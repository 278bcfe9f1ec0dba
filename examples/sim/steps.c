/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/steps.h"

#include <inttypes.h>
#include <stdint.h>
#include <string.h>

#include "examples/sim/fleet_steps.h"
#include "examples/sim/sim.h"
#include "examples/sim/text.h"
#include "examples/sim/workload_steps.h"

/* What a step does to one object. */
static void apply(struct sim *sim, const struct tree *where, const char *ref)
{
    const char *doc = fleet_document(&sim->arena, ref);

    world_apply(sim, where, map_get(&sim->world.documents, doc), ref);
}

static void complete(struct sim *sim, const struct tree *where, const char *ref)
{
    world_end(sim, where, ref, "Succeeded");
}

static void fail(struct sim *sim, const struct tree *where, const char *ref)
{
    world_end(sim, where, ref, "Failed");
}

/* A copy of a document has a reference of its own, and the rest from the document. */
static void apply_copy(struct sim *sim, const struct tree *where, const char *ref, int64_t i)
{
    const struct tree *doc = map_get(&sim->world.documents, fleet_document(&sim->arena, ref));

    world_apply(sim, where, doc, arena_format(&sim->arena, "%s-%" PRId64, ref, i));
}

static void for_each(struct sim *sim, const struct tree *list,
                     void (*act)(struct sim *sim, const struct tree *where, const char *ref))
{
    for (size_t i = 0; i < list->count && !sim->fault.is; i++) {
        const struct tree *item = list->pairs[i].value;
        int64_t copies = 0;
        const char *ref = scenario_target(&sim->fault, item, &copies);
        if (copies == 0)
            act(sim, item, ref);
        for (int64_t n = 0; n < copies && !sim->fault.is; n++)
            if (act == apply)
                apply_copy(sim, item, ref, n);
            else
                act(sim, item, arena_format(&sim->arena, "%s-%" PRId64, ref, n));
    }
}

static void step_apply(struct sim *sim, const struct tree *value)
{
    for_each(sim, value, apply);
}

static void step_delete(struct sim *sim, const struct tree *value)
{
    for_each(sim, value, world_delete);
}

static void step_complete(struct sim *sim, const struct tree *value)
{
    for_each(sim, value, complete);
}

static void step_fail(struct sim *sim, const struct tree *value)
{
    for_each(sim, value, fail);
}

static void step_patch(struct sim *sim, const struct tree *value)
{
    for (size_t i = 0; i < value->count; i++)
        world_patch(sim, value->pairs[i].value, value->pairs[i].key);
}

static void step_command(struct sim *sim, const struct tree *value)
{
    for (size_t i = 0; i < value->count && !sim->fault.is; i++) {
        const struct tree *action = value->pairs[i].value;
        const char *queue = strchr(value->pairs[i].key, '/') + 1;
        const char *doc = arena_format(&sim->arena, "{action: %s, target: {name: %s}}",
                                       text_quoted(&sim->arena, tree_as_text(&sim->fault, action)),
                                       text_quoted(&sim->arena, queue));
        const struct tree *docs =
            tree_parse(&sim->arena, "a command", doc, strlen(doc), &sim->fault);
        if (!sim->fault.is)
            world_apply(
                sim, action, docs->pairs[0].value,
                arena_format(&sim->arena, "command/%s-%d", queue, (int)++sim->world.n_commands));
    }
}

/* Applies what must be refused: at once by the webhook or for its form, or when the watch brings it
 * to the library. */
static void step_refuse(struct sim *sim, const struct tree *value)
{
    for (size_t i = 0; i < value->count && !sim->fault.is; i++) {
        const struct tree *says = value->pairs[i].value;
        const char *ref = value->pairs[i].key;
        struct refusal *refusal = arena_get(&sim->arena, sizeof(*refusal));
        *refusal = (struct refusal){.says = says};
        map_put(&sim->refusals, ref, refusal);
        apply(sim, says, ref);
        if (!sim->fault.is)
            continue;
        struct fault fault = sim->fault;
        sim->fault = (struct fault){0};
        host_refused(sim, says, ref, fault.text);
    }
}

static void step_restart(struct sim *sim, const struct tree *value)
{
    if (value->type == TREE_MAP)
        fleet_step_restart(sim, value);
    else
        host_restart(sim);
}

static void step_leader(struct sim *sim, const struct tree *value)
{
    if (value->type == TREE_MAP)
        fleet_step_leader(sim, value);
    else
        host_lead(sim, strcmp(value->text, "true") == 0);
}

static void step_clock(struct sim *sim, const struct tree *value)
{
    if (value->type == TREE_MAP) {
        fleet_step_clock(sim, value);
        return;
    }
    sim->faults.skew += tree_as_duration(&sim->fault, value);
    story(sim, "host", "clock", "the host's clock jumps by %s", value->text);
    host_look_at_clock(sim);
}

static void step_gate(struct sim *sim, const struct tree *value)
{
    if (sim->fleet.is)
        fleet_step_gate(sim, value);
    else
        workload_step_gate(sim, value);
}

static void step_say(struct sim *sim, const struct tree *value)
{
    story_say(sim, value->text);
}

static const struct {
    const char *key;
    void (*act)(struct sim *sim, const struct tree *value);
} actions[] = {
    {"apply", step_apply},   {"delete", step_delete},     {"complete", step_complete},
    {"fail", step_fail},     {"patch", step_patch},       {"command", step_command},
    {"refuse", step_refuse}, {"restart", step_restart},   {"leader", step_leader},
    {"clock", step_clock},   {"fault", faults_start},     {"send", host_send},
    {"say", step_say},       {"show", story_show},        {"cluster", fleet_step_cluster},
    {"gate", step_gate},     {"evict", fleet_step_evict}, {"check", workload_step_check},
};

void steps_do(struct sim *sim, const struct step *step)
{
    for (size_t i = 0; i < step->tree->count && !sim->fault.is; i++)
        for (size_t a = 0; a < sizeof(actions) / sizeof(*actions); a++)
            if (strcmp(actions[a].key, step->tree->pairs[i].key) == 0)
                actions[a].act(sim, step->tree->pairs[i].value);
}
