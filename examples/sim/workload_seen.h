/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_WORKLOAD_SEEN_H
#define SLUICE_SIM_WORKLOAD_SEEN_H

#include "examples/sim/tree.h"

struct sim;

/* What an expectation may name of workload/NAME, in a story whose Workloads are its own, and of
 * localqueue/NAME. */
bool workload_seen_is(const char *ref);
void workload_seen_check(struct fault *fault, const struct tree_pair *entry);

/* What is seen; "gone" of what is not there. inner: the key inside of a map, or NULL. */
const char *workload_seen(struct sim *sim, const char *ref, const char *key, const char *inner);

#endif
