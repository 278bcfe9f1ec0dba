/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_LANES_H
#define SLUICE_SIM_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "examples/sim/canvas.h"

struct sim;

/*
 * What became of single objects over time, a lane for each:
 *
 *   queue/team            ▒▒▒▒▒▒▒▒ Suspended              those whose state was not always Open
 *   workload/high         ▨▨▨▨███████                     waits, has quota, runs, leaves;
 *   workload@east/high    ▨▲▨▼████                        ▲ a signal, ▼ a gate that is opened
 *   pod/red-0             ▨▨▨▨███████                     in small stories
 *   cluster/east               ░░░                        cannot be reached
 *
 * It is made of the story's rows alone.
 */
enum lane_stage {
    LANE_NOTHING,
    LANE_WAITS,
    LANE_RESERVED,
    LANE_RUNS,
    LANE_LEAVES,
    LANE_STOPPED, /* a queue that lets nobody in, a cluster that is not reached */
};

enum { LANES_MOST = 24, LANE_STAGES_MOST = 64, LANE_MARKS_MOST = 16, LANE_HEIGHT = 34 };

struct lane {
    const char *ref;
    struct lane_stage_at {
        int64_t at;
        enum lane_stage stage;
        const char *word; /* of a queue: its state; else "" */
    } stages[LANE_STAGES_MOST];
    size_t n_stages;
    struct lane_mark {
        int64_t at;
        bool opens; /* a gate; else it is a signal */
    } marks[LANE_MARKS_MOST];
    size_t n_marks;
    bool tells; /* it has more than one stage */
};

struct lanes {
    struct lane lanes[LANES_MOST];
    size_t count;
    size_t left_out;
};

/* pods: of pods, too. */
void lanes_find(struct lanes *lanes, const struct sim *sim, bool pods);

/* How high all of them are, with what is below. */
double lanes_height(const struct lanes *lanes);
void lanes_draw(const struct lanes *lanes, struct canvas *canvas, double y);

#endif
