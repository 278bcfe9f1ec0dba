/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_CHECK_H
#define SLUICE_PLUGIN_CHECK_H

#include <stdint.h>

struct engine;

/* Every invariant of one claim. */
const char *claim_check(const struct engine *e, uint32_t claim);

/* Every invariant of one queue. */
const char *queue_check(const struct engine *e, uint32_t queue);

/* Every invariant of workloads, of what they demand for, and of their queues. */
const char *workload_check(const struct engine *e);

#endif
