/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ORACLE_LOAD_GENERATE_H
#define SLUICE_T_ORACLE_LOAD_GENERATE_H

#include "t/oracle/load_play.h"
#include "t/oracle/random.h"

/* What a history of workloads is about: drawn once for each, so that histories differ in kind. */
struct load_generator {
    struct random random;
    int queues, cohorts, resources, flavors, locals, loads, checks;
    int largest; /* amount */
    int priorities;
    bool edits, restarts, loses_lead, late, gates, checks_answer, patient, sets, often_calm;
    bool begins; /* the world is still being made */
};

void load_generator_init(struct load_generator *generator, uint64_t seed);

/* How a history begins: step n, until false. */
bool load_generator_begin(struct load_generator *generator, int n, struct step *ret_step);

/* What happens next in this world. */
struct step load_generator_next(struct load_generator *generator, const struct load_play *play);

#endif
