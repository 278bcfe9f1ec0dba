/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/composites.h"

#include <string.h>

#include "examples/sim/groups.h"
#include "examples/sim/sim.h"

/* More levels than a scheduler takes, and an end where groups go round in a ring. */
enum { LEVELS_MOST = 8 };

static const char *parent_of(const struct object *group)
{
    const struct tree *parent = tree_find(group->doc, "spec/parentCompositePodGroupName");

    return parent && parent->type == TREE_TEXT ? parent->text : "";
}

static bool is_composite(const struct object *group)
{
    return strcmp(group->kind, "compositepodgroup") == 0;
}

bool composites_is_part(const struct object *group)
{
    return (is_composite(group) || strcmp(group->kind, "podgroup") == 0) && group->doc &&
           groups_is_native(group) && *parent_of(group);
}

/* The name of the topmost one, or of the one that is not there. */
static const char *climb(const struct sim *sim, const struct object *group,
                         const struct object **ret_top)
{
    const char *name = "";

    for (int level = 0; level < LEVELS_MOST && group && *parent_of(group); level++) {
        name = parent_of(group);
        group = groups_find(sim, "compositepodgroup", group->namespace, name);
    }
    *ret_top = group && !*parent_of(group) ? group : NULL;
    return name;
}

const struct object *composites_top(struct sim *sim, const struct object *group)
{
    const struct object *top;

    climb(sim, group, &top);
    return top;
}

const char *composites_of_pod(const struct sim *sim, const struct pod *pod)
{
    const struct object *group =
        pod->native[0] ? groups_find(sim, "podgroup", pod->namespace, pod->native) : NULL;

    return group && groups_is_native(group) ? climb(sim, group, &group) : "";
}

static int64_t minimum_of(const struct object *group)
{
    const struct tree *gang = tree_find(group->doc, "spec/schedulingPolicy/gang");
    const struct tree *count =
        gang ? tree_get(gang, is_composite(group) ? "minGroupCount" : "minCount") : NULL;
    int64_t minimum;

    return count && tree_is_int(count, &minimum) ? minimum : 1;
}

/* A part of a gang is of no use: what has one in it is evicted as a whole. */
static bool is_indivisible(const struct object *group)
{
    return groups_goes_whole(group) || tree_find(group->doc, "spec/schedulingPolicy/gang");
}

/* The next group below another one; NULL: there is none. */
static const struct object *next_below(const struct sim *sim, const struct object *top, size_t *at)
{
    const struct map *objects = &sim->world.objects;

    while (*at < objects->count) {
        const struct object *group = objects->entries[(*at)++].value;

        if (group->is && composites_is_part(group) && strcmp(parent_of(group), top->name) == 0 &&
            strcmp(group->namespace, top->namespace) == 0)
            return group;
    }
    return NULL;
}

static bool put_parts(struct request *r, const struct sim *sim, const struct object *top,
                      int64_t depth)
{
    const struct object *group;
    bool whole = is_indivisible(top);

    for (size_t at = 0; depth <= LEVELS_MOST && (group = next_below(sim, top, &at)) != NULL;) {
        r_map(r);
        r_key_str(r, "name", group->name);
        r_key_int(r, "depth", depth);
        r_key_bool(r, "composite", is_composite(group));
        r_key_int(r, "minMember", minimum_of(group));
        r_end(r);
        whole =
            (is_composite(group) ? put_parts(r, sim, group, depth + 1) : is_indivisible(group)) ||
            whole;
    }
    return whole;
}

void composites_put(struct request *r, const struct sim *sim, const struct object *top)
{
    r_key_int(r, "minMember", minimum_of(top));
    r_key_array(r, "parts");
    bool whole = put_parts(r, sim, top, 1);
    r_end(r);
    r_key_bool(r, "goesWhole", whole);
}

static int64_t count_pods(const struct sim *sim, const struct object *group)
{
    const struct map *all = &sim->world.by_uid;
    int64_t count = 0;

    for (size_t i = 0; i < all->count; i++) {
        const struct pod *pod = all->entries[i].value;
        count += groups_counts(pod) && strcmp(pod->native, group->name) == 0 &&
                 strcmp(pod->namespace, group->namespace) == 0;
    }
    return count;
}

static bool is_complete(const struct sim *sim, const struct object *group, int level)
{
    const struct object *below;
    int64_t there = 0;

    if (!is_composite(group))
        return count_pods(sim, group) >= minimum_of(group);
    for (size_t at = 0; level < LEVELS_MOST && (below = next_below(sim, group, &at)) != NULL;)
        there += is_complete(sim, below, level + 1);
    return there >= minimum_of(group);
}

bool composites_is_complete(const struct sim *sim, const struct object *top)
{
    return is_complete(sim, top, 0);
}
