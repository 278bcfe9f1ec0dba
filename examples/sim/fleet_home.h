/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_FLEET_HOME_H
#define SLUICE_SIM_FLEET_HOME_H

#include "examples/sim/fleet_worker.h"

enum { HOME_NAMES = 128 };

/*
 * The API server of the cluster that manages, and as much of its Kueue as a story needs: a workload
 * reserves quota a moment after it was created, and is nominated to all workers, or to those that
 * its status names; asked to retry, it loses its reservation, and gets another one a second later.
 */
struct dispatch {
    const char *ref; /* workload/NAME */
    const char *namespace;
    const char *name;
    const char *uid;
    int64_t version;
    int64_t priority;
    struct resources asks;
    struct names gates;       /* of its own */
    struct names chosen;      /* to which it shall be nominated */
    bool chooses;             /* else to all */
    struct names nominated;   /* to which it is */
    struct pairs annotations; /* the memory is one of them */
    const char *cluster;
    const char *check; /* Pending, Ready or Retry */
    bool there, active, reserved, finished;

    /* What became of it. */
    const char *openings; /* "a, b" */
    const char *opened_in;
    int64_t opened_at;
    int64_t preemptions;
    int64_t retries;
    int64_t writes; /* of its memory */
    const char *told_state;
    size_t place; /* among the workloads of the fleet, in the order in which they came */
    bool touched; /* it is one of those */
};

/* NULL: there is none, or it is gone. */
struct dispatch *home_find(const struct sim *sim, const char *namespace, const char *name);

/* What a Workload document asks for, its gates and priority; a fault names its place. */
void home_read_spec(struct sim *sim, const struct tree *doc, struct copy *ret);

/* What steps do. */
void home_apply(struct sim *sim, const struct tree *doc, const char *ref);
void home_patch(struct sim *sim, struct dispatch *workload, const struct tree *patch);
void home_delete(struct sim *sim, struct dispatch *workload);

/* What managers write. */
enum write home_annotate(struct sim *sim, struct dispatch *workload, const char *uid,
                         int64_t version, const struct pairs *annotations);
enum write home_set_cluster(struct sim *sim, struct dispatch *workload, const char *uid,
                            int64_t version, const char *cluster);
enum write home_retry(struct sim *sim, struct dispatch *workload, const char *uid, int64_t version,
                      const char *message);
void home_finish(struct sim *sim, struct dispatch *workload);

/* A worker evicts for it; a manager opened its gate. */
void home_count_preemptions(struct sim *sim, const struct copy *copy, int64_t count);
void home_count_opening(struct sim *sim, const struct copy *copy, const char *worker,
                        int64_t timeout);

/* Something about it changed: at the end of the moment it is told. */
void home_touch(struct sim *sim, struct dispatch *workload);

#endif
