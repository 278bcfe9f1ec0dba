/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_TELLING_POSITION_H
#define SLUICE_PLUGIN_TELLING_POSITION_H

#include "report.h"

#include <stdint.h>

/* Where a claim stands in its queue's order: its place and what is before it (ahead.h), what it
 * lacks (lack.h), and how long it may take (outlook.h). */
struct engine;

/* Of a pod that waits, or a gang's entry. reason: why it does. */
void position_find(const struct engine *e, uint32_t claim, enum reason reason,
                   struct position *ret_position);

/* Of a workload that waits. Changes nothing but what is kept of the flavors that suit it. */
void position_find_workload(struct engine *e, uint32_t workload, struct position *ret_position);

/* Of one that does not. */
void position_none(struct position *ret_position);

#endif
