/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_SCORE_H
#define SLUICE_SIM_SCORE_H

#include "examples/sim/sim.h"

/*
 * What estimates are worth: each pod of a plan that waits is asked how long it may take, after a
 * minute, five, half an hour, two hours and eight; and what was said is compared with what came.
 * Workloads likewise.
 */

/* What was said of one of them at one moment; -1: nothing. */
struct estimate {
    const struct planned *of;
    int64_t at;
    int64_t likely;
    int64_t earliest;
    int64_t latest;
};

struct score {
    struct estimate *said;
    size_t count;
    size_t cap;
};

/* Of those that got their node in the end, or their quota. */
struct score_sum {
    int64_t asked;
    int64_t with_range;
    int64_t in_range;
    int64_t likely;      /* dared to say how long */
    double median_error; /* of these, as a part of the time that it took; -1: none dared */
};

/* A pod has arrived, or a workload: it will be asked about. */
void score_follow_pod(struct sim *sim, struct pod *pod);
void score_follow_workload(struct sim *sim, struct workload *workload);

struct score_sum score_sum(const struct score *score);
void score_finish(struct score *score);

#endif
