/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_CLAIMS_ROOM_H
#define SLUICE_PLUGIN_CLAIMS_ROOM_H

#include "plugin/base/heap.h"
#include "plugin/base/index.h"
#include "plugin/base/slab.h"
#include "pledge.h"
#include "recount.h"

#include <stdint.h>

/* What the room keeps: the claims, and what they are promised. */
struct claims_room {
    struct slab records; /* of all */
    struct index by_uid;
    struct index by_name;
    struct heap timers;
    uint32_t restoring;               /* tree, by stamp: of those that a restart found granted */
    uint32_t entries;                 /* how many are no pods, but wait for a group's minimum */
    uint32_t serials, serials_before; /* how many there were; before this call */
    struct recount recount;

    struct slab workloads;                 /* what only they have */
    uint32_t workloads_left, workloads_at; /* those that are to be settled again; the last one */
    uint64_t workload_changes;             /* how often something changed that may admit one */

    struct promises promises;
};

#endif
