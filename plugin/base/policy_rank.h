/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_BASE_POLICY_RANK_H
#define SLUICE_PLUGIN_BASE_POLICY_RANK_H

#include "facts.h"

#include <stdbool.h>
#include <stdint.h>

/* How two claims compare where one would take the other's room. */
struct policy_rank {
    int32_t priority;
    int64_t since; /* its age: who came later is newer */
};

/* Whether a queue's policy lets the one that asks take the room of this candidate, by their ranks
 * alone. */
bool policy_takes_rank(struct policy_rank asks, struct policy_rank candidate,
                       enum preempt_whom whom);

#endif
