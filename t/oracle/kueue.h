/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ORACLE_KUEUE_H
#define SLUICE_T_ORACLE_KUEUE_H

#include "plugin/base/amount.h"

#include <stdbool.h>

/*
 * A tree of Kueue's queues, and what Kueue says of it: its four functions over a resource node,
 * word for word, on quotas and usage that stand still. Cohorts come first; a parent has a lower
 * number than its children. A cohort that is only named has no quota of its own.
 */
enum {
    KUEUE_COHORTS = 8,
    KUEUE_NODES = KUEUE_COHORTS + 8, /* the rest are ClusterQueues */
    KUEUE_FLAVORS = 3,
    KUEUE_RESOURCES = 3,
    KUEUE_CELLS = KUEUE_FLAVORS * KUEUE_RESOURCES,
    KUEUE_NO_LIMIT = -1,
};

struct kueue_quota {
    bool said;
    wide nominal, borrowing, lending; /* KUEUE_NO_LIMIT: none */
};

struct kueue_node {
    bool there; /* there is an object of it */
    int parent; /* -1: none */
    struct kueue_quota quotas[KUEUE_CELLS];
    wide used[KUEUE_CELLS]; /* by its own workloads */

    /* Computed by kueue_count: a cell that neither the node nor anything below it says, Kueue has
     * not in its maps. */
    bool has[KUEUE_CELLS];
    wide subtree_quota[KUEUE_CELLS], usage[KUEUE_CELLS];
};

struct kueue_tree {
    struct kueue_node nodes[KUEUE_NODES];
};

void kueue_count(struct kueue_tree *tree);

/* [counted] */
wide kueue_available(const struct kueue_tree *tree, int node, int cell);
wide kueue_potential(const struct kueue_tree *tree, int node, int cell);

/* Some ancestor of the node has more in use than it may. */
bool kueue_debt_above(const struct kueue_tree *tree, int node, int cell);

#endif
