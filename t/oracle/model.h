/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ORACLE_MODEL_H
#define SLUICE_T_ORACLE_MODEL_H

#include "t/oracle/naive_world.h"
#include "t/oracle/states.h"

/*
 * What the engine should do, said as plainly as possible: small tables, no order kept, nothing
 * remembered that can be computed. Every number is computed anew from the pods whenever it is asked
 * for, and every decision looks at everything.
 */
struct model_claim {
    bool live;
    int64_t pod[STEP_FIELDS]; /* as it was last seen */
    bool managed;
    int64_t rests_until; /* the second before which nobody takes its room again */
    bool confirmed;      /* observed, not only named by pre_enqueue */
    int64_t forget_at;   /* if not */
    enum claim_state state;
    bool bound;
    bool restoring; /* granted before a restart, and waits to be so again */
    int64_t stamp;  /* of the grant: what the pod says, if it ever said so while it held */
    bool stamped;
    int flavor[RESOURCES]; /* -1: of a resource that is not asked for, or that nobody counts */
    bool lacks_node;       /* as long as it is reserved: no node fits */
    bool kept;             /* while it holds nothing: its flavors are those of a stamp or grant */
    bool guessed;          /* its flavors are not those of a stamp or grant */
    bool tried;            /* since it is reserved, a scheduling cycle has looked for a node */
    int64_t since;         /* it is reserved, or its queue goes on again */
    int64_t again;         /* held: not before this, after a reservation that was not used */
    int timeouts;          /* such reservations, one after the other */
    bool said;             /* an event said that its queue is suspended */
    bool keeps_turn;       /* granted before: its condition alone does not hold it */
    bool overwriting;      /* an overwrite of its condition went out, and was not seen yet */
    int group_queue;       /* 0: its own; else that which its group names, and 1 */
    bool group_bars;       /* that is not for its namespace */
    int place;             /* 0: there; else the queue that it was granted in, and 1 */
    bool stamp_is_wrong;   /* it names another queue, and was not written since */
    bool in_gang;          /* it waits, but its gang does so for it */
    bool is_gang;          /* it is no pod, but what lacks to a group's minimum */
    bool is_booking;       /* members of that minimum are still to be made; it may hold room */
    int64_t gang_needs[RESOURCES]; /* what a gang asks for */
    struct model_promise {         /* room that is on its way to it */
        bool made;
        int64_t order; /* of all promises */
        int flavor[RESOURCES];
        bool within[RESOURCES]; /* what it must not exceed its queue's share of */
    } promise;
    struct model_victim { /* it goes for another one */
        bool chosen;
        int of;        /* -1: for nobody alone */
        int64_t order; /* the last comes first */
        int64_t since;
        bool evicted;     /* the host said so */
        int64_t evicting; /* it has been told to, until then; 0: not */
        int64_t spared;   /* not again before then; 0: it was not spared */
    } victim;
    bool parked; /* pre_enqueue said no, or it gave back what it was granted, and the scheduler was
                    not told since: it may lie where nobody looks */
    bool let_go; /* it is no claim any more: its owner took it out of the queues, but it lies there
                    still */
};

struct model_queue {
    bool seen;  /* there is an object of it */
    bool known; /* there is an object of it, or it is always there */
    int64_t spec[STEP_FIELDS];
    int parent; /* -1: a root */
    bool cyclic;
    bool stopped; /* nobody went on in it, when that was last looked at */
    struct model_life life;
};

struct model {
    int64_t config[STEP_FIELDS];
    int64_t now;
    bool synced, leads;
    struct model_claim claims[UIDS + GROUPS]; /* pods, and gangs */
    struct {
        bool seen;
        int64_t facts[STEP_FIELDS];
        int queue; /* that it names, as long as somebody names the group */
    } groups[GROUPS];
    struct {
        bool live;
        int64_t pod[STEP_FIELDS];
    } finished[UIDS]; /* members that have succeeded */
    struct model_queue queues[QUEUES];
    struct {
        bool seen, asks;
        int64_t facts[STEP_FIELDS];
    } flavors[FLAVORS];
    struct {
        bool seen;
        int64_t facts[STEP_FIELDS];
    } nodes[NODES];
    struct model_command commands[COMMANDS];
    int64_t versions; /* of all objects, so far */
    int64_t orders;   /* of promises and victims, so far */
};

void model_init(struct model *model, const int64_t *config);

static inline int model_queue_id(int kind, int name)
{
    return kind * QUEUE_NAMES + name;
}

