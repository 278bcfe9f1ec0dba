/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ORACLE_COMPARE_H
#define SLUICE_T_ORACLE_COMPARE_H

#include "t/oracle/play.h"

/* Whether engine and model are in the same state, and whether it is one that may be:
 * play->difference says what is not so. */
bool compare_states(struct play *play);

#endif
