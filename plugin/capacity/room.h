/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_CAPACITY_ROOM_H
#define SLUICE_PLUGIN_CAPACITY_ROOM_H

#include "plugin/base/directory.h"
#include "plugin/base/slab.h"

/* What the room keeps: kinds of nodes, and nodes. Quota lies in the queues (quota.h). */
struct capacity_room {
    struct slab flavors;
    struct slab nodes;
    struct directory nodes_by_name;
};

#endif
