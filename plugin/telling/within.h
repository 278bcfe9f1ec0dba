/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_TELLING_WITHIN_H
#define SLUICE_PLUGIN_TELLING_WITHIN_H

#include "report.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What is asked for by somebody who may see one namespace and no other. Groups and LocalQueues are
 * in the order of their namespaces, so those of one are found without a look at the others',
 * however many there are of them.
 */

/* Moves *cursor to the namespace's next group, or LocalQueue, by name. */
bool engine_next_group_within(const struct engine *engine, struct text space, uint32_t *cursor);
bool engine_next_local_queue_within(const struct engine *engine, struct text space,
                                    uint32_t *cursor);

/* The queue above it in the tree that is there; 0: it is a root. */
uint32_t engine_queue_parent(const struct engine *engine, uint32_t queue);

#endif
