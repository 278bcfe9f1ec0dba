/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_GROUP_EFFECTS_H
#define SLUICE_PLUGIN_GROUP_EFFECTS_H

#include "engine.h"
#include "outbox.h"

#include <stdint.h>

/*
 * What a group asks of the host: that the PodGroup is made that its pods ask for, owned by their
 * topmost controller, and changed when they ask for something else; and that its status says what
 * became of them, written only when it changed:
 *
 *   Pending    held, or waiting            Running    the minimum runs, or has succeeded
 *   Inqueue    granted                     Unknown    a part of the minimum runs, the rest waits
 *                                          Completed  nobody is left who has not ended
 */
enum { GROUP_CREATES, GROUP_CHANGES, GROUP_WRITES_STATUS };

extern const struct outbox_type group_effects;

/* A status as a number, to be compared. */
uint64_t group_status_number(struct text phase, const int64_t counts[3],
                             const struct text condition[3]);

/* What a group's status is to say. */
struct group;
void group_find_status(const struct group *group, struct group_status *ret_status);

/* The group changed. */
void group_sync_effects(struct engine *e, uint32_t group);

/* A lease or a backoff of its effects has ended. */
void group_expire(struct engine *e, uint32_t group);

#endif
