/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_CLAIMS_REST_H
#define SLUICE_PLUGIN_CLAIMS_REST_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A victim that runs on no node yet gives back at once, may be granted something again, and be
 * taken from again: where the policies of several queues point at each other, that would go round
 * while the time stands still. So what gave back at once rests: nobody takes its room again before
 * the second is over, and whoever would, waits for that. Then all queues look for victims again.
 */
struct engine;

/* The claim gives back at once: its rest begins. */
void rest_begin(struct engine *e, uint32_t claim);

/* Whether the claim rests. */
bool rest_holds(const struct engine *e, uint32_t claim);

/* If the last rest is over, all queues look for victims again. */
void rest_end(struct engine *e);

#endif
