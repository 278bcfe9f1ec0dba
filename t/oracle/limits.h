/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ORACLE_LIMITS_H
#define SLUICE_T_ORACLE_LIMITS_H

#include "t/oracle/model.h"

/* The numbers of every queue and cell, counted from the claims. */
struct number {
    bool named;   /* the queue's own quota says something of it */
    bool sets;    /* what that says is more than that there is no limit */
    bool present; /* its own quota, or that of a queue below it, says something of it */
    bool bounded;
    wide share, kept, ceiling, usage;
    wide later; /* usage, when all that is promised has come, and all victims have gone */
    wide reserved, allocated; /* of all claims in the subtree */
    bool within;              /* somebody is promised room here within the share */
    wide promised;  /* Volcano's guarantees: the larger of one's own and the children's sum */
    wide effective; /* what is used or promised, whichever is more */
};

struct limits {
    struct number at[QUEUES][NAIVE_CELLS];
    bool again; /* asked for a claim that was granted before */
};

/* Volcano's trees have one flavor, Kueue's never have that one: other cells are not counted. */
static inline bool limits_has(int queue, int cell)
{
    return (cell / RESOURCES == FLAVOR_DEFAULT) == (model_kind(queue) == QUEUE_VOLCANO);
}

void limits_count(const struct model *model, struct limits *ret_limits);

/* The share with which a queue's usage is compared. */
wide limits_share(int queue, const struct number *number);

/* How much more a claim of this queue could ask for: as it is, or as it will be. */
wide limits_room_at(const struct model *model, const struct limits *limits, int queue, int cell,
                    bool later);

/* Whether a claim fits, and in which flavors. */
bool limits_fit(const struct model *model, const struct limits *limits,
                const struct model_claim *claim, int ret_flavors[RESOURCES]);

/* Whether it fits in the flavors that it names. */
bool limits_fit_in(const struct model *model, const struct limits *limits,
                   const struct model_claim *claim, const int flavors[RESOURCES]);

/* Whether this queue, or one above it, has more in use of this than it may; and whether some queue
 * has of something. */
bool limits_in_debt(const struct model *model, const struct limits *limits, int queue, int cell);
bool limits_exceeded(const struct model *model, const struct limits *limits);

/* The same two limits in their other forms, computed another way: NULL if they agree wherever
 * nobody is in debt. Volcano's: used or guaranteed, whichever is more, summed over a subtree,
 * against every capability above. Kueue's: what is available, as its cache computes it. */
const char *limits_disagree(const struct model *model, const struct limits *limits);

#endif
