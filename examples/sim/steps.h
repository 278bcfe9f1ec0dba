/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_STEPS_H
#define SLUICE_SIM_STEPS_H

#include "examples/sim/scenario.h"

struct sim;

/* Does what a step says, in the order in which it says it; expectations apart. */
void steps_do(struct sim *sim, const struct step *step);

#endif
