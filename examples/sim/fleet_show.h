/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_FLEET_SHOW_H
#define SLUICE_SIM_FLEET_SHOW_H

#include "abi/host/request.h"
#include "examples/sim/fleet_home.h"

/* The key `object` of an `observe`, for the kinds workload, replica and cluster. */
void show_workload(struct request *r, const struct dispatch *workload);
void show_copy(struct request *r, const struct worker *worker, const struct copy *copy);
void show_cluster(struct request *r, const struct worker *worker, bool connected);

/* One key of the configuration `multiKueue`: durations in nanoseconds. */
void show_config(struct sim *sim, struct request *r, const struct tree_pair *pair);

#endif
