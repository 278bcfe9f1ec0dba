/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_QUEUES_ROOT_NODES_H
#define SLUICE_PLUGIN_QUEUES_ROOT_NODES_H

/* How the ceiling of Volcano's tree as a whole follows from the configuration and the nodes. */

struct engine;
struct node;

/* At open, with the root queue made. Negative on error. */
int root_configure(struct engine *e);

/* The root has room for what this node brings. Negative on error. */
int root_reserve_nodes(struct engine *e, const struct node *node);

/* A node came (before is NULL), changed, or went (after is NULL). [reserved for after] */
void root_change_nodes(struct engine *e, const struct node *before, const struct node *after);

#endif
