/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_ORDER_DEMAND_H
#define SLUICE_PLUGIN_ORDER_DEMAND_H

#include "plugin/base/facts.h"
#include "plugin/base/tree.h"
#include "plugin/records/assignment.h"
#include "shortage.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What a workload asks for, and of which queue. Workloads that ask for the same have one demand,
 * and one verdict: who comes later in the queue, or is of lower priority, gets no better one.
 *
 *   queue ─▶ demands, by the rank of their heads ─▶ workloads that wait, by rank (workload.h)
 *         │     each remembers at which of the changes below its root it was refused, and
 *         │     the least of those below it in the tree: so the first that is to be asked
 *         │     again is found without looking at the others
 *         └─▶ demands that lack something (shortage.h): not asked before there is that much
 */
struct demand_set {
    struct text name;
    struct placement placement;
    uint32_t at; /* of its first need among those of all sets */
};

struct demand {
    struct tree_link link; /* in one of its queue's trees of demands in which somebody waits */
    uint32_t queue;        /* 0: not known */
    uint32_t text;         /* all that is asked for, as one interned text, which sets point into */
    uint32_t users;
    bool gated;   /* has a gate that is closed, and gates count */
    bool yields;  /* takes nobody's room */
    bool lacks;   /* it is in the tree of those that lack something */
    bool signals; /* somebody in it may signal: then it is asked, to know when that ends */
    uint32_t waiting, head;
    uint64_t refused; /* the change at which it was refused; 0: not since it has this head */
    uint8_t refusal;  /* why it was refused last: enum workload_refusal */
    uint64_t least;   /* the smallest refused of this one and those below it in the tree */
    uint64_t judged;  /* of which state of flavors and queues `refused` of the sets tells */
    struct shortage shortage;
    uint32_t set_count, need_count;
    struct assign_set *sets; /* one for each set; NULL without any */
    struct demand_set *set_details;
    size_t size; /* of the one allocation that holds all of this */
};

struct engine;

/* The text of what is asked for; negative on error. */
int demand_text(struct engine *e, const struct workload_facts *facts, uint32_t *ret_text);

/* Found or made, with one more user. Negative on error. */
int demand_get(struct engine *e, uint32_t queue, uint32_t text, bool gated, bool yields,
               uint32_t *ret_demand);
void demand_unref(struct engine *e, uint32_t demand);

/* Looks, if anything changed, on the nodes of which flavors the pods can be. */
void demand_judge(struct engine *e, uint32_t demand);

/* A workload begins, or ends, to wait. */
void demand_join(struct engine *e, uint32_t workload);
void demand_leave(struct engine *e, uint32_t workload);

/* The first demand of the queue that was not refused since this change, or that lacked something
 * and may not any more; 0: none. */
uint32_t demand_first(const struct engine *e, uint32_t queue, uint64_t change);

/* Puts it aside if it lacks something, and nobody has to be told that he signals no more: then
 * there is nothing to be decided about it. */
bool demand_pass_over(struct engine *e, uint32_t demand, uint64_t change);
void demand_refuse(struct engine *e, uint32_t demand, uint64_t change);
void demand_set_signals(struct engine *e, uint32_t demand, bool signals);

void demand_release(struct engine *e, uint32_t demand);

/* The link of a demand in one of its queue's trees; of those that lack nothing by their heads. */
struct tree_link *demand_link(const void *engine, uint32_t demand);
extern const struct tree_type demands_by_head;

const char *demand_check(const struct engine *e, uint32_t demand);

#endif
