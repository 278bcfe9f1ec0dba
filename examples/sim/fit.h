/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_FIT_H
#define SLUICE_SIM_FIT_H

#include "examples/sim/world.h"

/* Whether a pod may run on a node: nodeSelector, taints with NoSchedule or NoExecute, and room.
 * Affinity, topology and volumes are not modelled. */

/* What the pod takes of a node: what it asks for, and one of `pods`. */
struct resources fit_charge(struct arena *arena, const struct pod_state *state);

/* Without a look at the room; and all of it, with `used` of the node's room taken. */
bool fit_allows(const struct pod_state *state, const struct machine *machine);
bool fit_on(const struct pod_state *state, const struct machine *machine,
            const struct resources *used);

#endif
