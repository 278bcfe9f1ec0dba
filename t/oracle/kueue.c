/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/kueue.h"

/* The names are those of Kueue's resource_node.go. */
static wide local_quota(const struct kueue_node *r, int cell)
{
    const struct kueue_quota *quota = &r->quotas[cell];

    if (quota->said && quota->lending != KUEUE_NO_LIMIT)
        return wide_max(0, r->subtree_quota[cell] - quota->lending);
    return 0;
}

static wide local_available(const struct kueue_node *r, int cell)
{
    return wide_max(0, local_quota(r, cell) - r->usage[cell]);
}

static void accumulate_from_child(struct kueue_node *parent, const struct kueue_node *child)
{
    for (int cell = 0; cell < KUEUE_CELLS; cell++) {
        parent->has[cell] |= child->has[cell];
        parent->subtree_quota[cell] += child->subtree_quota[cell] - local_quota(child, cell);
        parent->usage[cell] += wide_max(0, child->usage[cell] - local_quota(child, cell));
    }
}

/* Children have higher numbers: once a node's turn comes, all below it were added to it. */
void kueue_count(struct kueue_tree *tree)
{
    for (int n = 0; n < KUEUE_NODES; n++) {
        struct kueue_node *node = &tree->nodes[n];

        for (int cell = 0; cell < KUEUE_CELLS; cell++) {
            const struct kueue_quota *quota = &node->quotas[cell];

            node->has[cell] = quota->said;
            node->subtree_quota[cell] = quota->said ? quota->nominal : 0;
            node->usage[cell] = node->used[cell];
        }
    }
    for (int n = KUEUE_NODES - 1; n >= 0; n--) {
        int parent = tree->nodes[n].parent;

        if (parent >= 0)
            accumulate_from_child(&tree->nodes[parent], &tree->nodes[n]);
    }
}

wide kueue_available(const struct kueue_tree *tree, int n, int cell)
{
    const struct kueue_node *r = &tree->nodes[n];
    wide parent_available;

    if (r->parent < 0)
        return r->subtree_quota[cell] - r->usage[cell];
    parent_available = kueue_available(tree, r->parent, cell);
    if (r->quotas[cell].said && r->quotas[cell].borrowing != KUEUE_NO_LIMIT) {
        wide stored_in_parent = r->subtree_quota[cell] - local_quota(r, cell);
        wide used_in_parent = wide_max(0, r->usage[cell] - local_quota(r, cell));

        parent_available = wide_min(stored_in_parent - used_in_parent + r->quotas[cell].borrowing,
                                    parent_available);
    }
    return local_available(r, cell) + parent_available;
}

wide kueue_potential(const struct kueue_tree *tree, int n, int cell)
{
    const struct kueue_node *r = &tree->nodes[n];
    wide available;

    if (r->parent < 0)
        return r->subtree_quota[cell];
    available = local_quota(r, cell) + kueue_potential(tree, r->parent, cell);
    if (r->quotas[cell].said && r->quotas[cell].borrowing != KUEUE_NO_LIMIT)
        available = wide_min(r->subtree_quota[cell] + r->quotas[cell].borrowing, available);
    return available;
}

bool kueue_debt_above(const struct kueue_tree *tree, int n, int cell)
{
    for (n = tree->nodes[n].parent; n >= 0; n = tree->nodes[n].parent) {
        const struct kueue_node *r = &tree->nodes[n];
        wide most = r->subtree_quota[cell];

        if (r->parent >= 0 && r->quotas[cell].said && r->quotas[cell].borrowing != KUEUE_NO_LIMIT)
            most += r->quotas[cell].borrowing;
        if (r->usage[cell] > most)
            return true;
    }
    return false;
}
