/* SPDX-License-Identifier: Apache-2.0 */
#include "policy_rank.h"

bool policy_takes_rank(struct policy_rank asks, struct policy_rank candidate,
                       enum preempt_whom whom)
{
    switch (whom) {
    case PREEMPT_LOWER:
        return candidate.priority < asks.priority;
    case PREEMPT_LOWER_OR_NEWER:
        return candidate.priority < asks.priority ||
               (candidate.priority == asks.priority && candidate.since > asks.since);
    case PREEMPT_ANY:
        return true;
    default:
        return false;
    }
}
