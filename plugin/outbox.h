/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_OUTBOX_H
#define SLUICE_PLUGIN_OUTBOX_H

#include "engine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What the host must do in the world.
 *
 *          wanted                 lease               ack done
 *   none ─────────▶ ready ─────────────────▶ leased ────────────▶ none
 *     ▲               │  ▲                     │
 *     └───────────────┘  └──── backoff ◀───────┘ retry, conflict, lease ran out
 *       not wanted now
 *
 * Effects are about objects: records of a slab that carry an entry. Which effects an object needs
 * follows from its state alone, so an effect is never out of date: what it says is read when it is
 * leased. One of a kind is live for an object, and one of all kinds is under way. The object's
 * record is its memory: an effect can always be asked for.
 */
enum {
    OUTBOX_BACKOFF_MIN_MS = 100,
    OUTBOX_BACKOFF_MAX_MS = 60000,
    OUTBOX_LEASE_MS = 60000,
    OUTBOX_SLOTS = 8, /* effects that one kind of object can have, at most */
};

/* Of the effects of one object: those that are needed, that may go out, that are under way, and
 * that the world has answered while their ack is still to come. A bit for each slot. */
struct outbox_entry {
    uint8_t wanted, ready, leased, answered;
    uint32_t turn;       /* part of effect ids: those of a record's earlier objects are unknown */
    uint32_t next, prev; /* among the objects of its kind that have one ready */
};

/* What outbox.c must know of a kind of object. A record of it holds, at these offsets: an entry,
 * and for each cell the attempts (uint8_t) and the end of the lease or the backoff (int64_t, 0:
 * none). Slot n has cell n modulo their number: slots that share one also wait together when one of
 * them failed. All of them begin as zeros, but the turn, which is outbox_turn(). */
struct outbox_type {
    size_t records; /* the slab, in struct engine */
    size_t entry, attempts, due;
    uint32_t slots, cells;
    enum effect_kind kinds[OUTBOX_SLOTS];

    /* The slots of the effects that the object needs now. */
    uint8_t (*wanted)(const struct engine *e, uint32_t id);
    /* What the effect says, but for what outbox.c knows itself: id, kind, object, attempt, leased,
     * due. */
    void (*describe)(const struct engine *e, uint32_t id, uint32_t slot, struct effect *ret);
    /* It goes out, after it was described. NULL: nothing to note. */
    void (*leased)(struct engine *e, uint32_t id, uint32_t slot);
    /* An attempt came to nothing: in vain, or its lease ran out. NULL: nothing to note. */
    void (*retried)(struct engine *e, uint32_t id, uint32_t slot);
    /* version: the object's, as the host wrote it; 0: not known. */
    void (*done)(struct engine *e, uint32_t id, uint32_t slot, int64_t version);
    /* The world has no such object. The record may be gone afterwards. */
    void (*gone)(struct engine *e, uint32_t id, uint32_t slot);
    /* The object's timer is to end with outbox_due() at the latest; then outbox_expire(). */
    void (*set_timer)(struct engine *e, uint32_t id);
};

/* Where the objects begin that have an effect ready, of each kind. */
struct outbox_list {
    uint32_t first, last;
};

struct engine;

uint32_t outbox_turn(struct engine *e);

/* The object changed: asks for what it now needs, drops what it no longer needs. */
void outbox_sync(struct engine *e, enum effect_object object, uint32_t id);

/* What an effect under way was for has been answered by the world: it was done, or is needed anew.
 * Its ack is still expected, and will say nothing. */
void outbox_renew(struct engine *e, enum effect_object object, uint32_t id, uint32_t slot);

/* The object is going: nothing of it is live any more. */
void outbox_forget(struct engine *e, enum effect_object object, uint32_t id);

/* The earliest lease or backoff of the object that ends; 0: none. */
int64_t outbox_due(const struct engine *e, enum effect_object object, uint32_t id);

/* Makes ready again what is due. */
void outbox_expire(struct engine *e, enum effect_object object, uint32_t id);

const char *outbox_check(const struct engine *e);

#endif
