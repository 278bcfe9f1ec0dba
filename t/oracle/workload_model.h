/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ORACLE_WORKLOAD_MODEL_H
#define SLUICE_T_ORACLE_WORKLOAD_MODEL_H

#include "plugin/base/workload_life.h"
#include "t/oracle/naive_flavors.h"
#include "t/oracle/workload_world.h"

/*
 * What the engine should do with workloads, said as plainly as possible: what each object said
 * last, what was decided and is not seen yet, and nothing that can be computed from these. Every
 * number is summed up anew whenever it is asked for, and whenever anything happens everybody is
 * asked again.
 *
 * Queues are nodes: first the cohorts, by name, then the ClusterQueues.
 */
enum { WORKLOAD_NODES = 2 * QUEUE_NAMES };

/* The objects around workloads, as they were shown last: also for an engine that begins anew. */
struct workload_scenery {
    struct workload_shown {
        bool is;
        struct step step;
    } queues[QUEUE_COHORT + 1][QUEUE_NAMES], flavors[FLAVORS], locals[LOCALS], checks[CHECKS];
};

struct model_workload {
    bool known;
    struct workload_object seen;
    enum claim_state state;
    bool over; /* nobody's claim */
    bool assumed, promised, blocked;
    int64_t rests_until; /* the second before which nobody takes its room again */
    bool within;         /* its queue's share holds what it is promised */
    bool victim;
    int of;        /* -1: for nobody any more */
    int64_t order; /* of all promises */
    int64_t stamp;
    struct workload_grant held[WORKLOAD_SETS]; /* what it holds, or is promised */
    int64_t wrote;
    bool awaits, leased;
    int64_t lease_ends;
    char writing[WORKLOAD_WORD];
    const char *write; /* what is to be written into it; "": nothing */
};

struct workload_model {
    const struct workload_scenery *scenery;
    bool gates, synced, leads;
    int64_t now, orders;
    int local_queues[LOCALS]; /* to which node a LocalQueue leads; -1: not known */
    struct model_workload workloads[WORKLOADS];

    /* What the queues' objects say, summed up when one of them changed. */
    bool cycles[WORKLOAD_NODES];
    int parents[WORKLOAD_NODES];
    struct naive_quota quotas[WORKLOAD_NODES][NAIVE_CELLS];
};

void workload_model_init(struct workload_model *model, const struct workload_scenery *scenery,
                         bool gates);

/* What happens. */
void workload_model_see(struct workload_model *model, const struct workload_object *object);
void workload_model_lose(struct workload_model *model, int number);
void workload_model_local(struct workload_model *model, int local); /* it was shown, or is gone */
void workload_model_queue_edited(struct workload_model *model, int node);
void workload_model_lead(struct workload_model *model, bool leads);
void workload_model_lease(struct workload_model *model, int number);
void workload_model_answered(struct workload_model *model, int number, enum effect_result result,
                             int64_t version);

/* Everything that follows from it. */
void workload_model_settle(struct workload_model *model);

/* The parts of the model, for each other. */
int workload_model_queue_of(const struct workload_model *model, int number); /* node; -1 */
bool workload_model_waits_in(const struct workload_model *model, int number, int node);
bool workload_model_holds(const struct model_workload *workload);
bool workload_model_holds_later(const struct model_workload *workload);
bool workload_model_says_reserved(const struct workload_object *object);
bool workload_model_same_asks(const struct workload_object *a, const struct workload_object *b);
bool workload_model_closed(const struct workload_model *model,
                           const struct workload_object *object);
bool workload_model_ranks_before(const struct workload_model *model, int a, int b);
int64_t workload_model_since(const struct workload_object *object);
void workload_model_end_promise(struct workload_model *model, int number);
void workload_model_spare(struct workload_model *model,
                          int number); /* stays, if nothing speaks against it */
void workload_model_hold_nothing(struct model_workload *workload);
void workload_model_give_up(struct workload_model *model, int number);
void workload_model_settle_all(struct workload_model *model);

/* Queues and their numbers. */
const struct workload_shown *workload_model_shown(const struct workload_model *model, int node);
int workload_model_root(const struct workload_model *model, int node);
void workload_model_count(struct workload_model *model);
int workload_model_group(const struct workload_model *model, int node, int resource); /* -1: none */
enum life_stop workload_model_stop(const struct workload_model *model, int node);
bool workload_model_grants(const struct workload_model *model, int node);

/* All that there is, as the naive searches have it. */
void workload_model_fill_tables(const struct workload_model *model, struct naive_world *ret);

/* What it would get, with victims or without. False: nothing comes of it. */
bool workload_model_decide(const struct workload_model *model, int number, bool victims,
                           struct naive_choice *ret);

#endif
