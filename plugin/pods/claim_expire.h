/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_PODS_CLAIM_EXPIRE_H
#define SLUICE_PLUGIN_PODS_CLAIM_EXPIRE_H

#include <stdint.h>

/* What becomes of a claim as the time passes, when it is due by claim_time.h. */

struct engine;

/* Does what was due at that time, which may be long over; what is due since then comes in the order
 * of the claims that it is due for. The claim may be gone afterwards. */
void claim_expire(struct engine *e, uint32_t claim, int64_t due);

#endif
