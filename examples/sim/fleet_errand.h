/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_FLEET_ERRAND_H
#define SLUICE_SIM_FLEET_ERRAND_H

#include "examples/sim/fleet_manager.h"

/* The effects of a manager's library, each a request that takes its way to an API server and comes
 * back with what became of it. One that is under way arrives whatever becomes of who sent it. */
void errands_drain(struct sim *sim, struct manager *manager);

#endif
