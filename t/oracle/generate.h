/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ORACLE_GENERATE_H
#define SLUICE_T_ORACLE_GENERATE_H

#include "t/oracle/model.h"
#include "t/oracle/random.h"

enum dialect { DIALECT_VOLCANO, DIALECT_KUEUE, DIALECT_BOTH };

/* What a history is about: drawn once for each, so that histories differ in kind. */
struct generator {
    struct random random;
    enum dialect dialect;
    int queues, resources, flavors, pods, groups;
    int64_t largest; /* amount */
    bool edits_queues, restarts, loses_lead, resends;
    bool writes;        /* the host writes the states of queues */
    bool patient;       /* minutes pass */
    bool evicts;        /* the host evicts pods */
    struct step old[8]; /* messages that may come once more */
};

void generator_init(struct generator *generator, uint64_t seed, enum dialect dialect);

/* What happens next, as step n, in the world that the model knows: first of all it is made. */
struct step generator_next(struct generator *generator, int n, const struct model *model);

#endif
