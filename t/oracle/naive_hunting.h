/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ORACLE_NAIVE_HUNTING_H
#define SLUICE_T_ORACLE_NAIVE_HUNTING_H

#include "t/oracle/naive_hunt.h"

/* One search for victims (naive_hunt.h) as it goes on, and what it compares with shares: counted
 * anew whenever somebody is thought away, or back. */
struct hunting {
    const struct naive_world *world;
    const struct naive_wanted *wanted;
    int asks, queue;
    const int64_t *policy; /* of that queue */
    bool contested[NAIVE_CELLS];
    struct {
        bool is;
        enum naive_why why;
        int common; /* the lowest node above both */
        int unit;   /* those who were thought away together have one */
        bool whole; /* these were all that stayed of a gang */
    } candidates[NAIVE_CLAIMS];
    bool away[NAIVE_CLAIMS];
    int order[NAIVE_CLAIMS], count; /* in which they were thought away */
    wide (*used)[NAIVE_NODES];      /* of each amount's cell, without them */
};

static inline const struct naive_claim *hunting_claim(const struct hunting *h, int n)
{
    return &h->world->claims[n];
}

static inline int hunting_parent(const struct hunting *h, int node)
{
    return h->world->nodes[node].parent;
}

/* The quota of an amount's cell. */
static inline const struct naive_quota *hunting_quota(const struct hunting *h, int node, int i)
{
    return &h->world->nodes[node].at[h->wanted->cells[i]];
}

/* What a claim uses of an amount's cell. */
static inline wide hunting_uses(const struct hunting *h, int n, int i)
{
    return hunting_claim(h, n)->uses[h->wanted->cells[i]];
}

/* The claim is away from now on, or there again. */
void hunting_think(struct hunting *h, int n, bool away);

/* Whether an amount is compared with shares: in Volcano's trees only what is contested. */
bool hunting_matters(const struct hunting *h, int i);

/* Whether there is room for an amount. */
bool hunting_has_room(const struct hunting *h, int i);

/* Whether there is room for all of them, within the queue's share, or (borrowing) whatever that is.
 */
bool hunting_fits(const struct hunting *h, bool borrowing);

/* Whether the queue uses less than its share of all that is contested. */
bool hunting_is_under(const struct hunting *h);

/* Whether all nodes from this one to below the common one use more than their share of something
 * that is contested. */
bool hunting_all_exceed(const struct hunting *h, int node, int common);

/* Whether, somewhere from the queue to below the common node, all of the amounts would be within
 * the share, if they came to this queue. */
bool hunting_holds(const struct hunting *h, int queue, int common, const wide amounts[NAIVE_CELLS]);

#endif
