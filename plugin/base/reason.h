/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_BASE_REASON_H
#define SLUICE_PLUGIN_BASE_REASON_H

#include <stdbool.h>

/* Where a claim is on its way to a place in its queue, and why it gets no further. */
enum claim_state { CLAIM_HELD, CLAIM_WAITING, CLAIM_RESERVED, CLAIM_ALLOCATED, CLAIM_STATES };

/* Why a pod does not pass. */
enum reason {
    REASON_NONE,
    REASON_FOREIGN_GATE,
    REASON_QUEUE_CAPACITY,
    REASON_QUEUE_ORDER,
    REASON_QUEUE_SUSPENDED,
    REASON_QUEUE_CLOSED,
    REASON_QUEUE_UNKNOWN,
    REASON_QUEUE_INACTIVE,
    REASON_GROUP_MISSING,
    REASON_CONDITION_STALE,
    REASON_BACKOFF,
    REASON_NOT_READY,
    REASON_COMMAND_REFUSED, /* of events alone */
    REASON_GROUP_INVALID,
    REASON_GROUP_INCOMPLETE,
    REASON_GROUP_TURN,
    REASON_GROUP_BACKOFF,
    REASON_NAMESPACE_NOT_SELECTED,
    REASON_GROUP_CHANGING,
    REASON_SUPERSEDED,
    REASON_CLAIM_MISSING,
    REASON_NEVER_FITS, /* this and the following: of events alone */
    REASON_GRANTED,
    REASON_PREEMPTED,
    REASON_QUEUE_DRAINED,
    REASON_COUNT
};

/* The protocol's word for it. */
const char *reason_name(enum reason reason);

/* Whether somebody has to change something before a pod gets on that an event tells of this. */
bool reason_is_amiss(enum reason reason);

enum { VERDICT_MESSAGE_MAX = 400 };

struct verdict {
    bool pass;
    bool would; /* what pass would be if the engine did not only observe */
    enum reason reason;
    char message[VERDICT_MESSAGE_MAX];
};

#endif
