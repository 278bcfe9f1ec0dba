/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_CLAIMS_PLEDGE_H
#define SLUICE_PLUGIN_CLAIMS_PLEDGE_H

#include "plugin/base/list.h"
#include "plugin/base/slab.h"
#include "plugin/base/tree.h"
#include "removable.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The book of promises (promise.h): who is promised room, and who goes for whom. Pods, gangs and
 * workloads stand in it, by their claims:
 *
 *   promised ─▶ victim ─▶ victim      and some that go for nobody alone: whom they went for has
 *      │                              found room elsewhere, while another relies on theirs
 *      ▼
 *   promised ─▶ victim
 *
 * A page of the book, a pledge, is there before its claim is promised anything, or is a victim.
 */
enum { PLEDGE_USES = 29 };

struct pledge {
    struct list_link peers;      /* promised: in order of time; victims: of one claim, or of nobody
                                    alone; in a search: taken away before this one */
    uint32_t of;                 /* of a victim: the claim that it goes for; 0: nobody alone */
    uint32_t uses : PLEDGE_USES; /* if removable: what (removable.h) */
    uint32_t removable : 1;      /* its room may be taken */
    uint32_t removed : 1, whole : 1; /* in a search (hunt.h) */
    uint32_t rests_until; /* the second before which nobody takes its room again (rest.h) */
    union {
        struct candidate {
            struct tree_link link;
            struct removable_wanted below; /* what it and those below it in the tree are */
        } candidate;                       /* if removable */
        int64_t at;                        /* a victim since; or spared until */
        struct {
            uint64_t within; /* of a pod, or a gang: the needs with which its queue must not exceed
                                its share; of a workload it is all or none */
            struct list victims; /* the claims that go for it */
        } promise;               /* if promised something */
    };
};

struct promises {
    struct slab pledges; /* of each claim, under its id */
    struct list all;     /* the claims that are promised something */
    struct list shared;  /* the claims that go for nobody alone */
    uint32_t apart;      /* how many claims count otherwise later than now */
    int64_t rest;        /* when the last rest is over (rest.h); 0: nobody rests */
    uint64_t hunts;      /* how many searches for victims there were */
};

/* Whether claims have pages: where nobody is evicted they need none. */
bool pledge_is(const struct engine *e);

/* Afterwards there is a page for the next claim that comes to be, if claims have pages. Negative on
 * error. */
int pledge_reserve(struct engine *e);

/* The claim is a new one, of which nothing is to be remembered. */
void pledge_begin(struct engine *e, uint32_t claim);

/* A claim's place in the list that it is in. */
struct list_link *pledge_peers(const void *engine, uint32_t claim);

/* The claim is promised something, as the last one, and nobody goes for it yet; it no more is. */
void pledge_enlist(struct engine *e, uint32_t claim);
void pledge_strike(struct engine *e, uint32_t claim);

/* The victim begins to go for this claim, or (0) for nobody alone; it no more does. */
void pledge_add_victim(struct engine *e, uint32_t victim, uint32_t of);
void pledge_remove_victim(struct engine *e, uint32_t victim);

/* The first of those that go for this claim, which is promised something, or (0) for nobody alone;
 * its peers follow. */
uint32_t pledge_victims(const struct engine *e, uint32_t of);

/* How many of its victims that are workloads, or are none, are still there. Nobody goes for a claim
 * that is promised nothing. */
uint32_t pledge_count_victims(const struct engine *e, uint32_t claim, bool workloads);

const char *pledge_check(const struct engine *e);

#endif
