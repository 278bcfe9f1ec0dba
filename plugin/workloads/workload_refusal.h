/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_WORKLOADS_WORKLOAD_REFUSAL_H
#define SLUICE_PLUGIN_WORKLOADS_WORKLOAD_REFUSAL_H

#include "plugin/base/workload_life.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Why a workload that waits has no quota, for whoever describes its object: it is written once when
 * it is refused first, and again when the kind of the reason is another one, but not whenever a
 * number in the words is. So the writes of a full queue do not grow with the time that one waits.
 * The words are found by those who tell of it.
 *
 *   of its demand      quota, never, gated       as its head was refused last (workload_decide.h)
 *   of itself        victims                   as long as it is promised their room
 *   of its queues    missing, stopped,         which ask nobody
 *                    lacking, namespace
 *   of its object    unsupported, gated by     nothing is asked for it
 *
 * What another engine wrote is taken for said. Who is gated says so with its signal.
 */
enum workload_refusal {
    WORKLOAD_REFUSAL_NONE,
    WORKLOAD_REFUSAL_UNKNOWN, /* something was said before this engine decided anything */
    WORKLOAD_REFUSAL_QUOTA,   /* others hold what it asks for */
    WORKLOAD_REFUSAL_NEVER,   /* however many went */
    WORKLOAD_REFUSAL_GATED,
    WORKLOAD_REFUSAL_VICTIMS,   /* who has it goes */
    WORKLOAD_REFUSAL_NAMESPACE, /* is none of the ClusterQueue's */
    WORKLOAD_REFUSAL_UNSUPPORTED,
    WORKLOAD_REFUSAL_GATED_BY,       /* its owner names what it waits for */
    WORKLOAD_REFUSAL_NO_LOCAL,       /* its LocalQueue is not there */
    WORKLOAD_REFUSAL_NO_CLUSTER,     /* its LocalQueue's ClusterQueue is not there */
    WORKLOAD_REFUSAL_LOCAL_STOPPED,  /* its LocalQueue is stopped */
    WORKLOAD_REFUSAL_STOPPED,        /* its ClusterQueue is stopped, or goes */
    WORKLOAD_REFUSAL_CYCLE,          /* its cohorts form a cycle */
    WORKLOAD_REFUSAL_NO_FLAVOR,      /* a flavor that its ClusterQueue names is not there */
    WORKLOAD_REFUSAL_NO_CHECK,       /* an admission check that it names is not there */
    WORKLOAD_REFUSAL_CHECK_INACTIVE, /* one that it names is not active */
};

struct engine;

/* The head of this demand was refused for this reason. */
void workload_refusal_note(struct engine *e, uint32_t demand, enum workload_refusal why);

/* Whether it is to be written down now, and the reason of the condition. */
bool workload_refusal_wants(struct engine *e, uint32_t workload, enum life_reason *ret_reason);

/* What is said with the write that is under way is said when that is done; and the object says
 * something else now, or is new here. */
void workload_refusal_writes(struct engine *e, uint32_t workload);
void workload_refusal_written(struct engine *e, uint32_t workload);
void workload_refusal_seen(struct engine *e, uint32_t workload, bool fresh);

/* What the write says that is wanted. [it says why the workload waits] */
enum workload_refusal workload_refusal_writing(const struct engine *e, uint32_t workload);

#endif
