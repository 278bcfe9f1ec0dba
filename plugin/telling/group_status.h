/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_TELLING_GROUP_STATUS_H
#define SLUICE_PLUGIN_TELLING_GROUP_STATUS_H

#include "plugin/engine.h"

#include <stdint.h>

/*
 * What the status of a PodGroup says of its members, in Volcano's words:
 *
 *   Pending    held, or waiting            Running    the minimum runs, or has succeeded
 *   Inqueue    granted (booking.h)         Unknown    a part of the minimum runs, the rest waits
 *                                          Completed  nobody is left who has not ended
 *
 * and in one condition: Scheduled, or Unschedulable with the reason. Of a native group it is the
 * scheduler that says all this, and we say whether its queue granted it (sluice.sh/QuotaReserved),
 * with the reasons that its pods are told. A message names no amount that others change, so it is
 * written when the group's own case changes, and not more often.
 */

/* message has VERDICT_MESSAGE_MAX bytes, and is that of the condition; empty where it has none. */
void group_find_status(const struct engine *e, uint32_t group, struct group_status *ret_status,
                       char *message);

/* What is wrong with it, and that its owner makes too few members, if that is so: what follows "the
 * group". */
struct group;
struct sentence;
void group_say_fault(const struct group *group, struct sentence *say);
void group_say_replicas(const struct group *group, struct sentence *say);

#endif
