/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_ENGINE_H
#define SLUICE_PLUGIN_ENGINE_H

#include "config.h"
#include "facts.h"
#include "mem.h"
#include "text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The engine: who may pass, and when.
 *
 *   objects ──see──▶ ┌────────┐ ◀──ask── hooks
 *                    │ engine │
 *   world  ◀─effects─└────────┘ ──▶ verdicts
 *
 * Pure: no clock, no lock, no I/O, no thread. Same calls, same answers, same digest. A call that
 * fails has changed nothing. All that is slow is cut into slices: calls that see or lose an object
 * end with one slice, engine_tick does the next ones.
 *
 * [one thread at a time; texts passed in are not kept; texts handed out are valid until the next
 *  call that is not const]
 */
struct engine;

enum engine_error {
    ENGINE_NO_MEMORY = -1, /* the allocator said no */
    /* A limit would be passed, of the configuration: */
    ENGINE_FULL_PODS = -2,   /* pods, or groups, or finished members: each as many as pods */
    ENGINE_FULL_QUEUES = -3, /* queues, LocalQueues, checks, or commands: each as many as queues */
    ENGINE_FULL_NODES = -4,  /* nodes */
    ENGINE_FULL_WORKLOADS = -5, /* workloads, of each role */
    ENGINE_FULL_CLUSTERS = -6,  /* worker clusters, known or named */
    ENGINE_FULL_FLAVORS = -7,   /* ENGINE_MAX_FLAVORS, which none can raise */
};

enum { ENGINE_MAX_FLAVORS = 65534 };

enum claim_state { CLAIM_HELD, CLAIM_WAITING, CLAIM_RESERVED, CLAIM_ALLOCATED, CLAIM_STATES };

int engine_create(const struct engine_config *config, const struct mem *mem,
                  struct engine **ret_engine);
void engine_destroy(struct engine *engine);

/* Time goes on; an older time is ignored. Returns what the time was, to take it back if the call
 * that it came with fails. */
int64_t engine_set_time(struct engine *engine, int64_t now);
void engine_take_back_time(struct engine *engine, int64_t before);

/* The world as it is seen. `lose`: the object is gone; unknown ones are ignored. */
int engine_see_pod(struct engine *engine, const struct pod_facts *pod);
void engine_lose_pod(struct engine *engine, struct text uid);
int engine_see_queue(struct engine *engine, const struct queue_facts *queue);
int engine_lose_queue(struct engine *engine, enum queue_kind kind, struct text name);
int engine_see_load(struct engine *engine, const struct load_facts *load);
void engine_lose_load(struct engine *engine, struct text space, struct text name, struct text uid);
int engine_see_local_queue(struct engine *engine, const struct local_queue_facts *local);
void engine_lose_local_queue(struct engine *engine, struct text space, struct text name);
int engine_see_check(struct engine *engine, struct text name, bool active);
void engine_lose_check(struct engine *engine, struct text name);
int engine_see_group(struct engine *engine, const struct group_facts *group);
/* Of another uid than that which is known it is not the same group. No uid: whichever it is. */
int engine_lose_group(struct engine *engine, struct text space, struct text name, struct text uid);
int engine_see_flavor(struct engine *engine, const struct flavor_facts *flavor);
int engine_lose_flavor(struct engine *engine, struct text name);
int engine_see_node(struct engine *engine, const struct node_facts *node, uint32_t *ret_id);
int engine_lose_node(struct engine *engine, struct text name);

/* Commands to queues. What they change shows in the queues at once if this engine leads. */
enum command_refusal {
    COMMAND_OBEYED,
    COMMAND_CHANGES_NOTHING, /* the queue is so already, or the table says so */
    COMMAND_QUEUE_UNKNOWN,
    COMMAND_QUEUE_BUILT_IN, /* there is no object to write the state to */
    COMMAND_ACTION_UNKNOWN,
    COMMAND_PARENT_NOT_OPEN,
};

enum { COMMAND_REASON_MAX = 900 }; /* two names of queues, and words */

struct command_report {
    bool waits; /* until this engine leads, and all is listed */
    bool changed;
    const char *state; /* the queue's, when it was carried out; NULL: there is no such queue */
    enum command_refusal refusal;
    char reason[COMMAND_REASON_MAX]; /* why nothing changed */
};

