/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_FLEET_PHASE_H
#define SLUICE_PLUGIN_FLEET_PHASE_H

#include "dispatch.h"

#include <stdint.h>

/* The opening of a gate that is under way for a workload, and what of it counts: the steps of the
 * drawing in orchestrator.h, whoever takes them. The orchestrator begins them; what becomes of its
 * effects, and of the replica that is aimed at, ends them. */

/* The workload is in this phase, aimed at this replica; 0: at none. */
void phase_set(struct fleet *f, uint32_t dispatch, enum phase phase, uint32_t target);

/* Ends what is under way for a workload. */
void phase_rest(struct fleet *f, uint32_t dispatch);

/* What was aimed at this replica ends: it is not the one any more. */
void phase_lose(struct fleet *f, uint32_t replica);

/* The replica is going; its opening counts on. */
void phase_keep_opening(struct fleet *f, uint32_t replica);

/* The memory was written. */
void phase_written(struct fleet *f, uint32_t dispatch);

/* The gate was opened. */
void phase_opened(struct fleet *f, uint32_t replica);

/* When somebody may be opened again; 0: nothing is in the way. */
int64_t phase_blocked_until(const struct fleet *f, uint32_t dispatch);

#endif
