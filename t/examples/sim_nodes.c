/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/nodes.h"

#include <stdio.h>
#include <string.h>

#include "examples/sim/fit.h"
#include "examples/sim/world.h"
#include "t/kit/tap.h"
#include "t/kit/test_mem.h"

enum {
    NODES = 200,
    ROUNDS = 20000,
};

static struct arena arena;
static struct world world;
static struct machine *machines[NODES];
static const struct tree nothing = {.type = TREE_MAP};
static unsigned long long seed = 11;

static void make_machine(size_t i)
{
    struct machine *machine = arena_get(&arena, sizeof(*machine));

    machine->name = arena_format(&arena, "n%u", test_random(&seed));
    machine->doc = &nothing;
    machine->is = machine->seen = true;
    resources_set(&arena, &machine->allocatable, "cpu", 1000 * (1 + test_random(&seed) % 8));
    resources_set(&arena, &machine->allocatable, "memory", 1 << (10 + test_random(&seed) % 4));
    resources_set(&arena, &machine->allocatable, "pods", 10);
    if (i % 3 == 0)
        resources_set(&arena, &machine->allocatable, "x/gpu", 4);
    machine->place = world.machines.count;
    map_put(&world.machines, machine->name, machine);
    machines[i] = machine;
    nodes_settle(&world, machine);
}

static bool is_even(const void *ctx, const struct machine *machine)
{
    (void)ctx;
    return machine->place % 2 == 0;
}

/* Looks at all of them. */
static struct machine *naive(const struct pod_state *pod,
                             bool (*allows)(const void *ctx, const struct machine *machine))
{
    struct machine *best = NULL;

    for (size_t i = 0; i < NODES; i++) {
        struct machine *machine = machines[i];
        if (!machine->seen || !fit_on(pod, machine, &machine->used) ||
            (allows && !allows(NULL, machine)))
            continue;
        if (!best || machine->fullness < best->fullness ||
            (machine->fullness == best->fullness && strcmp(machine->name, best->name) < 0))
            best = machine;
    }
    return best;
}

static struct pod_state random_pod(struct arena *scratch)
{
    struct pod_state pod = {.node = "", .phase = "Pending"};

    if (test_random(&seed) % 8 > 0)
        resources_set(scratch, &pod.requests, "cpu", 100 * (test_random(&seed) % 60));
    if (test_random(&seed) % 2 > 0)
        resources_set(scratch, &pod.requests, "memory", test_random(&seed) % 4096);
    if (test_random(&seed) % 4 == 0)
        resources_set(scratch, &pod.requests, "x/gpu", 1 + test_random(&seed) % 3);
    return pod;
}

/* A node gets a pod, is emptied, goes or comes back. */
static void change(struct machine *machine, const struct pod_state *pod, struct arena *scratch)
{
    unsigned what = test_random(&seed) % 8;
    struct resources charge = fit_charge(scratch, pod);

    if (what == 0)
        machine->used = (struct resources){0};
    else if (what == 1)
        machine->seen = !machine->seen;
    else if (machine->seen && fit_on(pod, machine, &machine->used))
        resources_add(&arena, &machine->used, &charge, 1);
    nodes_settle(&world, machine);
}

int main(void)
{
    int wrong = 0, found = 0;

    ok(nodes_choose(&world, &(struct pod_state){0}, NULL, NULL) == NULL,
       "no nodes: none is chosen");
    for (size_t i = 0; i < NODES; i++)
        make_machine(i);
    for (int round = 0; round < ROUNDS; round++) {
        struct arena scratch = {0};
        struct pod_state pod = random_pod(&scratch);
        bool half = test_random(&seed) % 4 == 0;
        struct machine *best = nodes_choose(&world, &pod, half ? is_even : NULL, NULL);

        wrong += best != naive(&pod, half ? is_even : NULL);
        found += best != NULL;
        change(best ? best : machines[test_random(&seed) % NODES], &pod, &scratch);
        if (round % 16 == 0)
            change(machines[test_random(&seed) % NODES], &pod, &scratch);
        arena_finish(&scratch);
    }
    is_int(wrong, 0, "the node that is chosen is the emptiest that fits, of all of them");
    ok(found > ROUNDS / 4 && found < ROUNDS, "now and then none fits (%d of %d did)", found,
       ROUNDS);
    nodes_finish(&world.nodes);
    map_finish(&world.machines);
    arena_finish(&arena);
    return tap_done();
}