int engine_see_command(struct engine *engine, const struct command_facts *command,
                       struct command_report *ret_report);
void engine_lose_command(struct engine *engine, struct text uid);

/* A manager's side of many clusters. `uid`: of what is gone; none: whatever is there. A cluster
 * that cannot be reached has lost nothing: its replicas are where they were. */
int engine_see_cluster(struct engine *engine, const struct cluster_facts *cluster);
void engine_lose_cluster(struct engine *engine, struct text name);
int engine_see_workload(struct engine *engine, const struct workload_facts *workload);
void engine_lose_workload(struct engine *engine, struct text space, struct text name,
                          struct text uid);
int engine_see_replica(struct engine *engine, const struct replica_facts *replica);
void engine_lose_replica(struct engine *engine, struct text cluster, struct text space,
                         struct text name, struct text uid);

/* All that existed has been seen. */
void engine_set_synced(struct engine *engine);
void engine_set_leader(struct engine *engine, bool leads);

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
    REASON_GROUP_CHANGING,
    REASON_SUPERSEDED,
    REASON_COUNT
};

/* The protocol's word for it. */
const char *reason_name(enum reason reason);

enum { VERDICT_MESSAGE_MAX = 400 };

struct verdict {
    bool pass;
    bool would; /* what pass would be if the engine did not only observe */
    enum reason reason;
    char message[VERDICT_MESSAGE_MAX];
};

/* A question about this pod is on its way, and its record may be far away in memory: what a lookup
 * will read is brought nearer in two steps, while the host's message is being read. They decide
 * nothing, and a wrong uid or name does no harm. */
uint32_t engine_foresee(const struct engine *engine, struct text uid);
void engine_foresee_record(const struct engine *engine, uint32_t foreseen, struct text space,
                           struct text name);

/* The framework's hooks. A uid that is not known passes: it is not one of ours. */
/* Without words the verdict has a reason and no message: the scheduler asks often. */
int engine_pre_enqueue(struct engine *engine, const struct pod_facts *pod, bool words,
                       struct verdict *ret_verdict);

/* The same for a pod that was shown before, in this resourceVersion or a later one. False, and
 * nothing has changed, if it was not: then it must be shown. */
bool engine_pre_enqueue_known(struct engine *engine, struct text uid, int64_t version, bool words,
                              struct verdict *ret_verdict);

/* *ret_unschedulable: it does not pass because there are no nodes, for its gang as a whole. */
void engine_pre_filter(struct engine *engine, struct text uid, struct verdict *ret_verdict,
                       bool *ret_nodes_matter, bool *ret_unschedulable);
void engine_post_filter(struct engine *engine, struct text uid);
void engine_reserve(struct engine *engine, struct text uid, struct verdict *ret_verdict);
/* True, or it waits until *ret_until, or until an effect answers. */
bool engine_permit(struct engine *engine, struct text uid, int64_t *ret_until);
void engine_unreserve(struct engine *engine, struct text uid);
void engine_post_bind(struct engine *engine, struct text uid);

/* Whether the node belongs to the flavors that the pod was granted. [claim from engine_find_pod, or
 * 0: every known node fits] */
uint32_t engine_find_pod(const struct engine *engine, struct text uid);
bool engine_filter(const struct engine *engine, uint32_t claim, uint32_t node);
uint32_t engine_node_end(const struct engine *engine);

/* What one patch does to a pod when its gate goes. */
struct removal_patch {
    uint8_t gates; /* which of ours, GATE_LONG | GATE_SHORT; 0: nothing to remove */
    int64_t generation;
    int64_t stamp;
    struct text queue; /* in which it was granted */
    enum queue_kind queue_kind;
    uint32_t flavor_count; /* distinct flavors that ask for something */
    uint32_t flavors[FACTS_MAX_NEEDS];
    uint32_t pair_count; /* for the stamp of flavors */
    struct {
        struct text resource, flavor;
    } pairs[FACTS_MAX_NEEDS];
};

/* What the host must patch right before it binds. */
void engine_bind(const struct engine *engine, struct text uid, struct removal_patch *ret_patch);
/* The host has the patch. */
void engine_hand_out(struct engine *engine, struct text uid);

