/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_TELLING_GROUP_EFFECTS_H
#define SLUICE_PLUGIN_TELLING_GROUP_EFFECTS_H

#include "plugin/base/outbox.h"
#include "plugin/engine.h"

#include <stdint.h>

/*
 * What a group asks of the host: that the PodGroup is made that its pods ask for, owned by their
 * topmost controller, and changed when they ask for something else (group_follow.h); and that its
 * status says what became of them (group_status.h), written only when it changed.
 */
enum { GROUP_CREATES, GROUP_CHANGES, GROUP_WRITES_STATUS, GROUP_CREATES_NATIVE };

extern const struct outbox_type group_effects;

/* The group changed. */
void group_sync_effects(struct engine *e, uint32_t group);

/* A lease or a backoff of its effects has ended. */
void group_expire(struct engine *e, uint32_t group);

#endif
