/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_FLEET_MANAGER_H
#define SLUICE_SIM_FLEET_MANAGER_H

#include "examples/sim/fleet_home.h"
#include "examples/sim/library.h"

struct sim;

/*
 * The process of a manager: a library of its own, which is shown the workloads and their copies in
 * all workers, and whose effects are carried out. Of several one leads, unless a story says
 * otherwise; the leases themselves are not modelled.
 */
struct manager {
    const char *name;
    const char *ref; /* manager/NAME */
    struct library library;
    const struct tree *config; /* multiKueue, for the library */
    int64_t skew;              /* what its clock is wrong by */
    int64_t tick_at;
    int64_t heard;   /* when the latest notice arrives */
    int64_t unknown; /* acknowledgements that the library could not place */
    bool orchestrates;
    bool leads;
    bool draining;
    int epoch; /* counts its processes */
};

void manager_start(struct sim *sim, struct manager *manager);
void manager_lead(struct sim *sim, struct manager *manager, bool leads);

/* The process dies, and another one starts: nothing is left but what is in the API servers. */
void manager_restart(struct sim *sim, struct manager *manager, const struct tree *config);

/* Appends what was recorded of its handle to the story's recording, if there is one. */
void manager_record(struct sim *sim, struct manager *manager);
int64_t manager_wall(const struct sim *sim, const struct manager *manager);
void manager_look_at_clock(struct sim *sim, struct manager *manager);

/* Calls the manager's library, and sees to what the answer asks for. NULL after an error. */
const msgpack_object *manager_call(struct sim *sim, struct manager *manager, enum loader_hook hook);

/* The map of `inspect` about a workload; NULL if it is not known there. */
const msgpack_object *manager_inspect(struct sim *sim, struct manager *manager,
                                      const char *namespace, const char *name);

/* The one that leads, or else the first. */
struct manager *manager_first(const struct sim *sim);

/* What the API servers send to all managers: it arrives a moment later, if it can. */
void managers_hear_workload(struct sim *sim, struct dispatch *workload);
void managers_hear_copy(struct sim *sim, struct worker *worker, struct copy *copy);
void managers_hear_worker(struct sim *sim, struct worker *worker);

#endif
