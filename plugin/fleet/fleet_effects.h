/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_FLEET_FLEET_EFFECTS_H
#define SLUICE_PLUGIN_FLEET_FLEET_EFFECTS_H

#include "plugin/base/outbox.h"

/* What a manager asks of the host: for a workload in its own cluster, for a replica in its
 * worker's. An ack of what was written to a workload ends no wait but that for the memory: what
 * became of the rest is read from the workload when it is next seen. */
extern const struct outbox_type dispatch_effects;
extern const struct outbox_type replica_effects;

#endif
