/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ORACLE_NATIVE_H
#define SLUICE_T_ORACLE_NATIVE_H

#include "t/oracle/model.h"

/* What is so of Kubernetes' own groups alone. Any group may be passed. */

/* A member has another priority than its group. */
bool native_has_other_ranks(const struct model *model, int group);

/* Members are too few, and none of them is further than granted. */
bool native_misses_members(const struct model *model, int group);

/* Who comes to a group that was granted is granted beside it, before all others, if it fits. */
void native_let_join(struct model *model, int group);

#endif