static inline enum queue_kind model_kind(int queue)
{
    return (enum queue_kind)(queue / QUEUE_NAMES);
}

/* The queue that a claim counts in. */
int model_queue_of(const struct model_claim *claim);

/* Whether the queue that it would be in, its group's or its own, is not for its namespace. */
bool model_is_not_selected(const struct model_claim *claim);

/* What a claim asks for; 0: nothing. */
int64_t model_need(const struct model_claim *claim, int resource);

/* Whether a claim takes room. */
static inline bool model_holds(const struct model_claim *claim)
{
    return claim->live && claim->state >= CLAIM_RESERVED;
}

/* Rank in a queue: priority, then creation, then uid. */
bool model_ranks_before(const struct model *model, int a, int b);

/* The first that waits in a queue, after this one; -1: none. */
int model_next_waiting(const struct model *model, int queue, int after);
bool model_is_strict(const struct model *model, int queue);

/* Whether it is the first in a queue where nobody passes the first. */
bool model_heads(const struct model *model, int uid);

int model_root(const struct model *model, int queue);
bool model_is_below(const struct model *model, int queue, int ancestor);
bool model_has_children(const struct model *model, int queue);

/* The claims in a queue and below it, by state. */
void model_count_claims(const struct model *model, int queue, uint32_t ret_counts[CLAIM_STATES]);

/* Why nothing is granted in a queue. Who was granted goes on in one that is closed. */
enum stop { STOP_NOTHING, STOP_CLOSED, STOP_SUSPENDED, STOP_UNKNOWN, STOP_INACTIVE };
enum stop model_stops(const struct model *model, int queue);
bool model_spares(const struct model *model, int queue); /* who runs there is nobody's victim */

/* Whether anybody may be granted anything. */
static inline bool model_grants(const struct model *model)
{
    return model->synced && model->leads;
}

/* The group of a ClusterQueue that covers the resource, -1: none. */
int model_group_of(const struct model *model, int queue, int resource);

/* The world changes; model_settle follows. */
void model_see(struct model *model, const int64_t *pod, bool observed);
void model_lose(struct model *model, int uid);
void model_tell(struct model *model, int uid); /* the scheduler has looked at it, or will */
void model_set_queue(struct model *model, const int64_t *spec);
void model_lose_queue(struct model *model, int queue);
void model_set_flavor(struct model *model, const int64_t *facts, bool seen);
void model_set_node(struct model *model, const int64_t *facts, bool seen);
void model_post_filter(struct model *model, int uid);
void model_reserve(struct model *model, int uid);
void model_unreserve(struct model *model, int uid);
void model_post_bind(struct model *model, int uid);
void model_pre_filter(struct model *model, int uid);

/* Time goes on: never past model_next_deadline() in one step. INT64_MAX: none. */
void model_set_time(struct model *model, int64_t now);
int64_t model_next_deadline(const struct model *model);

/* A claim that takes no room (any more), and will not before a time. */
void model_give_up(struct model *model, int uid, int64_t again);

/* A claim that waits, as a newcomer: it is granted if it fits and nobody's turn comes first. */
void model_arrive(struct model *model, int uid);

/* Reservations in a queue that has stopped have all their time before them when it goes on. */
void model_note_resumed(struct model *model);
void model_restart(struct model *model);
void model_set_role(struct model *model, bool synced, bool leads);

void model_set_group(struct model *model, const int64_t *facts);
void model_lose_group(struct model *model, int group);
bool model_is_left(const struct model *model, int group); /* in the queue that it names */
void model_lose_finished(struct model *model, int uid);

/* What follows from groups' members for those that hold nothing, and for gangs that are not whole
 * any more. */
void model_review_groups(struct model *model);
void model_grant_gang(struct model *model, int group, const int flavors[RESOURCES]);
void model_demote_with_gang(struct model *model, int uid);
void model_restore_member(struct model *model, int uid);
void model_begin_gangs(struct model *model);
/* A member that cannot be granted a place alone. */
bool model_waits_for_gang(const struct model *model, int uid);

/* How many members of the group have succeeded; and with those that hold. */
int model_count_succeeded(const struct model *model, int group);
int model_count_there(const struct model *model, int group);

/* Whether the claim is a member of the group, and whether nothing is wrong with that. */
bool model_is_member(const struct model_claim *claim, int group);
bool model_group_is_sound(const struct model *model, int group);

/* The next member after this one (-1: the first), by rank, that is ready, or, if asked for, that a
 * restart found granted; -1: none. */
int model_next_member(const struct model *model, int group, int after, bool restoring);

