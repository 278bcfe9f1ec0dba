/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_FLEET_LOSS_H
#define SLUICE_PLUGIN_FLEET_LOSS_H

#include <stdint.h>

/* What goes when something goes:
 *
 *   replica is gone ──▶ its place, if nobody wants it ──▶ its workload, if nobody has seen it
 *   workload is gone ──▶ nobody wants its places ──▶ those where no copy is go
 *
 * An opening that was under way for it ends, and counts on (phase.h). */

struct fleet;

/* Nothing holds the replica's place any more: ends it, if so. */
void replica_release(struct fleet *f, uint32_t replica);

/* The replica is not there any more. */
void replica_forget(struct fleet *f, uint32_t replica);

/* Nothing that the workload said holds any more: another one has its name. What was opened for it
 * is that one's past. */
void dispatch_empty(struct fleet *f, uint32_t dispatch);

/* The world has no such workload. */
void dispatch_forget(struct fleet *f, uint32_t dispatch);

#endif
