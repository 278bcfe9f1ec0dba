/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_WORKLOADS_WORKLOAD_DETAILS_H
#define SLUICE_PLUGIN_WORKLOADS_WORKLOAD_DETAILS_H

#include "plugin/base/preemption_gate.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a workload's object says, with all that it needs in hand: so whoever takes it over cannot
 * fail any more. */
struct workload_details {
    uint32_t uid, job, unsupported, target_cause;
    uint32_t local_queue, queue, text, demand;
    struct preemption_gates gates;
    uint32_t check_count;
    uint32_t checks[FACTS_MAX_CHECKS];
    uint32_t *counts;
    bool granted;
};

struct engine;
struct workload_facts;
struct demand;

/* Negative on error, and what there is of it is to be released. */
int workload_read_details(struct engine *e, const struct workload_facts *facts,
                          struct workload_details *ret);
void workload_release_details(struct engine *e, struct workload_details *details);

/* The counts and flavors of a workload (workload.h). */
size_t workload_counts_size(const struct demand *demand);
void workload_free_counts(struct engine *e, uint32_t *counts, const struct demand *demand);

#endif
