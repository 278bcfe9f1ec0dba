/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_BASE_FACTS_H
#define SLUICE_PLUGIN_BASE_FACTS_H

#include "gate.h"
#include "queue_state.h"
#include "text.h"

#include <stdbool.h>
#include <stdint.h>

/* What the host saw of an object, as plain values: views into the request, nothing owned. A zeroed
 * struct means what the protocol says of keys that are absent. */

enum {
    FACTS_MAX_NEEDS = 33,   /* 32 resources and `pods` */
    FACTS_MAX_GROUPS = 16,  /* resource groups of a queue */
    FACTS_MAX_FLAVORS = 64, /* in a group, and of an admission check */
    FACTS_MAX_LABELS = 8,
    FACTS_MAX_TOLERATIONS = 8,
    FACTS_MAX_TAINTS = 8,
    FACTS_MAX_NOMINATED = 128, /* clusters that a workload may go to */
    FACTS_MAX_PREEMPTION_GATES = 8,
    FACTS_GROUP_CONDITION = 4,
    FACTS_MAX_SETS = 18,    /* pod sets of a workload */
    FACTS_MAX_CHECKS = 16,  /* admission checks of a workload, and of a queue */
    FACTS_MAX_PARTS = 1024, /* of a composite group */
};

/* What an object that is shown tells: something new, or what is known already. */
enum seen { SEEN_ANEW, SEEN_BEFORE };

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
    bool ordered;    /* makes the next pod when the one before it runs */
    bool supersedes; /* the pod, by one of a newer template */
};

