/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_RECORDS_WORKLOAD_H
#define SLUICE_PLUGIN_RECORDS_WORKLOAD_H

#include "plugin/base/amount.h"
#include "plugin/base/facts.h"
#include "plugin/base/list.h"
#include "plugin/base/preemption_gate.h"
#include "plugin/base/tree.h"
#include "plugin/base/workload_life.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * A workload that gets its quota here: the claim of all its pods, which the engine reserves and
 * whose object says so afterwards. What only a workload has is here; it is known by its claim.
 *
 *            decided (workload_decide.h)            seen
 *   waiting ────────────────────────▶ assumed ───────▶ reserved ──▶ allocated
 *     │  ▲                               │                │             │
 *     │  └───────────────────────────────┴────────────────┴─────────────┘ as the object says
 *     └─▶ promised: its victims go
 *
 * What it holds is what its object says, or, until that is seen, what was decided. It is never
 * demoted: who is to go is evicted, and holds its quota until its job has stopped.
 */
enum workload_flag {
    WORKLOAD_ACTIVE = 1 << 0, /* the object says the following */
    WORKLOAD_DELETED = 1 << 1,
    WORKLOAD_STOPPED = 1 << 2, /* nothing of its job runs */
    WORKLOAD_FINISHED = 1 << 3,
    WORKLOAD_RESERVED = 1 << 4,
    WORKLOAD_ADMITTED = 1 << 5,
    WORKLOAD_EVICTED = 1 << 6,
    WORKLOAD_TARGET = 1 << 7, /* of a deactivation */
    WORKLOAD_SIGNALS = 1 << 8,
    WORKLOAD_REQUEUES = 1 << 9,  /* has a requeueState */
    WORKLOAD_GATED_BY = 1 << 11, /* `unsupported` is what its admission waits for */

    WORKLOAD_ASSUMED = 1 << 16, /* it was reserved, and its object does not say so yet */
    WORKLOAD_BLOCKED = 1 << 19, /* is to signal: its victims are there, and a gate is closed */
    WORKLOAD_AWAITS = 1 << 20,  /* was written, and is to be seen so before the next write */
    WORKLOAD_PLACED = 1 << 21,  /* counts in its queue, in one of its trees */
};

/* What the object itself said. */
#define WORKLOAD_OBJECT 0xffffu

/* What is written, beside what its life asks for (workload_life.h). */
enum workload_write {
    WORKLOAD_WRITE_LIFE = LIFE_WRITE_ADMIT + 1,
    WORKLOAD_WRITE_RESERVE = WORKLOAD_WRITE_LIFE,
    WORKLOAD_WRITE_SIGNAL,
    WORKLOAD_WRITE_CLEAR_SIGNAL,
    WORKLOAD_WRITES
};

/* Whose room a victim's is. */
enum workload_cause { CAUSE_OWN_QUEUE, CAUSE_RECLAIM, CAUSE_RECLAIM_BORROWING, CAUSES };

/* Whether it is told that it waits: it is listed until its turn comes (wait_notice.h). */
enum notice_stage { NOTICE_NONE, NOTICE_LISTED, NOTICE_DUE };

struct workload_notice {
    struct list_link peers; /* in the list */
    int64_t since;          /* it is in the list */
    enum notice_stage stage;
};

struct workload {
    uint32_t claim;        /* that it is */
    struct tree_link peer; /* in its demand, while it waits and is promised nothing */
    uint32_t uid, name;
    uint32_t job; /* the UID of its Job; 0: it has none */
    uint32_t local_queue;
    struct list_link local_peers; /* among those of its LocalQueue */
    uint32_t demand;
    uint32_t other_demand; /* while its LocalQueue moves; else 0 */
    uint32_t unsupported, target_cause;
    int64_t created;
    uint32_t flags; /* enum workload_flag */
    uint8_t evicted_why, on_hold, pending_why;
    uint8_t said,
        saying; /* of why it waits: what is, and what is being written (workload_refusal.h) */
    uint8_t check_count;
    uint8_t check_states[FACTS_MAX_CHECKS];
    uint32_t checks[FACTS_MAX_CHECKS];
    struct preemption_gates gates;
    int64_t retry_at, requeue_at, signal_since;
    int64_t wrote; /* the version that our last write made, if it is known */
    int64_t wake;
    struct workload_notice notice;

    /* One allocation: of each pod set how many pods it gets, then the flavor of each need. What it
     * holds or is promised. */
    uint32_t *counts;

    uint8_t cause;           /* of a victim: enum workload_cause */
    uint8_t writes, writing; /* what is to be written now, and what was last under way: enum
                                life_write or enum workload_write */
    struct life_step step;
};

struct engine;

static inline uint16_t *workload_flavors(const struct workload *workload, uint32_t set_count)
{
    return (uint16_t *)(void *)(workload->counts + set_count);
}

static inline bool workload_is(const struct workload *workload, uint32_t flags)
{
    return (workload->flags & flags) == flags;
}

static inline void workload_set(struct workload *workload, uint32_t flag, bool on)
{
    workload->flags = on ? workload->flags | flag : workload->flags & ~flag;
}

/* Whether its job is still to stop. The condition stays after that, until it is reserved again. */
static inline bool workload_is_leaving(const struct workload *workload)
{
    return workload_is(workload, WORKLOAD_EVICTED | WORKLOAD_RESERVED);
}

/* The workload after this one, or the first, of all that there are; 0: there is none. Workloads are
 * told by their claims, here and everywhere. */
uint32_t workload_next(const struct engine *e, uint32_t after);

/* The workload whose number among them this is. */
uint32_t workload_in_place(const struct engine *e, uint32_t number);

/* Whether its queue counts what it holds. */
bool workload_holds(const struct engine *e, uint32_t workload);

/* Whether it waits for no quota: it is deactivated, its owner gates it, or its LocalQueue does not
 * run. [holds nothing] */
bool workload_is_idle(const struct engine *e, uint32_t workload);

/* Whether it is admitted, too: its job may run. */
bool workload_runs(const struct engine *e, uint32_t workload);

/* Whether what it holds, or is promised, counts in what is used later. */
bool workload_counts_later(const struct engine *e, uint32_t workload);

/* Whether it is reserved, and nobody has heard of that: the write is neither under way nor to be
 * seen. */
bool workload_is_unheard(const struct engine *e, uint32_t workload);

/* Whether it is to go, and needs not be told: nobody is to make its reservation any more. */
bool workload_must_give_way(const struct engine *e, uint32_t workload);

uint32_t workload_find(const struct engine *e, struct text space, struct text name);

/* What one of its pod sets is granted of one of its needs. */
struct demand;
wide workload_need_amount(const struct workload *workload, const struct demand *demand,
                          uint32_t set, uint32_t need);

/* Of those that wait, in a demand. */
extern const struct tree_type workloads_by_rank;

/* Of those that hold quota: the first would go first. */
extern const struct tree_type workloads_that_hold;

#endif
