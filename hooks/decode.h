/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_HOOKS_DECODE_H
#define SLUICE_HOOKS_DECODE_H

#include "abi/msg/reader.h"
#include "plugin/base/facts.h"
#include "plugin/engine.h"
#include "scratch.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * From messages to the engine's facts. Each reads one value at the cursor; what is wrong is the
 * reader's sticky error, and then what was returned means nothing. Texts are views into the
 * message.
 */

/* Before the name of the queue that a stamp tells. */
#define STAMP_OF_QUEUE "queue/"
#define STAMP_OF_CLUSTER_QUEUE "clusterqueue/"

enum {
    DECODE_NAME_MAX = 253,
    DECODE_UID_MAX = 64,
    DECODE_LABEL_KEY_MAX = 317, /* a prefix of 253 bytes, a slash, 63 bytes */
    DECODE_LABEL_VALUE_MAX = 63,
    DECODE_GATE_STATES_MAX = 16,
};

/* Times and durations in nanoseconds end in the year 2116: so the sum of two is an int64, too. */
#define DECODE_TIME_MAX (INT64_MAX / 2)

/* Of 1 to 253 bytes; `decode_words` may be empty. Each returns whether it read a value. */
bool decode_name(struct msg_reader *r, struct text *ret);
bool decode_uid(struct msg_reader *r, struct text *ret);

/* Where it is told who an object is; no text: not yet. decode_identity takes the value of the key
 * if it is one of that. */
struct identity {
    struct text *uid, *space, *name;
};

bool decode_identity(struct msg_reader *r, struct msg_text key, const struct identity *who);
void require_identity(struct msg_reader *r, const struct identity *who);
bool decode_words(struct msg_reader *r, size_t max_len, struct text *ret);

bool decode_bool(struct msg_reader *r);

/* Whether the word is this one. Kubernetes' words are open, and any other says no. */
bool decode_says(struct msg_reader *r, size_t max_len, const char *yes);

/* Names, at most max of them; how many. */
uint32_t decode_names(struct msg_reader *r, uint32_t max, const char *want, struct text *ret_names);

/* The preemption gates of a spec, each once, at most FACTS_MAX_PREEMPTION_GATES; how many. */
uint32_t decode_spec_gates(struct msg_reader *r, struct text *ret_names);

/* Preemption gates that a status speaks of, whether or not there are such. */
struct gate_states {
    uint32_t count;
    struct {
        struct text name, position;
    } item[DECODE_GATE_STATES_MAX];
};

void decode_gate_states(struct msg_reader *r, struct gate_states *ret);

bool decode_label_key(struct msg_reader *r, struct text *ret);
bool decode_priority(struct msg_reader *r, int32_t *ret);

/* Milli-units for the resource `cpu`, units for all others; as text in Kubernetes' syntax. */
bool decode_amount(struct msg_reader *r, struct text resource, int64_t *ret);

/* A map from resource to amount. */
void decode_amounts(struct msg_reader *r, struct named_amounts *ret);

/* The same of what a pod requests, without its `pods`. Not all: of as many as there are places for,
 * those that come first. */
void decode_requests(struct msg_reader *r, bool all, struct named_amounts *ret);

/* Opens an array of at most so many items, each to be kept in so many bytes, and takes room for
 * them. NULL: it is none, or longer than is wanted. */
void *decode_room(struct msg_reader *r, struct scratch *scratch, struct msg_array *ret_array,
                  uint32_t max, size_t size, const char *want);

/* What one is decoded for: says which keys may be missing. One that is bound counts, whatever was
 * written into it: what is too long for what it stands for is as if it were not there, and an error
 * is that it has no node. */
enum pod_use { POD_SEEN, POD_BOUND, POD_ADMITTED };

/* *ret_opted gets the gates (GATE_LONG, GATE_SHORT) whose annotation opts the pod in. */
void decode_pod(struct msg_reader *r, enum pod_use use, struct pod_facts *ret, uint8_t *ret_opted);

