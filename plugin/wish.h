/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_WISH_H
#define SLUICE_PLUGIN_WISH_H

#include "facts.h"
#include "shortage.h"
#include "tree.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What a workload asks for, and of which queue. Workloads that ask for the same have one wish, and
 * one verdict: who comes later in the queue, or is of lower priority, gets no better one.
 *
 *   queue ─▶ wishes, by the rank of their heads ─▶ workloads that wait, by rank (load.h)
 *         │     each remembers at which of the changes below its root it was refused, and
 *         │     the least of those below it in the tree: so the first that is to be asked
 *         │     again is found without looking at the others
 *         └─▶ wishes that lack something (shortage.h): they are not asked before there is that much
 */
struct wish_set {
    struct text name;
    struct placement placement;
    uint32_t at; /* of its first need among those of all sets */
};

struct wish {
    struct tree_link link; /* in one of its queue's trees of wishes in which somebody waits */
    uint32_t queue;        /* 0: not known */
    uint32_t text;         /* all that is asked for, as one interned text, which sets point into */
    uint32_t hash;
    uint32_t users;
    bool gated;   /* has a gate that is closed, and gates count */
    bool yields;  /* takes nobody's room */
    bool lacks;   /* it is in the tree of those that lack something */
    bool signals; /* somebody in it may signal: then it is asked, to know when that ends */
    uint32_t waiting, head;
    uint64_t refused; /* 0: not since it has this head */
    uint8_t refusal;  /* why, the last time: enum load_refusal */
    uint64_t least;   /* the same, of this one and those below it */
    uint64_t judged;  /* of which state of flavors and queues `refused` of the sets tells */
    struct shortage shortage;
    uint32_t set_count, need_count;
    struct assign_set *asks; /* one for each set; NULL without any */
    struct wish_set *sets;
    size_t size; /* of the one allocation that holds all of this */
};

struct engine;

/* The text of what is asked for; negative on error. */
int wish_text(struct engine *e, const struct load_facts *facts, uint32_t *ret_text);

/* Found or made, with one more user. Negative on error. */
int wish_get(struct engine *e, uint32_t queue, uint32_t text, bool gated, bool yields,
             uint32_t *ret_wish);
void wish_unref(struct engine *e, uint32_t wish);

/* Looks, if anything changed, on the nodes of which flavors the pods can be. */
void wish_judge(struct engine *e, uint32_t wish);

/* A workload begins, or ends, to wait. */
void wish_join(struct engine *e, uint32_t load);
void wish_leave(struct engine *e, uint32_t load);

/* The first wish of the queue that was not refused since this change, or that lacked something and
 * may not any more; 0: none. */
uint32_t wish_first(const struct engine *e, uint32_t queue, uint64_t change);

/* Puts it aside if it lacks something, and nobody has to be told that he signals no more: then
 * there is nothing to be decided about it. */
bool wish_pass_over(struct engine *e, uint32_t wish, uint64_t change);
void wish_refuse(struct engine *e, uint32_t wish, uint64_t change);
void wish_set_signals(struct engine *e, uint32_t wish, bool signals);

void wish_release(struct engine *e, uint32_t wish);

extern const struct tree_type wishes_by_head;

const char *wish_check(const struct engine *e, uint32_t wish);

#endif
