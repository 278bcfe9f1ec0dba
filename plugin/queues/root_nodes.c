/* SPDX-License-Identifier: Apache-2.0 */
#include "root_nodes.h"

#include "plugin/claims/quota_edit.h"
#include "plugin/order/contest.h"
#include "plugin/state.h"

int root_configure(struct engine *e)
{
    const struct named_amounts *amounts = &e->config.root_amounts;
    struct quota_amount named[FACTS_MAX_NEEDS] = {0};
    uint32_t count = 0;
    int error = 0;

    if (e->config.root_ceiling != ROOT_AMOUNTS)
        return 0;
    for (; count < amounts->count && error == 0; count++) {
        named[count].has_ceiling = true;
        named[count].ceiling = amounts->item[count].amount;
        error = name_get(e, amounts->item[count].resource, &named[count].resource);
    }
    if (error == 0)
        error = quota_reserve(e, e->queues.volcano_root, 0, count);
    if (error == 0) {
        quota_name(e, e->queues.volcano_root, named, count);
        quota_attach(e, e->queues.volcano_root);
    }
    for (uint32_t i = 0; i < count; i++)
        intern_unref(&e->names, named[i].resource);
    return error < 0 ? ENGINE_NO_MEMORY : 0;
}

int root_reserve_nodes(struct engine *e, const struct node *node)
{
    if (e->config.root_ceiling != ROOT_CLUSTER)
        return 0;
    return quota_reserve(e, e->queues.volcano_root, 0, node->amount_count);
}

static void add(struct engine *e, const struct node *node, int sign)
{
    for (uint32_t i = 0; node != NULL && i < node->amount_count; i++)
        quota_raise_ceiling(e, e->queues.volcano_root, node->amounts[i].resource,
                            sign * (wide)node->amounts[i].amount);
}

void root_change_nodes(struct engine *e, const struct node *before, const struct node *after)
{
    if (e->config.root_ceiling != ROOT_CLUSTER)
        return;
    add(e, after, 1);
    add(e, before, -1);
    contest_refresh(e, e->queues.volcano_root);
    queue_todo(e, TODO_DIRTY, e->queues.volcano_root);
}
