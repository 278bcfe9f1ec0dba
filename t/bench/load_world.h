/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_BENCH_LOAD_WORLD_H
#define SLUICE_BENCH_LOAD_WORLD_H

#include "plugin/engine.h"
#include "t/bench/world.h"

#include <stdbool.h>
#include <stdint.h>

/* An engine with workloads of one flavor, for the rows about them. */
enum { LOAD_NAME = 24 };

struct workload {
    char name[LOAD_NAME];
    uint32_t queue;
    int32_t priority;
    int64_t created, cpu, memory;
    bool holds, waits, away;
};

struct load_world {
    struct heap_use use;
    struct engine *engine;
    int64_t version;
};

struct load_quota {
    int64_t cpu, memory; /* 0: not counted */
};

void load_world_open(struct load_world *world);

/* All is seen, and the engine leads: nobody fits, so nothing is to be written. */
void load_world_lead(struct load_world *world);

/* It checks every invariant first. */
void load_world_close(struct load_world *world);

void load_world_settle(struct load_world *world);

/* A ClusterQueue and a LocalQueue of the same name; cohort "": it is in none. */
void load_world_queue(struct load_world *world, const char *name, const char *cohort,
                      struct load_quota quota, struct preempt_policy preempts);
void load_world_see(struct load_world *world, const struct workload *load, const char *queue);
void load_world_lose(struct load_world *world, const struct workload *load);

#endif
