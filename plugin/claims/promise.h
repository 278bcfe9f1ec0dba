/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_CLAIMS_PROMISE_H
#define SLUICE_PLUGIN_CLAIMS_PROMISE_H

#include "plugin/base/slab.h"
#include "plugin/base/tree.h"
#include "removable.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Room that is on its way. A claim that waits is promised a place; its victims go, which takes
 * time; until then both are remembered here:
 *
 *   promised claim ─▶ victim ─▶ victim      and some that go for nobody alone: whose claim has
 *         │                                 found room elsewhere, while another relies on theirs
 *         ▼
 *   promised claim ─▶ victim
 *
 * Every queue counts its usage twice: as it is, and as it will be later, when the victims have gone
 * and the promised claims have come. Who is not promised anything must fit in both: so nobody takes
 * the room that comes for another one, and nobody is preempted twice for one claim. Who was
 * promised must only fit in what is. A pod that is bound and deleted is counted as one that goes,
 * whoever deleted it: after a restart that is all that is known of victims, and it is enough.
 *
 * What is kept about a claim has the claim's id, and is there before it is needed.
 */
enum { PLEDGE_USES = 29 };

struct pledge {
    uint32_t next, prev; /* promised: in order of time; victims: of one claim, or of nobody alone;
                            in a search: taken away before this one */
    uint32_t of;         /* of a victim: the holder that it goes for; 0: nobody alone */
    uint32_t uses : PLEDGE_USES;     /* if removable: what (removable.h) */
    uint32_t removable : 1;          /* its room may be taken */
    uint32_t removed : 1, whole : 1; /* in a search (hunt.h) */
    uint32_t rests_until; /* the second before which nobody takes its room again (rest.h) */
    union {
        struct candidate {
            struct tree_link link;
            struct removable_wanted below; /* what it and those below it in the tree are */
        } candidate;                       /* if removable */
        int64_t at;                        /* a victim since; or spared until */
        struct {
            uint64_t within;    /* needs with which the claim's queue must not exceed its share */
            uint32_t first;     /* the claims that go for it */
            uint32_t workloads; /* the workloads that do */
        } promise;              /* if promised something */
    };
};

struct promises {
    struct slab pledges; /* of each claim, under its id */
    uint32_t first, last;
    uint32_t shared;           /* claims that go for nobody alone */
    uint32_t for_workloads;    /* how many go for workloads */
    uint32_t shared_workloads; /* workloads that go for nobody alone */
    uint32_t apart;            /* claims that count otherwise later than now */
    int64_t rest;              /* when the last rest is over (rest.h); 0: nobody rests */
    uint64_t hunts;            /* how many searches for victims there were */
};

enum {
    PROMISE_PATIENCE_SECONDS = 60, /* a victim is asked to go for that long */
    PROMISE_SPARED_SECONDS = 300,  /* a victim that stayed is not asked again for that long */
};

struct engine;

/* Afterwards claims with ids below this can be promised, and be victims. Negative on error. */
int promise_reserve(struct engine *e, uint32_t ids_end);

/* The claim is a new one, of which nothing is to be remembered. */
void promise_begin(struct engine *e, uint32_t claim);

/* The claim that was promised something after this one; 0: none. */
uint32_t promise_after(const struct engine *e, uint32_t claim);

/* The claim, which waits, is promised a place in these flavors; of the needs that have a bit in
 * `within` it is one within its queue's share. */
void promise_make(struct engine *e, uint32_t claim, const uint16_t *flavors, uint64_t within);

/* It has got one, or wants none any more. Its victims stay, until review.h looks at them. */
void promise_end(struct engine *e, uint32_t claim);
void promise_end_of_queue(struct engine *e, uint32_t queue); /* of all its claims */
void promise_end_all(struct engine *e);                      /* then nobody is a victim any more */

/* The victim, which holds room, goes for a holder (holder.h) that is promised it. */
void promise_take(struct engine *e, uint32_t victim, uint32_t of);

/* Those that go for this workload go for nobody alone any more. */
void promise_release(struct engine *e, uint32_t workload);

/* It would not: it stays, and is nobody's victim for a while; that is over. */
void promise_spare(struct engine *e, uint32_t victim);
void promise_spare_no_longer(struct engine *e, uint32_t claim);

/* It is bound, and deleted. */
void promise_set_ending(struct engine *e, uint32_t claim, bool ending);

/* Around every change of a claim's state: it holds room now, or no longer. */
void promise_note_change(struct engine *e, uint32_t claim, bool went_before);

static inline bool promise_is_empty(const struct promises *promises)
{
    return promises->first == 0 && promises->shared == 0 && promises->for_workloads == 0 &&
           promises->shared_workloads == 0;
}

/* What the claim holds, or is promised, counts later, or (-1) no longer. For a search that takes it
 * back. */
void promise_count(struct engine *e, uint32_t claim, int sign);

/* Whether a victim can still be left where it is; and it is. */
bool promise_can_stay(const struct engine *e, uint32_t victim);
void promise_let_stay(struct engine *e, uint32_t victim);

/* How many of a claim's victims, pods and workloads, are still there. */
uint32_t promise_victims(const struct engine *e, uint32_t claim);

/* When something is due for the claim's sake; INT64_MAX: never. */
int64_t promise_deadline(const struct engine *e, uint32_t claim);
void promise_expire(struct engine *e, uint32_t claim);

/* Somebody below the root of this queue, a pod or a workload, holds room and will not for long. */
bool promise_comes(const struct engine *e, uint32_t queue);

/* at_rest: nothing is left to do now. */
const char *promise_check(const struct engine *e, bool at_rest);

#endif
