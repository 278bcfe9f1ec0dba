/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_CHECK_H
#define SLUICE_PLUGIN_CHECK_H

#include <stdint.h>

struct engine;
struct slab;

/* An invariant of one record: NULL, or that it does not hold. */
typedef const char *record_check(const struct engine *e, uint32_t id);

/* What the first of these finds broken; NULL ends them. */
const char *record_check_by(record_check *const *checks, const struct engine *e, uint32_t id);

/* The same of all that live in a slab. */
const char *records_check(const struct engine *e, const struct slab *records, record_check *check);

/* Every invariant of workloads, and of their queues. */
const char *workload_check(const struct engine *e);

#endif
