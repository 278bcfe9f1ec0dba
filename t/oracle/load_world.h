/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ORACLE_LOAD_WORLD_H
#define SLUICE_T_ORACLE_LOAD_WORLD_H

#include "t/oracle/world.h"

/*
 * Workloads as the API server holds them, and what becomes of a write: a version each time, and
 * whoever names an older one has lost the race. Names are numbers, -1 is none.
 */
enum { LOADS = 20, LOAD_SETS = 2, LOAD_GATES = 2, LOCALS = 6, LOAD_WORD = 32 };

struct load_set {
    int count, minimum;      /* count 0: there is no such set */
    int64_t asks[RESOURCES]; /* of each pod; -1: not asked for. One of `pods` */
    int selects;             /* a flavor's nodes; -1: any */
    bool tolerates;
};

struct load_grant {
    int count;
    int flavors[RESOURCES];
};

struct load_condition_of {
    bool is_true, is_false;
    char reason[LOAD_WORD];
    int64_t since;
};

struct load_object {
    bool is;
    int number, object; /* which of two that had the name */
    int64_t version, created;
    int32_t priority;
    int local;
    bool active, deleted, job_stopped, yields, unsupported;
    struct load_set sets[LOAD_SETS];
    int gate_count;
    bool strays;
    struct {
        bool said, open;
    } gates[LOAD_GATES];
    struct load_condition_of conditions[CONDITIONS];
    bool has_admission;
    int granted_queue;
    struct load_grant granted[LOAD_SETS];
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
struct load_write_of {
    char write[LOAD_WORD], reason[LOAD_WORD], cause[LOAD_WORD];
    int queue;
    struct load_grant granted[LOAD_SETS];
    int check_count, checks[CHECKS];
    bool admitted, clear, forget_requeue, requeued;
    int64_t at;
    int gate_count;
    bool open[LOAD_GATES];
};

struct load_world {
    int64_t now, version;
    struct load_object objects[LOADS], before[LOADS]; /* as it was before its last change */
};

/* The facts point into the view. */
struct load_view {
    struct load_facts facts;
    struct set_facts sets[LOAD_SETS];
    struct label selectors[LOAD_SETS];
    struct toleration toleration;
    struct granted_facts granted[LOAD_SETS];
};

const char *load_world_name(int number);
const char *load_world_uid(int number, int object);
const char *load_world_local(int local);
int load_world_find(struct text name); /* -1: none */
int load_world_find_uid(struct text uid);
int load_world_find_set(struct text name);
int load_world_find_gate(struct text name);

void load_world_facts(const struct load_object *object, struct load_view *ret_view);
void load_world_local_facts(const int64_t *fields, struct local_queue_facts *ret_facts);

/* It is made, or edited as far as that is allowed. */
void load_world_edit(struct load_world *world, const int64_t *fields);
/* What else happens to it. False: nothing. */
bool load_world_touch(struct load_world *world, const int64_t *fields);

/* The object is about to have a new version; it says this condition. */
struct load_object *load_world_change(struct load_world *world, int number);
void load_world_say(const struct load_world *world, struct load_object *object,
                    enum load_condition condition, bool is, const char *reason);

void load_world_read_write(const struct load_write_report *report, struct load_write_of *ret);
/* Carries out a write into what is there. */
void load_world_write(struct load_world *world, int number, const struct load_write_of *write);

#endif
