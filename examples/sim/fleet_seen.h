/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_FLEET_SEEN_H
#define SLUICE_SIM_FLEET_SEEN_H

#include "examples/sim/tree.h"

struct sim;

/* What an expectation may name of clusters: workload/NAME, workload@CLUSTER/NAME, cluster/NAME and
 * manager/NAME, each with its keys. */
bool fleet_seen_is(const char *ref);
void fleet_seen_check(struct fault *fault, const struct tree_pair *entry);

/* What is seen; "gone" of what is not there. */
const char *fleet_seen(struct sim *sim, const char *ref, const char *key);
bool fleet_seen_exists(struct sim *sim, const char *ref);

#endif
