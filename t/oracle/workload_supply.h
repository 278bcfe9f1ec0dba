/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ORACLE_WORKLOAD_SUPPLY_H
#define SLUICE_T_ORACLE_WORKLOAD_SUPPLY_H

#include "plugin/engine.h"

/* The memory of an engine that is played with: counted, and, where it starves, refused. */
struct workload_supply {
    size_t bytes; /* that are out */
    uint32_t left;
    bool starves, refused;
};

struct mem workload_supply_mem(struct workload_supply *supply);

/* Makes a call of the engine that may fail for lack of memory. Where it starves: with ever more
 * memory, until it succeeds; NULL, or what was not as it was after a failure. *engine may be NULL
 * before. */
typedef int workload_call(struct engine **engine, const void *ctx);
const char *workload_supply_call(struct workload_supply *supply, struct engine **engine,
                                 workload_call *call, const void *ctx);

/* What follows must do without memory; and then no more. */
void workload_supply_stop(struct workload_supply *supply);
void workload_supply_resume(struct workload_supply *supply);

#endif
