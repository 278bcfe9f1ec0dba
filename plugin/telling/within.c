/* SPDX-License-Identifier: Apache-2.0 */
#include "within.h"

#include "plugin/state.h"

/* Records of a kind, in the order of their namespaces and then of their names. */
struct shelf {
    const struct tree_type *type;
    uint32_t root;
    struct text (*space_of)(const struct engine *e, uint32_t id);
};

static struct text group_space(const struct engine *e, uint32_t id)
{
    return name_text(e, group_at(e, id)->space);
}

static struct text local_queue_space(const struct engine *e, uint32_t id)
{
    return name_text(e, local_queue_at(e, id)->space);
}

/* The first whose namespace does not come before this one. */
static uint32_t seek(const struct engine *e, const struct shelf *shelf, struct text space)
{
    uint32_t low = 0, high = tree_size(shelf->type, e, shelf->root);

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        uint32_t id = tree_at(shelf->type, e, shelf->root, middle);

        if (text_compare(shelf->space_of(e, id), space) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return tree_at(shelf->type, e, shelf->root, low);
}

/* The cursor's own namespace is looked at, too: a record is used again by whoever comes next. */
static bool next_within(const struct engine *e, const struct shelf *shelf, struct text space,
                        uint32_t *cursor)
{
    if (*cursor == 0)
        *cursor = seek(e, shelf, space);
    else if (text_same(shelf->space_of(e, *cursor), space))
        *cursor = tree_next(shelf->type, e, *cursor);
    else
        *cursor = 0;
    return *cursor != 0 && text_same(shelf->space_of(e, *cursor), space);
}

bool engine_next_group_within(const struct engine *e, struct text space, uint32_t *cursor)
{
    const struct shelf groups = {&groups_by_identity, e->pods.groups_in_order, group_space};

    if (*cursor != 0 && !slab_live(&e->pods.groups, *cursor))
        return false;
    return next_within(e, &groups, space, cursor);
}

bool engine_next_local_queue_within(const struct engine *e, struct text space, uint32_t *cursor)
{
    const struct shelf locals = {&local_queues_by_name, e->workloads.local_queues_in_order,
                                 local_queue_space};

    if (*cursor != 0 && !slab_live(&e->workloads.local_queues, *cursor))
        return false;
    return next_within(e, &locals, space, cursor);
}

uint32_t engine_queue_parent(const struct engine *e, uint32_t queue)
{
    return queue_at(e, queue)->parent;
}