/* A flavor's labels and tolerations, by the ids of a removal_patch. */
void engine_flavor(const struct engine *engine, uint32_t flavor, struct flavor_facts *ret_facts);

/* Effects: asked of the host, leased by engine_lease, ended by engine_ack. */
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
    EFFECT_OF_WORKLOAD,
    EFFECT_OF_REPLICA,
    EFFECT_OF_GROUP,
    EFFECT_OF_LOAD,
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
    struct text api_version, owner_kind, owner_name, owner_uid;
    struct text queue, priority_class;
    int32_t minimum;
    uint32_t least_count;
    struct named_amount least[FACTS_MAX_NEEDS];
};

struct group_status {
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
    enum reason reason;                /* of a condition or an event; why a queue is stopped */
    char message[VERDICT_MESSAGE_MAX]; /* for people: of whatever kind has words for them */
    uint64_t key;                      /* EFFECT_EVENT: who and why; the same after a restart */
    bool about_queue;                  /* EFFECT_EVENT of a command: it is told of its queue */
    struct text queue_uid, queue_name; /* the queue that the event is about */
    struct queue_written state;        /* EFFECT_QUEUE_STATUS */
    uint32_t groups[CLAIM_STATES];     /* EFFECT_QUEUE_STATUS */
    struct queue_usage usage;          /* EFFECT_QUEUE_STATUS */
    bool allow;                        /* EFFECT_ANSWER_PERMIT, with its message */
    struct text group;                 /* EFFECT_SET_GROUP */
    struct group_effect create;        /* EFFECT_CREATE_GROUP, EFFECT_CHANGE_GROUP */
    struct group_status group_status;  /* EFFECT_SET_GROUP_STATUS */
    uint32_t workload;   /* this and the following: a manager's; for engine_memory_text, or, of
                            EFFECT_WRITE_WORKLOAD, for engine_load_write */
    struct text cluster; /* where it is to be done; where the workload is to be */
    struct text origin;  /* uid of the manager's workload */
    int64_t until;       /* not after this; 0: at any time */
    uint32_t gate_count;
    struct text gates[FACTS_MAX_PREEMPTION_GATES];
};

/* What EFFECT_WRITE_MEMORY writes, at most cap bytes of it; returns how many there are. */
size_t engine_memory_text(const struct engine *engine, uint32_t workload, char *out, size_t cap);

/* Afterwards so many effects can go out without a lack of memory. Negative on error. */
int engine_reserve_effects(struct engine *engine, uint32_t count);
/* The next effect that may go out, without leasing it: above 0, or 0 if there is none. Negative on
 * error. */
int engine_next_effect(struct engine *engine, struct effect *ret_effect);
/* The same, but nothing is noted on the way. */
bool engine_peek_effect(const struct engine *engine, struct effect *ret_effect);
/* content is a hash of what it says. True: it was given out before and said something else, so it
 * is another effect now. Sets its id and its attempt. */
bool engine_renumber(const struct engine *engine, struct effect *effect, uint64_t content);
/* It goes out. */
void engine_lease(struct engine *engine, struct effect *effect, uint64_t content);
/* False if the id is not under way. version: of the object, as it was written; 0: not known. */
bool engine_ack(struct engine *engine, int64_t id, enum effect_result result, int64_t version);

/* One slice of what is left to do, and what is due. */
void engine_tick(struct engine *engine);

uint32_t engine_pending(const struct engine *engine); /* effects that may go out now */
int64_t engine_next(const struct engine *engine);     /* when to tick at the latest; 0: never */
bool engine_more(const struct engine *engine);        /* work is left */

uint32_t engine_count_workloads(const struct engine *engine);
uint32_t engine_count_clusters(const struct engine *engine);
uint32_t engine_count_pods(const struct engine *engine);
uint32_t engine_count_queues(const struct engine *engine);
uint32_t engine_count_nodes(const struct engine *engine);

/* A sum over all objects, by their names: equal states have equal digests. Without timers: what a
 * restart would find again. */
uint64_t engine_digest(const struct engine *engine, bool timers);

/* NULL, or which invariant does not hold. */
const char *engine_check(const struct engine *engine);

#endif
