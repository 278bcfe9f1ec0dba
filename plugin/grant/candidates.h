/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_GRANT_CANDIDATES_H
#define SLUICE_PLUGIN_GRANT_CANDIDATES_H

#include "assign.h"
#include "plugin/base/amount.h"
#include "policy.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Who may have to go, so that a claim has room, and in which order:
 *
 *   1. in other queues, where the asking one's own subtree could hold it within its share: those
 *      that live above their queue's share in what is asked for must give it back
 *   2. in other queues, by priority
 *   3. in its own queue
 *
 * in each: lower priority first, newest first, uid last. Who holds room is a candidate if it obeys
 * the queues, uses what is contested, and the policy of the asking one's queue lets it be one. In
 * other queues it is one only as long as every queue from its own up to below the lowest common
 * ancestor uses more than its share, and, in Volcano's trees, its queue is reclaimable, and is not
 * left with less than is kept for it. Who could not come back is none (queue_spares).
 *
 * All numbers are those of later (promise.h): who goes already has gone.
 */

/* A search for victims. Who asks says in what follows up to `needs` for whom, and for what. */
struct hunt {
    struct engine *e;
    uint32_t queue;
    struct policy_rank rank;
    uint32_t group; /* the gang that asks, or is asked for; 0: none */
    uint32_t count;
    struct claim_need needs[ASSIGN_MAX_AMOUNTS];

    bool contested[ASSIGN_MAX_AMOUNTS]; /* for which of these there is no room */
    wide lacks[ASSIGN_MAX_AMOUNTS];     /* how much of each is missing */
    uint32_t uses;                      /* the bits of the latter (removable.h) */
    uint64_t number;
    uint32_t sources;           /* heap of queues, by their next candidates */
    uint32_t last_source;       /* the one of these that was found last (source.also) */
    uint32_t looked;            /* how many candidates were looked at */
    uint32_t last;              /* the claim that was taken away last (hunt.h) */
    bool by_share, by_priority; /* whether there are candidates of these places */
    bool within;                /* there is room without exceeding the queue's share */
};

/* Finds the queues that they come from, in a state in which nobody is taken away, for what is
 * contested (hunt_share.h). Costs what queues are below the root. */
void candidates_collect(struct hunt *hunt);

/* Whether all candidates together use as much as is lacking: false if there would not be room
 * without all of them. Looks at as many as that takes. */
bool candidates_suffice(struct hunt *hunt);

/* The next candidate that is still one, now that others were taken away, or 0. borrowing: the
 * asking one may exceed its queue's share; then some others must be left alone. Costs the logarithm
 * of the candidates. */
uint32_t candidates_next(struct hunt *hunt, bool borrowing);

/* Whether the claim is among the candidates, whether its turn has come or not. */
bool candidates_have(const struct hunt *hunt, uint32_t claim);

/* Whether this candidate of another queue, which is taken by priority, may be taken also if the
 * asking one's queue exceeds its share. */
bool candidates_go_while_borrowing(const struct hunt *hunt, uint32_t claim);

#endif
