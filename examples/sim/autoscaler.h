/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_AUTOSCALER_H
#define SLUICE_SIM_AUTOSCALER_H

#include "examples/sim/world.h"

struct sim;

/*
 * What Cluster Autoscaler and Karpenter have in common. It knows nothing of queues: it reads the
 * condition PodScheduled (False, Unschedulable; no node, none nominated; of whatever age), asks
 * itself how many new nodes of its template those pods need that fit nowhere else, and has them
 * after a delay. It looks at once when a pod becomes Unschedulable, and every 10 s while one is.
 */
struct autoscaler {
    bool scanning; /* the next of its regular looks is planned */
    bool hurrying; /* an extra one is */
    int64_t bought;
    struct machine *coming; /* a node of the template, as it would be */
    int64_t n_coming;
    struct pod **wanting; /* pods that may want a node: those that do, and some that did */
    size_t n_wanting;
    size_t cap;
};

/* The API server has another state of the pod. */
void autoscaler_see(struct sim *sim, struct pod *pod);

/* A pod's condition has changed. */
void autoscaler_hear(struct sim *sim, const struct pod *pod);
void autoscaler_finish(struct autoscaler *autoscaler);

#endif
