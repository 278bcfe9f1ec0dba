/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_PODS_CLAIM_REST_H
#define SLUICE_PLUGIN_PODS_CLAIM_REST_H

#include "plugin/records/claim.h"

/* Where a claim is that holds no room: what keeps it from waiting, and whether it passes at
 * once. */

/* What holds a claim that holds no room; REASON_NONE: nothing does, so it waits. */
enum reason claim_rest(const struct engine *e, uint32_t claim);

/* Nobody waits longer who could pass now: else it would have, or room is still being given away in
 * its tree. So a newcomer that fits takes nobody's turn, but for a head that must not be passed;
 * and where room is being given away it takes part in that instead. */
bool claim_may_pass_now(struct engine *e, uint32_t claim, uint16_t *ret_flavors);

/* A pod that waited alone has got its turn. */
void claim_grant_alone(struct engine *e, uint32_t claim, const uint16_t *flavors);

/* Puts it there, and grants it at once if it fits and nobody's turn comes before its. */
void claim_to_rest(struct engine *e, uint32_t claim);

#endif
