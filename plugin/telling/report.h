/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_TELLING_REPORT_H
#define SLUICE_PLUGIN_TELLING_REPORT_H

#include "plugin/engine.h"
#include "plugin/records/waits.h"

#include <stdbool.h>
#include <stdint.h>

/* What a person asks for: nothing here changes anything.
 *
 * Pages: begin with cursor 0. A cursor whose object has gone ends them. */
struct quota_row {
    struct text flavor, resource;
    int64_t share, kept, ceiling;
    bool bounded;
    int64_t usage, reserved, allocated; /* clamped */
};

struct queue_report {
    enum queue_kind kind;
    struct text name, parent, state;
    struct text own; /* the state that its own commands left, whatever the parent's make of it */
    bool by_parent, written; /* the object says the same as we do */
    bool known, leaf, strict;
    enum reason reason;
    uint32_t waiting, held, reserved, allocated;
    uint64_t granted, released, demoted; /* claims of its own, since it is known */
    const struct waits *waits;           /* of those that were granted something */
    int64_t oldest, unplaced;            /* of its own that wait, or hold and have no node: since
                                            when the oldest does; 0: there is none */
    uint32_t quota_count;
};

/* Moves *cursor to the next queue in order of kind and name. */
bool engine_next_queue(const struct engine *engine, uint32_t *cursor);
uint32_t engine_find_queue(const struct engine *engine, enum queue_kind kind, struct text name);
void engine_report_queue(const struct engine *engine, uint32_t queue, struct queue_report *ret);
/* The numbers of its rows, in the order of the names of flavor and resource: quota_count of them,
 * of which there may be thousands. */
void engine_order_quota(const struct engine *engine, uint32_t queue, uint32_t *ret_order);
/* [n < quota_count] */
void engine_report_quota(const struct engine *engine, uint32_t queue, uint32_t n,
                         struct quota_row *ret);
/* What is asked for by all that wait in it and below: resource and usage alone, by name. */
bool engine_next_ask(const struct engine *engine, uint32_t queue, uint32_t *cursor,
                     struct quota_row *ret);

/* The lowest queue that has no room for a claim, and for what. */
struct lack {
    bool is; /* there is one */
    enum queue_kind kind;
    struct text name, resource;
    int64_t room;   /* so much there is */
    int64_t asked;  /* so much it asks for; of a member of a gang: its gang does */
    int64_t wanted; /* by all that wait in that queue and below it */
};

/* Where a claim stands in its queue's order. */
struct position {
    uint32_t position; /* 1: next; 0: does not wait */
    bool at_least;     /* there is too much before it to be counted: so far it was */
    uint32_t ahead_count;
    struct quota_row ahead[FACTS_MAX_NEEDS]; /* what is before it: resource and usage alone */
    struct lack on;
    int64_t estimate;         /* ns, -1: not known well enough to plan by it */
    int64_t earliest, latest; /* ns, -1: unknown; in four of five cases it is between them */
    char basis[224];
};

struct pod_report {
    struct text uid, space, name, queue, node;
    enum queue_kind queue_kind;
    enum claim_state state;
    struct verdict why;
    int32_t priority;
    int64_t created, granted;
    struct text group; /* no text: a lone pod */
    uint32_t members;  /* that hold, are ready, or have succeeded; of a gang that waits: it is it */
    int32_t minimum;
    bool is_gang;          /* no pod, but the minimum of a group */
    struct position place; /* of a member of a gang: its gang's */
    uint32_t ask_count;
    struct quota_row asks[FACTS_MAX_NEEDS]; /* resource and usage alone */
    uint32_t flavor_count;
    struct {
        struct text resource, flavor;
    } flavors[FACTS_MAX_NEEDS];
};

uint32_t engine_find_named_pod(const struct engine *engine, struct text space, struct text name);
void engine_report_pod(const struct engine *engine, uint32_t claim, struct pod_report *ret);

/* What waits in a queue, in its order: the claim behind *cursor; false at the end. A walk takes
 * several at once, and all but its queue and `most`, how many are asked for, is zeroed; 0: all. */
enum { WALK_TAKES = 256 };

struct waiting_walk {
    uint32_t queue, most;
    uint32_t count, at;
    uint32_t claims[WALK_TAKES];
};

bool engine_next_waiting(const struct engine *engine, struct waiting_walk *walk, uint32_t *cursor,
                         uint32_t *ret_claim);
/* The protocol's word for it. */
const char *claim_state_name(enum claim_state state);
/* The identity alone: cheap. */
void engine_name_pod(const struct engine *engine, uint32_t claim, struct pod_report *ret);

/* A group, seen or only named, and what became of its minimum. */
enum group_stand {
    GROUP_STANDS_HELD,    /* it cannot be granted, and blocks nobody */
    GROUP_STANDS_WAITING, /* what lacks to its minimum waits as one */
    GROUP_STANDS_GRANTED, /* its minimum holds */
    GROUP_STANDS_APART,   /* it has none: each member goes alone */
};

