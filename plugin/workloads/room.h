/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_WORKLOADS_ROOM_H
#define SLUICE_PLUGIN_WORKLOADS_ROOM_H

#include "plugin/base/directory.h"
#include "plugin/base/list.h"
#include "plugin/base/slab.h"

#include <stdint.h>

/* Those that are to be told that they wait (wait_notice.h). */
struct wait_notices {
    struct list listed; /* who waits longest is first */
    int64_t not_before; /* the next one's turn */
};

/* What the room keeps: the queues that workloads name, and who is to be told that it waits. The
 * workloads are claims (claims/room.h). */
struct workloads_room {
    struct slab local_queues;
    struct directory local_queues_by_name;
    uint32_t local_queues_in_order; /* tree, by namespace and name */
    struct wait_notices wait_notices;
};

#endif
