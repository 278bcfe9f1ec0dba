/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_FACTS_H
#define SLUICE_PLUGIN_FACTS_H

#include "gate.h"
#include "queue_state.h"
#include "text.h"

#include <stdbool.h>
#include <stdint.h>

/* What the host saw of an object, as plain values: views into the request, nothing owned. A zeroed
 * struct means what the protocol says of keys that are absent. */

enum {
    FACTS_MAX_NEEDS = 33,  /* 32 resources and `pods` */
    FACTS_MAX_GROUPS = 16, /* resource groups of a queue, and flavors in a group */
    FACTS_MAX_LABELS = 8,
    FACTS_MAX_TOLERATIONS = 8,
    FACTS_MAX_NOMINATED = 128, /* clusters that a workload may go to */
    FACTS_MAX_PREEMPTION_GATES = 8,
};

struct named_amount {
    struct text resource;
    int64_t amount;
};

struct named_amounts {
    uint32_t count;
    struct named_amount item[FACTS_MAX_NEEDS];
};

enum queue_kind { QUEUE_VOLCANO, QUEUE_CLUSTER, QUEUE_COHORT };

/* Who made a pod: the topmost controller above it. No uid: nobody. */
struct controller_facts {
    struct text api_version, kind, name, uid;
    bool has_replicas; /* it is known how many pods it wants */
    int64_t replicas;
    bool ordered; /* makes the next pod when the one before it runs */
};

struct pod_facts {
    struct text uid, space, name;
    int64_t created;
    int32_t priority;
    int64_t generation, resource_version;
    struct text scheduler; /* none: default-scheduler */
    struct gates gates;
    bool opted_in;
    struct text queue; /* from the pod's annotation */
    struct text namespace_queue;
    enum queue_kind queue_kind; /* QUEUE_VOLCANO or QUEUE_CLUSTER */
    struct text group;          /* that it names */
    int32_t minimum; /* of the group that it asks for; 0: none, -1: not a number above 0 */
    struct controller_facts controller; /* the topmost */
    struct text priority_class;
    int64_t stamp; /* time of the grant, 0: none */
    struct text stamped_flavors;
    struct named_amounts requests; /* without `pods`, no resource twice */
    struct text node;
    bool nominated;
    bool finished;
    bool failed; /* it is finished, and did not succeed */
    bool deleted;
    bool unschedulable;
    bool of_daemon_set;
    bool mirror;
    bool yields;  /* its preemptionPolicy is Never */
    bool settled; /* it says that it is not preemptable */
};

struct group_facts {
    struct text uid, space, name;
    int64_t created;
    int64_t resource_version;
    struct text queue; /* no text: its members' own */
    int32_t minimum;   /* below 0: cannot be */
    struct named_amounts least;
    bool has_priority;
    int32_t priority;
    bool deleted;
    struct text phase;
    int64_t counts[3];        /* running, succeeded, failed */
    struct text condition[3]; /* type, status, reason */
};

struct flavor_quota {
    struct text resource;
    int64_t nominal, borrowing, lending;
    bool has_borrowing, has_lending;
};

struct group_flavor {
    struct text name;
    uint32_t count;
    struct flavor_quota *quotas;
};

struct resource_group {
    uint32_t resource_count, flavor_count;
    struct text resources[FACTS_MAX_NEEDS - 1];
    struct group_flavor *flavors;
};

/* Whose room may be taken. */
enum preempt_whom { PREEMPT_NEVER, PREEMPT_LOWER, PREEMPT_LOWER_OR_NEWER, PREEMPT_ANY };

struct preempt_policy {
    enum preempt_whom within;  /* in the claim's own queue, */
    enum preempt_whom reclaim; /* and in others that use more than their share */
    bool while_borrowing;      /* the latter also for a claim that exceeds its own queue's share, */
    bool has_threshold;        /* but only who is of this priority or less */
    int32_t threshold;
};

struct queue_facts {
    enum queue_kind kind;
    struct text name;
    struct text parent; /* no text: none named */
    int32_t priority;
    bool strict;                     /* stops at a blocked head */
    struct text uid;                 /* no text: not said */
    int64_t version;                 /* resourceVersion; 0: not said */
    struct text state;               /* as the object says it */
    enum queue_state stop;           /* what stopPolicy says: QUEUE_OPEN, or one of the holds */
    uint8_t closed_by, suspended_by; /* the marks: queue_mark_of */
    bool create_suspended;
    bool reclaimable;
    struct preempt_policy preempts;
    struct named_amounts capability, deserved, guarantee; /* Volcano's */
    uint32_t group_count;                                 /* Kueue's */
    struct resource_group *groups;
    bool borrows_last; /* ", whenCanBorrow: a flavor in which it need not borrow comes before */
};

struct command_facts {
    struct text uid, space, name;
    int64_t created;
    struct text action, target; /* the queue's name */
};

struct label {
    struct text key, value;
};

struct toleration {
    struct text key, operator_, value, effect;
    bool has_seconds;
    int64_t seconds;
};

struct flavor_facts {
    struct text name;
    uint32_t label_count, toleration_count;
    struct label labels[FACTS_MAX_LABELS];
    struct toleration tolerations[FACTS_MAX_TOLERATIONS];
};

struct node_facts {
    struct text name;
    uint32_t label_count;
    const struct label *labels;
    struct named_amounts allocatable;
};

/* A worker cluster. */
struct cluster_facts {
    struct text name;
    bool connected; /* and all replicas in it have been shown */
    int64_t since;  /* not connected since; 0: not said */
};

/* A workload in the cluster of its manager. */
struct workload_facts {
    struct text uid, space, name;
    int64_t resource_version;
    bool reserved;
    bool ready;                  /* all checks but the one that dispatches it */
    bool over;                   /* finished, inactive, evicted or about to go: no replicas */
    struct text cluster;         /* where it is for good; none: not decided */
    struct text memory, timeout; /* from its annotations */
    uint32_t gate_count, nominated_count;
    struct text gates[FACTS_MAX_PREEMPTION_GATES]; /* its own */
    struct text nominated[FACTS_MAX_NOMINATED];
};

/* The copy of a manager's workload in a worker cluster. */
struct replica_facts {
    struct text worker;
    struct text uid, space, name;
    struct text origin; /* uid of the manager's workload that it was made for, if it says so */
    int64_t resource_version;
    bool gated;   /* the manager's gate is in its spec, */
    bool open;    /* and its status says that it is open */
    bool blocked; /* another gate is not open */
    bool signals; /* it would preempt, if it might */
    bool reserved, admitted, evicted, finished, deleted;
};

#endif
