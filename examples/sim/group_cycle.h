/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_GROUP_CYCLE_H
#define SLUICE_SIM_GROUP_CYCLE_H

#include "examples/sim/scheduler.h"

/*
 * The cycle of a group of Kubernetes' own, which one of its pods stands for: all members that have
 * no node are tried together, and go together, or none does.
 *
 *   a member is held, or too few are there ──▶ all are held
 *   each has a node, tried one after the other, and taken back ──▶ all go, as pods do
 *   one has none ──▶ all are Unschedulable
 *
 * Where the scheduler takes siblings one by one (partialGroups), who is held is left out.
 */
void group_cycle(struct sim *sim, struct pod *pod);

/* Of one member (cycle.c): the node that it would have. */
struct trial {
    struct pod *pod;
    struct machine *machine;
};

/* Whether it would have one: it counts there until it is taken back. */
bool cycle_try(struct sim *sim, struct pod *pod, struct trial *ret_trial);
void cycle_take_back(struct sim *sim, const struct trial *trial);

/* It goes there; or there is no node, as for any pod, but that PostFilter is not asked. */
void cycle_go(struct sim *sim, const struct trial *trial);
void cycle_find_none(struct sim *sim, struct pod *pod);

/* Whether the library lets the pod pass (scheduler.c); it lies among the gated ones. */
bool scheduler_passes(struct sim *sim, struct pod *pod);
void scheduler_hold(struct sim *sim, struct pod *pod);

#endif
