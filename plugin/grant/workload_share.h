/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_GRANT_WORKLOAD_SHARE_H
#define SLUICE_PLUGIN_GRANT_WORKLOAD_SHARE_H

#include "workload_hunt.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What a search for victims asks of the queues' shares, in the numbers of later. A need is
 * contested if it does not fit as things stand: those who use something else are of no help.
 */

/* Which needs are contested; false: none. */
bool workload_share_find_contested(struct workload_hunt *hunt);

/* Whether the queue uses more of a contested need than its share. */
bool workload_share_exceeds(const struct workload_hunt *hunt, uint32_t queue);

/* The same for a queue that names no such quota any more: what is held there all the same is above
 * its share, and only counted by those above it. Looks at all that the queue holds. */
bool workload_share_exceeds_unnamed(const struct workload_hunt *hunt, uint32_t queue);

/* Whether there are such queues in this cohort: what its queues count is less than what it does. */
bool workload_share_has_unnamed(const struct workload_hunt *hunt, uint32_t cohort);

/* Whether the queue could hold what arrives at it within its share; what it keeps and does not use
 * does not pass on. */
bool workload_share_holds(const struct workload_hunt *hunt, uint32_t queue, wide *arrives);

/* Whether the asking queue uses less than its share of all that is contested. */
bool workload_share_is_under(const struct workload_hunt *hunt);

/* Whether all that is needed fits, borrowing or not. */
bool workload_share_fits(const struct workload_hunt *hunt, bool borrowing);

/* Whether a victim that is away, in what is used later, would be within the share again at some
 * level below the common one, by those needs that it uses, with as few pods as it takes: so it
 * could reclaim. */
bool workload_share_returns(const struct workload_hunt *hunt, uint32_t victim);

/* Whether, with that victim away, some level below the common one uses less than its share of
 * something that the victim used: so somebody else there could reclaim. */
bool workload_share_falls_short(const struct workload_hunt *hunt, uint32_t victim);

#endif
