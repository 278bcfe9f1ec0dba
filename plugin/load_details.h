/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_LOAD_DETAILS_H
#define SLUICE_PLUGIN_LOAD_DETAILS_H

#include "preemption_gate.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a workload's object says, with all that it needs in hand: so whoever takes it over cannot
 * fail any more. */
struct load_details {
    uint32_t uid, job, unsupported, target_cause;
    uint32_t local_queue, queue, text, wish;
    struct preemption_gates gates;
    uint32_t check_count;
    uint32_t checks[FACTS_MAX_CHECKS];
    uint32_t *counts;
    size_t size;
    bool granted;
};

struct engine;
struct load_facts;
struct wish;

/* Negative on error, and what there is of it is to be released. */
int load_read_details(struct engine *e, const struct load_facts *facts, struct load_details *ret);
void load_release_details(struct engine *e, struct load_details *details);

/* The counts and flavors of a workload (load.h). */
size_t load_counts_size(const struct wish *wish);
void load_free_counts(struct engine *e, uint32_t *counts, const struct wish *wish);

#endif
