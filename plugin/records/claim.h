/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_RECORDS_CLAIM_H
#define SLUICE_PLUGIN_RECORDS_CLAIM_H

#include "plugin/base/outbox.h"
#include "plugin/base/tree.h"

#include <stdbool.h>
#include <stdint.h>

enum claim_flag {
    CLAIM_PROVISIONAL = 1 << 0,   /* only pre_enqueue has named it so far */
    CLAIM_MANAGED = 1 << 1,       /* obeys the queues; else it only counts */
    CLAIM_BOUND = 1 << 2,         /* has its node for good */
    CLAIM_UNSCHEDULABLE = 1 << 3, /* its condition says so */
    CLAIM_NOMINATED = 1 << 4,
    CLAIM_STAMPED = 1 << 5,       /* the pod carries our stamp */
    CLAIM_GANG = 1 << 6,          /* no pod: the minimum of a group, which waits as one */
    CLAIM_RESTORING = 1 << 7,     /* held, in the tree of those that a restart found granted */
    CLAIM_PARKED = 1 << 8,        /* PreEnqueue held it: the scheduler must be told of the grant */
    CLAIM_SEEN_IN_CYCLE = 1 << 9, /* a scheduling cycle has looked for a node since the grant */
    CLAIM_LACKS_NODE = 1 << 10,   /* no node fits: the autoscaler must see it */
    CLAIM_GATES_GONE = 1 << 11,   /* the removal is acknowledged, but not yet seen */
    CLAIM_OVERWRITTEN = 1 << 12,  /* so is the overwrite of the condition */
    CLAIM_GUESSED = 1 << 13,      /* neither a grant nor a stamp tells its flavors */
    CLAIM_STOPPED = 1 << 14,      /* its queue stops it, as it was last told */
    CLAIM_TOLD = 1 << 15,         /* an event has said what news_said is (news.h) */
    CLAIM_AT_PERMIT = 1 << 16,    /* has a node, and waits there for others of its gang */
    CLAIM_HEARD = 1 << 17,        /* has heard that there are no nodes for its gang */
    CLAIM_NAMES_GROUP = 1 << 18,  /* its pod says which group it belongs to */
    CLAIM_PROMISED = 1 << 19,     /* it waits for room that is on its way (promise.h) */
    CLAIM_VICTIM = 1 << 20,       /* it goes, so that another one has room */
    CLAIM_EVICTED = 1 << 21,      /* that was carried out, but it is still there */
    CLAIM_ENDING = 1 << 22,       /* it is bound, and deleted: it goes by itself */
    CLAIM_SPARED = 1 << 23,       /* would not go: another victim is looked for, for a while */
    CLAIM_NEVER_PREEMPTS = 1 << 24,  /* takes nobody's room: preemptionPolicy Never */
    CLAIM_NOT_PREEMPTABLE = 1 << 25, /* nobody's victim: not preemptable */
    CLAIM_LET_GO = 1 << 26,          /* makes no claim, but is not on its way yet (let_go.h) */
    CLAIM_KEEPS_TURN = 1 << 27,      /* it was granted before (stale_condition.h) */
    CLAIM_OVERWRITING = 1 << 28,     /* an overwrite went out, and what it wrote was not seen yet */
    CLAIM_NOT_SELECTED = 1 << 29, /* the ClusterQueue that its pod names is not for its namespace */
    CLAIM_MOVED = 1 << 30,        /* its stamp names another queue than the one that it is in */
};

/* A uid as Kubernetes makes them lies in the record: whoever looks one up finds it there. */
enum { CLAIM_SHORT_UID = 36 };

/* What the host is asked for: the three of every pod, then these. */
enum {
    CLAIM_ANSWER = EFFECT_ALWAYS, /* in Permit */
    CLAIM_NAME_GROUP,
    CLAIM_TELL,
    CLAIM_EVICT,
    CLAIM_EFFECTS
};

/*
 * What asks for capacity as one: a pod, the minimum of a gang, or a workload. What only a workload
 * has lies apart, under a number of its own (workload.h), as there are few; the record is a pod's
 * else. One allocation beside it holds what differs in length:
 *
 *   text ─▶ | flavor of each need (u16) | uid, if it is long | name |
 *
 * By its state a claim is in one tree: waiting in its line or, a workload, in its queue; reserved
 * or allocated in its queue; or in the tree of those to restore; or in none, if it waits with its
 * gang.
 */
