/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_LOAD_REFUSAL_H
#define SLUICE_PLUGIN_LOAD_REFUSAL_H

#include "workload_life.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Why a workload that waits has no quota, in words for whoever describes its object: once when it
 * is refused first, and again when the kind of the reason is another one, but not whenever a
 * number in the words is. So the writes of a full queue do not grow with the time that one waits.
 *
 *   of its wish      quota, never, gated       as its head was refused last (load_decide.h)
 *   of itself        victims                   as long as it is promised their room
 *   of its queues    missing, stopped,         which ask nobody
 *                    inactive, namespace
 *   of its object    unsupported, gated by     nothing is asked for it
 *
 * What another engine wrote is taken for said. Who is gated says so with its signal.
 */
enum load_refusal {
    LOAD_REFUSAL_NONE,
    LOAD_REFUSAL_UNKNOWN, /* something was said before this engine decided anything */
    LOAD_REFUSAL_QUOTA,   /* others hold what it asks for */
    LOAD_REFUSAL_NEVER,   /* however many went */
    LOAD_REFUSAL_GATED,
    LOAD_REFUSAL_VICTIMS,   /* who has it goes */
    LOAD_REFUSAL_NAMESPACE, /* is none of the ClusterQueue's */
    LOAD_REFUSAL_UNSUPPORTED,
    LOAD_REFUSAL_GATED_BY,      /* its owner names what it waits for */
    LOAD_REFUSAL_NO_LOCAL,      /* its LocalQueue is not there, */
    LOAD_REFUSAL_NO_CLUSTER,    /* nor that one's ClusterQueue */
    LOAD_REFUSAL_LOCAL_STOPPED, /* the LocalQueue, */
    LOAD_REFUSAL_INACTIVE,      /* the ClusterQueue */
};

struct engine;
struct say;

/* The head of this wish was refused; `gated`: because of its gates alone. */
void load_refusal_note(struct engine *e, uint32_t wish, bool gated);

/* Whether it is to be written down now, and the reason of the condition. */
bool load_refusal_wants(struct engine *e, uint32_t load);
enum life_reason load_refusal_reason(const struct engine *e, uint32_t load);

/* What is said with the write that is under way is said when that is done; and the object says
 * something else now, or is new here. */
void load_refusal_writes(struct engine *e, uint32_t load);
void load_refusal_written(struct engine *e, uint32_t load);
void load_refusal_seen(struct engine *e, uint32_t load, bool fresh);

/* The message, as Kueue has it. */
void load_refusal_say(const struct engine *e, uint32_t load, struct say *say);

#endif
