/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ORACLE_WORKLOAD_GENERATE_H
#define SLUICE_T_ORACLE_WORKLOAD_GENERATE_H

#include "t/oracle/random.h"
#include "t/oracle/workload_play.h"

/* What a history of workloads is about: drawn once for each, so that histories differ in kind. */
struct workload_generator {
    struct random random;
    int queues, cohorts, resources, flavors, locals, workloads, checks;
    int largest; /* amount */
    int priorities;
    bool edits, restarts, loses_lead, late, gates, patient, sets, often_calm;
    bool begins; /* the world is still being made */
};

void workload_generator_init(struct workload_generator *generator, uint64_t seed);

/* What happens next, as step n, in this world: first of all it is made. */
struct step workload_generator_next(struct workload_generator *generator, int n,
                                    const struct workload_play *play);

#endif
