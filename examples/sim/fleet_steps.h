/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_FLEET_STEPS_H
#define SLUICE_SIM_FLEET_STEPS_H

#include "examples/sim/fleet_worker.h"

struct sim;

/* The steps that only a story with clusters has, and what steps of all stories mean there. The
 * first of each two checks the form. */
void fleet_check_cluster(struct fault *fault, const struct tree *map);
void fleet_step_cluster(struct sim *sim, const struct tree *map);
void fleet_check_gate(struct fault *fault, const struct tree *map);
void fleet_step_gate(struct sim *sim, const struct tree *map);
void fleet_check_evict(struct fault *fault, const struct tree *list);
void fleet_step_evict(struct sim *sim, const struct tree *list);

/* `clock`, `leader` and `restart` with a map from who it is about. */
void fleet_check_clock(struct fault *fault, const struct tree *map);
void fleet_step_clock(struct sim *sim, const struct tree *map);
void fleet_check_leader(struct fault *fault, const struct tree *map);
void fleet_step_leader(struct sim *sim, const struct tree *map);
void fleet_check_restart(struct fault *fault, const struct tree *map);
void fleet_step_restart(struct sim *sim, const struct tree *map);

#endif
