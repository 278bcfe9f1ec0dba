/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_EXPECT_H
#define SLUICE_SIM_EXPECT_H

#include "examples/sim/scenario.h"

struct sim;

/*
 * What a step expects must become true before the next step begins, and stay true until then. What
 * it says under `never` must not have been true at any moment since the story began.
 */
struct expectations {
    const struct step *step; /* the one that is watched; NULL: none */
    int64_t true_since;      /* -1: it has not been true yet */
    bool failed;             /* it was said already */
    const char **never_what; /* for each step: what its `never` names, and when it was; or NULL */
    size_t *nevers;          /* the steps that have one */
    size_t n_nevers;
    uint64_t changes; /* of the world when it was last looked at */
    int failures;
    int held; /* steps whose expectation held */
};

/* Checks the form of an expectation. What is never to be of a pod or queue that is not described
 * could not fail: a mistake. fleet: of a story with clusters. */
void expect_check(struct fault *fault, const struct tree *tree, const struct map *documents,
                  bool fleet);

/* Whether the key is one of the whole story's: nodes, leader, ... */
bool expect_is_world(const char *key);

/* The story begins. */
void expect_start(struct sim *sim);

/* A step's interval begins, a moment has passed, the interval is over. */
void expect_begin(struct sim *sim, const struct step *step);
void expect_moment(struct sim *sim);
void expect_end(struct sim *sim);

/* Notes that something is not as it should be: the wanted and the seen side by side. */
void expect_failed(struct sim *sim, const struct tree *where, const char *key, const char *wanted,
                   const char *seen);

/* What is seen where an expectation names it: text, "" or "gone"; NULL if there is no such key. A
 * key inside of a map is given as `inner`. */
const char *seen_of_pod(struct sim *sim, const char *ref, const char *key, const char *inner);
const char *seen_of_queue(struct sim *sim, const char *ref, const char *key, const char *inner,
                          bool *ret_is_amount);
/* Of all but pods. */
bool seen_is_there(struct sim *sim, const char *ref);
const char *seen_of_world(struct sim *sim, const char *key);

#endif
