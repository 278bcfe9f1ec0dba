/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_PODS_CLAIM_TIME_H
#define SLUICE_PLUGIN_PODS_CLAIM_TIME_H

#include "plugin/records/claim.h"

/* What becomes of a claim as the time passes. */

/* Time limits: of a reservation, of the wait between attempts, of being unconfirmed. */
enum {
    CLAIM_CONFIRM_SECONDS = 60,
    /* A granted pod must be seen in a scheduling cycle: by pre_filter, or, as a cluster without any
     * node ends the cycle before, as Unschedulable. */
    CLAIM_CYCLE_SECONDS = 300,
    CLAIM_BACKOFF_SECONDS = 10,
    CLAIM_BACKOFF_DOUBLINGS = 6,
    CLAIM_MOST_TIMEOUTS = 63, /* that are counted */
};

/* When the claim must be looked at again; INT64_MAX: not for the time's sake. */
int64_t claim_deadline(const struct engine *e, uint32_t claim);
int64_t claim_pauses_until(const struct claim *claim); /* [REASON_BACKOFF] */
void claim_set_timer(struct engine *e, uint32_t claim);

/* Does what is due. The claim may be gone afterwards. */
void claim_expire(struct engine *e, uint32_t claim);

#endif
