/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ORACLE_MIXED_H
#define SLUICE_T_ORACLE_MIXED_H

#include "plugin/engine.h"
#include "t/oracle/difference.h"
#include "t/oracle/naive_flavors.h"
#include "t/oracle/random.h"
#include "t/oracle/supply.h"
#include "t/oracle/workload_world.h"

/*
 * Pods and workloads in the same ClusterQueues, and a host whose writes end in every way. Nodes are
 * cohorts, the second of which may hang below the first, and then ClusterQueues. All quotas are of
 * one resource group. Some pods are members of a group of Kubernetes' own, and granted together.
 * Claims are numbered: pods first, then workloads, then what the group's members wait for as one.
 */
enum { MIXED_COHORTS = 2, MIXED_QUEUES = 4, MIXED_NODES = MIXED_COHORTS + MIXED_QUEUES };
enum { MIXED_PODS = 12, MIXED_WORKLOADS = 8, MIXED_GANG = MIXED_PODS + MIXED_WORKLOADS };
enum { MIXED_CLAIMS = MIXED_GANG + 1, MIXED_NATIVE = GROUP_NATIVE_ONE /* of world.h */ };
enum { MIXED_FLAVORS = 2, MIXED_RESOURCES = 2, MIXED_STEPS = 400 };

struct mixed_pod {
    bool is, bound, deleted;
    bool member; /* of the group, whether that is there or not */
    int queue;   /* a node */
    int64_t asks[MIXED_RESOURCES];
    int32_t priority;
    int64_t created;
};

/* The group's object, and the queue in which its members are made. */
struct mixed_group {
    bool is, whole; /* whole: all its pods go, or none */
    int queue;      /* a node */
    int minimum;
    int64_t priority; /* UNSAID: that of its members */
    int64_t created;
};

struct mixed {
    struct engine *engine;
    struct supply supply;
    struct random random;
    bool trace, leads, synced;
    bool remakes; /* who owns a pod makes it again when it was evicted */
    int most;     /* a pod asks for at most so much */
    int64_t now;
    struct step nodes[MIXED_NODES];
    struct mixed_pod pods[MIXED_PODS];
    struct mixed_group group;
    struct workload_world world;
    struct workload_request requests[MIXED_WORKLOADS];
    bool was_promised[MIXED_CLAIMS];
    int evictions;
    char broken[DIFFERENCE_MAX];
};

/* A history: all objects are made; one step of it; and the host does all that there is to do, until
 * there is nothing left. */
void mixed_open(struct mixed *mixed);
void mixed_step(struct mixed *mixed);
void mixed_calm_down(struct mixed *mixed);
void mixed_close(struct mixed *mixed);

/* What there is, and how the engine hears of it; until it has nothing to do. */
void mixed_begin(struct mixed *mixed); /* one that knows nothing is shown all, and leads */
void mixed_rest(struct mixed *mixed);
void mixed_call(struct mixed *mixed, const struct step *step);
void mixed_show_pod(struct mixed *mixed, int pod);
void mixed_show_group(struct mixed *mixed);
void mixed_show_workload(struct mixed *mixed, int workload);
void mixed_edit_node(struct mixed *mixed, int node);

int mixed_below(struct mixed *mixed, int n);
bool mixed_one_in(struct mixed *mixed, int n);

/* Looks at the engine at rest, with everything counted anew: nobody waits who fits, or who would
 * find victims; whoever is promised room will have it; whoever goes may be made to. */
void mixed_look(struct mixed *mixed);

/* What the engine says of a claim. */
struct mixed_claim {
    bool is, waits, holds, goes, promised, within;
    bool may_go;   /* its room may be taken */
    bool yields;   /* it takes nobody's room */
    bool rests;    /* it gave back in this second, and whoever would take its room waits */
    int queue;     /* a node; -1: none */
    int64_t since; /* it waits */
    int64_t stamp; /* it was granted */
    int32_t priority;
    const char *uid;
    int64_t asks[MIXED_RESOURCES];
    int flavor; /* in which it holds, or is promised, all of it */
    int of;     /* for whom it goes; -1: nobody alone */
};

void mixed_read(const struct mixed *mixed, struct mixed_claim ret_claims[MIXED_CLAIMS]);

/* Whether the first comes before the second, if both wait in one queue. */
bool mixed_ranks_before(const struct mixed_claim *a, const struct mixed_claim *b);

/* Whether the claim waits, and may be asked in its queue. */
bool mixed_has_turn(const struct mixed *mixed, const struct mixed_claim claims[MIXED_CLAIMS],
                    int n);

/* What one that waits asks for, and may take nobody's room for. */
void mixed_request(const struct mixed_claim claims[MIXED_CLAIMS], int n, struct naive_request *ret);

/* All that there is, as the naive searches have it. */
void mixed_fill_tables(const struct mixed *mixed, const struct mixed_claim claims[MIXED_CLAIMS],
                       struct naive_world *ret);

#endif
