/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_HOOKS_OBSERVE_FLEET_H
#define SLUICE_HOOKS_OBSERVE_FLEET_H

#include "call.h"

#include <stdbool.h>

/* The kinds of observe that are a manager's: worker clusters, the workloads that it dispatches, and
 * their copies there. */
void observe_cluster(struct call *call, bool gone);
void observe_dispatch(struct call *call, bool gone);
void observe_replica(struct call *call, bool gone);

#endif
