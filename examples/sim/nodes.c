/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/nodes.h"

#include <stdlib.h>
#include <string.h>

#include "examples/sim/fit.h"

static const char *const names[NODES_AMOUNTS] = {"cpu", "memory", "pods"};

/* Which of two is the emptier one; either may be NULL. */
static struct machine *emptier(struct machine *a, struct machine *b)
{
    if (!a || !b)
        return a ? a : b;
    if (a->fullness != b->fullness)
        return a->fullness < b->fullness ? a : b;
    return strcmp(a->name, b->name) < 0 ? a : b;
}

static struct match played(const struct match *left, const struct match *right)
{
    struct match match = {emptier(left->emptiest, right->emptiest), {0}};

    for (int i = 0; i < NODES_AMOUNTS; i++)
        match.free[i] = left->free[i] > right->free[i] ? left->free[i] : right->free[i];
    return match;
}

/* [machine is there] Who is not seen takes no part. */
static struct match entry_of(struct machine *machine)
{
    struct match entry = {0};

    if (!machine->seen)
        return entry;
    entry.emptiest = machine;
    for (int i = 0; i < NODES_AMOUNTS; i++)
        entry.free[i] = resources_get(&machine->allocatable, names[i]) -
                        resources_get(&machine->used, names[i]);
    return entry;
}

/* Room for all machines, which all play anew. */
static void grow(struct world *world)
{
    struct nodes *nodes = &world->nodes;
    size_t leaves = nodes->leaves ? nodes->leaves : 16;

    while (leaves < world->machines.count)
        leaves *= 2;
    nodes_finish(nodes);
    nodes->leaves = leaves;
    nodes->matches = array_zeroed(2 * leaves, sizeof(*nodes->matches));
    for (size_t i = 0; i < world->machines.count; i++)
        nodes->matches[leaves + i] = entry_of(world->machines.entries[i].value);
    for (size_t i = leaves - 1; i > 0; i--)
        nodes->matches[i] = played(&nodes->matches[2 * i], &nodes->matches[2 * i + 1]);
}

void nodes_settle(struct world *world, struct machine *machine)
{
    struct nodes *nodes = &world->nodes;
    int64_t all = resources_get(&machine->allocatable, "cpu");
    size_t i = nodes->leaves + machine->place;

    machine->fullness = all > 0 ? resources_get(&machine->used, "cpu") * 1000 / all : 0;
    if (world->machines.count > nodes->leaves) {
        grow(world);
        return;
    }
    nodes->matches[i] = entry_of(machine);
    while ((i /= 2) > 0)
        nodes->matches[i] = played(&nodes->matches[2 * i], &nodes->matches[2 * i + 1]);
}

struct search {
    const struct nodes *nodes;
    const struct pod_state *pod;
    int64_t least[NODES_AMOUNTS];
    bool (*allows)(const void *ctx, const struct machine *machine);
    const void *ctx;
    struct machine *best;
};

static bool may_win(const struct search *search, const struct match *match)
{
    if (!match->emptiest || emptier(match->emptiest, search->best) == search->best)
        return false;
    for (int i = 0; i < NODES_AMOUNTS; i++)
        if (search->least[i] > 0 && search->least[i] > match->free[i])
            return false;
    return true;
}

/* As deep as the logarithm of the nodes. The side with the emptier one first: the other side then
 * seldom has a better one. */
static void search_below(struct search *search, size_t i)
{
    const struct match *matches = search->nodes->matches;
    struct machine *machine = matches[i].emptiest;

    if (!may_win(search, &matches[i]))
        return;
    if (i >= search->nodes->leaves) {
        if (fit_on(search->pod, machine, &machine->used) &&
            (!search->allows || search->allows(search->ctx, machine)))
            search->best = machine;
        return;
    }
    bool right = matches[2 * i + 1].emptiest == machine;
    search_below(search, 2 * i + right);
    search_below(search, 2 * i + !right);
}

struct machine *nodes_choose(const struct world *world, const struct pod_state *pod,
                             bool (*allows)(const void *ctx, const struct machine *machine),
                             const void *ctx)
{
    struct search search = {.nodes = &world->nodes, .pod = pod, .allows = allows, .ctx = ctx};

    for (int i = 0; i < NODES_AMOUNTS; i++)
        search.least[i] = resources_get(&pod->requests, names[i]);
    search.least[NODES_PODS] = 1;
    if (world->nodes.leaves > 0)
        search_below(&search, 1);
    return search.best;
}

void nodes_finish(struct nodes *nodes)
{
    free(nodes->matches);
    *nodes = (struct nodes){0};
}
