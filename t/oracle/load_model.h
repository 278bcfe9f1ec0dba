/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ORACLE_LOAD_MODEL_H
#define SLUICE_T_ORACLE_LOAD_MODEL_H

#include "plugin/amount.h"
#include "plugin/workload_life.h"
#include "t/oracle/load_world.h"

/*
 * What the engine should do with workloads, said as plainly as possible: what each object said
 * last, what was decided and is not seen yet, and nothing that can be computed from these. Every
 * number is summed up anew whenever it is asked for, and whenever anything happens everybody is
 * asked again.
 *
 * Queues are nodes: first the cohorts, by name, then the ClusterQueues.
 */
enum { LOAD_NODES = 2 * QUEUE_NAMES };

/* The objects around workloads, as they were shown last: also for an engine that begins anew. */
struct load_scenery {
    struct load_shown {
        bool is;
        struct step step;
    } queues[QUEUE_COHORT + 1][QUEUE_NAMES], flavors[FLAVORS], locals[LOCALS], checks[CHECKS];
};

struct model_load {
    bool known;
    struct load_object seen;
    enum claim_state state;
    bool over; /* nobody's claim */
    bool assumed, promised, blocked;
    bool victim;
    int of; /* -1: for nobody any more */
    enum load_cause_of { FROM_OWN_QUEUE, FROM_OTHERS, FROM_OTHERS_BORROWING } cause;
    int64_t order; /* of all promises */
    int64_t stamp;
    struct load_grant held[LOAD_SETS]; /* what it holds, or is promised */
    int64_t wrote;
    bool awaits, leased;
    int64_t lease_ends;
    char writing[LOAD_WORD];
    struct life_step step;
    const char *write; /* what is to be written into it; "": nothing */
    bool away;         /* while somebody looks for victims: as if it had gone */
};

struct load_model {
    const struct load_scenery *scenery;
    bool gates, synced, leads;
    int64_t now, orders;
    int local_queues[LOCALS]; /* to which node a LocalQueue leads; -1: not known */
    struct model_load loads[LOADS];

    /* What the queues' objects say, summed up when one of them changed. */
    bool cycles[LOAD_NODES];
    int parents[LOAD_NODES];
    wide shares[LOAD_NODES][FLAVORS][RESOURCES], kept[LOAD_NODES][FLAVORS][RESOURCES];
    int64_t bounds[LOAD_NODES][FLAVORS][RESOURCES]; /* what may be borrowed, or UNSAID */
};

void load_model_init(struct load_model *model, const struct load_scenery *scenery, bool gates);

/* What happens. */
void load_model_see(struct load_model *model, const struct load_object *object);
void load_model_lose(struct load_model *model, int number);
void load_model_local(struct load_model *model, int local); /* it was shown, or is gone */
void load_model_queue_edited(struct load_model *model, int node);
void load_model_lead(struct load_model *model, bool leads);
void load_model_lease(struct load_model *model, int number);
void load_model_answered(struct load_model *model, int number, enum effect_result result,
                         int64_t version);

/* Everything that follows from it. */
void load_model_settle(struct load_model *model);

/* The parts of the model, for each other. */
int load_model_queue_of(const struct load_model *model, int number); /* node; -1 */
bool load_model_holds(const struct model_load *load);
bool load_model_holds_later(const struct model_load *load);
bool load_model_says_reserved(const struct load_object *object);
bool load_model_same_asks(const struct load_object *a, const struct load_object *b);
bool load_model_closed(const struct load_model *model, const struct load_object *object);
int64_t load_model_since(const struct load_object *object);
wide load_model_amount(const struct model_load *load, int flavor, int resource);
wide load_model_least(const struct model_load *load, int flavor, int resource);
void load_model_end_promise(struct load_model *model, int number);
void load_model_spare(struct load_model *model,
                      int number); /* stays, if nothing speaks against it */
void load_model_give_up(struct load_model *model, int number);
void load_model_settle_all(struct load_model *model);

/* Queues and their numbers. */
const struct load_shown *load_model_shown(const struct load_model *model, int node);
int load_model_parent(const struct load_model *model, int node);
int load_model_root(const struct load_model *model, int node);
void load_model_count(struct load_model *model);
int load_model_group(const struct load_model *model, int node, int resource); /* -1: none */
int load_model_order(const struct load_model *model, int node, int group, int ret[FLAVORS]);
enum life_stop load_model_stop(const struct load_model *model, int node);
bool load_model_grants(const struct load_model *model, int node);

struct load_cell {
    int flavor, resource;
};
wide load_model_share(const struct load_model *model, int node, struct load_cell cell);
wide load_model_kept(const struct load_model *model, int node, struct load_cell cell);
wide load_model_usage(const struct load_model *model, int node, struct load_cell cell, bool later);
wide load_model_room(const struct load_model *model, int node, struct load_cell cell, bool later);
wide load_model_room_ever(const struct load_model *model, int node, struct load_cell cell);
int load_model_height(const struct load_model *model, int node, struct load_cell cell, wide amount,
                      bool later, bool *ret_reclaims);

/* Victims for so much of each cell. They are away until load_model_return. */
enum { LOAD_CELLS = (FLAVORS + 1) * RESOURCES };
struct load_wanted {
    int count;
    struct load_cell cells[LOAD_CELLS];
    wide amounts[LOAD_CELLS];
};
struct load_victims {
    bool found;
    int count, loads[LOADS]; /* in the order in which they were taken */
    enum load_cause_of causes[LOADS];
};
void load_model_hunt(struct load_model *model, int number, const struct load_wanted *wanted,
                     struct load_victims *ret);
void load_model_return(struct load_model *model);

/* What it would get. */
enum load_how { NO_FIT, NO_VICTIMS, PREEMPTS, RECLAIMS, FITS };
struct load_assigned {
    enum load_how how;
    int height;
    struct load_grant granted[LOAD_SETS];
    bool waits_only; /* nobody has to go */
};
/* False: nothing comes of it. */
bool load_model_decide(struct load_model *model, int number, bool victims,
                       struct load_assigned *ret);
void load_model_total(const struct load_model *model, int number,
                      const struct load_grant granted[LOAD_SETS], struct load_wanted *ret);

#endif
