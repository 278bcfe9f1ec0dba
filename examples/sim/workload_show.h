/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_WORKLOAD_SHOW_H
#define SLUICE_SIM_WORKLOAD_SHOW_H

#include "abi/host/request.h"
#include "abi/host/value.h"
#include "examples/sim/world.h"

/* Workloads in the messages of PROTOCOL.md, and what they need to be admitted. */

/* `kind`, `gone` and `object` of a Workload, a LocalQueue or an AdmissionCheck; false: it is none
 * of them. */
bool workload_show(struct sim *sim, struct request *r, const struct object *object);

/* The keys of a ClusterQueue and of a flavor that only workloads look at. */
void workload_show_queue(struct request *r, const struct tree *spec);
void workload_show_flavor(struct request *r, const struct tree *spec);

/* What the library says about it; NULL: it does not know it. */
const msgpack_object *workload_inspect(struct sim *sim, const struct object *object);

#endif
