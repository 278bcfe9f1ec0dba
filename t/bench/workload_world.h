/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_BENCH_WORKLOAD_WORLD_H
#define SLUICE_BENCH_WORKLOAD_WORLD_H

#include "plugin/engine.h"
#include "t/bench/world.h"

#include <stdbool.h>
#include <stdint.h>

/* An engine with workloads of one flavor, for the rows about them. */
enum { WORKLOAD_NAME = 24 };

struct workload {
    char name[WORKLOAD_NAME];
    uint32_t queue;
    int32_t priority;
    int64_t created, cpu, memory;
    bool holds, waits, away;
};

struct workload_world {
    struct heap_use use;
    struct engine *engine;
    int64_t version;
};

struct workload_quota {
    int64_t cpu, memory; /* 0: not counted */
};

void workload_world_open(struct workload_world *world);

/* All is seen, and the engine leads: nobody fits, so nothing is to be written. */
void workload_world_lead(struct workload_world *world);

/* It checks every invariant first. */
void workload_world_close(struct workload_world *world);

void workload_world_settle(struct workload_world *world);

/* A ClusterQueue and a LocalQueue of the same name; cohort "": it is in none. */
void workload_world_queue(struct workload_world *world, const char *name, const char *cohort,
                          struct workload_quota quota, struct preempt_policy preempts);
void workload_world_see(struct workload_world *world, const struct workload *workload,
                        const char *queue);
void workload_world_lose(struct workload_world *world, const struct workload *workload);

#endif
