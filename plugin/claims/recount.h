/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_CLAIMS_RECOUNT_H
#define SLUICE_PLUGIN_CLAIMS_RECOUNT_H

#include "plugin/capacity/quota.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * A queue that begins to have a cell must learn what all below it hold already. Where few do it is
 * counted at once; else by a pass over all claims, a slice at a time:
 *
 *     claims   1 2 3 4 5 6 7 ...
 *              counted │ not yet: what changes there is counted when the pass comes to it
 *                      at
 *
 * Until the pass is at its end the cell limits nothing, and passes all that is used on as it is.
 * Meanwhile nobody is granted anything who asks for that, or whose flavor could be that one, and
 * nobody finds victims.
 */
enum { RECOUNT_AT_ONCE = 48, RECOUNT_SLICE = 256 };

struct recount {
    uint32_t at;    /* the claim that comes next */
    uint32_t cells; /* that are not counted yet */
};

/* The queue has this new cell; it is about to go. */
void recount_cell(struct engine *e, uint32_t queue, struct cell *cell);
void recount_forget(struct engine *e, uint32_t queue, struct cell *cell);

/* The queue comes to hang somewhere else, or goes: where it holds anything the pass begins anew. */
void recount_moves(struct engine *e, uint32_t queue);

/* Whether what this claim holds is counted where it holds it. */
bool recount_has(const struct engine *e, uint32_t claim);

/* One slice. */
void recount_some(struct engine *e);

const char *recount_check(const struct engine *e);

#endif
