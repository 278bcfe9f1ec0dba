/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_QUEUES_ROOM_H
#define SLUICE_PLUGIN_QUEUES_ROOM_H

#include "command.h"
#include "limit.h"
#include "plugin/base/heap.h"
#include "plugin/base/directory.h"
#include "plugin/base/index.h"
#include "plugin/base/list.h"
#include "plugin/base/slab.h"
#include "plugin/records/queue.h"

#include <stdint.h>

/* What the room keeps: the trees of queues, and what is to be done for them. */
struct queues_room {
    struct slab records;
    struct index by_name;
    uint32_t in_order; /* tree, by kind and name */
    uint32_t volcano_root, default_queue;
    struct heap timers; /* of their effects */
    struct list todo[TODO_LISTS];

    /* How often something changed: that may let somebody find victims; what stops those that were
     * granted; what is known of flavors, or which ones queues have; and how often one was above its
     * ceiling. */
    uint64_t victims_changes, stops_changes, placements, overs;

    int64_t next_status; /* when the next count may be written (status_turn.h) */
    int64_t last_count;  /* when a count changed last that was not written at once */

    struct commands commands;
    struct slab checks; /* Kueue's AdmissionChecks */
    struct directory checks_by_name;
    uint32_t counted[LIMITED_KINDS]; /* of which an object is there (limit.h) */
};

#endif
