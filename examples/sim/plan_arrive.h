/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_PLAN_ARRIVE_H
#define SLUICE_SIM_PLAN_ARRIVE_H

#include "examples/sim/sim.h"

/*
 * The rows of a plan's trace as objects of the story's cluster, when it is their time, and what
 * becomes of these in the end:
 *
 *     row ──▶ pods, with a PodGroup if they are a gang ──▶ ended: deleted; evicted: they come again
 *        └──▶ a Workload ──▶ ended: deleted; evicted: it waits again by itself
 */

/* The next rows arrive; it goes on by itself. */
void plan_arrive(struct sim *sim, void *what);

/* A pod has ended, or is gone without having ended; a workload's job has ended. */
void plan_pod_ended(struct sim *sim, struct pod *pod);
void plan_pod_gone(struct sim *sim, struct pod *pod);
void plan_workload_ended(struct sim *sim, struct workload *workload);

/* The document of a trace's queue that says what is its own: a Queue's or a ClusterQueue's. */
const struct tree *plan_queue_document(struct sim *sim, const char *queue, bool *ret_is_volcano);

#endif
