/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ORACLE_NAIVE_FLAVORS_H
#define SLUICE_T_ORACLE_NAIVE_FLAVORS_H

#include "t/oracle/naive_hunt.h"

/*
 * In which flavors one that waits in a ClusterQueue would be, were it its turn: as Kueue has it,
 * each resource is graded alone, then a resource group is as good as the worst of it; the first
 * flavor that stops the search is taken, or else the best. Where there are no victims for all of it
 * together the search goes on behind the last flavor tried.
 */
enum { NAIVE_SETS = 2, NAIVE_GROUPS = 2 };

struct naive_set {
    int count, minimum;      /* pods; 0: there is no such set */
    int64_t asks[RESOURCES]; /* of each pod; of what is not above 0 nothing is asked */
    bool may_have[FLAVORS];
};

struct naive_request {
    int claim;       /* of the world */
    bool takes;      /* it may send others away */
    bool undeclared; /* of what no resource group covers there is enough */
    struct naive_set sets[NAIVE_SETS];
};

enum naive_how {
    NAIVE_NO_FIT, /* not even if nobody else was there */
    NAIVE_NO_VICTIMS,
    NAIVE_PREEMPTS, /* some of its own queue go */
    NAIVE_RECLAIMS,
    NAIVE_FITS
};

struct naive_grade {
    int flavor; /* -1: none */
    enum naive_how how;
    int height; /* from how far up it borrows then */
};

struct naive_choice {
    enum naive_how how; /* the least of all grades */
    int height;         /* the largest */
    int counts[NAIVE_SETS];
    struct naive_grade made[NAIVE_SETS][RESOURCES];
    struct naive_wanted wanted;   /* all of it */
    struct naive_victims victims; /* who must go */
};

/* With as many pods as there can be. False: nothing comes of it. */
bool naive_choose(const struct naive_world *world, const struct naive_request *request,
                  struct naive_choice *ret);

/* Whether it could be admitted, if nobody used anything. */
bool naive_could_ever(const struct naive_world *world, const struct naive_request *request);

/* The resource group of a queue that covers the resource; -1: none. policy: fields of its step. */
int naive_group_of(const int64_t *policy, int resource);

#endif
