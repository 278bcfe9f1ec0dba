/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_WATCH_H
#define SLUICE_SIM_WATCH_H

#include "examples/sim/world.h"

/*
 * How the scheduler's process hears of the world: each change arrives a moment later, in order, at
 * the library (observe) and at the scheduler's own cache and queue.
 */
void watch_pod(struct sim *sim, struct pod *pod);
void watch_object(struct sim *sim, struct object *object);
void watch_machine(struct sim *sim, struct machine *machine);

/* What depends on a namespace, on a ClusterQueue, on who may use Volcano's queues, or on an owner
 * that has changed: pods, PodGroups, and, where there are Workloads, LocalQueues. */
void watch_namespace(struct sim *sim, const char *namespace);
void watch_cluster_queue(struct sim *sim, const char *name);
void watch_users(struct sim *sim);
void watch_owner(struct sim *sim, const char *owner);

/* The first listing of a scheduler that has just started: everything that exists, at once. */
void watch_list(struct sim *sim);

#endif
