/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_BASE_OUTBOX_H
#define SLUICE_PLUGIN_BASE_OUTBOX_H

#include "effect.h"
#include "given.h"
#include "list.h"
#include "slab.h"

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
    uint32_t given;         /* the first of those that were given out and are not over */
    struct list_link peers; /* the objects of its kind that have one ready */
};

/* What outbox.c must know of a kind of object: the functions are its owner's, an engine's or a
 * fleet's. A record of it holds, at this offset, an entry, which begins as zeros. */
struct outbox_type {
    size_t records; /* the slab, in the owner */
    size_t entry;
    uint32_t slots;
    enum effect_kind kinds[OUTBOX_SLOTS];

    /* Whether this record of the slab is such an object. NULL: all are. */
    bool (*has)(const void *owner, uint32_t id);
    /* The slots of the effects that the object needs now. */
    uint8_t (*wanted)(const void *owner, uint32_t id);
    /* What the effect says, but for what outbox.c knows itself. */
    void (*describe)(const void *owner, uint32_t id, uint32_t slot, struct effect *ret);
    /* It goes out, after it was described. NULL: nothing to note. */
    void (*leased)(void *owner, uint32_t id, uint32_t slot);
    /* An attempt came to nothing: in vain, or its lease ran out. NULL: nothing to note. */
    void (*retried)(void *owner, uint32_t id, uint32_t slot);
    /* version: the object's, as the host wrote it; 0: not known. */
    void (*done)(void *owner, uint32_t id, uint32_t slot, int64_t version);
    /* The world has no such object. The record may be gone afterwards. */
    void (*gone)(void *owner, uint32_t id, uint32_t slot);
    /* The object's timer is to end with outbox_due() at the latest; then outbox_expire(). */
    void (*set_timer)(void *owner, uint32_t id);
};

/* All effects of one handle, of an engine's objects and of a fleet's. */
struct outbox {
    struct given_list given;
    struct list ready[EFFECT_OBJECTS]; /* the objects of each kind that have one ready */
    uint32_t ready_effects;
    uint32_t next_object; /* whose turn it is to have an effect go out */
    int64_t now;
    struct outbox_owner {
        const struct outbox_type *type; /* NULL: there are no such objects */
        void *owner;
        bool open; /* the host carries out what they want: see outbox_open */
    } owners[EFFECT_OBJECTS];
};

/* [outbox_finish: all owners are gone] */
void outbox_init(struct outbox *outbox, struct mem *mem);
void outbox_finish(struct outbox *outbox);

/* Objects of this kind are the owner's; NULL: it goes. */
void outbox_own(struct outbox *outbox, enum effect_object object, const struct outbox_type *type,
                void *owner);

/* Whether the host carries out what the owner's objects want: it leads, has seen all, and does not
 * only observe. */
void outbox_open(struct outbox *outbox, const void *owner, bool open);

/* An object's effect. */
struct outbox_place {
    enum effect_object object;
    uint32_t id, slot;
};

static inline uint8_t outbox_bit(uint32_t slot)
{
    return (uint8_t)(1u << slot);
}

uint32_t outbox_count(uint8_t bits);

const struct slab *outbox_records(const struct outbox *outbox, enum effect_object object);
struct outbox_entry *outbox_at(const struct outbox *outbox, enum effect_object object, uint32_t id);
void outbox_describe(const struct outbox *outbox, struct outbox_place at, struct effect *ret);

/* The object changed: asks for what it now needs, drops what it no longer needs. */
void outbox_sync(struct outbox *outbox, enum effect_object object, uint32_t id);

/* The world has moved past what this effect was for: it was done, or is needed anew, as another
 * effect. What is under way stays so until its ack, which says nothing, or the end of its lease. */
void outbox_renew(struct outbox *outbox, enum effect_object object, uint32_t id, uint32_t slot);

/* The object is going: nothing of it is live any more. */
void outbox_forget(struct outbox *outbox, enum effect_object object, uint32_t id);

/* How often the effect was given out under its id; 0: not at all, or it is over. */
uint32_t outbox_attempts(const struct outbox *outbox, enum effect_object object, uint32_t id,
                         uint32_t slot);

/* Its lease ends now. */
bool outbox_runs_out(const struct outbox *outbox, enum effect_object object, uint32_t id,
                     uint32_t slot);

/* For the digest: of what was given out of an object. */
uint64_t outbox_hash(const struct outbox *outbox, const struct outbox_entry *entry, uint64_t seed);

/* The earliest lease or backoff of the object that ends; INT64_MAX: none does. */
int64_t outbox_due(const struct outbox *outbox, enum effect_object object, uint32_t id);

/* Makes ready again what is due. */
void outbox_expire(struct outbox *outbox, enum effect_object object, uint32_t id);

/* Afterwards so many effects can go out without a lack of memory. Negative on error. */
int outbox_reserve(struct outbox *outbox, uint32_t count);

/* The next effect that may go out, without leasing it: above 0, or 0 if there is none. Negative on
 * error. */
int outbox_next(struct outbox *outbox, struct effect *ret_effect);

/* The same, but nothing is noted on the way. */
bool outbox_peek(const struct outbox *outbox, struct effect *ret_effect);

/* content is a hash of what it says. True: it was given out before and said something else, so it
 * is another effect now. Sets its id and its attempt. */
bool outbox_renumber(const struct outbox *outbox, struct effect *effect, uint64_t content);

/* It goes out. */
void outbox_lease(struct outbox *outbox, struct effect *effect, uint64_t content);

/* False if the id is not under way. version: of the object, as it was written; 0: not known. */
bool outbox_ack(struct outbox *outbox, int64_t id, enum effect_result result, int64_t version);

/* How many effects may go out now. */
static inline uint32_t outbox_pending(const struct outbox *outbox)
{
    return outbox->ready_effects;
}

/* All live effects, in an order that only means: every one once. The cursor begins with 0. */
bool outbox_next_live(const struct outbox *outbox, uint32_t *cursor, struct effect *ret);

/* NULL, or which invariant does not hold, of this owner's objects. at_rest: it has no work left. */
const char *outbox_check(const struct outbox *outbox, const void *owner, bool at_rest);

#endif
