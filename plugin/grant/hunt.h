/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_GRANT_HUNT_H
#define SLUICE_PLUGIN_GRANT_HUNT_H

#include "candidates.h"

/*
 * The fewest that must go so that a claim has room, as Kueue finds them:
 * candidates are taken away one after the other, in their order, until it fits; then those of whom
 * it turns out that they are not needed are given back, the last one first.
 *
 * Of a gang those go alone that are beyond its minimum; the others go together, and only if each of
 * them is a candidate, and none of them is to be left alone.
 *
 * Where the claim's queue may not exceed its share by taking from others, both ways are tried, in
 * Kueue's order: to exceed it and leave those alone that may only be taken from within the share,
 * or the other way round.
 *
 * If one of those that are found rests (rest.h), none is taken: in its place a more important one
 * would go.
 */

/* Finds victims for what is asked (hunt->needs). True: hunt->last is one of them, and the page of
 * each names another as `prev` (pledge.h); none, if there will be room anyway. They are away, in
 * what is used later, until hunt_end, or, by who takes them out himself, hunt_take: which leaves
 * hunt->last and those before it to him. */
bool hunt_begin(struct hunt *hunt);
void hunt_end(struct hunt *hunt);
void hunt_take(struct hunt *hunt);

/* Whether all of them are in other queues. */
bool hunt_reclaims(const struct hunt *hunt);

#endif
