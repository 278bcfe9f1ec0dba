/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_PODS_POD_SETTLE_H
#define SLUICE_PLUGIN_PODS_POD_SETTLE_H

#include <stdbool.h>
#include <stdint.h>

/* The state of a pod's claim that follows from its object alone (pod.h). */

struct claim;
struct engine;

/* Whether it was granted before this engine led, as far as the object tells. */
bool pod_looks_granted(const struct claim *claim);

/* The state that follows from what is known of a claim, while this engine does not lead, or after
 * something about it changed. */
void pod_settle(struct engine *e, uint32_t claim);

#endif