struct pod_facts {
    struct text uid, space, name;
    int64_t created;
    int32_t priority;
    int64_t generation, resource_version;
    struct text scheduler; /* none: default-scheduler */
    struct gates gates;
    struct text missing; /* the ResourceClaim, or its template, that it needs and is not there */
    bool opted_in;       /* by its annotation */
    struct text queue;   /* from the pod's annotation */
    struct text namespace_queue;
    enum queue_kind queue_kind;  /* QUEUE_VOLCANO or QUEUE_CLUSTER */
    bool not_selected;           /* that queue is not for its namespace */
    struct text workload;        /* that it belongs to */
    struct text group;           /* that it names */
    struct text native_group;    /* of Kubernetes' own: that its spec names, which comes first */
    struct text composite_group; /* at the top of what that is below; none: it is below nothing */
    int32_t minimum; /* of the group that it asks for; 0: none, -1: not a number above 0 */
    struct controller_facts controller; /* the topmost */
    struct text priority_class;
    int64_t stamp; /* time of the grant, 0: none */
    struct text stamped_flavors;
    struct text stamped_queue; /* it was granted in that; none: its stamp does not tell */
    enum queue_kind stamped_kind;
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

/* The queue that the pod names, or its namespace does. */
static inline struct text pod_queue_name(const struct pod_facts *pod)
{
    const struct text *name = pod->queue.len > 0 ? &pod->queue : &pod->namespace_queue;

    return name->len > 0 ? *name : text_of("default");
}

/* Whose a group is. Groups of different kinds may have the same name. */
enum group_kind {
    GROUP_VOLCANO,   /* a PodGroup of Volcano's */
    GROUP_NATIVE,    /* one of Kubernetes' own */
    GROUP_COMPOSITE, /* Kubernetes' own, too: a CompositePodGroup that is below no other */
};

/* A PodGroup, or a CompositePodGroup, below a composite group. */
struct part_facts {
    struct text name;
    uint32_t depth; /* 1: directly below it */
    bool composite;
    int32_t minimum; /* of its pods, or of what is directly below it; 0 is as 1 */
};

struct group_facts {
    struct text uid, space, name;
    enum group_kind kind;
    int64_t created;
    int64_t resource_version;
    struct text queue; /* no text: its members' own */
    bool not_selected; /* that queue is not for its namespace */
    int32_t minimum;   /* of its members; of a composite one, of what is directly below it. Below 0:
                          cannot be */
    uint32_t part_count; /* of a composite one, each before those below it */
    struct part_facts *parts;
    struct named_amounts least;
    bool has_priority;
    int32_t priority;
    struct text priority_class;
    bool ours;       /* it says that we made it */
    bool goes_whole; /* none of its members is evicted without the others */
    bool deleted;
    struct text phase;
    int64_t counts[3];                            /* running, succeeded, failed */
    struct text condition[FACTS_GROUP_CONDITION]; /* type, status, reason, message */
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
    enum preempt_whom within;  /* in the claim's own queue */
    enum preempt_whom reclaim; /* in other queues that use more than their share */
    bool while_borrowing;      /* in others also for a claim that exceeds its own queue's share */
    bool has_threshold;        /* while borrowing only who is of this priority or less may go */
    int32_t threshold;
};

/* An admission check that a queue wants for its workloads. */
struct queue_check_facts {
    struct text name;
    uint32_t flavor_count; /* 0: whatever their flavors are */
    struct text flavors[FACTS_MAX_FLAVORS];
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
    bool deleted;
    struct preempt_policy preempts;
    struct named_amounts capability, deserved, guarantee; /* Volcano's */
    uint32_t group_count;                                 /* Kueue's */
    struct resource_group *groups;
    /* Kueue's whenCanBorrow: a flavor in which it need not borrow comes before. */
    bool borrows_last;
    /* Kueue's whenCanPreempt: a flavor in which nobody has to go comes before, for workloads. */
    bool preempts_last;
    /* Kueue's preference: the flavor that borrows from nearest is the best, for workloads. */
    bool borrows_least;
    uint32_t check_count;
    struct queue_check_facts *checks; /* Kueue's admission checks */
};

struct command_facts {
    struct text uid, space, name;
    int64_t created;
    struct text action, target; /* the queue's name */
    struct text target_uid;     /* no text: whichever queue has that name */
};

struct label {
    struct text key, value;
};

struct toleration {
    struct text key, operator_, value, effect;
    bool has_seconds;
    int64_t seconds;
};

struct taint {
    struct text key, value, effect;
};

struct taints {
    uint32_t count;
    struct taint item[FACTS_MAX_TAINTS];
};

struct flavor_facts {
    struct text name;
    uint32_t label_count, toleration_count;
    struct label labels[FACTS_MAX_LABELS];
    struct toleration tolerations[FACTS_MAX_TOLERATIONS];
    struct taints taints; /* read for workloads */
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
    bool connected; /* it answers, and all replicas in it have been shown */
    int64_t since;  /* not connected since; 0: not said */
};

/* A workload that is admitted here: in the cluster that runs it, or in its manager's. */
struct label_demand {
    struct text key, operator_; /* In, NotIn, Exists, DoesNotExist, Gt, Lt; others hold nowhere */
    uint32_t value_count;
    const struct text *values;
};

/* All of its demands must hold. */
struct node_term {
    uint32_t count;
    const struct label_demand *demands;
};

/* Of pods. Views; nothing is kept. */
struct placement {
    uint32_t selector_count, term_count, toleration_count;
    const struct label *selector;
    const struct node_term *terms; /* one of them must hold */
    const struct toleration *tolerations;
};

struct set_facts {
    struct text name;
    int64_t count, minimum;
    struct named_amounts requests; /* of one pod, without `pods` */
    struct placement placement;
};

/* What an admission grants a pod set. */
struct granted_facts {
    struct text name;
    int64_t count;
    uint32_t flavor_count;
    struct {
        struct text resource, flavor;
    } flavors[FACTS_MAX_NEEDS];
};

enum workload_condition {
    CONDITION_RESERVED,
    CONDITION_ADMITTED,
    CONDITION_EVICTED,
    CONDITION_FINISHED,
    CONDITION_REQUEUED,
    CONDITION_TARGET,     /* DeactivationTarget */
    CONDITION_SIGNAL,     /* BlockedOnPreemptionGates, as Kueue writes it */
    CONDITION_SIGNAL_KEP, /* PreemptionBlocked, as the KEP calls it */
    CONDITIONS
};

struct condition_facts {
    bool is_true, is_false; /* neither: it is not there */
    struct text reason;
    int64_t since;
};

enum check_state { CHECK_PENDING, CHECK_READY, CHECK_RETRY, CHECK_REJECTED };

struct workload_check_facts {
    struct text name;
    enum check_state state;
    int64_t retry_at; /* 0: not said */
};

/* A gate of the spec; where it stands, if the status says so. */
struct preemption_gate_facts {
    struct text name;
    bool said, open;
};

struct workload_facts {
    struct text uid, space, name;
    int64_t created, version;
    struct text job;   /* the UID of the Job that it is of; no text: of none */
    struct text queue; /* its LocalQueue */
    int32_t priority;
    bool active, deleted;
    bool job_stopped;
    bool yields;             /* takes nobody's room */
    struct text unsupported; /* no text: it asks for nothing that is not done here */
    bool admission_gated;    /* what that says is what it waits for, and may be taken away */
    uint32_t set_count;
    struct set_facts *sets;
    uint32_t gate_count;
    bool stray_gates; /* the status speaks of gates that there are not */
    struct preemption_gate_facts gates[FACTS_MAX_PREEMPTION_GATES];
    struct condition_facts conditions[CONDITIONS];
    bool has_admission;
    struct text granted_queue;
    uint32_t granted_count;
    struct granted_facts *granted;
    uint32_t check_count;
    struct workload_check_facts checks[FACTS_MAX_CHECKS];
    bool has_requeue;
    int64_t requeue_at; /* 0: not said */
};

struct local_queue_facts {
    struct text uid, space, name;
    int64_t version;
    struct text queue; /* its ClusterQueue */
    enum queue_state stop;
    bool selected;
};

/* A workload in the cluster of its manager, which dispatches it. */
struct dispatch_facts {
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
    bool gated;   /* the manager's gate is in its spec */
    bool open;    /* its status says that the manager's gate is open */
    bool blocked; /* another gate is not open */
    bool signals; /* it would preempt, if it might */
    bool reserved, admitted, evicted, finished, deleted;
};

#endif
