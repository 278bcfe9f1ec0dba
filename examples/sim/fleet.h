/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_FLEET_H
#define SLUICE_SIM_FLEET_H

#include "examples/sim/map.h"
#include "examples/sim/tree.h"

struct sim;

/*
 * The clusters of a story that has more than one: a cluster that manages, with one or two managers
 * in it, and its workers.
 *
 *            steps ──▶ home (workloads) ──watch──▶ manager ──▶ its own library (observe, tick)
 *              │            ▲                         │
 *              │            └───── errands ◀── drain ─┘
 *              ▼                      ▼
 *            workers (copies, and a model of the Kueue there) ──watch──▶ manager
 *
 * `workload/x` is the manager's, `workload@c/x` is the one of that name in the worker c: a copy,
 * or one of the worker's own.
 */
struct fleet {
    bool is; /* the story has clusters */
    const char *library;
    struct map workers;   /* struct worker by name */
    struct map managers;  /* struct manager by name */
    struct map workloads; /* struct dispatch by reference */
    int64_t preemptions;
    /* Of this moment: at its end the engine is asked about them. */
    struct dispatch **touched;
    size_t n_touched, touched_cap;
};

/* `spec.clusters` of a scenario: checks it, and makes what it describes. */
void fleet_check(struct fault *fault, const struct tree *clusters);
void fleet_start(struct sim *sim, const char *library);

/* Appends what was recorded of each manager to the story's recording, one after the other. */
void fleet_record(struct sim *sim);
void fleet_finish(struct fleet *fleet);

/* Whether a reference names something in these clusters; "workload/x" for "workload@c/x". */
bool fleet_owns(const struct sim *sim, const char *ref);
const char *fleet_document(struct arena *arena, const char *ref);

/* The worker, and the copy in it, that a reference names: NULL after a fault. */
struct worker;
struct copy;
struct worker *fleet_worker_of(struct sim *sim, const struct tree *where, const char *ref);
struct copy *fleet_copy_of(struct sim *sim, const struct tree *where, const char *ref,
                           struct worker **ret_worker);

/* What steps do to workloads. */
void fleet_apply(struct sim *sim, const struct tree *where, const struct tree *doc,
                 const char *ref);
void fleet_patch(struct sim *sim, const struct tree *patch, const char *ref);
void fleet_delete(struct sim *sim, const struct tree *where, const char *ref);
void fleet_end(struct sim *sim, const struct tree *where, const char *ref);

/* The moment is over: what the managers say of workloads now is told. */
void fleet_end_moment(struct sim *sim);

#endif
