/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_GRANT_CANDIDATES_H
#define SLUICE_PLUGIN_GRANT_CANDIDATES_H

#include "plugin/base/amount.h"
#include "plugin/base/facts.h"
#include "plugin/base/tree.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Who may have to go, so that a claim has room, and in which order:
 *
 *   1. in other queues, where the claim's own subtree could hold it within its share: those that
 *      live above their queue's share in what is asked for must give it back
 *   2. in other queues, by priority
 *   3. in the claim's own queue
 *
 * in each: lower priority first, newest first, uid last. A claim is a candidate if it obeys the
 * queues, uses what is contested, and the policy of the asking claim's queue lets it be one. In
 * other queues it is one only as long as every queue from its own up to below the lowest common
 * ancestor uses more than its share, and, in Volcano's trees, its queue is reclaimable, and is not
 * left with less than is kept for it. Who could not come back is none (queue_spares).
 *
 * All numbers are those of later (promise.h): who goes already has gone.
 */
enum candidate_place { CANDIDATE_BY_SHARE, CANDIDATE_BY_PRIORITY, CANDIDATE_OF_OWN_QUEUE };

/* A queue, as one that candidates come from. All of its candidates have the same place. */
struct source {
    struct tree_link link; /* in the search's tree of those that have candidates left */
    uint64_t hunt;         /* the last search in which it was one */
    uint32_t common; /* the lowest queue above it and the asking claim's queue; 0: it is that */
    uint32_t next;   /* its next candidate */
    enum candidate_place place;
};

/* A search for one claim's victims. */
struct hunt {
    struct engine *e;
    uint32_t claim;
    uint32_t queue;
    uint16_t flavors[FACTS_MAX_NEEDS];
    bool asked[FACTS_MAX_NEEDS];     /* which of its needs are looked at */
    bool contested[FACTS_MAX_NEEDS]; /* for which of these there is no room */
    wide lacks[FACTS_MAX_NEEDS];     /* how much of each is missing */
    uint32_t uses;                   /* the bits of the latter (removable.h) */
    uint64_t number;
    uint32_t sources;           /* tree of queues, by their next candidates */
    uint32_t looked;            /* how many candidates were looked at */
    uint32_t last;              /* who was taken away last (hunt.h) */
    bool by_share, by_priority; /* whether there are candidates of these places */
    uint64_t within;            /* needs with which the claim must not exceed its queue's share */
};

/* What there is no room for; false: nothing. */
bool candidates_contest(struct hunt *hunt);

/* Finds the queues that they come from, in a state in which nobody is taken away. Costs what queues
 * are below the root. */
void candidates_collect(struct hunt *hunt);

/* Whether all candidates together use as much as the claim lacks: false if it would not have room
 * without all of them. Looks at as many as that takes. */
bool candidates_suffice(struct hunt *hunt);

/* The next candidate that is still one, now that others were taken away, or 0. borrowing: the
 * asking claim may exceed its queue's share; then some others must be left alone. Costs the
 * logarithm of the candidates. */
uint32_t candidates_next(struct hunt *hunt, bool borrowing);

/* Whether the claim is among the candidates, whether its turn has come or not. */
bool candidates_have(const struct hunt *hunt, uint32_t claim);

/* After it was taken away: whether its queue has what is kept for it. */
bool candidates_leave_kept(const struct hunt *hunt, uint32_t candidate);

/* Whether the claim's queue is below its share of all that is contested; and whether it would
 * exceed it with the claim. */
bool candidates_under_share(const struct hunt *hunt);
bool candidates_would_borrow(const struct hunt *hunt);

/* The needs for which the latter is looked at, a bit for each. */
uint64_t candidates_within(const struct hunt *hunt);

/* A queue's share, as its usage is compared with it. */
struct cell;
struct queue;
wide candidates_share(const struct queue *queue, const struct cell *cell);

#endif
