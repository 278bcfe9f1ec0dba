/* SPDX-License-Identifier: Apache-2.0 */
#include "height.h"

#include "plugin/state.h"

static struct tree_link *link_of(const void *ctx, uint32_t id)
{
    return &queue_at(ctx, id)->height.link;
}

/* Among those that are equally tall the order means nothing. */
static int compare(const void *ctx, uint32_t a, uint32_t b)
{
    uint8_t levels_a = queue_at(ctx, a)->height.levels, levels_b = queue_at(ctx, b)->height.levels;

    if (levels_a != levels_b)
        return levels_a > levels_b ? -1 : 1;
    return a < b ? -1 : a > b;
}

static const struct tree_type by_height = {link_of, compare, NULL};

uint32_t height_of(const struct engine *e, uint32_t id)
{
    return queue_at(e, id)->height.levels + 1u;
}

/* Its children are others now. */
static void review(struct engine *e, uint32_t id)
{
    while (id != 0) {
        struct height *height = &queue_at(e, id)->height;
        uint32_t tallest = tree_first(&by_height, e, height->children);
        uint8_t levels = (uint8_t)(tallest == 0 ? 0 : height_of(e, tallest));
        uint32_t parent = queue_at(e, id)->parent;

        if (levels == height->levels)
            return;
        if (parent != 0)
            tree_remove(&by_height, e, &queue_at(e, parent)->height.children, id);
        height->levels = levels;
        if (parent != 0)
            tree_insert(&by_height, e, &queue_at(e, parent)->height.children, id);
        id = parent;
    }
}

void height_join(struct engine *e, uint32_t id)
{
    uint32_t parent = queue_at(e, id)->parent;

    tree_insert(&by_height, e, &queue_at(e, parent)->height.children, id);
    review(e, parent);
}

void height_leave(struct engine *e, uint32_t id)
{
    uint32_t parent = queue_at(e, id)->parent;

    tree_remove(&by_height, e, &queue_at(e, parent)->height.children, id);
    review(e, parent);
}

const char *height_check(const struct engine *e, uint32_t id)
{
    const struct queue *queue = queue_at(e, id);
    uint32_t tallest = 0, children = 0;

    for (uint32_t child = queue->first_child; child != 0;
         child = queue_at(e, child)->next_sibling) {
        children++;
        tallest = height_of(e, child) > tallest ? height_of(e, child) : tallest;
    }
    if (tallest != queue->height.levels)
        return "a queue knows how tall the tree below it is";
    if (!tree_check(&by_height, e, queue->height.children) ||
        tree_size(&by_height, e, queue->height.children) != children)
        return "the children of a queue stand in order of their height";
    return NULL;
}
