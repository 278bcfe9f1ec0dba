/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_BENCH_BENCH_H
#define SLUICE_BENCH_BENCH_H

#include "t/kit/door.h"

#include <stdbool.h>
#include <stdint.h>

/* How much a run does. */
struct effort {
    const struct door *door; /* NULL: without the library's rows */
    uint32_t sizes[4];       /* waiting pods, rising; the first and the last are compared */
    unsigned turns;
    bool quick;
};

/* pre_enqueue and releases, as more and more pods wait. */
void bench_growth(const struct effort *effort);

/* A tree in which so many pods wait, each of its own shape. Some of them go, and if `come`, as many
 * new ones are asked about: nothing is measured, so that a tool can count what that takes. */
void bench_newcomers(const struct effort *effort, uint32_t waiting, bool come);

/* Bytes for a waiting pod. */
void bench_memory(const struct effort *effort);

/* A restart with 100,000 pods; 5,000 pods that wait for a minute. */
void bench_restart(const struct effort *effort);
void bench_idle(const struct effort *effort);

/* 10,000 queues in a tree whose root is edited: the longest call. */
void bench_queues(const struct effort *effort);

/* A manager of 100 workers: decisions about who may preempt. */
void bench_fleet(const struct effort *effort);

/* Whose room a pod takes, among 1,000. */
void bench_preempt(const struct effort *effort);

/* Workloads: what an admission costs, and whose room one takes. */
void bench_workloads(const struct effort *effort);
void bench_workload_waits(void);   /* the second part of it: as more and more of them wait */
void bench_workload_reclaim(void); /* the third: room of other queues is taken back */

/* What one crossing is made of. */
void bench_crossing(const struct effort *effort);

/* One crossing in this library and in another, in turns. */
void bench_beside(const struct effort *effort, const struct door *other);

#endif