struct group_report {
    struct text uid, space, name;
    struct text queue; /* no text: neither it nor a member names one */
    enum queue_kind queue_kind;
    bool known; /* there is an object of it */
    enum group_kind kind;
    enum group_stand stand;
    struct verdict why;
    const char *phase; /* what its status is to say */
    int32_t priority, minimum;
    int64_t created;
    uint32_t members; /* pods that have not ended */
    uint32_t ready;   /* of them: nothing of their own holds them, and they were granted nothing */
    uint32_t reserved, allocated, succeeded, failed;
    struct position place; /* of what lacks to its minimum */
    uint32_t ask_count;
    struct quota_row asks[FACTS_MAX_NEEDS]; /* what that asks for: resource and usage alone */
};

/* Pages, by namespace and name; and a group's members, pods that have not ended, by rank. */
bool engine_next_group(const struct engine *engine, uint32_t *cursor);
uint32_t engine_find_group(const struct engine *engine, enum group_kind kind, struct text space,
                           struct text name);
void engine_report_group(const struct engine *engine, uint32_t group, struct group_report *ret);
bool engine_next_member(const struct engine *engine, uint32_t group, uint32_t *cursor);
/* Why it does not pass: the reason alone, without words. */
enum reason engine_member_reason(const struct engine *engine, uint32_t claim);

/* What is to be written into a workload that is admitted here. */
struct workload_set_report {
    struct text name;
    uint32_t count, need_count;
    struct {
        struct text resource, flavor;
        int64_t amount; /* of all its pods */
    } needs[FACTS_MAX_NEEDS];
};

struct workload_write_report {
    const char *write; /* the protocol's word; "": nothing is */
    struct text reason, cause;
    char message[VERDICT_MESSAGE_MAX];
    struct text queue;
    uint32_t set_count;
    struct workload_set_report sets[FACTS_MAX_SETS];
    uint32_t check_count;
    struct text checks[FACTS_MAX_CHECKS];
    bool admitted, clear, forget_requeue, requeued;
    int64_t at;
    uint32_t gate_count;
    struct {
        struct text name;
        bool open;
    } gates[FACTS_MAX_PREEMPTION_GATES];
};

void engine_workload_write(const struct engine *engine, uint32_t workload,
                           struct workload_write_report *ret);

enum { WORKLOAD_REPORT_VICTIMS = 32 };

struct workload_name {
    struct text uid, space, name;
};

struct workload_report {
    struct workload_name is;
    struct text local_queue, queue; /* no text: not known */
    const char *state, *reason;
    char message[VERDICT_MESSAGE_MAX];
    int32_t priority;
    int64_t created, signal_since;
    struct position place; /* briefly: its number alone, in which 256 different requests of pods
                              are looked at */
    uint32_t ask_count;
    struct quota_row asks[FACTS_MAX_NEEDS]; /* of all its pods: resource and usage alone */
    bool signals;
    struct text closed; /* the first gate that is not open */
    uint32_t check_count;
    struct {
        struct text name;
        const char *state;
    } checks[FACTS_MAX_CHECKS];
    uint32_t victim_count;
    struct workload_name victims[WORKLOAD_REPORT_VICTIMS];
    bool is_victim; /* of this one */
    struct workload_name of;
    struct workload_write_report
        write; /* what it holds or is promised, set by set, is told here, too; its gates */
};

/* A search for victims may be tried, and taken back: nothing is changed. briefly: without message,
 * victims, asks, and how long it may take. */
uint32_t engine_find_workload(const struct engine *engine, struct text space, struct text name);
void engine_report_workload(struct engine *engine, uint32_t workload, bool briefly,
                            struct workload_report *ret);

/* The workloads of a ClusterQueue, or, if that is 0, of a LocalQueue: those that hold quota, or the
 * others, in their order. */
bool engine_next_workload(const struct engine *engine, uint32_t queue, uint32_t local, bool holding,
                          uint32_t *cursor, uint32_t *ret_workload);

struct workload_usage {
    struct text flavor, resource;
    int64_t reserved, admitted, borrowed;
};

struct cluster_queue_report {
    struct text space, name, queue;
    bool active;
    const char *reason;
    char message[VERDICT_MESSAGE_MAX];
    uint32_t pending, idle; /* that hold nothing; of them, that wait for no quota */
    uint32_t reserving, admitted;
    const struct waits *waits; /* of a LocalQueue: of its workloads that were granted quota */
    int64_t oldest;            /* of a LocalQueue: since when its oldest workload waits; 0 */
};

/* Of a ClusterQueue, and of a LocalQueue: what its workloads see of it, and, row by row, use. */
void engine_report_cluster_queue(const struct engine *engine, uint32_t queue,
                                 struct cluster_queue_report *ret);
void engine_report_local_queue(const struct engine *engine, uint32_t local,
                               struct cluster_queue_report *ret);
uint32_t engine_find_local_queue(const struct engine *engine, struct text space, struct text name);
bool engine_next_local_queue(const struct engine *engine, uint32_t *cursor);
bool engine_next_workload_usage(const struct engine *engine, uint32_t queue, uint32_t local,
                                uint32_t *cursor, struct workload_usage *ret);

#endif
