/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_GRANT_ROOM_H
#define SLUICE_PLUGIN_GRANT_ROOM_H

#include "demote.h"

/* What the room keeps: who is to give back. */
struct grant_room {
    struct demotion demotion;
};

#endif
