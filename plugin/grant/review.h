/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_GRANT_REVIEW_H
#define SLUICE_PLUGIN_GRANT_REVIEW_H

#include <stdbool.h>
#include <stdint.h>

/* Promises (promise.h), looked at again when something below a root has changed:
 *
 *   victims that are spared    as queue_spares says, and that     stay where they are
 *                              were not sent away yet
 *   who can no longer come     their queue was stopped or shrunk   is promised nothing any more
 *   victims that nobody needs  and that were not sent away yet     stay where they are
 *   who fits in what is        the first that was promised         is granted
 *
 * A gang stays as a whole or not at all. Workloads that go for a workload stay only when that one's
 * promise ends, or when they are spared. */
struct engine;

/* Whether a pod, or a gang, was granted what it is promised: then look again. */
bool review_promises(struct engine *e, uint32_t root);

/* The same for workloads that are promised something, asked whenever one is to be decided about.
 * Whether one of them was granted it, or is promised nothing any more: then look again. */
bool review_workloads(struct engine *e, uint32_t root);

#endif
