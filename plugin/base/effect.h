/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_BASE_EFFECT_H
#define SLUICE_PLUGIN_BASE_EFFECT_H

#include "facts.h"
#include "reason.h"
#include "text.h"

#include <stdbool.h>
#include <stdint.h>

/* Effects: what the host must do in the world. Data, never a callback: outbox.h gives them out. */

/* What one patch does to a pod when its gate goes. */
struct removal_patch {
    uint8_t gates; /* which of ours, GATE_LONG | GATE_SHORT; 0: nothing to remove */
    int64_t generation;
    int64_t stamp;     /* 0: it was not granted */
    struct text queue; /* in which it counts; nothing: in none */
    enum queue_kind queue_kind;
    uint32_t flavor_count; /* distinct flavors that ask for something */
    uint32_t flavors[FACTS_MAX_NEEDS];
    uint32_t pair_count; /* for the stamp of flavors */
    struct {
        struct text resource, flavor;
    } pairs[FACTS_MAX_NEEDS];
};

/* What the host is asked to do. */
enum effect_kind {
    EFFECT_ACTIVATE,
    EFFECT_REMOVE_GATES,
    EFFECT_SET_CONDITION,
    EFFECT_ALWAYS, /* the following ones only if the configuration asks for them */
    EFFECT_QUEUE_STATUS = EFFECT_ALWAYS,
    EFFECT_EVENT,
    EFFECT_DELETE_COMMAND,
    EFFECT_ANSWER_PERMIT,
    EFFECT_SET_GROUP,
    EFFECT_CREATE_GROUP,
    EFFECT_SET_GROUP_STATUS,
    EFFECT_CHANGE_GROUP,
    EFFECT_EVICT_POD,
    EFFECT_WRITE_WORKLOAD,
    EFFECT_CREATE_NATIVE_GROUP,
    EFFECT_FLEET, /* the following ones only of a manager, which shows that it can */
    EFFECT_WRITE_MEMORY = EFFECT_FLEET,
    EFFECT_SET_CLUSTER,
    EFFECT_RETRY_CHECK,
    EFFECT_CREATE_REPLICA,
    EFFECT_DELETE_REPLICA,
    EFFECT_OPEN_GATE,
    EFFECT_KINDS
};
/* What it is about; at most 8. */
enum effect_object {
    EFFECT_OF_POD,
    EFFECT_OF_QUEUE,
    EFFECT_OF_COMMAND,
    EFFECT_OF_DISPATCH,
    EFFECT_OF_REPLICA,
    EFFECT_OF_GROUP,
    EFFECT_OF_WORKLOAD,
    EFFECT_OBJECTS
};
enum effect_result { EFFECT_DONE, EFFECT_GONE, EFFECT_CONFLICT, EFFECT_RETRY };

/* What a queue's subtree holds, by resource. */
struct queue_used {
    struct text resource;
    int64_t reserved, allocated;
};
struct queue_usage {
    uint32_t count;
    struct queue_used item[FACTS_MAX_NEEDS];
};

/* What a PodGroup is to say that is to be made or changed, and what is to be written into its
 * status. */
struct group_effect {
    enum group_kind
        kind; /* of Kubernetes' own: of what it is to say the minimum changes, no more */
    struct text api_version, owner_kind, owner_name, owner_uid;
    struct text queue, priority_class;
    int32_t minimum;
    uint32_t least_count;
    struct named_amount least[FACTS_MAX_NEEDS];
};

struct group_status {
    enum group_kind kind; /* of Kubernetes' own: its condition is ours, and nothing else */
    const char *phase;
    uint32_t running, succeeded, failed;
    const char *type, *status, *reason; /* of its condition; no type: none */
};

struct effect {
    int64_t id; /* where it is not about to be, 0: it was not given out yet */
    enum effect_kind kind;
    enum effect_object object;
    uint32_t record, slot; /* of the object; which of its effects */
    struct text uid, space, name;
    uint32_t attempt;
    bool leased;
    int64_t due;                       /* of a retry or of the lease; 0: now */
    struct removal_patch patch;        /* EFFECT_REMOVE_GATES */
    int64_t resource_version;          /* EFFECT_SET_CONDITION, and a manager's */
    bool gated;                        /* EFFECT_SET_CONDITION: of a pod that has a gate still */
    enum reason reason;                /* of who is told something; why a queue is stopped */
    char message[VERDICT_MESSAGE_MAX]; /* for people: of whatever kind has words for them */
    uint64_t key;                      /* of events: who and why; the same after a restart */
    bool again;                        /* EFFECT_EVENT: the pod was told something before */
    bool about_queue;                  /* EFFECT_EVENT of a command: it is told of its queue */
    struct text queue_uid, queue_name; /* the queue that the event is about */
    struct queue_written state;        /* EFFECT_QUEUE_STATUS */
    uint32_t groups[CLAIM_STATES];     /* EFFECT_QUEUE_STATUS */
    struct queue_usage usage;          /* EFFECT_QUEUE_STATUS */
    bool allow;                        /* EFFECT_ANSWER_PERMIT, with its message */
    struct text group;                 /* EFFECT_SET_GROUP */
    struct group_effect create;        /* those three of groups */
    struct group_status group_status;  /* EFFECT_SET_GROUP_STATUS */
    uint32_t workload;                 /* EFFECT_WRITE_WORKLOAD: for engine_workload_write */
    uint32_t dispatch;   /* this and the following: a manager's; for fleet_memory_text */
    struct text cluster; /* where it is to be done; where the workload is to be */
    struct text origin;  /* uid of the manager's workload */
    int64_t until;       /* not after this; 0: at any time */
    uint32_t gate_count;
    struct text gates[FACTS_MAX_PREEMPTION_GATES];
};

#endif
