/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_WORKLOADS_ROOM_H
#define SLUICE_PLUGIN_WORKLOADS_ROOM_H

#include "plugin/base/index.h"
#include "plugin/base/slab.h"

#include <stdint.h>

/* What the room keeps: the queues that workloads name. The workloads are claims (claims/room.h). */
struct workloads_room {
    struct slab local_queues;
    struct index local_queues_by_name;
    uint32_t local_queues_in_order; /* tree, by namespace and name */
};

#endif
