/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_PLAN_SHOW_H
#define SLUICE_SIM_PLAN_SHOW_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "examples/sim/plan.h"
#include "examples/sim/score.h"

struct sim;

/* What one plan came to; it outlives the run. */
struct outcome {
    const char *story; /* its file */
    struct queue_outcome {
        char *name;
        int64_t arrived, started, left, evictions;
        int64_t p50, p95; /* waits, in ns; -1: nobody started */
        double used[PLANNED_AMOUNTS];
        double borrowed[PLANNED_AMOUNTS];
    } * queues; /* by name */
    size_t count;
    struct queue_outcome all; /* together */
    int64_t bought;
    double node_hours;
    int64_t ended; /* when the last pod did */
    bool scored;   /* the estimates were asked for */
    struct score_sum score;
    char *board; /* what a page plays of it, as JSON; NULL: no page is wanted */
};

void outcome_take(const struct sim *sim, const struct plan *plan, struct outcome *ret);
void outcome_finish(struct outcome *outcome);

/* All of them side by side. Of many queues the table has those that differ most, so many at most
 * (0: all). */
void outcomes_table(const struct outcome *outcomes, size_t count, const struct trace *trace,
                    const char *trace_name, size_t most, FILE *out);
void outcomes_json(const struct outcome *outcomes, size_t count, const struct trace *trace,
                   const char *trace_name, FILE *out);

/* The same as a page, which plays each of them, too. False: errno says why it was not written. */
bool outcomes_page(const struct outcome *outcomes, size_t count, const struct trace *trace,
                   const char *trace_name, const char *path);

#endif
