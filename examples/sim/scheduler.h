/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_SCHEDULER_H
#define SLUICE_SIM_SCHEDULER_H

#include "examples/sim/world.h"

struct sim;

/*
 * A simple kube-scheduler with our plugin: its cache, its queue, one cycle after the other.
 *
 *                pre_enqueue passes            a node fits
 *   gated ──────────────────────▶ active ─────────────────▶ binding ──▶ bound
 *     ▲                            ▲   │ no node fits           │
 *     └── it holds                 │   ▼                        ▼ it failed
 *                                  └── unschedulable          backoff
 *                          a node came, a pod went, 5 minutes
 */
struct scheduler {
    int epoch;       /* counts the restarts: what was meant for an older process is dropped */
    int64_t watched; /* when the latest notice arrives, so that none overtakes it */
    struct notice *batch;
    uint64_t tickets;
    bool cycling; /* a cycle is planned */
    struct entry {
        int64_t priority;
        int64_t since;
        uint64_t ticket;
        struct pod *pod;
    } * active; /* a heap */
    size_t n_active;
    size_t active_cap;
    struct entry *waiting; /* pods for which no node was found; void entries are dropped later */
    size_t n_waiting;
    size_t waiting_cap;
};

/* News from the watch. */
void scheduler_saw_pod(struct sim *sim, struct pod *pod, const struct pod_state *state);
void scheduler_saw_machine(struct sim *sim, struct machine *machine);

/* The library wants this pod moved out of the gated ones. */
void scheduler_activate(struct sim *sim, struct pod *pod);

/* The pod tries again: at once, or after a delay that grows with each attempt. */
void scheduler_enqueue(struct sim *sim, struct pod *pod);
void scheduler_back_off(struct sim *sim, struct pod *pod);

/* The library ends a pod's wait in Permit, if it waits there. */
void scheduler_answer_permit(struct sim *sim, struct pod *pod, bool allow, const char *why);

/* No node fits now; it waits for one of the reasons above. */
void scheduler_park(struct sim *sim, struct pod *pod);

/* The pod leaves its pool. */
void scheduler_leave(struct sim *sim, struct pod *pod);

/* The next of the active pods; NULL: there is none. */
struct pod *scheduler_pop(struct sim *sim);

/* The pod counts on a node from now on, or no longer on any. */
void scheduler_charge(struct sim *sim, struct pod *pod, struct machine *machine);
void scheduler_discharge(struct sim *sim, struct pod *pod);

/* The process is gone, with all that it knew. */
void scheduler_forget(struct sim *sim);
void scheduler_finish(struct scheduler *scheduler);

/* One pod's way from the queue to a node, or to the reason why not (cycle.c). */
void scheduler_plan_cycle(struct sim *sim);

#endif
