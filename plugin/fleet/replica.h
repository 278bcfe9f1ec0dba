/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_FLEET_REPLICA_H
#define SLUICE_PLUGIN_FLEET_REPLICA_H

#include "plugin/base/outbox.h"
#include "plugin/base/tree.h"

#include <stdbool.h>
#include <stdint.h>

enum replica_flag {
    REPLICA_NOMINATED = 1 << 0, /* its workload may go there */
    REPLICA_THERE = 1 << 1,     /* the copy exists, as far as was seen */
    REPLICA_GATED = 1 << 2,     /* our gate is in its spec */
    REPLICA_OPEN = 1 << 3,      /* our gate is open */
    REPLICA_BLOCKED = 1 << 4,   /* another gate is closed: opening ours would be in vain */
    REPLICA_SIGNALS = 1 << 5,   /* it would preempt */
    REPLICA_RESERVED = 1 << 6,
    REPLICA_ADMITTED = 1 << 7,
    REPLICA_EVICTED = 1 << 8,
    REPLICA_FINISHED = 1 << 9,
    REPLICA_DELETED = 1 << 10,
    REPLICA_STRANGER = 1 << 11,    /* made for another workload of this name */
    REPLICA_UNEXPLAINED = 1 << 12, /* open, and no opening that is known opened it */
    REPLICA_ASKED = 1 << 13,       /* an opening is written down whose outcome was not seen */
    REPLICA_MADE = 1 << 14,        /* its creation was acknowledged, and it was not seen yet */
    REPLICA_BOUND = 1 << 15,       /* its workload is there for good */
};

/* What objects said. */
#define REPLICA_OBJECT                                                                             \
    (REPLICA_NOMINATED | REPLICA_THERE | REPLICA_GATED | REPLICA_OPEN | REPLICA_BLOCKED |          \
     REPLICA_SIGNALS | REPLICA_RESERVED | REPLICA_ADMITTED | REPLICA_EVICTED | REPLICA_FINISHED |  \
     REPLICA_DELETED | REPLICA_BOUND)

/* What a replica stands for in its workload. Lower ranks come first; those without rank are in no
 * order, since nothing is decided by them. */
enum replica_rank {
    RANK_ADMITTED,  /* by when that was first seen; not in a worker that is lost for too long */
    RANK_RESERVED,  /* its worker needs no victims any more: nobody else is to preempt */
    RANK_CANDIDATE, /* signals and is closed: by the signal, or its last opening if that is later */
    RANK_NONE,
};

/* The slots of its effects. */
enum { REPLICA_CREATE, REPLICA_DELETE, REPLICA_OPEN_GATE, REPLICA_EFFECTS };

/*
 * The copy of a workload in a worker cluster, or the place for it. It exists while the workload is
 * nominated there or the copy is there.
 *
 * Times are the manager's own: when it first saw what the worker says. What the worker's clock said
 * is not looked at.
 */
struct replica {
    struct tree_link place; /* among those of its workload, by the name of the worker */
    struct tree_link link;  /* among those with a rank */
    uint32_t dispatch, worker;
    struct list_link peers; /* among the worker's */
    uint32_t uid, origin;
    uint16_t flags;
    uint8_t rank;
    int64_t ranked_by; /* time by which it is ranked */
    int64_t version;
    int64_t signal;   /* first seen; 0: none */
    int64_t admitted; /* first seen so; 0: never */
    int64_t opened;   /* the newest opening; 0: never */
    /* Which replica was opened, and whose signal the memory knew: a hash of its uid. */
    uint64_t opened_uid, noted_uid;
    int64_t noted;
    struct outbox_entry effects;
};

struct fleet;

extern const struct tree_type replicas_by_place;
extern const struct tree_type replicas_by_rank;

/* Finds the place of a workload in a worker or makes it. Negative on error. */
int replica_get(struct fleet *f, uint32_t dispatch, struct text worker, uint32_t *ret_replica);
uint32_t replica_find(const struct fleet *f, uint32_t dispatch, struct text worker);

/* Its worker, its workload or it itself changed: ranks it, asks for its effects. */
void replica_look_again(struct fleet *f, uint32_t replica);

/* What its object said holds no more. */
void replica_clear(struct fleet *f, uint32_t replica);

/* What its workload says of it. */
void replica_want(struct fleet *f, uint32_t replica, bool nominated, bool bound);

/* Its place among those that decide. */
void replica_rank(struct fleet *f, uint32_t replica);

/* Whether the object was made for another workload. */
void replica_check_origin(struct fleet *f, uint32_t replica);

void replica_set_timer(struct fleet *f, uint32_t replica);
void replica_expire(struct fleet *f, uint32_t replica);
int replica_compare(const void *fleet, uint32_t a, uint32_t b);
uint64_t replica_uid_hash(struct text uid);

static inline bool replica_is(const struct replica *replica, uint16_t flags)
{
    return (replica->flags & flags) == flags;
}

static inline void replica_set(struct replica *replica, uint16_t flag, bool set)
{
    replica->flags = (uint16_t)(set ? replica->flags | flag : replica->flags & ~flag);
}

#endif
