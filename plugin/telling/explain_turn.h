/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_TELLING_EXPLAIN_TURN_H
#define SLUICE_PLUGIN_TELLING_EXPLAIN_TURN_H

#include <stdint.h>

/* Whose turn it is, in a message to the owner of a claim. */

struct engine;
struct sentence;

/* Another claim, in a message to this one's owner: names of another namespace are nobody's to see.
 * Who may see all finds it by its UID. */
void explain_other(struct sentence *say, const struct engine *e, uint32_t other, uint32_t claim);

/* That a claim's turn comes after this head's of a queue; after the first workload of its own. */
void explain_claim_first(struct sentence *say, const struct engine *e, uint32_t head,
                         uint32_t claim);
void explain_workload_first(struct sentence *say, const struct engine *e, uint32_t queue,
                            uint32_t claim);

#endif
