/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_PLAN_H
#define SLUICE_SIM_PLAN_H

#include "examples/sim/trace.h"
#include "examples/sim/world.h"

/*
 * What a trace comes to under a story's queues and nodes. The story sets the cluster up, and may do
 * to it what it likes; beside it the trace's pods arrive, run as long as the trace says, and go.
 *
 *     trace ──▶ plan_arrive ──▶ world ──▶ bound, ended, evicted ──▶ what each queue saw
 */

/* What is measured of each queue's use. */
enum planned_amount {
    PLANNED_CPU, /* thousandths */
    PLANNED_GPU,
    PLANNED_AMOUNTS,
};

struct planned_queue {
    const char *name;
    int64_t *waits; /* from arrival to node of each pod, to its job's start of each workload; ns */
    size_t n_waits;
    size_t cap;
    int64_t arrived; /* of these three, what arrived when the plan measures */
    int64_t left;    /* still waits when the plan ends */
    int64_t evictions;
    int64_t
        deserved[PLANNED_AMOUNTS]; /* its own, beyond which it borrows; 0: nothing is anybody's */
    int64_t using[PLANNED_AMOUNTS];
    double used[PLANNED_AMOUNTS];     /* amount hours */
    double borrowed[PLANNED_AMOUNTS]; /* of these, beyond its own */
    int64_t since;                    /* until when these are summed up */
};

struct plan {
    const struct trace *trace;
    size_t next;          /* the row that arrives next */
    int64_t n_open;       /* pods and workloads that have arrived and not ended */
    int64_t from;         /* what was before is played, and not measured */
    int64_t until;        /* the end, also of what has not ended then */
    struct map queues;    /* struct planned_queue by the trace's name */
    struct map templates; /* struct tree, the document of a pod or workload, by its text */
    struct arena scratch; /* of one arrival */
    double node_hours;
    int64_t nodes_since;
    int64_t nodes_counted;
    int64_t bought_before; /* nodes, before it measures */
    int64_t ended;         /* the time of the last end */
    struct score *score;   /* of the estimates; NULL: nobody asks */
};

/* A pod of a trace, or a workload. */
struct planned {
    struct planned_queue *queue;
    const struct trace_row *row;
    int64_t uses[PLANNED_AMOUNTS];
    int64_t arrived;
    int64_t started; /* it got its node; 0: not yet */
    bool counts;     /* it arrived when the plan measures */
    bool runs;
    bool over;
};

/* Before the story is told: the arrivals are under way. After it: goes on until all have ended. */
void plan_start(struct sim *sim, struct plan *plan);
bool plan_finish_story(struct sim *sim);

/* One of a row's pods arrives, or the workload that they are. */
struct planned *plan_arrived(struct sim *sim, const struct trace_row *row);

/* What became of it, and that there are more or fewer nodes; what is no plan's (NULL) is left
 * alone. One that stopped waits again. Of one that is over it is told whether that is news. */
void plan_started(struct sim *sim, struct planned *planned);
void plan_stopped(struct sim *sim, struct planned *planned);
bool plan_over(struct sim *sim, struct planned *planned);
void plan_nodes(struct sim *sim);

void plan_finish(struct plan *plan);

#endif
