/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_GRANT_WORKLOAD_REVIEW_H
#define SLUICE_PLUGIN_GRANT_WORKLOAD_REVIEW_H

#include <stdbool.h>
#include <stdint.h>

/* What workloads are promised (promise.h), looked at again, as review.h does it for pods:
 *
 *   victims that are spared    as queue_spares says, and that      stay where they are
 *                              were not written to yet
 *   whose queue is stopped,    or shrank                           is promised nothing any more
 *   who fits in what is        there, or in other flavors with     is reserved that
 *                              as many pods
 *
 * True if something changed: then look again. */
struct engine;

bool workload_review_promises(struct engine *e, uint32_t root);

/* Whether one that is promised something will have room for it, once all that goes has gone. */
bool workload_review_is_sound(const struct engine *e, uint32_t workload);

#endif
