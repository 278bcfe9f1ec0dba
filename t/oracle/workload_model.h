/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ORACLE_WORKLOAD_MODEL_H
#define SLUICE_T_ORACLE_WORKLOAD_MODEL_H

#include "plugin/base/amount.h"
#include "plugin/base/workload_life.h"
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

struct model_load {
    bool known;
    struct workload_object seen;
    enum claim_state state;
    bool over; /* nobody's claim */
    bool assumed, promised, blocked;
    bool victim;
    int of; /* -1: for nobody any more */
    enum workload_cause_of { FROM_OWN_QUEUE, FROM_OTHERS, FROM_OTHERS_BORROWING } cause;
    int64_t order; /* of all promises */
    int64_t stamp;
    struct workload_grant held[WORKLOAD_SETS]; /* what it holds, or is promised */
    int64_t wrote;
    bool awaits, leased;
    int64_t lease_ends;
    char writing[WORKLOAD_WORD];
    struct life_step step;
    const char *write; /* what is to be written into it; "": nothing */
    bool away;         /* while somebody looks for victims: as if it had gone */
};

struct workload_model {
    const struct workload_scenery *scenery;
    bool gates, synced, leads;
    int64_t now, orders;
    int local_queues[LOCALS]; /* to which node a LocalQueue leads; -1: not known */
    struct model_load workloads[LOADS];

    /* What the queues' objects say, summed up when one of them changed. */
    bool cycles[WORKLOAD_NODES];
    int parents[WORKLOAD_NODES];
    wide shares[WORKLOAD_NODES][FLAVORS][RESOURCES], kept[WORKLOAD_NODES][FLAVORS][RESOURCES];
    int64_t bounds[WORKLOAD_NODES][FLAVORS][RESOURCES]; /* what may be borrowed, or UNSAID */
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
bool workload_model_holds(const struct model_load *workload);
bool workload_model_holds_later(const struct model_load *workload);
bool workload_model_says_reserved(const struct workload_object *object);
bool workload_model_same_asks(const struct workload_object *a, const struct workload_object *b);
bool workload_model_closed(const struct workload_model *model,
                           const struct workload_object *object);
int64_t workload_model_since(const struct workload_object *object);
wide workload_model_amount(const struct model_load *workload, int flavor, int resource);
wide workload_model_least(const struct model_load *workload, int flavor, int resource);
void workload_model_end_promise(struct workload_model *model, int number);
void workload_model_spare(struct workload_model *model,
                          int number); /* stays, if nothing speaks against it */
void workload_model_give_up(struct workload_model *model, int number);
void workload_model_settle_all(struct workload_model *model);

/* Queues and their numbers. */
const struct workload_shown *workload_model_shown(const struct workload_model *model, int node);
int workload_model_parent(const struct workload_model *model, int node);
int workload_model_root(const struct workload_model *model, int node);
void workload_model_count(struct workload_model *model);
int workload_model_group(const struct workload_model *model, int node, int resource); /* -1: none */
int workload_model_order(const struct workload_model *model, int node, int group, int ret[FLAVORS]);
enum life_stop workload_model_stop(const struct workload_model *model, int node);
bool workload_model_grants(const struct workload_model *model, int node);

struct workload_cell {
    int flavor, resource;
};
wide workload_model_share(const struct workload_model *model, int node, struct workload_cell cell);
wide workload_model_kept(const struct workload_model *model, int node, struct workload_cell cell);
wide workload_model_usage(const struct workload_model *model, int node, struct workload_cell cell,
                          bool later);
wide workload_model_room(const struct workload_model *model, int node, struct workload_cell cell,
                         bool later);
wide workload_model_room_ever(const struct workload_model *model, int node,
                              struct workload_cell cell);
int workload_model_height(const struct workload_model *model, int node, struct workload_cell cell,
                          wide amount, bool later, bool *ret_reclaims);

/* Victims for so much of each cell. They are away until workload_model_return. */
enum { WORKLOAD_CELLS = (FLAVORS + 1) * RESOURCES };
struct workload_wanted {
    int count;
    struct workload_cell cells[WORKLOAD_CELLS];
    wide amounts[WORKLOAD_CELLS];
};
struct workload_victims {
    bool found;
    int count, workloads[LOADS]; /* in the order in which they were taken */
    enum workload_cause_of causes[LOADS];
};
void workload_model_hunt(struct workload_model *model, int number,
                         const struct workload_wanted *wanted, struct workload_victims *ret);
void workload_model_return(struct workload_model *model);

/* What it would get. */
enum workload_how { NO_FIT, NO_VICTIMS, PREEMPTS, RECLAIMS, FITS };
struct workload_assigned {
    enum workload_how how;
    int height;
    struct workload_grant granted[WORKLOAD_SETS];
    bool waits_only; /* nobody has to go */
};
/* False: nothing comes of it. */
bool workload_model_decide(struct workload_model *model, int number, bool victims,
                           struct workload_assigned *ret);
void workload_model_total(const struct workload_model *model, int number,
                          const struct workload_grant granted[WORKLOAD_SETS],
                          struct workload_wanted *ret);

#endif
