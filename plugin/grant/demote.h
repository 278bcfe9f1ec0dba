/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_GRANT_DEMOTE_H
#define SLUICE_PLUGIN_GRANT_DEMOTE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Who must go from a queue that is above its ceiling: claims that are only reserved, newest first,
 * of those that use what there is too little of.
 *
 *   above its ceiling ──▶ its subtree is searched ──▶ the newest that were found
 *         ▲               a slice at a time           give back, a slice at a time
 *         └────── there were more, or the usage changed ◀──────────┘
 *
 * What goes makes the excess less, so whoever was passed over need not be looked at again. The
 * deepest queue comes first: what goes from it may be enough for those above it.
 */
enum { DEMOTE_SLICE = 512, DEMOTE_BATCH = 64 };

struct demotion {
    uint32_t top;   /* that is above its ceiling; 0: nothing is searched */
    uint32_t queue; /* at or below it, where the search is; 0: at its end */
    uint32_t claim; /* of that queue, that was looked at last; 0: none */
    bool more;      /* there are more than found has place for */
    bool again;     /* one that was passed over may have to go: the search begins anew */
    uint64_t overs; /* of queues, when it began: if there are more by now, it does, too */
    uint32_t count;
    uint32_t found[DEMOTE_BATCH]; /* newest first */
};

struct engine;

/* One slice; returns what is left of the budget, which is in claims. */
uint32_t demote_some(struct engine *e, uint32_t budget);

/* A claim that is only reserved gives back, and so do the others of a gang that is not whole then.
 * Returns how many did. */
uint32_t demote_one(struct engine *e, uint32_t claim);

/* A claim that is only reserved, of what the root of its tree bounds and no node has, gives back,
 * too. It was granted that elsewhere: no cell counts it, so none is above its ceiling. */
void demote_uncounted(struct engine *e, uint32_t claim);

/* A search that is under way begins anew: the tree of queues is another one. */
void demote_restart(struct engine *e);

/* A queue without claims goes: only a search that has come to it begins anew. */
void demote_forget_queue(struct engine *e, uint32_t queue);

/* The claim is about to be reserved no longer, or since another time. */
void demote_forget(struct engine *e, uint32_t claim);

const char *demote_check(const struct engine *e);

#endif
