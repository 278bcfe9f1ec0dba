/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ORACLE_SUPPLY_H
#define SLUICE_T_ORACLE_SUPPLY_H

#include "t/oracle/world.h"

/* The memory of an engine that is played with: counted, and, where it starves, refused. */
struct supply {
    struct mem mem; /* pass &mem to the engine */
    size_t bytes;   /* that are out */
    uint32_t left;  /* where it starves: so many allocations are not refused; UINT32_MAX: none is */
    bool starves, refused;
};

void supply_init(struct supply *supply, bool starves);

/* Makes a call of the engine that may fail for lack of memory. Where it starves: with ever more
 * memory, until it succeeds; NULL, or what was not as it was after a failure. *engine may be NULL
 * before. */
typedef int supplied_call(struct engine **engine, const void *ctx);
const char *supply_call(struct supply *supply, struct engine **engine, supplied_call *call,
                        const void *ctx);

/* Makes an engine, so configured, by such a call. */
const char *supply_open(struct supply *supply, const struct step *config, struct engine **ret);

/* What follows, until the next such call, must do without memory. */
void supply_stop(struct supply *supply);

#endif
