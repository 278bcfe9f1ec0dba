/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_TELLING_EXPLAIN_TURN_H
#define SLUICE_PLUGIN_TELLING_EXPLAIN_TURN_H

#include <stdint.h>

/* Whose turn it is, in a message to the owner of a claim. */

struct engine;
struct sentence;

/* Another claim, in a message to this claim's owner: names of another namespace are nobody's to
 * see. Who may see all finds it by its UID. */
void explain_other(struct sentence *say, const struct engine *e, uint32_t other, uint32_t claim);

/* That the claim's turn comes after that of another one, the head of its queue; or of another
 * queue, whose name it is told if both are of one namespace. */
void explain_claim_first(struct sentence *say, const struct engine *e, uint32_t head,
                         uint32_t claim);

/* That the claim's turn comes after that of a workload, the head of their queue. */
void explain_workload_first(struct sentence *say, const struct engine *e, uint32_t claim);

#endif
