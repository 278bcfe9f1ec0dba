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

#endif
