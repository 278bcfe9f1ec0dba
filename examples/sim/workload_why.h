/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_WORKLOAD_WHY_H
#define SLUICE_SIM_WORKLOAD_WHY_H

#include "examples/sim/workload.h"

/* Says why a Workload waits, and for what, or what it holds. at: the time, as it was asked for. */
void workload_why(struct sim *sim, const struct workload *workload, const char *at);

#endif
