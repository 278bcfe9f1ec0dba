/* SPDX-License-Identifier: Apache-2.0 */
#include "node.h"

#include "plugin/notes.h"
#include "plugin/state.h"

uint32_t node_find(const struct engine *e, struct text name)
{
    return directory_find(&e->capacity.nodes_by_name, text_of(""), name);
}

static void release_details(struct engine *e, struct node *node)
{
    for (uint32_t i = 0; i < node->label_count; i++) {
        intern_unref(&e->names, node->labels[i].key);
        intern_unref(&e->names, node->labels[i].value);
    }
    for (uint32_t i = 0; i < node->amount_count; i++)
        intern_unref(&e->names, node->amounts[i].resource);
    intern_unref(&e->names, node->name);
    mem_free(&e->mem, node->labels, node->label_count * sizeof(*node->labels));
    mem_free(&e->mem, node->amounts, node->amount_count * sizeof(*node->amounts));
}

void node_release_all(struct engine *e)
{
    for (uint32_t id = 0; slab_step(&e->capacity.nodes, &id);)
        release_details(e, node_at(e, id));
}

/* All that a node record needs; on error nothing is held. */
static int read_details(struct engine *e, const struct node_facts *facts, struct node *ret_node)
{
    uint32_t labels = facts->label_count, amounts = facts->allocatable.count;
    struct node node = {.labels = mem_zalloc(&e->mem, labels * sizeof(*node.labels)),
                        .amounts = mem_zalloc(&e->mem, amounts * sizeof(*node.amounts))};

    /* The arrays are zeroed, and id 0 is never counted: what is not reached is nothing. */
    node.label_count = node.labels == NULL ? 0 : labels;
    node.amount_count = node.amounts == NULL ? 0 : amounts;
    if (node.label_count < labels || node.amount_count < amounts ||
        name_get(e, facts->name, &node.name) < 0)
        goto no_memory;
    for (uint32_t i = 0; i < labels; i++) {
        if (name_get(e, facts->labels[i].key, &node.labels[i].key) < 0 ||
            name_get(e, facts->labels[i].value, &node.labels[i].value) < 0)
            goto no_memory;
    }
    for (uint32_t i = 0; i < amounts; i++) {
        node.amounts[i].amount = facts->allocatable.item[i].amount;
        if (name_get(e, facts->allocatable.item[i].resource, &node.amounts[i].resource) < 0)
            goto no_memory;
    }
    *ret_node = node;
    return 0;

no_memory:
    release_details(e, &node);
    return ENGINE_NO_MEMORY;
}

int node_see(struct engine *e, const struct node_facts *facts, uint32_t *ret_id)
{
    uint32_t id = node_find(e, facts->name);
    struct node node = {0};

    if (id == 0 && slab_count(&e->capacity.nodes) >= e->config.max_nodes)
        return ENGINE_FULL_NODES;
    if (read_details(e, facts, &node) < 0 || slab_reserve(&e->capacity.nodes, 1) < 0 ||
        index_reserve(&e->capacity.nodes_by_name.index) < 0 || note_node_comes(e, &node) < 0) {
        release_details(e, &node);
        return ENGINE_NO_MEMORY;
    }

    if (id == 0) {
        id = slab_take(&e->capacity.nodes);
        *node_at(e, id) = node;
        directory_put(&e->capacity.nodes_by_name, id);
        note_nodes_changed(e, NULL, &node);
    } else {
        struct node old = *node_at(e, id);

        *node_at(e, id) = node;
        note_nodes_changed(e, &old, &node);
        release_details(e, &old);
    }
    *ret_id = id;
    return 0;
}

bool node_lose(struct engine *e, struct text name)
{
    uint32_t id = node_find(e, name);

    if (id == 0)
        return false;

    struct node node = *node_at(e, id);

    directory_drop(&e->capacity.nodes_by_name, id);
    slab_give(&e->capacity.nodes, id);
    note_nodes_changed(e, &node, NULL);
    release_details(e, &node);
    return true;
}

bool node_has_flavor(const struct engine *e, uint32_t id, uint16_t number)
{
    if (number == 0 || number == FLAVOR_NONE)
        return true;

    const struct node *node = node_at(e, id);
    const struct flavor *flavor = slab_at(&e->capacity.flavors, number);

    if (!flavor->seen)
        return false;
    for (uint32_t i = 0; i < flavor->label_count; i++) {
        bool found = false;

        for (uint32_t k = 0; k < node->label_count && !found; k++)
            found = node->labels[k].key == flavor->labels[i].key &&
                    node->labels[k].value == flavor->labels[i].value;
        if (!found)
            return false;
    }
    return true;
}