/* A Command. One to a Job, say, is Volcano's own. */
struct command_order {
    struct command_facts facts;
    bool to_queue;
};

/* What one is decoded for: says which keys may be missing. */
enum command_use { COMMAND_SEEN, COMMAND_GONE, COMMAND_ADMITTED };
void decode_command(struct msg_reader *r, enum command_use use, struct command_order *ret);

/* How much scratch decode_queue, decode_node and decode_pod_group take for an object of so many
 * bytes, at most. */
size_t decode_scratch(size_t len);
void decode_queue(struct msg_reader *r, struct scratch *scratch, struct queue_facts *ret);
void decode_node(struct msg_reader *r, struct scratch *scratch, struct node_facts *ret);
void decode_flavor(struct msg_reader *r, struct flavor_facts *ret);
void decode_toleration(struct msg_reader *r, struct toleration *ret);
/* `native` and `composite` say together what a group is. */
void decode_group_kind(struct msg_reader *r, enum group_kind said, enum group_kind *ret_kind);
void decode_pod_group(struct msg_reader *r, struct scratch *scratch, struct group_facts *ret);

/* Whose a workload is: one that a manager dispatches, or one that is run here. */
enum workload_role { ROLE_MANAGER, ROLE_WORKER };

/* The role alone: what else is there is read by what it is. */
bool decode_role_of(struct msg_reader r, enum workload_role *ret);

/* A workload that is admitted here, and how much scratch it takes. */
size_t decode_workload_scratch(size_t len);
void decode_admitted_workload(struct msg_reader *r, struct scratch *scratch,
                              struct workload_facts *ret);
void decode_sets(struct msg_reader *r, struct scratch *scratch, struct workload_facts *ret);
void decode_local_queue(struct msg_reader *r, bool gone, struct local_queue_facts *ret);
void decode_check(struct msg_reader *r, struct text *ret_name, bool *ret_active);
void decode_stop(struct msg_reader *r, enum queue_state *ret_stop);

/* Of a worker's, only the role is read. */
void decode_cluster(struct msg_reader *r, struct cluster_facts *ret);
void decode_dispatch(struct msg_reader *r, enum workload_role *ret_role,
                     struct dispatch_facts *ret);
void decode_replica(struct msg_reader *r, struct replica_facts *ret);

/* What is gone. ret_role: of a workload; NULL: of a replica, which says its cluster instead. */
void decode_lost_workload(struct msg_reader *r, enum workload_role *ret_role,
                          struct replica_facts *ret);

/* Whose room a queue's claims may take; and whether the annotation is one of those that say so of
 * Volcano's queues. */
void decode_preemption(struct msg_reader *r, struct preempt_policy *ret);
bool decode_preempt_annotation(struct msg_reader *r, struct msg_text key,
                               struct preempt_policy *ret);

/* "Queue", "ClusterQueue" and, where a claim can never be, "Cohort". */
bool decode_queue_kind(struct msg_reader *r, bool with_cohort, enum queue_kind *ret);
const char *queue_kind_name(enum queue_kind kind);

/* What is gone: the keys that identify it, whatever else is there. */
void decode_lost_pod(struct msg_reader *r, struct text *ret_uid);
void decode_lost_group(struct msg_reader *r, struct group_facts *ret);
void decode_lost_named(struct msg_reader *r, struct text *ret_name);
void decode_lost_queue(struct msg_reader *r, enum queue_kind *ret_kind, struct text *ret_name);

/* What sluice_open is told. Limits that are not named have the protocol's defaults. */
struct open_config {
    struct engine_config engine;
    struct fleet_config fleet;
    bool manages; /* worker clusters */
    uint32_t message_limit;
    uint32_t record;
    int64_t now;
};
void decode_config(struct msg_reader *r, struct open_config *ret);

#endif
