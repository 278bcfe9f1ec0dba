/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/autoscaler.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "examples/sim/fit.h"
#include "examples/sim/sim.h"

enum {
    SCAN_EVERY = 10, /* s */
};

static bool wants_node(const struct pod *pod)
{
    const struct pod_state *state = pod->state;

    return !pod_is_over(state) && !state->deleted && !state->node[0] && !state->nominated[0] &&
           strcmp(state->reason, "Unschedulable") == 0;
}

/* A node that is there, is coming, or would have to be bought, with what the look puts on it. */
struct place {
    const struct machine *machine;
    struct resources used;
};

struct look {
    struct arena arena;
    struct place *places;
    size_t count;
    size_t cap;
};

static struct place *look_add(struct look *look, const struct machine *machine)
{
    look->places = array_room(look->places, look->count, &look->cap, sizeof(*look->places));
    look->places[look->count] = (struct place){.machine = machine};
    return &look->places[look->count++];
}

static void put(struct look *look, struct place *place, const struct pod *pod)
{
    struct resources charge = fit_charge(&look->arena, pod->state);

    resources_add(&look->arena, &place->used, &charge, 1);
}

static void look_at_nodes(struct sim *sim, struct look *look)
{
    struct map places = {0};
    const struct map *machines = &sim->world.machines;

    for (size_t i = 0; i < machines->count; i++) {
        const struct machine *machine = machines->entries[i].value;
        if (machine->is)
            look_add(look, machine);
    }
    for (size_t i = 0; i < look->count; i++)
        map_put(&places, look->places[i].machine->name, &look->places[i]);
    for (size_t i = 0; i < sim->world.pods.count; i++) {
        const struct pod *pod = sim->world.pods.entries[i].value;
        struct place *place = map_get(&places, pod->state->node);
        if (place && !pod_is_over(pod->state))
            put(look, place, pod);
    }
    map_finish(&places);
}

static struct place *place_for(struct look *look, const struct pod *pod)
{
    for (size_t i = 0; i < look->count; i++)
        if (fit_on(pod->state, look->places[i].machine, &look->places[i].used))
            return &look->places[i];
    return NULL;
}

static const struct tree *template_of(const struct sim *sim)
{
    const struct tree *template = tree_get(sim->scenario->autoscaler, "template");

    return map_get(&sim->scenario->documents, template->text);
}

static void arrive(struct sim *sim, void *what)
{
    struct machine *machine = world_add_machine(sim, template_of(sim), what);

    sim->autoscaler.n_coming--;
    story(sim, machine->ref, "joined", "joins");
}

static void buy(struct sim *sim)
{
    struct autoscaler *autoscaler = &sim->autoscaler;
    const struct tree *delay = tree_get(sim->scenario->autoscaler, "delay");
    const char *template = tree_get(sim->scenario->autoscaler, "template")->text;
    char *name =
        arena_format(&sim->arena, "%s-%" PRId64, strchr(template, '/') + 1, ++autoscaler->bought);

    autoscaler->n_coming++;
    story(sim, arena_format(&sim->arena, "node/%s", name), "bought",
          "the autoscaler buys it; it will be there in %s", delay ? delay->text : "0s");
    clock_at(&sim->clock, sim->clock.now + (delay ? tree_as_duration(&sim->fault, delay) : 0),
             arrive, name);
}

/* The template as a node, for trying pods on. */
static const struct machine *template_machine(struct sim *sim)
{
    struct autoscaler *autoscaler = &sim->autoscaler;

    if (!autoscaler->coming) {
        const struct tree *doc = template_of(sim);
        const struct tree *amounts = tree_find(doc, "status/allocatable");
        struct machine *machine = arena_get(&sim->arena, sizeof(*machine));
        resources_set(&sim->arena, &machine->allocatable, "pods", 110);
        resources_read(&sim->arena, &sim->fault,
                       amounts ? amounts : tree_find(doc, "status/capacity"),
                       &machine->allocatable);
        machine->doc = doc;
        machine->labels = pairs_read(&sim->arena, &sim->fault, tree_find(doc, "metadata/labels"));
        autoscaler->coming = machine;
    }
    return autoscaler->coming;
}

/* Buys what those pods need that fit nowhere. False: there are none. */
static bool look(struct sim *sim)
{
    struct autoscaler *autoscaler = &sim->autoscaler;
    const struct machine *template = template_machine(sim);
    int64_t max = tree_int(&sim->fault, sim->scenario->autoscaler, "max", 0, INT32_MAX, 1);
    const struct map *pods = &sim->world.pods;
    struct look view = {0};
    size_t first = 0;

    while (first < pods->count && !wants_node(pods->entries[first].value))
        first++;
    if (first == pods->count)
        return false;
    look_at_nodes(sim, &view);
    for (int64_t i = 0; i < autoscaler->n_coming; i++)
        look_add(&view, template);
    for (size_t i = first; i < pods->count; i++) {
        const struct pod *pod = pods->entries[i].value;
        if (!wants_node(pod))
            continue;
        struct place *place = place_for(&view, pod);
        if (!place && autoscaler->bought < max &&
            fit_on(pod->state, template, &(struct resources){0})) {
            buy(sim);
            place = look_add(&view, template);
        }
        if (place)
            put(&view, place, pod);
    }
    arena_finish(&view.arena);
    free(view.places);
    return true;
}

static void scan(struct sim *sim, void *what)
{
    (void)what;
    sim->autoscaler.scanning = look(sim);
    if (sim->autoscaler.scanning)
        clock_at(&sim->clock, sim->clock.now + SCAN_EVERY * SECOND, scan, NULL);
}

static void look_now(struct sim *sim, void *what)
{
    sim->autoscaler.hurrying = false;
    if (sim->autoscaler.scanning)
        look(sim);
    else
        scan(sim, what);
}

void autoscaler_hear(struct sim *sim, const struct pod *pod)
{
    struct autoscaler *autoscaler = &sim->autoscaler;

    if (!sim->scenario->autoscaler || autoscaler->hurrying || !wants_node(pod))
        return;
    autoscaler->hurrying = true;
    clock_at(&sim->clock, sim->clock.now + MILLISECOND, look_now, NULL);
}
