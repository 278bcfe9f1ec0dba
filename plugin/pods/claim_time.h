/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_PODS_CLAIM_TIME_H
#define SLUICE_PLUGIN_PODS_CLAIM_TIME_H

#include "plugin/records/claim.h"

/* When a claim must be looked at again, whatever for. What then becomes of it: claim_expire.h. */

/* Time limits: of a reservation, of the wait between attempts, of being unconfirmed. */
enum {
    CLAIM_CONFIRM_SECONDS = 60,
    /* A granted pod must be seen in a scheduling cycle: by pre_filter, or, as a cluster without any
     * node ends the cycle before, as Unschedulable. */
    CLAIM_CYCLE_SECONDS = 300,
    CLAIM_BACKOFF_SECONDS = 10,
    CLAIM_BACKOFF_DOUBLINGS = 6,
};

/* When the claim must be looked at again; INT64_MAX: not for the time's sake. */
int64_t claim_deadline(const struct engine *e, uint32_t claim);

/* One more had its time: the next pause is longer. */
void claim_count_timeout(struct claim *claim);

/* When the pause is over of one that had its time. [REASON_BACKOFF] */
int64_t claim_pauses_until(const struct claim *claim);

/* When one that only the scheduler named is forgotten. [provisional] */
int64_t claim_confirm_by(const struct claim *claim);

/* Of an entry: when the room that it books is taken back, or its pause ends; INT64_MAX: for no such
 * reason. */
int64_t claim_booked_until(const struct engine *e, uint32_t entry);

/* It was let go (let_go.h), and all that was to be done for it is. */
bool claim_is_over(const struct engine *e, uint32_t claim);

/* It is looked at when it must be, or when the outbox must. */
void claim_set_timer(struct engine *e, uint32_t claim);

#endif
