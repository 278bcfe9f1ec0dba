/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_GRANT_WORKLOAD_DECIDE_H
#define SLUICE_PLUGIN_GRANT_WORKLOAD_DECIDE_H

#include "assign.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What would become of one workload that waits, were it its turn: it fits, in these flavors, or it
 * preempts those whose room it takes, or neither. Which of them is next, workload_next.h knows.
 */
enum decided { DECIDE_NOTHING, DECIDE_FITS, DECIDE_PREEMPTS };

struct decision {
    enum decided what;
    struct assignment made;
    uint32_t workload;
    bool waits_only; /* nobody has to go: the room is on its way already */
};

struct engine;

/* Decides about one that waits and changes nothing. */
void workload_decide(struct engine *e, uint32_t workload, struct decision *ret);

/* Who would go for one that preempts: at most so many names; returns how many. Changes nothing. */
struct workload_name;
uint32_t workload_decide_victims(struct engine *e, const struct decision *decision,
                                 struct workload_name *ret_names, uint32_t max);

/* The workload, which waits and is promised nothing, is reserved what was assigned. */
void workload_decide_reserve(struct engine *e, uint32_t workload, const struct assignment *made);

/* One that preempts is promised what its victims hold, and they are to go. */
void workload_decide_preempt(struct engine *e, const struct decision *decision);

/* Whether one that is promised something could have something else at once, where the policy goes
 * on behind a flavor in which others have to go. */
bool workload_decide_fits_elsewhere(struct engine *e, uint32_t workload,
                                    struct assignment *ret_made);

/* Whether a workload of this demand could be admitted, if nobody used anything: if it waits, then
 * for others, and not in vain. */
bool workload_decide_ever(struct engine *e, uint32_t demand);

#endif
