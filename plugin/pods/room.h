/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_PODS_ROOM_H
#define SLUICE_PLUGIN_PODS_ROOM_H

#include "plugin/base/directory.h"
#include "plugin/base/heap.h"
#include "plugin/base/index.h"
#include "plugin/base/list.h"
#include "plugin/base/slab.h"
#include "stop_notice.h"

#include <stdint.h>

/* What the room keeps: groups of pods, and who ended in them. */
struct pods_room {
    struct slab groups;
    struct slab members;
    struct index groups_by_name;
    uint32_t groups_in_order; /* tree, by namespace and name */
    struct heap group_timers; /* of their effects */
    struct list touched;      /* groups to be looked at before the call ends */
    struct list in_line;      /* groups that wait for their turn on nodes */
    uint32_t assembling;      /* the group whose turn it is */

    struct slab finished;
    struct directory finished_by_uid;
    struct stop_notice stop_notice;
};

#endif
