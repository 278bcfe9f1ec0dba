/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_GRANT_POLICY_H
#define SLUICE_PLUGIN_GRANT_POLICY_H

#include "plugin/base/policy_rank.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Whom a queue's policy takes room from, for a claim that asks: who is less important, or newer.
 *
 * A gang asks with a rank of its own, its group's age and priority. Who was granted a place with it
 * is compared with both ranks, and must be less than the asking claim in both: else that claim
 * could take the place, the gang take it back with its own rank, and so on for ever. For the same
 * reason nobody takes the place of another member of its own gang, in whatever queues they are.
 */

struct engine;

/* The group whose members may have to go with the claim; 0: it goes alone. */
uint32_t policy_gang(const struct engine *e, uint32_t claim);

/* That with which the claim's gang asks; its own, if it asks alone. */
struct policy_rank policy_rank_of(const struct engine *e, uint32_t claim);

/* Whether the claim's room may be taken by one of this rank, and of this group (0: none). */
bool policy_takes(const struct engine *e, struct policy_rank asks, uint32_t group, uint32_t claim,
                  enum preempt_whom whom);

/* Whether none is taken who would go behind this claim, since that is not. */
bool policy_takes_nobody_behind(const struct engine *e, struct policy_rank asks, uint32_t claim,
                                enum preempt_whom whom);

/* The claim's priority, or its gang's if that is higher. */
int32_t policy_priority(const struct engine *e, uint32_t claim);

#endif
