/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_TELLING_OUTLOOK_H
#define SLUICE_PLUGIN_TELLING_OUTLOOK_H

#include "plugin/base/amount.h"
#include "report.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * How long a claim may have to wait, by what must be given back before its turn (base/forecast.h).
 *
 * What it needs is what it and those before it in its queue ask for, less what is free, in the
 * queue that has no room. What is given back there is given to others below that queue, too: its
 * own queue is expected to get the part that it has of what is used.
 *
 * A person asks while others are to be scheduled: of at most so many claims it is looked at since
 * when they hold their room, and they stand for the rest.
 */
enum { OUTLOOK_CLAIMS = 1024 };

/* What is missing, and where. Of a ClusterQueue's resource group in those of its flavors alone in
 * which the claim can be: what others hold elsewhere does not help it. */
struct queue_group;
struct shortfall {
    uint32_t queue, resource;
    const struct queue_group *group; /* NULL: in whichever flavor */
    uint64_t refused;                /* of that group: a bit for each flavor that is none of them */
    wide least, most;                /* so much must come free for its own queue */
    wide others;                     /* what others of its queue get before */
    wide alike;                      /* of these, those that ask for the same, on the mean */
    wide free;                       /* is there already */
    wide first; /* the first of its queue lacks so much, and lets nobody pass */
};

struct engine;

/* Whether what is held in this flavor would help. */
bool shortfall_is_in(const struct shortfall *shortfall, uint16_t flavor);

/* What is used in these flavors, in any queue. */
wide shortfall_used(const struct engine *e, uint32_t queue, const struct shortfall *shortfall);

/* Of a claim of this queue. */
void outlook_find(const struct engine *e, uint32_t queue, const struct shortfall *shortfall,
                  struct position *place);

#endif
