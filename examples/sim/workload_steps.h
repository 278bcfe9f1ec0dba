/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_WORKLOAD_STEPS_H
#define SLUICE_SIM_WORKLOAD_STEPS_H

#include "examples/sim/tree.h"

struct sim;

/* Steps of stories with Workloads of their own: somebody sets a preemption gate; the controller of
 * an admission check answers. The first of each two checks the form. */
void workload_check_gate(struct fault *fault, const struct tree *map);
void workload_step_gate(struct sim *sim, const struct tree *map);
void workload_check_check(struct fault *fault, const struct tree *map);
void workload_step_check(struct sim *sim, const struct tree *map);

#endif
