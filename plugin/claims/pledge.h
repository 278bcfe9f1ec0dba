/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_CLAIMS_PLEDGE_H
#define SLUICE_PLUGIN_CLAIMS_PLEDGE_H

#include "plugin/base/slab.h"
#include "plugin/base/tree.h"
#include "removable.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The book of promises (promise.h): who is promised room, and who goes for whom. Pods, gangs and
 * workloads stand in it by the numbers that they have as holders (holder.h):
 *
 *   promised ─▶ victim ─▶ victim      and some that go for nobody alone: whom they went for has
 *      │                              found room elsewhere, while another relies on theirs
 *      ▼
 *   promised ─▶ victim
 *
 * A page of the book, a pledge, is there before its holder is promised anything, or is a victim.
 */
enum { PLEDGE_USES = 29 };

struct pledge {
    uint32_t next, prev; /* promised: in order of time; victims: of one holder, or of nobody alone;
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
            uint64_t within; /* of a claim of pods: the needs with which its queue must not exceed
                                its share; of a workload it is all or none (WORKLOAD_WITHIN) */
            uint32_t first;  /* the holders that go for it */
        } promise;           /* if promised something */
    };
};

struct promises {
    struct slab pledges[2]; /* of each claim of pods, and of each workload, under its id */
    uint32_t first, last;   /* the holders that are promised something */
    uint32_t shared;        /* the holders that go for nobody alone */
    uint32_t apart;         /* how many holders count otherwise later than now */
    int64_t rest;           /* when the last rest is over (rest.h); 0: nobody rests */
    uint64_t hunts;         /* how many searches for victims there were */
};

struct engine;

/* Afterwards there is a page for this holder, which may come to be, and for those before it. Where
 * nobody evicts pods they need none. Negative on error. */
int pledge_reserve(struct engine *e, uint32_t holder);

/* Whether the holder has one. */
bool pledge_is(const struct engine *e, uint32_t holder);

/* The holder is a new one, of which nothing is to be remembered. */
void pledge_begin(struct engine *e, uint32_t holder);

/* The holder is promised something, as the last one, and nobody goes for it yet; it no more is. */
void pledge_enlist(struct engine *e, uint32_t holder);
void pledge_strike(struct engine *e, uint32_t holder);

/* The victim begins to go for this holder, or (0) for nobody alone; it no more does. */
void pledge_add_victim(struct engine *e, uint32_t victim, uint32_t of);
void pledge_remove_victim(struct engine *e, uint32_t victim);

/* The first of those that go for this holder, which is promised something, or (0) for nobody alone;
 * `next` leads on. */
uint32_t pledge_victims(const struct engine *e, uint32_t of);

/* How many of its victims are still there; and how many of these are pods. Nobody goes for a holder
 * that is promised nothing. */
uint32_t pledge_count_victims(const struct engine *e, uint32_t holder);
uint32_t pledge_count_pods(const struct engine *e, uint32_t holder);

const char *pledge_check(const struct engine *e);

#endif
