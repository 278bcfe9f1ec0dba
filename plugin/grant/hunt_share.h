/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_GRANT_HUNT_SHARE_H
#define SLUICE_PLUGIN_GRANT_HUNT_SHARE_H

#include "plugin/base/amount.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What a search for victims asks of the queues' shares, in the numbers of later. A need is
 * contested if it does not fit as things stand: those who use something else are of no help.
 */
struct hunt;

/* Which needs are contested, and how much of each is missing; false: none. */
bool hunt_share_contest(struct hunt *hunt);

/* Whether the queue uses more of a contested need than its share. A queue that names no such quota
 * any more has no share of it: what is held there all the same is above it, and only counted by
 * those above. To know that takes a look at all that the queue holds; so it is only looked at where
 * `unnamed` says that there may be such queues. */
bool hunt_share_exceeds(const struct hunt *hunt, uint32_t queue, bool unnamed);

/* Whether there are such queues in this cohort: what its queues count is less than what it does. */
bool hunt_share_has_unnamed(const struct hunt *hunt, uint32_t cohort);

/* Whether the queue could hold what arrives at it within its share (quota_would_hold). */
bool hunt_share_holds(const struct hunt *hunt, uint32_t queue, wide *arrives);

/* Whether the asking queue uses less than its share of all that is contested. */
bool hunt_share_is_under(const struct hunt *hunt);

/* Whether it must not exceed its share of this need, where it must not borrow: of Volcano's queues
 * only what is contested is compared with it, as what a queue has no share of may still be plenty.
 */
bool hunt_share_matters(const struct hunt *hunt, uint32_t need);

/* Whether all that is needed fits, borrowing or not. */
bool hunt_share_fits(const struct hunt *hunt, bool borrowing);

/* After the claim, of a queue below `common`, was taken away: whether in Volcano's trees all
 * queues in between have what is kept for them. */
bool hunt_share_leaves_kept(const struct hunt *hunt, uint32_t claim, uint32_t common);

#endif