/* What lacks to the group, as one claim. False: too few are ready, or they cannot be added. */
bool model_add_up(const struct model *model, int group, struct model_claim *sum);
bool model_groups_are_written(const struct model *model);

/* What a group asks for whose members are still to be made; false: it does not. */
bool model_books(const struct model *model, int group, struct model_claim *ret);
void model_book(struct model *model, int uid, const int flavors[RESOURCES]);
void model_review_booking(struct model *model, int group, const struct model_claim *before,
                          bool waits_as_one);
void model_rebuild_bookings(struct model *model);
void model_begin_booking(struct model *model, int group);
void model_restore_booking(struct model *model, int group);
bool model_booking_is_written(const struct model *model, int group);
/* The queue that a pod's group names, and 1; 0: none. */
void model_join_group(const struct model *model, struct model_claim *claim, const int64_t *pod);

/* Where a claim belongs, by its pod alone or, while this engine leads, by what it holds. */
void model_settle_claim(struct model *model, struct model_claim *claim, bool is_new);

/* Who holds keeps the time of its grant, unless the pod tells another. */
void model_note_stamp(struct model_claim *claim);

/* Something of the pod's own holds it. */
bool model_is_held(const struct model *model, const struct model_claim *claim);

/* A member goes to the queue that its group names. */
void model_move(struct model *model, int uid);

/* A claim is granted a place. */
void model_give(struct model *model, int uid, const int flavors[RESOURCES]);

/* A claim that holds more than there is gives it back; one that a restart found granted gets it
 * back if it fits. */
void model_demote(struct model *model, int uid);
void model_restore(struct model *model, int uid);

/* Demotes, restores and grants until nothing is left to do. */
void model_settle(struct model *model);

/* What PreEnqueue must answer, once all has settled. */
bool model_passes(const struct model *model, const int64_t *pod);

/* What pre_filter and reserve must answer. */
bool model_passes_cycle(const struct model *model, int uid);

/* Whether a claim's queue lets it go on once it is granted. */
bool model_goes_on(const struct model *model, const struct model_claim *claim);

/* Whether the scheduler would look for the wrong nodes: its flavor's tolerations can be written
 * into the pod only together with the removal of its gate. */
bool model_must_change_first(const struct model *model, const struct model_claim *claim);

/* Whether something holds it that neither time nor a write of ours ends: a gate that is not ours,
 * or a ClusterQueue that does not select its namespace. */
bool model_waits_for_others(const struct model_claim *claim);

/* Whether a claim was granted, and nothing keeps it from its node. */
bool model_advances(const struct model *model, const struct model_claim *claim);

/* Its condition is being overwritten, and the scheduler must not hear of its grant before. */
bool model_is_stale(const struct model_claim *claim);

/* What its condition says of the cycles since the grant, and of a write under way. */
void model_note_condition(struct model *model, struct model_claim *claim, bool newer);

/* Granted before this engine led, as far as the pod tells. */
bool model_looks_granted(const int64_t *pod);

/* The queue, and 1, in which a pod that was granted stays by its stamp, whatever it names by now;
 * 0: none. Of the claim: what it was before the pod was seen. */
int model_find_place(const struct model *model, const struct model_claim *before,
                     const int64_t *pod);

/* The same of one whose group names another queue now. */
int model_find_place_in_group(const struct model *model, const struct model_claim *claim);

bool model_names_place(const int64_t *pod);
bool model_misleads(const struct model *model, const struct model_claim *claim);
void model_note_place(const struct model *model, struct model_claim *claim);

/* Whether a claim's queue counts what it needs of a resource in that flavor. */
bool model_offers(const struct model *model, const struct model_claim *claim, int resource,
                  int flavor);

/* Whether a younger pod of this one's name was seen. */
bool model_is_old(const struct model_claim *claim, const int64_t *pod, bool observed);
bool model_outdated(const struct model *model, const int64_t *pod);

/* A claim that gives back. */
void model_forget_flavors(struct model_claim *claim);

/* What a stamp names, or names not, stays until the claim is granted anew. */
void model_read_stamp(struct model_claim *claim);

/* Where a bound pod without a stamp runs is a guess, made again when what it is made from
 * changes. Of other claims, what they hold of resources that nobody counted before finds its
 * place. */
void model_guess_flavors(struct model *model, struct model_claim *claim);
void model_guess_again(struct model *model);

/* Whether a claim could be given a flavor, for all that quota says. */
bool model_flavor_serves(const struct model *model, const struct model_claim *claim, int flavor);

#endif
