/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_ORDER_ROOM_H
#define SLUICE_PLUGIN_ORDER_ROOM_H

#include "plugin/base/heap.h"
#include "plugin/base/index.h"
#include "plugin/base/slab.h"

#include <stdint.h>

/* What the room keeps: who waits, by what is asked for. */
struct order_room {
    struct slab lines;
    struct index lines_by_needs;
    struct slab crowds;
    struct slab size_classes;
    struct index size_classes_by_needs;
    struct slab backlogs;
    struct heap guard_timers;

    struct slab demands; /* of workloads */
    struct index demands_by_text;
    uint32_t gated_demands; /* in which somebody waits */
};

#endif
