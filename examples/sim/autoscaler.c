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
    const struct pod *homeless; /* the last that fits on none of the places */
};

static struct place *look_add(struct look *look, const struct machine *machine)
{
    look->places = array_room(look->places, look->count, &look->cap, sizeof(*look->places));
    look->places[look->count] = (struct place){.machine = machine};
    look->homeless = NULL;
    return &look->places[look->count++];
}

static void put(struct look *look, struct place *place, const struct pod *pod)
{
    struct resources charge = fit_charge(&look->arena, pod->state);

    resources_add(&look->arena, &place->used, &charge, 1);
}

static void look_at_nodes(struct sim *sim, struct look *look)
{
    const struct map *machines = &sim->world.machines;

    for (size_t i = 0; i < machines->count; i++) {
        const struct machine *machine = machines->entries[i].value;
        if (machine->is)
            resources_add(&look->arena, &look_add(look, machine)->used, &machine->taken, 1);
    }
}

/* Whether two pods fit on the same nodes, as far as that is told without a look at any. */
static bool are_alike(const struct pod *a, const struct pod *b)
{
    const struct pod_state *left = a->state, *right = b->state;

    return left->selector.count + right->selector.count == 0 &&
           left->tolerations.count + right->tolerations.count == 0 &&
           resources_same(&left->requests, &right->requests);
}

/* Where the pod fits. Like the last one for which there was no place, it has none. */
static struct place *place_for(struct look *look, const struct pod *pod)
{
    if (look->homeless && are_alike(look->homeless, pod))
        return NULL;
    for (size_t i = 0; i < look->count; i++)
        if (fit_on(pod->state, look->places[i].machine, &look->places[i].used))
            return &look->places[i];
    look->homeless = pod;
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

static int compare_places(const void *a, const void *b)
{
    const struct pod *const *left = a, *const *right = b;

    return (*left)->place < (*right)->place ? -1 : (*left)->place > (*right)->place;
}

/* Forgets those that want no node any more, and puts the others in the order of their making. */
static void sort_wanting(struct autoscaler *autoscaler)
{
    size_t kept = 0;

    for (size_t i = 0; i < autoscaler->n_wanting; i++) {
        struct pod *pod = autoscaler->wanting[i];
        pod->wants_node = wants_node(pod);
        if (pod->wants_node)
            autoscaler->wanting[kept++] = pod;
    }
    autoscaler->n_wanting = kept;
    if (kept > 0)
        qsort(autoscaler->wanting, kept, sizeof(*autoscaler->wanting), compare_places);
}

/* Buys what those pods need that fit nowhere. False: there are none. */
static bool look(struct sim *sim)
{
    struct autoscaler *autoscaler = &sim->autoscaler;
    const struct machine *template = template_machine(sim);
    int64_t max = tree_int(&sim->fault, sim->scenario->autoscaler, "max", 0, INT32_MAX, 1);
    struct look view = {0};

    sort_wanting(autoscaler);
    if (autoscaler->n_wanting == 0)
        return false;
    look_at_nodes(sim, &view);
    for (int64_t i = 0; i < autoscaler->n_coming; i++)
        look_add(&view, template);
    for (size_t i = 0; i < autoscaler->n_wanting; i++) {
        const struct pod *pod = autoscaler->wanting[i];
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

static void count_on_node(struct sim *sim, struct pod *pod)
{
    const struct pod_state *state = pod->state;
    bool lies = state->node[0] && !pod_is_over(state);
    struct machine *machine = lies ? map_get(&sim->world.machines, state->node) : NULL;

    if (pod->lies_on)
        resources_add(&sim->arena, &pod->lies_on->taken, &pod->takes, -1);
    pod->lies_on = machine;
    if (!machine)
        return;
    pod->takes = fit_charge(&pod->arena, state);
    resources_add(&sim->arena, &machine->taken, &pod->takes, 1);
}

void autoscaler_see(struct sim *sim, struct pod *pod)
{
    struct autoscaler *autoscaler = &sim->autoscaler;

    if (!sim->scenario->autoscaler)
        return;
    count_on_node(sim, pod);
    if (pod->wants_node || !wants_node(pod))
        return;
    pod->wants_node = true;
    autoscaler->wanting = array_room(autoscaler->wanting, autoscaler->n_wanting, &autoscaler->cap,
                                     sizeof(*autoscaler->wanting));
    autoscaler->wanting[autoscaler->n_wanting++] = pod;
}

void autoscaler_hear(struct sim *sim, const struct pod *pod)
{
    struct autoscaler *autoscaler = &sim->autoscaler;

    if (!sim->scenario->autoscaler || autoscaler->hurrying || !wants_node(pod))
        return;
    autoscaler->hurrying = true;
    clock_at(&sim->clock, sim->clock.now + MILLISECOND, look_now, NULL);
}

void autoscaler_finish(struct autoscaler *autoscaler)
{
    free(autoscaler->wanting);
}
