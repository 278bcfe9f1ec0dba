/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_CLAIMS_CLAIM_CHANGE_H
#define SLUICE_PLUGIN_CLAIMS_CLAIM_CHANGE_H

#include "plugin/records/claim.h"

/* How a claim changes: its state, what it holds, and where it is found by that. */

/* The one place where a claim changes its state: takes it out of where it was, gives back what it
 * held, puts it where it belongs. Cannot fail. */
void claim_change(struct engine *e, uint32_t claim, enum claim_state state, enum reason reason);

/* When it was granted, as its pod says; moves it among those that hold. */
void claim_set_stamp(struct engine *e, uint32_t claim, int64_t stamp);

/* The flavors that it is granted, or, with NULL, none. [holds nothing] */
void claim_set_flavors(struct engine *e, uint32_t claim, const uint16_t *flavors);

/* The claim is reserved in these flavors. */
void claim_reserve(struct engine *e, uint32_t claim, const uint16_t *flavors);

/* It has its node, or the reserve hook has passed it. */
void claim_allocate(struct engine *e, uint32_t claim);

/* A place among those that a restart found granted: they get their reservations back in order. An
 * entry, which holds nothing, takes and leaves it by itself. */
void claim_to_restore(struct engine *e, uint32_t claim);
void claim_join_restoring(struct engine *e, uint32_t entry);
void claim_leave_restoring(struct engine *e, uint32_t entry);

/* When the claim is to be looked at again, for the time's sake; INT64_MAX: not at all. */
void claim_wake_at(struct engine *e, uint32_t claim, int64_t at);

/* An entry begins or ends to wait. */
void claim_enter_line(struct engine *e, uint32_t claim);
void claim_leave_line(struct engine *e, uint32_t claim);

/* An entry that does not wait begins to hold room itself, in these flavors; or, with NULL, ends to.
 */
void claim_hold_entry(struct engine *e, uint32_t claim, const uint16_t *flavors);

/* Completes its flavors where no grant and no stamp tells them, and chooses those of a pod that was
 * bound without a stamp anew. What it holds is charged to them; then, if it returns true, the
 * queues above it are to be refreshed. */
bool claim_guess_flavors(struct engine *e, uint32_t claim);

#endif
