/* SPDX-License-Identifier: Apache-2.0 */
#include "reason.h"

const char *reason_name(enum reason reason)
{
    static const char *const names[REASON_COUNT] = {
        [REASON_NONE] = "",
        [REASON_FOREIGN_GATE] = "ForeignGate",
        [REASON_QUEUE_CAPACITY] = "QueueCapacity",
        [REASON_QUEUE_ORDER] = "QueueOrder",
        [REASON_QUEUE_SUSPENDED] = "QueueSuspended",
        [REASON_QUEUE_CLOSED] = "QueueClosed",
        [REASON_QUEUE_UNKNOWN] = "QueueUnknown",
        [REASON_QUEUE_INACTIVE] = "QueueInactive",
        [REASON_GROUP_MISSING] = "GroupMissing",
        [REASON_CONDITION_STALE] = "ConditionStale",
        [REASON_BACKOFF] = "Backoff",
        [REASON_NOT_READY] = "NotReady",
        [REASON_COMMAND_REFUSED] = "CommandRefused",
        [REASON_GROUP_INVALID] = "GroupInvalid",
        [REASON_GROUP_INCOMPLETE] = "GroupIncomplete",
        [REASON_GROUP_TURN] = "GroupTurn",
        [REASON_GROUP_BACKOFF] = "GroupBackoff",
        [REASON_NAMESPACE_NOT_SELECTED] = "NamespaceNotSelected",
        [REASON_GROUP_CHANGING] = "GroupChanging",
        [REASON_SUPERSEDED] = "Superseded",
        [REASON_CLAIM_MISSING] = "ClaimMissing",
        [REASON_NEVER_FITS] = "NeverFits",
        [REASON_GRANTED] = "Granted",
        [REASON_PREEMPTED] = "Preempted",
        [REASON_QUEUE_DRAINED] = "QueueDrained",
    };

    return names[reason];
}

bool reason_is_amiss(enum reason reason)
{
    return reason != REASON_QUEUE_SUSPENDED && reason != REASON_GRANTED &&
           reason != REASON_PREEMPTED && reason != REASON_QUEUE_DRAINED;
}