struct claim {
    /* What a search and a question read, in 64 bytes. */
    struct tree_link link;
    char *text;
    int64_t queued; /* it came into its queue: what it is ranked by, after its priority */
    int32_t priority;
    uint32_t line;
    uint32_t flags; /* enum claim_flag: of a workload those three that preemption knows */
    uint8_t state;
    uint8_t reason : 7, misses_claim : 1; /* the obstacle is no gate, but a ResourceClaim */
    uint8_t gates : 2, need_count : 6;
    uint8_t uid_len, name_len;
    uint8_t timeouts : 6;
    uint8_t was_waiting : 1, was_bound : 1;                 /* for the journal alone */
    uint16_t news_stands : 5, news_said : 5, news_ripe : 1; /* this and the following: news.h */
    uint16_t news_ever : 1, news_complained : 1, news_granted : 1;
    uint32_t news_since;
    int64_t version;

    char uid[CLAIM_SHORT_UID];
    struct outbox_entry effects;
    uint32_t space, node;
    uint32_t obstacle;     /* what others have to remove, or to make, first */
    uint32_t workload;     /* what only a workload has; 0: it is none */
    uint32_t member;       /* its place in its group; 0: it has none */
    uint32_t first_second; /* when it was first named */
    uint32_t serial;       /* tells it from the record's earlier claims, for the journal alone */

    int64_t generation;
    int64_t stamp; /* of the grant; what it is restored and demoted by */
    int64_t since; /* it has been in its state */
};

struct engine;

static inline uint16_t *claim_flavors(const struct claim *claim)
{
    return (uint16_t *)(void *)claim->text;
}

/* How much of a uid of this length is in the text. */
static inline size_t claim_long_uid(size_t len)
{
    return len > CLAIM_SHORT_UID ? len : 0;
}

/* Whether room is used by who is in this state. */
static inline bool state_holds(enum claim_state state)
{
    return state == CLAIM_RESERVED || state == CLAIM_ALLOCATED;
}

static inline bool claim_holds(const struct claim *claim)
{
    return state_holds(claim->state);
}

/* Whether what it holds counts in what is used later. */
static inline bool claim_counts_later(const struct claim *claim)
{
    return (claim->flags & (CLAIM_VICTIM | CLAIM_ENDING)) == 0;
}

/* Whether it holds room, and will not for long. */
static inline bool claim_goes(const struct claim *claim)
{
    return claim_holds(claim) && !claim_counts_later(claim);
}

/* Not in its line: its gang waits for it. */
static inline bool claim_waits_in_gang(const struct claim *claim)
{
    return claim->state == CLAIM_WAITING && claim->link.size == 0;
}

static inline void claim_set_flag(struct claim *claim, enum claim_flag flag, bool on)
{
    claim->flags = on ? claim->flags | (uint32_t)flag : claim->flags & ~(uint32_t)flag;
}

static inline bool claim_is_promised(const struct claim *claim)
{
    return (claim->flags & CLAIM_PROMISED) != 0;
}

static inline bool claim_is_victim(const struct claim *claim)
{
    return (claim->flags & CLAIM_VICTIM) != 0;
}

struct text claim_uid(const struct engine *e, uint32_t claim);
struct text claim_name(const struct engine *e, uint32_t claim);

/* As it is told to others. */
struct workload_name;
struct workload_name claim_full_name(const struct engine *e, uint32_t claim);

uint32_t claim_queue(const struct engine *e, uint32_t claim); /* of a workload 0: not known */

/* Among the pods; and among these, or the workloads: under the hash of a uid with 0, and of a name
 * with the word of its namespace. */
uint32_t claim_find(const struct engine *e, struct text uid);
uint32_t claim_find_named(const struct engine *e, struct text space, struct text name,
                          bool workload);

/* How many claims are pods. */
uint32_t claim_count_pods(const struct engine *e);

/* Whether it takes nobody's room, while it waits. A gang does not if one of its members does not,
 * or if it had room and nobody made use of it. */
bool claim_yields(const struct engine *e, uint32_t claim);

/* Rank in a queue: priority, then when it came there, then uid. */
int claim_compare_rank(const void *engine, uint32_t a, uint32_t b);

/* Below 0 if a has to go before b: lower priority first, newest first, then by uid. They may be in
 * different queues. */
int claim_compare_removal(const void *engine, uint32_t a, uint32_t b);

/* Whether the first comes before the second, by rank. */
bool claim_is_before(const struct engine *e, uint32_t a, uint32_t b);

/* How many of a tree in that order come before a claim, which may be one of them. */
uint32_t claim_count_before(const struct engine *e, const struct tree_type *type, uint32_t tree,
                            uint32_t claim);

/* The first of a tree in that order whose priority is below this one, or 0. */
uint32_t claim_first_below(const struct engine *e, uint32_t tree, int32_t priority);

#define SECOND INT64_C(1000000000)

/* Its place in the tree that it is in by its state. */
struct tree_link *claim_link(const void *engine, uint32_t claim);

/* The trees that claims are in: by rank where they wait, by stamp where they hold. */
extern const struct tree_type claims_by_rank;
extern const struct tree_type claims_by_stamp;

#endif
