/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ORACLE_NAIVE_WORLD_H
#define SLUICE_T_ORACLE_NAIVE_WORLD_H

#include "plugin/base/amount.h"
#include "t/oracle/world.h"

/*
 * Who holds what where, as plain tables: what the models of pods, of workloads and of both know
 * alike. Each fills them in from its own records when it asks for victims (naive_hunt.h) or flavors
 * (naive_flavors.h). Nothing in here is kept, and no usage is: whoever wants to know it counts.
 *
 * A claim is a pod, what lacks to a gang's minimum, or a workload. A cell is a flavor's resource.
 */
enum { NAIVE_NODES = 3 * QUEUE_NAMES, NAIVE_CLAIMS = UIDS + GROUPS };
/* Room that has no bound. */
#define NAIVE_UNLIMITED ((wide)1 << 120)

enum { NAIVE_CELLS = (FLAVORS + 1) * RESOURCES };

static inline int naive_cell(int flavor, int resource)
{
    return flavor * RESOURCES + resource;
}

struct naive_quota {
    wide share, kept;
    wide ceiling; /* of no meaning where it is not bounded */
    bool bounded;
    bool within;  /* somebody is promised room here within the share, which nobody exceeds then */
    bool nothing; /* so little is said of it that any use is more than the share */
};

/* A queue. */
struct naive_node {
    int parent; /* -1: none */
    bool is_cohort;
    bool is_volcano; /* shares are compared of what is contested alone, and guarantees count */
    bool spares;     /* nobody there goes for another queue */
    const int64_t *policy; /* the fields of its step */
    struct naive_quota at[NAIVE_CELLS];
};

/* What two are compared by; the newer one is less important. */
struct naive_rank {
    int64_t priority, since;
};

struct naive_claim {
    int node;        /* -1: in no queue */
    bool now, later; /* it uses something; it will, once all that is under way has come about */
    bool asks;       /* it waits, is promised nothing, has its turn to be asked in its queue, and
                      * could be admitted if nobody used anything */
    bool may_go;     /* nothing of its own speaks against it */
    bool rests;      /* it gave back just now */
    int gang;        /* -1: none */
    bool is_minimum; /* no member of its gang, but what that lacks */
    struct naive_rank rank, gang_rank; /* in no gang: the same twice */
    int64_t stamp;                     /* of its grant */
    const char *uid;
    wide uses[NAIVE_CELLS];  /* what it holds, or is promised */
    wide least[NAIVE_CELLS]; /* with as few pods as it may have; who waits: in whatever flavor */
};

struct naive_world {
    int node_count, claim_count;
    struct naive_node nodes[NAIVE_NODES];
    struct naive_claim claims[NAIVE_CLAIMS];
    struct {
        int64_t minimum, finished;
    } gangs[GROUPS];
};

/* So many nodes and claims, of which nothing is said yet. */
void naive_begin(struct naive_world *world, int nodes, int claims);

/* What each node uses of a cell, now or later; away (NULL: nobody): who is thought to be gone. */
void naive_count(const struct naive_world *world, int cell, bool later, const bool *away,
                 wide ret_used[NAIVE_NODES]);

/* How much more a claim of this node could ask for, with so much in use, now or later. */
wide naive_room(const struct naive_world *world, int cell, bool later, const wide used[NAIVE_NODES],
                int node);

/* From how far up a node borrows if it uses so much more: 0 where its own share holds that.
 * *ret_reclaims: there are others above, from whom quota can come back. */
int naive_height(const struct naive_world *world, int cell, const wide used[NAIVE_NODES], int node,
                 wide amount, bool *ret_reclaims);

/* The lowest node above both; -1: none. */
int naive_common(const struct naive_world *world, int a, int b);

#endif
