/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_NODES_H
#define SLUICE_SIM_NODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct machine;
struct pod_state;
struct world;

/*
 * The nodes that the scheduler has seen, by what is free. Of those on which a pod may run it takes
 * the emptiest, by cpu and then by name: a tournament, in which each match knows its winner and how
 * much room there is at most below it, so that few of many nodes are looked at:
 *
 *                 n2, 8 cpu
 *               /           \
 *        n1, 2 cpu           n2, 8 cpu
 *        /       \           /       \
 *   n0, 0 cpu  n1, 2 cpu  n2, 8 cpu  n3, 1 cpu
 */

/* What is known of the room below: these, and no other resources. */
enum nodes_amount {
    NODES_CPU,
    NODES_MEMORY,
    NODES_PODS,
    NODES_AMOUNTS,
};

struct nodes {
    struct match {
        struct machine *emptiest; /* NULL: nobody is below */
        int64_t free[NODES_AMOUNTS];
    } * matches;   /* the first is at 1, those below i at 2 i and 2 i + 1, nodes from `leaves` on */
    size_t leaves; /* a power of two; 0: none yet */
};

/* A node came, went, or has another amount free. */
void nodes_settle(struct world *world, struct machine *machine);

/* The emptiest node on which the pod may run and that `allows` does not refuse; NULL: there is
 * none. allows may be NULL. */
struct machine *nodes_choose(const struct world *world, const struct pod_state *pod,
                             bool (*allows)(const void *ctx, const struct machine *machine),
                             const void *ctx);
void nodes_finish(struct nodes *nodes);

#endif
