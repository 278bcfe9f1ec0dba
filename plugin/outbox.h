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
 *     ▲               │  ▲                     │ │
 *     └───────────────┘  └──── backoff ◀───────┘ │ renew
 *       not wanted now   │  retry, conflict,     ▼
 *                        │  lease ran out     replaced ─────────▶ none
 *                        └─ waits for its end ┄┄┄┘  ack, lease ran out
 *
 * Effects are about objects: records of a slab that carry an entry. Which effects an object needs
 * follows from its state alone, so an effect is never out of date: what it says is read when it is
 * leased. One of a kind is live for an object, and one of all kinds is under way. The object's
 * record is its memory: an effect can always be asked for. What the host was given is in given.h,
 * until it is over; what is given again and says something else has another id.
 */
enum {
    OUTBOX_LEASE_MS = 60000,
    OUTBOX_SLOTS = 8, /* effects that one kind of object can have, at most */
};

/* Of the effects of one object: those that are needed, that may go out, that are under way, and
 * that are replaced while they are. A bit for each slot. */
struct outbox_entry {
    uint8_t wanted, ready, leased, replaced;
    uint32_t given;      /* the first of those that were given out and are not over */
    uint32_t next, prev; /* among the objects of its kind that have one ready */
};

/* What outbox.c must know of a kind of object. A record of it holds, at this offset, an entry,
 * which begins as zeros. */
struct outbox_type {
    size_t records; /* the slab, in struct engine */
    size_t entry;
    uint32_t slots;
    enum effect_kind kinds[OUTBOX_SLOTS];

    /* The slots of the effects that the object needs now. */
    uint8_t (*wanted)(const struct engine *e, uint32_t id);
    /* What the effect says, but for what outbox.c knows itself. */
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

extern const struct outbox_type *const outbox_types[EFFECT_OBJECTS];

/* An object's effect. */
struct outbox_place {
    enum effect_object object;
    uint32_t id, slot;
};

struct engine;

static inline uint8_t outbox_bit(uint32_t slot)
{
    return (uint8_t)(1u << slot);
}

uint32_t outbox_count(uint8_t bits);

const struct slab *outbox_records(const struct engine *e, enum effect_object object);
struct outbox_entry *outbox_at(const struct engine *e, enum effect_object object, uint32_t id);
void outbox_describe(const struct engine *e, struct outbox_place at, struct effect *ret);

/* The object changed: asks for what it now needs, drops what it no longer needs. */
void outbox_sync(struct engine *e, enum effect_object object, uint32_t id);

/* The world has moved past what this effect was for: it was done, or is needed anew, as another
 * effect. What is under way stays so until its ack, which says nothing, or the end of its lease. */
void outbox_renew(struct engine *e, enum effect_object object, uint32_t id, uint32_t slot);

/* The object is going: nothing of it is live any more. */
void outbox_forget(struct engine *e, enum effect_object object, uint32_t id);

/* How often the effect was given out under its id; 0: not at all, or it is over. */
uint32_t outbox_attempts(const struct engine *e, enum effect_object object, uint32_t id,
                         uint32_t slot);

/* Its lease ends now. */
bool outbox_runs_out(const struct engine *e, enum effect_object object, uint32_t id, uint32_t slot);

/* For the digest: of what was given out of an object. */
uint64_t outbox_hash(const struct engine *e, const struct outbox_entry *entry, uint64_t seed);

/* The earliest lease or backoff of the object that ends; 0: none. */
int64_t outbox_due(const struct engine *e, enum effect_object object, uint32_t id);

/* Makes ready again what is due. */
void outbox_expire(struct engine *e, enum effect_object object, uint32_t id);

const char *outbox_check(const struct engine *e);

#endif
