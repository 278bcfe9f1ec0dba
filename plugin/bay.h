/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_BAY_H
#define SLUICE_PLUGIN_BAY_H

#include "facts.h"
#include "load_sources.h"
#include "workload_life.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What workloads know of their ClusterQueue, beside its quota: who of them waits there and who
 * holds some, its admission checks, how it chooses among flavors, and why it may grant nothing.
 */
struct bay_check {
    uint32_t name;
    uint32_t flavor_count; /* 0: whatever the flavors are */
    uint16_t flavors[FACTS_MAX_FLAVORS];
};

struct bay {
    uint32_t waiting;  /* tree of loads, by rank; who is promised something among them */
    uint32_t held;     /* of those that may not wait, by rank */
    uint32_t holding;  /* of those that hold quota, who would be sent away first */
    uint32_t wishes;   /* tree of wishes, by their heads, */
    uint32_t short_of; /* but of those that lack something by what that is (shortage.h) */
    uint32_t admitted;
    uint32_t below;    /* workloads of the subtree that hold, or are promised, something */
    uint64_t change;   /* of a root: when something changed last below it that may help who waits */
    uint64_t excess;   /* the like, where it may help only who takes others' room back */
    uint64_t taken;    /* the like, where only who chooses: somebody took room */
    uint64_t deserted; /* the like, where only who preempts while it borrows */
    uint32_t choosers; /* wishes of several pod sets in which somebody waits */
    struct bay_check *checks;
    uint32_t check_count;
    bool preempts_last, borrows_least;
    struct load_source source; /* of victims, while a workload looks for them */
};

/* Why it grants nothing to workloads. */
enum bay_fault {
    BAY_READY,
    BAY_UNKNOWN,
    BAY_CYCLE,
    BAY_STOPPED,
    BAY_FLAVOR_MISSING,
    BAY_CHECK_MISSING,
    BAY_CHECK_INACTIVE,
};

struct engine;

/* *ret_what: the name of the flavor, or of the check. */
enum bay_fault bay_fault(const struct engine *e, uint32_t queue, struct text *ret_what);
const char *bay_fault_name(enum bay_fault fault);

/* What is wrong with a check that the queue names. */
enum bay_fault bay_check_fault(const struct engine *e, const struct bay_check *check);

/* Adds how many workloads of the subtree are in which state of a claim. */
void bay_count_loads(const struct engine *e, uint32_t queue, uint32_t *counts);

enum life_stop bay_stop(const struct engine *e, uint32_t queue); /* 0: there is none */

/* Below the root of this queue something may have become possible that was not: room, victims. */
void bay_stir(struct engine *e, uint32_t queue);
void bay_stir_all(struct engine *e);

/* A workload of this queue came to hold something, or is promised it. Where that is more than the
 * queue's share, or that of one above it, it may be taken back, and others' with it. */
void bay_stir_excess(struct engine *e, uint32_t queue);

/* Somebody below the root of this queue was reserved something. That may lead others into another
 * flavor: of several pod sets an earlier one, which leaves its first choice to a later one; and who
 * would find victims in its first choice for each resource alone, but not for all of them. */
void bay_stir_choosers(struct engine *e, uint32_t queue);

/* Nobody waits in this queue any more: nobody there could reclaim what others borrow. */
void bay_stir_deserted(struct engine *e, uint32_t queue);

/* Whoever was refused in this queue since then need not be asked. */
uint64_t bay_change(const struct engine *e, uint32_t queue);

/* All workloads are to be settled again, in slices (load.h). */
void bay_look_again(struct engine *e);

/* The queue's object says something else, or is gone. */
void bay_edited(struct engine *e, uint32_t queue);

/* Somebody comes to wait in this queue, and is to be looked at: that helps nobody else. */
void bay_stir_newcomer(struct engine *e, uint32_t queue);

/* The checks that an object names, with what they need in hand; negative on error. */
int bay_read_checks(struct engine *e, const struct queue_facts *facts, struct bay_check **ret);
void bay_free_checks(struct engine *e, struct bay_check *checks, uint32_t count);

/* What its object said holds no more: nobody is promised anything there. */
void bay_forget(struct engine *e, uint32_t queue);

/* So many more workloads of the queue hold, or are promised, something. */
void bay_count(struct engine *e, uint32_t queue, int more);

/* An AdmissionCheck's object. */
struct check_record {
    uint32_t name;
    bool active;
};

/* An AdmissionCheck, as it is seen; or it is gone. Negative on error. */
int check_see(struct engine *e, struct text name, bool active);
void check_lose(struct engine *e, struct text name);

#endif
