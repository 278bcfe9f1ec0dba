/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_LOAD_H
#define SLUICE_PLUGIN_LOAD_H

#include "amount.h"
#include "facts.h"
#include "outbox.h"
#include "preemption_gate.h"
#include "tree.h"
#include "workload_life.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * A workload that gets its quota here: the claim of all its pods, which the engine reserves and
 * whose object says so afterwards.
 *
 *            decided (load_decide.h)            seen
 *   waiting ────────────────────────▶ assumed ───────▶ reserved ──▶ allocated
 *     │  ▲                               │                │             │
 *     │  └───────────────────────────────┴────────────────┴─────────────┘ as the object says
 *     └─▶ promised: its victims go
 *
 * What it holds is what its object says, or, until that is seen, what was decided. It is never
 * demoted: who is to go is evicted, and holds its quota until its job has stopped.
 */
enum load_flag {
    LOAD_ACTIVE = 1 << 0, /* the object says the following */
    LOAD_DELETED = 1 << 1,
    LOAD_STOPPED = 1 << 2, /* nothing of its job runs */
    LOAD_FINISHED = 1 << 3,
    LOAD_RESERVED = 1 << 4,
    LOAD_ADMITTED = 1 << 5,
    LOAD_EVICTED = 1 << 6,
    LOAD_TARGET = 1 << 7, /* of a deactivation */
    LOAD_SIGNALS = 1 << 8,
    LOAD_REQUEUES = 1 << 9,  /* has a requeueState */
    LOAD_YIELDS = 1 << 10,   /* takes nobody's room */
    LOAD_GATED_BY = 1 << 11, /* `unsupported` is what its admission waits for */

    LOAD_ASSUMED = 1 << 16, /* it was reserved, and its object does not say so yet */
    LOAD_PROMISED = 1 << 17,
    LOAD_VICTIM = 1 << 18,
    LOAD_BLOCKED = 1 << 19, /* is to signal: its victims are there, and a gate is closed */
    LOAD_AWAITS = 1 << 20,  /* was written, and is to be seen so before the next write */
    LOAD_PLACED = 1 << 21,  /* counts in its queue, in one of its trees */
};

/* What the object itself said. */
#define LOAD_OBJECT 0xffffu

/* What is written, beside what its life asks for (workload_life.h). */
enum load_write {
    LOAD_WRITE_LIFE = LIFE_WRITE_ADMIT + 1,
    LOAD_WRITE_RESERVE = LOAD_WRITE_LIFE,
    LOAD_WRITE_SIGNAL,
    LOAD_WRITE_CLEAR_SIGNAL,
    LOAD_WRITES
};

/* Whose room a victim's is. */
enum load_cause { CAUSE_OWN_QUEUE, CAUSE_RECLAIM, CAUSE_RECLAIM_BORROWING, CAUSES };

struct load {
    struct tree_link link; /* in its queue, by its state */
    struct tree_link peer; /* in its wish, while it waits and is promised nothing */
    uint32_t uid, space, name;
    uint32_t job; /* the UID of its Job; 0: it has none */
    uint32_t local_queue, next_local, prev_local;
    uint32_t wish;
    uint32_t other_wish; /* while its LocalQueue moves */
    uint32_t unsupported, target_cause;
    int64_t created;
    int64_t since; /* in the queue; what it is ranked by */
    int64_t stamp; /* it holds quota since */
    int32_t priority;
    uint32_t flags;
    uint8_t state; /* enum claim_state */
    uint8_t evicted_why, on_hold, pending_why;
    uint8_t said, saying; /* of why it waits: what is, and what is being written (load_refusal.h) */
    uint8_t check_count;
    uint8_t check_states[FACTS_MAX_CHECKS];
    uint32_t checks[FACTS_MAX_CHECKS];
    struct preemption_gates gates;
    int64_t retry_at, requeue_at, signal_since;
    int64_t version;
    int64_t wrote; /* the version that our last write made, if it is known */
    int64_t wake;

    /* One allocation: of each pod set how many pods it gets, then the flavor of each need. What it
     * holds or is promised. */
    uint32_t *counts;

    uint32_t next, prev, first, of; /* of promises (load_promise.h) */
    uint8_t cause;

    struct { /* while victims are looked for (load_hunt.h) */
        uint32_t prev;
        uint8_t why;
    } hunt;

