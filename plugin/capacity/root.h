/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_CAPACITY_ROOT_H
#define SLUICE_PLUGIN_CAPACITY_ROOT_H

#include <stdbool.h>
#include <stdint.h>

struct engine;
struct node;

/* The ceiling of Volcano's tree as a whole is configured, not read from an object: none, amounts,
 * or what the nodes hold together. With the last, a resource that no node has is not to be had. But
 * nodes do not tell of the devices that claims are given (deviceclass/NAME): of these the nodes
 * bound none. */

/* Whether what no node has is not to be had at this queue. */
bool root_bounds_all(const struct engine *e, uint32_t queue);

/* Whether that is so of this resource. */
bool root_bounds(const struct engine *e, uint32_t queue, uint32_t resource);

#endif
