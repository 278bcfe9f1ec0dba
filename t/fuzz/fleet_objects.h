/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_FUZZ_FLEET_OBJECTS_H
#define SLUICE_T_FUZZ_FLEET_OBJECTS_H

#include "t/fuzz/objects.h"

/* A manager's configuration, and what it is shown: three workloads in three clusters. */
void put_any_multikueue(struct msg_writer *w, struct tape *tape);
void put_any_cluster(struct msg_writer *w, struct tape *tape);
void put_any_workload(struct msg_writer *w, struct tape *tape);
void put_any_replica(struct msg_writer *w, struct tape *tape);

#endif
