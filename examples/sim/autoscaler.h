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
};

/* A pod's condition has changed. */
void autoscaler_hear(struct sim *sim, const struct pod *pod);

#endif
