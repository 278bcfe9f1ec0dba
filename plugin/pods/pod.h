/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_PODS_POD_H
#define SLUICE_PLUGIN_PODS_POD_H

#include "plugin/base/facts.h"
#include "plugin/base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* Pods as they are seen: which of them make a claim, and the state that follows from what is seen.
 *
 *   not of our schedulers, exempt, finished, deleted before it was bound    no claim
 *   obeys no queue (did not opt in)       none until it is bound; then it counts as allocated
 *   bound                                 allocated
 *   past the reserve hook                 stays allocated until unreserve or the node is seen
 *   foreign gate, ResourceClaim, group    held
 *   found granted when a leader begins    restored in the order of the stamps
 *   else                                  waits, and passes at once where nobody comes first
 */

struct engine;

/* Takes note of a pod. ret_claim is 0 if it is no claim of ours; ret_outdated tells that another
 * pod of its name has taken its place. Negative on error. */
int pod_see(struct engine *e, const struct pod_facts *pod, uint32_t *ret_claim, bool *ret_outdated);

/* Its object was seen, not only named by the scheduler. */
void pod_confirm(struct engine *e, uint32_t claim);

/* The object is gone; one that is not known is ignored. */
void pod_lose(struct engine *e, struct text uid);

#endif
