/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ORACLE_SHRINK_H
#define SLUICE_T_ORACLE_SHRINK_H

#include "t/oracle/difference.h"
#include "t/oracle/step.h"

/* Takes steps, and then fields of steps, out of a history whose play shows a difference, for as
 * long as what is left shows one of its kind. No text if it shows none. */
void shrink(struct history *history, char ret_difference[DIFFERENCE_MAX]);

#endif
