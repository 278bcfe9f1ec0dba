/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_WORKLOADS_WORKLOAD_SETTLE_H
#define SLUICE_PLUGIN_WORKLOADS_WORKLOAD_SETTLE_H

#include "plugin/records/workload.h"

/* Where a workload belongs by all that is known, and what is to be written into it. */

/* Its object, its queues, or the time says something else now: where it belongs, and what is to be
 * written into it. */
void workload_settle(struct engine *e, uint32_t workload);

/* The state of its life, by what the object said. */
void workload_find_life(const struct engine *e, uint32_t workload, struct workload_life *ret_life);

/* Whether its queue wants this check of it. */
bool workload_wants_check(const struct engine *e, uint32_t workload, uint32_t check);

/* Those that are to be settled again (workloads_look_again), a slice of them. */
uint32_t workload_sweep_some(struct engine *e, uint32_t budget);
void workload_expire(struct engine *e, uint32_t workload);
void workload_set_timer(struct engine *e, uint32_t workload);

void workload_begin(struct engine *e);
void workload_end(struct engine *e);

#endif
