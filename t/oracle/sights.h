/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ORACLE_SIGHTS_H
#define SLUICE_T_ORACLE_SIGHTS_H

#include "t/oracle/model.h"

/* Shows the engine everything that exists, in some order. Pods come last: of a pod that moved to a
 * queue that covers more than it is stamped for, the rest is a guess, once. False: an error. */
bool sights_show(struct engine *engine, const struct model *model, uint64_t seed);

#endif
