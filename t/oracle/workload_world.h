/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ORACLE_WORKLOAD_WORLD_H
#define SLUICE_T_ORACLE_WORKLOAD_WORLD_H

#include "t/oracle/world.h"

/*
 * Workloads as the API server holds them, and what becomes of a write: a version each time, and
 * whoever names an older one has lost the race. Names are numbers, -1 is none.
 */
enum { WORKLOADS = 20, WORKLOAD_SETS = 2, WORKLOAD_MOST_GATES = 2, LOCALS = 6, WORKLOAD_WORD = 32 };

struct workload_set {
    int count, minimum;      /* count 0: there is no such set */
    int64_t asks[RESOURCES]; /* of each pod; -1: not asked for. One of `pods` */
    int selects;             /* a flavor's nodes; -1: any */
    bool tolerates;
};

struct workload_grant {
    int count;
    int flavors[RESOURCES];
};

struct workload_condition_of {
    bool is_true, is_false;
    char reason[WORKLOAD_WORD];
    int64_t since;
};

struct workload_object {
    bool is;
    int number, object; /* which of two that had the name */
    int64_t version, created;
    int32_t priority;
    int local;
    bool active, deleted, job_stopped, yields, unsupported;
    struct workload_set sets[WORKLOAD_SETS];
    int gate_count;
    bool strays;
    struct {
        bool said, open;
    } gates[WORKLOAD_MOST_GATES];
    struct workload_condition_of conditions[CONDITIONS];
    bool has_admission;
    int granted_queue;
    struct workload_grant granted[WORKLOAD_SETS];
    int check_count;
    struct {
        int check;
        enum check_state state;
        int64_t retry_at;
    } checks[CHECKS];
    bool has_requeue;
    int64_t requeue_at;
};

/* What the engine asks to write, without its texts. */
struct workload_write_of {
    char write[WORKLOAD_WORD], reason[WORKLOAD_WORD], cause[WORKLOAD_WORD];
    int queue;
    struct workload_grant granted[WORKLOAD_SETS];
    int check_count, checks[CHECKS];
    bool admitted, clear, forget_requeue, requeued;
    int64_t at;
    int gate_count;
    bool open[WORKLOAD_MOST_GATES];
};

/* A write that the host was told to do, and has not answered. */
struct workload_request {
    bool is;
    int64_t id, version;
    int object;
    struct workload_write_of write;
};

struct workload_world {
    int64_t now, version;
    struct workload_object objects[WORKLOADS],
        before[WORKLOADS]; /* as it was before its last change */
};

extern const char *const workload_world_names[WORKLOADS];
extern const char *const workload_world_locals[LOCALS];
const char *workload_world_uid(int number, int object);
int workload_world_find(struct text name); /* -1: none */
int workload_world_find_uid(struct text uid);
int workload_world_find_set(struct text name);
int workload_world_find_gate(struct text name);

/* The engine sees it, or loses it if it is gone. An error, or 0. */
int workload_world_show(struct engine *engine, const struct workload_object *object);
void workload_world_local_facts(const int64_t *fields, struct local_queue_facts *ret_facts);

/* It is made, or edited as far as that is allowed. */
void workload_world_edit(struct workload_world *world, const int64_t *fields);
/* What else happens to it. False: nothing. */
bool workload_world_touch(struct workload_world *world, const int64_t *fields);

/* The object is about to have a new version; it says this condition. */
struct workload_object *workload_world_change(struct workload_world *world, int number);
void workload_world_say(const struct workload_world *world, struct workload_object *object,
                        enum workload_condition condition, bool is, const char *reason);

/* The host takes what it is told to write into a workload. */
void workload_world_lease(struct engine *engine, struct effect *effect,
                          struct workload_request *ret);

/* What the API server makes of it. Who comes too late hears so, whatever else was to be; nothing is
 * written, and the answer is to be RETRY, where it fails or never arrives. */
enum effect_result workload_world_carry(struct workload_world *world, int number,
                                        const struct workload_request *request, enum carry how);

#endif
