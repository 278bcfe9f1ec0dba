/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_RECORDS_CLUSTER_QUEUE_H
#define SLUICE_PLUGIN_RECORDS_CLUSTER_QUEUE_H

#include "plugin/base/facts.h"
#include "plugin/base/workload_life.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What workloads know of their ClusterQueue, beside its quota: who of them waits there and who
 * holds some, its admission checks, how it chooses among flavors, and why it may grant nothing.
 */
struct cluster_queue_check {
    uint32_t name;
    uint32_t flavor_count; /* 0: whatever the flavors are */
    uint16_t flavors[FACTS_MAX_FLAVORS];
};

/* Something changed, which may help who waits. */
enum cluster_queue_change {
    CHANGE_FOR_ALL,
    CHANGE_FOR_RECLAIM,   /* only who takes others' room back */
    CHANGE_FOR_CHOOSERS,  /* only who chooses: somebody took room, or may take it back */
    CHANGE_FOR_BORROWERS, /* it concerns only who preempts while it borrows */
    CHANGES
};

struct cluster_queue {
    uint32_t waiting;  /* tree of workloads, by rank; who is promised something among them */
    uint32_t held;     /* of those that may not wait, by rank */
    uint32_t holding;  /* of those that hold quota, who would be sent away first */
    uint32_t demands;  /* tree of demands that lack nothing known, by their heads */
    uint32_t short_of; /* tree of those that lack something, by what that is (shortage.h) */
    uint32_t idle;     /* workloads of the first two that wait for no quota (workload_is_idle) */
    uint32_t admitted;
    uint32_t waiting_below;    /* workloads of the subtree that wait */
    uint32_t below;            /* workloads of the subtree that hold, or are promised, something */
    uint64_t changes[CHANGES]; /* of a root: when something changed last below it, of each kind */
    uint32_t choosers;         /* demands of several pod sets in which somebody waits */
    struct cluster_queue_check *checks;
    uint32_t check_count;
    bool preempts_last; /* whenCanPreempt is TryNextFlavor */
    bool borrows_least; /* preference is PreemptionOverBorrowing */
};

struct engine;

/* Adds how many workloads of the subtree are in which state of a claim. */
void cluster_queue_count_workloads(const struct engine *e, uint32_t queue, uint32_t *counts);

enum life_stop cluster_queue_stop(const struct engine *e, uint32_t queue); /* 0: there is none */

/* Below the root of this queue something may have become possible that was not: room, victims. */
void cluster_queue_changed(struct engine *e, uint32_t queue);
void cluster_queues_changed(struct engine *e);

/* A workload of this queue came to hold something, or is promised it. Where that is more than the
 * queue's share, or that of one above it, it may be taken back, and others' with it. */
void cluster_queue_borrows_more(struct engine *e, uint32_t queue);

/* Somebody below the root of this queue was reserved something. That may lead others into another
 * flavor: of several pod sets an earlier one, which leaves its first choice to a later one; and who
 * would find victims in its first choice for each resource alone, but not for all of them. */
void cluster_queue_took_room(struct engine *e, uint32_t queue);

/* A pod of this queue came to hold room, or is promised it: that is both of these, and the next. */
void cluster_queue_pod_holds(struct engine *e, uint32_t queue);

/* Somebody asks no more in this queue, or it uses more of its share: who was in the way of whoever
 * preempts while it borrows, as it could reclaim that room, may be no more. */
void cluster_queue_asks_less(struct engine *e, uint32_t queue);

/* Somebody more asks in this queue: whoever signals, and would borrow what that one could reclaim,
 * has no victims any more, and is to take its signal back; and so has whoever chooses, in a flavor
 * that was its first choice. */
void cluster_queue_asks_more(struct engine *e, uint32_t queue);

/* Whoever was refused in this queue since then need not be asked. */
uint64_t cluster_queue_change(const struct engine *e, uint32_t queue);

/* All workloads are to be settled again, in slices (workload.h). */
void workloads_look_again(struct engine *e);

/* The queue's object says something else, or is gone. */
void cluster_queue_edited(struct engine *e, uint32_t queue);

/* Whether who fits in one flavor of the queue may rather send others away in another: where
 * whenCanPreempt stops at that, or where it need not borrow for it (assign.h). */
bool cluster_queue_prefers_victims(const struct engine *e, uint32_t queue);

/* Somebody comes to wait in this queue, or stays who was to go, and is to be looked at: that helps
 * nobody else. */
void cluster_queue_has_newcomer(struct engine *e, uint32_t queue);

/* Whether workloads that wait below the root of this queue are to be asked: one of them may come
 * before who has just begun to wait. */
bool cluster_queue_is_to_ask(const struct engine *e, uint32_t queue);

/* An AdmissionCheck's object. */
struct check_record {
    uint32_t name;
    bool active;
};

#endif
