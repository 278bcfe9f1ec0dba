/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_BASE_GIVEN_H
#define SLUICE_PLUGIN_BASE_GIVEN_H

#include "slab.h"
#include "tree.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The effects that were given to the host and are not over: under way, or to be given again. Their
 * ids count up with each effect that is given for the first time, and none comes again. The numbers
 * between them are nobody's, so that who errs acknowledges nothing. Those of one object are a list,
 * which begins in the object's outbox entry.
 */
enum { GIVEN_ID_STEP = 1009 };

struct given {
    int64_t due; /* the end of the lease, or of the wait for the next attempt; 0: none */
    int64_t id;
    struct tree_link by_id;
    uint64_t content; /* a hash of what it said */
    uint32_t record;  /* the object's */
    uint32_t next;    /* of the same object */
    uint32_t attempts;
    uint32_t failures; /* in a row, for the backoff: also those under an earlier id */
    uint8_t object, slot;
    bool
        replaced; /* under way; another one is needed in its place, or none: its ack says nothing */
};

/* How long an effect that failed waits. */
enum { GIVEN_BACKOFF_MIN_MS = 100, GIVEN_BACKOFF_MAX_MS = 60000 };

struct given_list {
    struct slab records; /* to be finished, and reserved for each given_again, as any other */
    uint32_t by_id;      /* root of all, in the order of their ids */
    int64_t last;        /* id */
};

void given_init(struct given_list *list, struct mem *mem);

/* One of an object's effects is given out: the same once more, if it says what it said before, else
 * another one. [reserved] */
uint32_t given_again(struct given_list *list, uint32_t *first, uint32_t slot, uint64_t content);

/* It is over. */
void given_drop(struct given_list *list, uint32_t *first, uint32_t id);

static inline struct given *given_at(const struct given_list *list, uint32_t id)
{
    return slab_at(&list->records, id);
}

/* Of an object's, from the first on: that of this slot which is not replaced; 0: there is none. */
uint32_t given_of(const struct given_list *list, uint32_t first, uint32_t slot);

/* The one whose time ends first; 0: none has one. */
uint32_t given_first_due(const struct given_list *list, uint32_t first);

/* How long it waits for its next attempt, in nanoseconds: it doubles with each failure. Different
 * effects that failed together do not all come back at once, by a jitter that is the effect's own.
 */
int64_t given_backoff(const struct given_list *list, uint32_t id);

/* The same whatever the order in which they were given out, and whatever their ids. */
uint64_t given_hash(const struct given_list *list, uint32_t first, uint64_t seed);

/* The id of the next effect that is given for the first time. */
static inline int64_t given_next_id(const struct given_list *list)
{
    return list->last + GIVEN_ID_STEP;
}

/* 0: no effect that is not over has this id. */
uint32_t given_find(const struct given_list *list, int64_t effect);

#endif
