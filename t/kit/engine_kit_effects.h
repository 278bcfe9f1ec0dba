/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ENGINE_KIT_EFFECTS_H
#define SLUICE_T_ENGINE_KIT_EFFECTS_H

#include "t/kit/engine_kit.h"

/* For tests of what is asked of the host. */

/* Leases the next effect; its kind, or -1 if there is none. */
int kit_lease(const struct kit *kit, struct effect *ret_effect);

/* Whether the effect was under way. A point that the engine is sound after it. */
bool kit_ack(struct kit *kit, const struct effect *effect, enum effect_result result);

/* How many effects are live. */
uint32_t kit_live_effects(const struct kit *kit);

/* What the scheduler is told that asks for this pod, created at 50. */
bool kit_pre_enqueue(struct kit *kit, const char *words);

/* kit_open, with a queue q that a has filled, and b, which PreEnqueue held. */
void kit_open_parked(struct kit *kit, const char *words);

#endif
