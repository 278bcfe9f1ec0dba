/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_CAPACITY_ROOT_H
#define SLUICE_PLUGIN_CAPACITY_ROOT_H

#include <stdbool.h>
#include <stdint.h>

struct engine;
struct node;

/* The ceiling of Volcano's tree as a whole is configured, not read from an object: none, amounts,
 * or what the nodes hold together. With the last, a resource that no node has is not to be had. */

/* Whether what is not known to be there is not to be had at this queue. */
bool root_bounds_all(const struct engine *e, uint32_t queue);

/* At open, with the root queue made. Negative on error. */
int root_configure(struct engine *e);

/* The root has room for what this node brings. Negative on error. */
int root_reserve_nodes(struct engine *e, const struct node *node);

/* A node came (before is NULL), changed, or went (after is NULL). [reserved for after] */
void root_change_nodes(struct engine *e, const struct node *before, const struct node *after);

#endif
