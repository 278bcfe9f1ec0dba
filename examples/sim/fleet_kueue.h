/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_FLEET_KUEUE_H
#define SLUICE_SIM_FLEET_KUEUE_H

#include "examples/sim/fleet_worker.h"

/* What a worker's Kueue decides, as fleet_worker.h describes it. */

/* Something changed: it will look at what waits. */
void kueue_plan(struct sim *sim, struct worker *worker);

/* A write to the worker's API server: it has a new version, and its watchers hear of it. */
void worker_changed(struct sim *sim, struct worker *worker, struct copy *copy);

/* "a, b" */
const char *names_show(struct arena *arena, const struct names *names);

#endif
