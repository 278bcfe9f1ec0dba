/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ORACLE_APART_H
#define SLUICE_T_ORACLE_APART_H

#include "t/oracle/difference.h"
#include "t/oracle/step.h"

/* Plays in a process of their own: an engine that crashes or hangs is a difference like any other,
 * and the history that made it so is known. */
enum { APART_STEPS = 600, APART_SECONDS = 30 };

struct apart {
    struct step history[APART_STEPS]; /* of the play that goes on */
    uint32_t count;                   /* the last of them is being played */
    uint64_t seed, steps, histories;  /* of all plays so far */
    uint64_t digests;                 /* the sum of the engine's digests at the end of each */
    char difference[DIFFERENCE_MAX];  /* of the last play */
};

/* Shared with every process that apart_run starts. There is one. */
struct apart *apart_get(void);

/* A play begins: it may take APART_SECONDS of the processor. */
void apart_begin(struct apart *apart);

/* Runs a function in a process of its own. If that dies, `difference` says how. */
void apart_run(struct apart *apart, void (*run)(struct apart *apart, const void *ctx),
               const void *ctx);

#endif
