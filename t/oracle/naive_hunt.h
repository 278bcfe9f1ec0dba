/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ORACLE_NAIVE_HUNT_H
#define SLUICE_T_ORACLE_NAIVE_HUNT_H

#include "t/oracle/naive_world.h"

/*
 * Kueue's way to find the fewest victims, in its words, over pods, gangs and workloads: every
 * candidate, share and sum is looked at anew for each victim. Volcano's queues take back by the
 * same search what is used beyond a share.
 */

/* So much is asked for of each cell; never nothing. */
struct naive_wanted {
    int count;
    int cells[NAIVE_CELLS];
    wide amounts[NAIVE_CELLS];
};

enum naive_why {
    NAIVE_BY_SHARE,        /* the asking one's side would be within its share */
    NAIVE_WHILE_BORROWING, /* by priority, also if that exceeds its share */
    NAIVE_BY_PRIORITY,     /* only if its queue does not exceed its share then */
    NAIVE_OWN              /* of its own queue */
};

struct naive_victims {
    bool found;                      /* these suffice, if any have to go */
    bool within[NAIVE_CELLS];        /* of each amount: it must not exceed the queue's share then */
    int count, claims[NAIVE_CLAIMS]; /* in the order in which they were taken */
    enum naive_why whys[NAIVE_CLAIMS];
    bool away[NAIVE_CLAIMS]; /* who is gone then, by claim */
};

/* The victims for all that is wanted, for a claim that waits. */
void naive_hunt(const struct naive_world *world, int asks, const struct naive_wanted *wanted,
                struct naive_victims *ret);

/* Whether a policy lets the one take the other's room. */
bool naive_takes(int64_t whom, const struct naive_claim *asks, const struct naive_claim *other);

#endif
