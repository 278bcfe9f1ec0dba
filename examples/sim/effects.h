/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_EFFECTS_H
#define SLUICE_SIM_EFFECTS_H

#include "abi/host/value.h"
#include "examples/sim/world.h"

struct sim;

/* Takes what waits in the library's outbox, and carries it out: each effect is a write to the API
 * server (or a word to the scheduler's queue) a moment later, and then an acknowledgement. */
void effects_drain(struct sim *sim);

/* The run is over: gives back what is under way. */
void effects_finish(struct sim *sim);

/* The gates, annotations and so on of an effect, or of an answer of bind. */
void effects_read_patch(struct arena *arena, const msgpack_object *from, struct gate_patch *ret);

#endif
