/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_ORDER_SHORTAGE_H
#define SLUICE_PLUGIN_ORDER_SHORTAGE_H

#include "plugin/base/amount.h"
#include "plugin/base/tree.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What a demand that was refused lacks: one amount, in one flavor or in whichever of its group,
 * that is more than there is, and more than there would be without all who might be sent away for
 * it.
 *
 *   queue ─▶ demands that lack something, by flavor and resource, then by the amount
 *               each knows who comes first of those below it in the tree
 *
 * So after a release the first of those that may have enough now is found without looking at the
 * others, however many wait for more. The amount is a bound: below it a demand may still be
 * refused.
 */
struct shortage {
    uint64_t placements; /* as they stood when it was found: it tells nothing about later ones */
    wide amount;
    uint32_t resource; /* 0: of something that it cannot get at all */
    uint16_t flavor;   /* FLAVOR_NONE: in none of its group */
    uint32_t first;    /* the demand that comes first, of this one and those below it */
};

struct engine;

/* True: the demand lacks this, so nobody in it can be granted anything now. [judged] */
bool shortage_find(const struct engine *e, uint32_t demand, struct shortage *ret_shortage);

/* Of two demands, each of which may be none (0), the one whose head comes first. */
uint32_t shortage_first_of(const struct engine *e, uint32_t a, uint32_t b);

/* The first of the queue's demands that may lack nothing now; 0: none. */
uint32_t shortage_first(const struct engine *e, uint32_t queue);

/* A queue's demands that lack something. */
extern const struct tree_type demands_by_shortage;

const char *shortage_check(const struct engine *e, uint32_t demand);

#endif
