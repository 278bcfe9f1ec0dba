/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ORACLE_WORKLOAD_COMPARE_H
#define SLUICE_T_ORACLE_WORKLOAD_COMPARE_H

#include "t/oracle/workload_play.h"

/* Whether the engine, at rest, is sound, and as the model says; else play->difference says how it
 * is not. */
bool workload_compare(struct workload_play *play);

#endif
