/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_GRANT_ASSIGN_H
#define SLUICE_PLUGIN_GRANT_ASSIGN_H

#include "plugin/base/amount.h"
#include "plugin/base/facts.h"
#include "plugin/records/assignment.h"
#include "plugin/records/claim_need.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * In which flavors of a ClusterQueue a workload would get what its pod sets ask for, and at what
 * price:
 *
 *   pod set ─▶ resource group ─▶ flavor, flavor, ...     the first that will do, or else the best
 *
 * What a pod set asks of a group comes in one flavor, which is as good as for the worst of the
 * resources. A pod set is as good as the worst of its groups, a workload as the worst of its pod
 * sets; a later pod set finds what the earlier ones leave. A flavor will do if it fits, if it
 * borrows and whenCanBorrow stops there, if it preempts and whenCanPreempt does. Where a search
 * ended before the last flavor, the next attempt goes on behind it.
 *
 * Changes nothing, allocates nothing.
 */

struct engine;

/* Who knows whom others can be sent away for. `of` finds out for one resource alone, PREEMPTS,
 * RECLAIMS or NO_VICTIMS, and from how far up it is borrowed when they are gone; `of_all` whether
 * there are victims for all that is assigned. Functions of NULL: nobody is ever sent away. */
struct assign_victims {
    void *ctx;
    enum assign_how (*of)(void *ctx, uint16_t flavor, uint32_t resource, wide amount,
                          uint32_t *ret_height);
    bool (*of_all)(void *ctx, const struct assignment *assignment);
};

struct assign_ask {
    const struct engine *e;
    uint32_t queue;
    struct assign_victims victims;
    bool ever; /* fits wherever it could if nobody used anything */
    uint32_t set_count;
    const struct assign_set *sets;
    struct assign_cursor from;
};

/* Whether it could be admitted: at once, or when its victims are gone. If not with all of its pods,
 * then with as many as possible, down to the minimum of each pod set, in proportion. If not at all,
 * the answer is about all of its pods. */
bool assign(const struct assign_ask *ask, struct assignment *ret_assignment);

/* The same in as many attempts as it takes, each of which goes on behind where the one before it
 * ended; at most ASSIGN_ATTEMPTS. */
bool assign_repeatedly(struct assign_ask *ask, struct assignment *ret_assignment);

/* As `assign`, for just these counts of pods, whether or not there are victims for all of it. */
void assign_counts(const struct assign_ask *ask, const uint32_t *counts,
                   struct assignment *ret_assignment);

/* What it takes in all: each flavor and resource once, in the order of pod sets and needs. Returns
 * how many. */
enum { ASSIGN_MAX_AMOUNTS = ASSIGN_MAX_SETS * FACTS_MAX_NEEDS };

uint32_t assign_total(const struct assign_ask *ask, const struct assignment *assignment,
                      struct claim_need ret_amounts[ASSIGN_MAX_AMOUNTS]);

#endif
