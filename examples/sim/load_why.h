/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_LOAD_WHY_H
#define SLUICE_SIM_LOAD_WHY_H

#include "examples/sim/load.h"

/* Says why a Workload waits, and for what, or what it holds. at: the time, as it was asked for. */
void load_why(struct sim *sim, const struct load *load, const char *at);

#endif
