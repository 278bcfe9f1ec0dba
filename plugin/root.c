/* SPDX-License-Identifier: Apache-2.0 */
#include "root.h"

#include "state.h"

bool root_bounds_all(const struct engine *e, uint32_t queue)
{
    return queue == e->volcano_root && e->config.root_ceiling == ROOT_CLUSTER;
}

int root_configure(struct engine *e)
{
    const struct named_amounts *amounts = &e->config.root_amounts;
    uint32_t resources[FACTS_MAX_NEEDS];

    if (e->config.root_ceiling != ROOT_AMOUNTS)
        return 0;
    if (quota_reserve(e, e->volcano_root, 0, amounts->count) < 0)
        return ENGINE_NO_MEMORY;
    for (uint32_t i = 0; i < amounts->count; i++) {
        struct text name = amounts->item[i].resource;

        if (intern_get(&e->names, name.at, name.len, &resources[i]) < 0)
            return ENGINE_NO_MEMORY;
        quota_raise_ceiling(e, e->volcano_root, resources[i], amounts->item[i].amount);
        intern_unref(&e->names, resources[i]); /* the cell uses it now */
    }
    return 0;
}

int root_reserve_nodes(struct engine *e, const struct node *node)
{
    if (e->config.root_ceiling != ROOT_CLUSTER)
        return 0;
    return quota_reserve(e, e->volcano_root, 0, node->amount_count);
}

static void add(struct engine *e, const struct node *node, int sign)
{
    for (uint32_t i = 0; node != NULL && i < node->amount_count; i++)
        quota_raise_ceiling(e, e->volcano_root, node->amounts[i].resource,
                            sign * (wide)node->amounts[i].amount);
}

void root_change_nodes(struct engine *e, const struct node *before, const struct node *after)
{
    if (e->config.root_ceiling != ROOT_CLUSTER)
        return;
    add(e, after, 1);
    add(e, before, -1);
    contest_refresh(e, e->volcano_root);
    queue_mark_dirty(e, e->volcano_root);
}
