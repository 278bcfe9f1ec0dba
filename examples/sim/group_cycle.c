/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/group_cycle.h"

#include <stdlib.h>
#include <string.h>

#include "examples/sim/composites.h"
#include "examples/sim/groups.h"
#include "examples/sim/sim.h"

/* The members of the group that have no node yet, and how many have one. */
struct members {
    struct pod **pods;
    size_t count;
    int64_t bound;
};

/* Who is below one CompositePodGroup is taken together. */
static bool is_together(const struct sim *sim, const struct pod *pod, const struct pod *of)
{
    const char *top = composites_of_pod(sim, of);

    if (!pod->native[0] || strcmp(pod->namespace, of->namespace) != 0)
        return false;
    return *top ? strcmp(composites_of_pod(sim, pod), top) == 0
                : strcmp(pod->native, of->native) == 0;
}

static bool is_member(const struct sim *sim, const struct pod *pod, const struct pod *of)
{
    return pod->seen && !pod_is_over(pod->seen) && !pod->seen->deleted && is_together(sim, pod, of);
}

static struct members find_members(struct sim *sim, const struct pod *of)
{
    const struct map *all = &sim->world.by_uid;
    struct members found = {arena_get(&sim->arena, all->count * sizeof(struct pod *)), 0, 0};

    for (size_t i = 0; i < all->count; i++) {
        struct pod *pod = all->entries[i].value;
        if (!is_member(sim, pod, of))
            continue;
        if (pod->seen->node[0] || pod->pool == POOL_BINDING)
            found.bound++;
        else
            found.pods[found.count++] = pod;
    }
    return found;
}

static const struct object *group_of(struct sim *sim, const struct pod *pod)
{
    const struct object *group = groups_find(sim, "podgroup", pod->namespace, pod->native);

    return group && groups_is_native(group) ? group : NULL;
}

/* Whether as many of its members are there as it needs. */
static bool has_enough(struct sim *sim, const struct object *group, const struct members *members)
{
    const struct object *top = composites_is_part(group) ? composites_top(sim, group) : group;

    if (!top)
        return false;
    return top == group ? (int64_t)members->count + members->bound >= groups_native_minimum(group)
                        : composites_is_complete(sim, top);
}

/* Those that were held are asked about once more; of who is held still the others are, too. Where
 * siblings are taken one by one it is left out. */
static bool let_in(struct sim *sim, struct members *members, bool one_by_one)
{
    size_t kept = 0;

    for (size_t i = 0; i < members->count; i++) {
        struct pod *pod = members->pods[i];
        bool is_held = pod->pool == POOL_GATED && !scheduler_passes(sim, pod);
        if (is_held && !one_by_one)
            return false;
        if (!is_held)
            members->pods[kept++] = pod;
    }
    members->count = kept;
    return true;
}

static void hold(struct sim *sim, const struct members *members)
{
    for (size_t i = 0; i < members->count; i++)
        scheduler_hold(sim, members->pods[i]);
}

/* What was only tried is taken back, the last first. */
static void revert(struct sim *sim, const struct trial *trials, size_t count)
{
    while (count-- > 0)
        cycle_take_back(sim, &trials[count]);
}

void group_cycle(struct sim *sim, struct pod *pod)
{
    const struct tree *partial = tree_get(sim->scenario->config, "partialGroups");
    const struct object *group = group_of(sim, pod);
    struct members members = find_members(sim, pod);
    struct trial *trials = arena_get(&sim->arena, (members.count + 1) * sizeof(*trials));
    bool one_by_one = false, fits = true;
    size_t tried = 0;

    if (partial)
        tree_is_bool(partial, &one_by_one);
    if (!group || !let_in(sim, &members, one_by_one) || !has_enough(sim, group, &members)) {
        hold(sim, &members);
        return;
    }
    for (; tried < members.count && fits; tried += fits)
        fits = cycle_try(sim, members.pods[tried], &trials[tried]);
    revert(sim, trials, tried);
    for (size_t i = 0; i < members.count; i++) {
        if (fits)
            cycle_go(sim, &trials[i]);
        else
            cycle_find_none(sim, members.pods[i]);
    }
}
