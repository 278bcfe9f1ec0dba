/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_GRANT_POLICY_H
#define SLUICE_PLUGIN_GRANT_POLICY_H

#include "plugin/base/facts.h"

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

struct policy_rank {
    int32_t priority;
    int64_t since; /* its age: who came later is newer */
};

bool policy_takes_rank(struct policy_rank asks, struct policy_rank candidate,
                       enum preempt_whom whom);

struct engine;

/* Whether the candidate's room may be taken. */
bool policy_takes(const struct engine *e, uint32_t asks, uint32_t candidate,
                  enum preempt_whom whom);

/* Whether none is taken who comes behind the candidate (removable.h), since that is not. */
bool policy_takes_nobody_behind(const struct engine *e, uint32_t asks, uint32_t candidate,
                                enum preempt_whom whom);

/* The candidate's priority, or its gang's if that is higher. */
int32_t policy_priority(const struct engine *e, uint32_t candidate);

#endif
