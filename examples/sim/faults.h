/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_FAULTS_H
#define SLUICE_SIM_FAULTS_H

#include <stdint.h>

#include "examples/sim/tree.h"

struct sim;

/* What goes wrong on purpose, from a step `fault:` until its time is over. */

enum fault_acks {
    ACKS_RIGHT,
    ACKS_NEVER, /* effects are carried out, and nobody says so */
    ACKS_TWICE,
    ACKS_WRONG, /* with each, one for an effect that was never given */
};

enum fault_observe {
    OBSERVE_RIGHT,
    OBSERVE_TWICE,
    OBSERVE_REORDER, /* what changes within 100 ms arrives in the opposite order */
    OBSERVE_DROP_DELETES,
    OBSERVE_LATE, /* the scheduler's queue hears of a pod 50 ms before the library does */
};

enum fault_patches {
    PATCHES_RIGHT,
    PATCHES_CONFLICT, /* refused, as if the object had changed */
    PATCHES_FAIL,     /* refused, as if the API server were away */
    PATCHES_LOST,     /* written, but the answer never comes: the host asks for a retry */
};

enum fault_binds {
    BINDS_RIGHT,
    BINDS_FAIL,
};

enum fault_evictions {
    EVICTIONS_RIGHT,
    EVICTIONS_REFUSED, /* by a disruption budget */
};

enum fault_webhook {
    WEBHOOK_RIGHT,
    WEBHOOK_OFF,  /* nobody is asked */
    WEBHOOK_PODS, /* about queues and commands nobody is asked */
};

struct faults {
    int acks; /* one of the enum of that name */
    int observe;
    int patches;
    int binds;
    int evictions;
    int webhook;
    int64_t watch;    /* how much later than usual changes are seen */
    int64_t requests; /* how much later than usual a manager's writes arrive */
    int64_t skew;     /* what the host's clock is wrong by */
    int epoch;        /* counts the faults, so that an old one's end does not end a newer one */
};

/* Checks a step's `fault:`, and starts it. */
void faults_check(struct fault *fault, const struct tree *spec);
void faults_start(struct sim *sim, const struct tree *spec);

#endif