    struct outbox_entry effects;
    uint8_t writes, writing; /* what is to be written now, and what was last under way: enum
                                life_write or enum load_write */
    struct life_step step;
};

struct engine;

static inline uint16_t *load_flavors(const struct load *load, uint32_t set_count)
{
    return (uint16_t *)(void *)(load->counts + set_count);
}

static inline bool load_is(const struct load *load, uint32_t flags)
{
    return (load->flags & flags) == flags;
}

static inline void load_set(struct load *load, uint32_t flag, bool on)
{
    load->flags = on ? load->flags | flag : load->flags & ~flag;
}

static inline bool load_holds(const struct load *load)
{
    return (load->flags & LOAD_PLACED) != 0 &&
           (load->state == CLAIM_RESERVED || load->state == CLAIM_ALLOCATED);
}

/* Whether its job is still to stop. The condition stays after that, until it is reserved again. */
static inline bool load_is_leaving(const struct load *load)
{
    return load_is(load, LOAD_EVICTED | LOAD_RESERVED);
}

/* Whether what it holds, or is promised, counts in what is used later. */
static inline bool load_counts_later(const struct load *load)
{
    return load_holds(load) ? !load_is(load, LOAD_VICTIM) && !load_is_leaving(load)
                            : load_is(load, LOAD_PROMISED);
}

/* Its object, as it is seen; enum seen, or negative on error. It is gone; of another uid than that
 * which is known it is another one. */
int load_see(struct engine *e, const struct load_facts *facts);
void load_lose(struct engine *e, struct text space, struct text name, struct text uid);

uint32_t load_find(const struct engine *e, struct text space, struct text name);
uint32_t load_name_hash(struct text space, struct text name);
uint32_t load_queue(const struct engine *e, uint32_t load); /* 0: not known */

int load_compare_rank(const struct engine *e, uint32_t a, uint32_t b);
bool load_before(const void *engine, uint32_t a, uint32_t b);

/* Takes it out of its queue, and puts it back there: what changes in between is counted. */
void load_take_out(struct engine *e, uint32_t load);
void load_put_in(struct engine *e, uint32_t load);

/* What it holds counts later, or (-1) no longer. For a search that takes it back. */
void load_count_later(struct engine *e, uint32_t load, int sign);

/* So much it holds or is promised, of this flavor and resource. */
wide load_amount(const struct engine *e, uint32_t load, uint16_t flavor, uint32_t resource);

/* What it would hold of it there with as few pods as it takes, and no more than it holds. */
wide load_least_amount(const struct engine *e, uint32_t load, uint16_t flavor, uint32_t resource);

/* What it holds or is promised, as it was assigned; NULL: nothing. [taken out] */
struct assignment;
void load_set_flavors(struct engine *e, uint32_t load, const struct assignment *made);

/* It holds nothing any more, and did: its queue counts that. */
void load_count_release(struct engine *e, uint32_t load);

/* What was decided about it, and is not seen in its object, holds no more: for good, or until it is
 * known whether its object says so by now, which who retracts looks at and counts. */
void load_give_up(struct engine *e, uint32_t load);
void load_retract(struct engine *e, uint32_t load);

/* Its object, its queues, or the time says something else now: where it belongs, and what is to be
 * written into it. */
void load_settle(struct engine *e, uint32_t load);

/* The state of its life, by what the object said. */
void load_find_life(const struct engine *e, uint32_t load, struct workload_life *ret_life);

/* Whether its queue wants this check of it. */
bool load_wants_check(const struct engine *e, uint32_t load, uint32_t check);

/* It is gone. */
void load_destroy(struct engine *e, uint32_t load);

/* Those that are to be settled again (bay_look_again), a slice of them. */
uint32_t load_sweep_some(struct engine *e, uint32_t budget);
void load_expire(struct engine *e, uint32_t load);
void load_set_timer(struct engine *e, uint32_t load);

void load_begin(struct engine *e);
void load_end(struct engine *e);
void load_release_all(struct engine *e);

extern const struct tree_type loads_by_rank;   /* who waits, in a wish */
extern const struct tree_type loads_of_queue;  /* the same in a queue */
extern const struct tree_type loads_that_hold; /* who holds quota: who would go first */

/* Every invariant of workloads, of what they wish for, and of their queues. */
const char *load_check(const struct engine *e);

#endif
