/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_WORKLOAD_H
#define SLUICE_SIM_WORKLOAD_H

#include "examples/sim/world.h"

struct planned;
struct sim;
struct scenario;

/*
 * Workloads that are admitted in the story's own cluster: a story that describes one, and has no
 * spec.clusters. The library decides, and writes into them what it decides (workload_write.h); this
 * is the API server's part, and a plain model of the jobs behind them:
 *
 *     Admitted for a second ................. its job runs, with as many pods as it was given
 *     no longer Admitted, evicted, not active .. its pods stop, after their grace period
 *     stopped ............................... the library is shown so, and its quota is free
 *     complete, fail, sim.sluice.sh/runs-for .. Finished
 *
 * The pods themselves are not made.
 */
enum job { JOB_STOPPED, JOB_STARTS, JOB_RUNS, JOB_STOPS };

struct workload {
    struct object *object;
    struct planned *planned; /* of a trace; NULL: it is the story's own */
    int64_t runs_for;        /* of that: its job's time, in ns */
    enum job job;
    int epoch; /* counts the job's changes: what was planned before them is void */
    int64_t writes;
    int64_t evictions;
    const char *told_state;
    const char *told_reason;
};

struct workloads {
    bool is;           /* the story has such workloads */
    struct map by_ref; /* struct workload */
    uint64_t changes;  /* of the world when the library was last asked about them */
};

bool loads_are_in(const struct scenario *scenario);
void loads_finish(struct workloads *workloads);

/* Whether a reference names such a workload, and the one that it names: NULL if it is not there. */
bool workload_owns(const struct sim *sim, const char *ref);
struct workload *workload_find(const struct sim *sim, const char *ref);

/* What a document that is to be written says: the old status where it has none, the priority of its
 * WorkloadPriorityClass where it names one. */
const struct tree *workload_document(struct sim *sim, const struct object *object,
                                     const struct tree *doc);

/* The object was written, or is gone. */
void workload_changed(struct sim *sim, struct object *object);
void workload_set_status(struct sim *sim, struct workload *workload, const struct tree *status);

/* The moment is over: who waits now, and why, is told. */
void loads_end_moment(struct sim *sim);

/* Its job ends: "Succeeded" or "Failed". */
void workload_end(struct sim *sim, const struct tree *where, const char *ref, const char *reason);

/* How many pods it was admitted with. */
int64_t workload_count(const struct workload *workload);

#endif
