/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_GRANT_HUNT_H
#define SLUICE_PLUGIN_GRANT_HUNT_H

#include "candidates.h"

/*
 * The fewest that must go so that a claim has room, as Kueue finds them: candidates are taken away
 * one after the other, in their order, until the claim fits; then those of whom it turns out that
 * they are not needed are given back, the last one first.
 *
 * Of a gang those go alone that are beyond its minimum; the others go together, and only if each of
 * them is a candidate.
 *
 * Where the claim's queue may not exceed its share by taking from others, both ways are tried, in
 * Kueue's order: to exceed it and leave those alone that may only be taken from within the share,
 * or the other way round.
 */

/* Finds victims for what is asked (hunt->asked, hunt->flavors). True: hunt->last is one of them,
 * and the pledge of each names another as `prev`; none, if there will be room anyway. Afterwards
 * hunt_end, or, by who takes these names out himself, hunt_take. */
bool hunt_begin(struct hunt *hunt);
void hunt_end(struct hunt *hunt);
void hunt_take(struct hunt *hunt);

/* Whether all of them are in other queues. */
bool hunt_reclaims(const struct hunt *hunt);

#endif
