/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_GRANT_ROOM_H
#define SLUICE_PLUGIN_GRANT_ROOM_H

#include "demote.h"

#include <stdint.h>

/* What the room keeps: who is to give back. */
struct grant_room {
    uint64_t victims_changes; /* how often something changed that may let somebody find victims */
    struct demotion demotion;
};

#endif
