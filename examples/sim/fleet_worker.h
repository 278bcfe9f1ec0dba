/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_FLEET_WORKER_H
#define SLUICE_SIM_FLEET_WORKER_H

#include "examples/sim/map.h"
#include "examples/sim/pod.h"
#include "examples/sim/world.h"

struct sim;

/*
 * A worker cluster: its API server, and a plain model of the Kueue in it. This is no Kueue: it has
 * one queue with one quota, and does by itself what a manager can tell from outside:
 *
 *   a while after something changed, by priority and age, each workload that holds no quota
 *       fits ................................. reserves, and is admitted
 *       fits when who leaves is gone ......... waits
 *       would fit without these victims
 *           and a gate is closed ............. signals, takes no room
 *           and none is ...................... evicts them; they leave after their grace
 *       else ................................. waits, and does not signal any more
 *   StrictFIFO ends there; BestEffortFIFO looks at the next one.
 *
 * An eviction closes all gates and clears the signal in the same write. What a worker writes has
 * its own clock's times, in whole seconds.
 */
enum worker_policy { WORKER_NEVER, WORKER_LOWER, WORKER_LOWER_OR_NEWER };

/* A Workload in a worker cluster. */
struct copy {
    const char *ref; /* workload@CLUSTER/NAME */
    const char *namespace;
    const char *name;
    const char *uid;
    const char *origin; /* uid of the manager's workload; "": the worker's own */
    int64_t version;
    int64_t created; /* the order in which they were */
    int64_t priority;
    struct resources asks;
    struct names gates;
    uint32_t open; /* a bit for each of the gates */
    int64_t signalled;
    int64_t runs_for; /* from its admission on, then it has finished; 0: until a step ends it */
    bool there, signals, reserved, admitted, evicted, finished, leaving;
    bool parked; /* its gate was opened, and that did not wake it */
};

struct worker {
    const char *name;
    const char *ref; /* cluster/NAME */
    struct resources quota;
    enum worker_policy within;
    bool strict;
    bool deaf;     /* an opening wakes nobody: upstream's second hole */
    bool prunes;   /* its CRD knows no gates, and drops them */
    int64_t cycle; /* how long after a change it looks at what waits */
    int64_t grace; /* how long victims take to leave */
    int64_t check; /* how long from the reservation to the admission */
    int64_t skew;  /* what its clock is wrong by */
    bool reachable;
    bool configured; /* the managers know it */
    bool planned;    /* a cycle is */
    int epoch;       /* counts what broke its connections */
    struct map copies;
    int64_t version;
    int64_t preemptions;
    int64_t created;    /* copies of managers', so far */
    struct copy *saved; /* a backup of it; NULL: none */
    size_t n_saved;
    int64_t saved_version;
};

/* Reads `workers: {NAME: {...}}`. */
void worker_check(struct fault *fault, const struct tree *spec);
struct worker *worker_new(struct sim *sim, const char *name, const struct tree *spec);

/* NULL: there is none, or it is gone. */
struct copy *worker_find(const struct worker *worker, const char *namespace, const char *name);

/* Creates one of the worker's own, or a copy of a manager's. CONFLICT: it is there. */
enum write worker_create(struct sim *sim, struct worker *worker, const struct copy *about);

/* uid NULL: whichever is there. */
enum write worker_delete(struct sim *sim, struct worker *worker, const char *namespace,
                         const char *name, const char *uid);

/* Sets a gate's status. version 0: whatever it is. */
enum write worker_set_gate(struct sim *sim, struct worker *worker, struct copy *copy,
                           const char *gate, bool open, int64_t version);
bool worker_gate_is_open(const struct copy *copy, const char *gate);

void worker_evict(struct sim *sim, struct worker *worker, struct copy *copy, const char *why);
void worker_complete(struct sim *sim, struct worker *worker, struct copy *copy);

/* What else happens to it: nobody can reach it, it is reached again, it is put back to what it was
 * when it was saved. */
void worker_disconnect(struct sim *sim, struct worker *worker);
void worker_connect(struct sim *sim, struct worker *worker);
void worker_save(struct sim *sim, struct worker *worker);
void worker_restore(struct sim *sim, struct worker *worker);
void worker_resize(struct sim *sim, struct worker *worker, const struct tree *quota);

#endif
