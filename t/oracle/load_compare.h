/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ORACLE_LOAD_COMPARE_H
#define SLUICE_T_ORACLE_LOAD_COMPARE_H

#include "t/oracle/load_play.h"

/* Whether the engine, at rest, is sound, and as the model says; else play->difference says how it
 * is not. */
bool load_compare(struct load_play *play);

#endif
