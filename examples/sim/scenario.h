/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_SCENARIO_H
#define SLUICE_SIM_SCENARIO_H

#include "examples/sim/map.h"
#include "examples/sim/tree.h"

/*
 * A file of Kubernetes documents with the one that tells the story. Everything that can be known to
 * be wrong before the story is told is found here: unknown keys, values of the wrong kind, steps
 * out of order, references to documents that are not there.
 */

struct step {
    const struct tree *tree;
    int64_t at;
    int64_t until; /* when the next one begins; INT64_MAX: it is the last */
};

struct scenario {
    const char *name;
    const char *file;
    const struct tree *tree; /* the document itself */
    bool on_admission;
    const struct tree *config; /* for the library */
    const struct tree *autoscaler;
    const struct tree *clusters; /* NULL: there is one */
    struct map documents;        /* by reference */
    struct step *steps;
    size_t n_steps;
};

/* What is said when nothing else is: the last step has this long to come true. */
enum {
    SCENARIO_LAST_SECONDS = 600,
    SCENARIO_COPIES = 1000000,
};

/* Reads all that a file holds. False after a fault; scenario_finish must be called either way. */
bool scenario_read(struct arena *arena, struct fault *fault, const struct tree *documents,
                   struct scenario *ret);
void scenario_finish(struct scenario *scenario);

/* One item of apply, delete, complete, fail: a reference, or {reference: copies}. copies is 0 for
 * the document itself. NULL after a fault. */
const char *scenario_target(struct fault *fault, const struct tree *item, int64_t *ret_copies);

#endif
