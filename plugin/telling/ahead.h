/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_TELLING_AHEAD_H
#define SLUICE_PLUGIN_TELLING_AHEAD_H

#include "outlook.h"
#include "report.h"

#include <stdint.h>

/*
 * Who comes before a claim in its queue's order, pods, gangs and workloads, and what they ask for.
 * A person asks while others are to be scheduled: so at most this many different requests (lines,
 * line.h, and demands, demand.h) are looked at, and what was counted by then is said to be the
 * least.
 */
enum { AHEAD_LINES = 2048 };

/* What those before it ask for of what it lacks; and those of them that it cannot pass, as they ask
 * for no more than it does, or nobody passes anybody. */
struct before {
    int64_t passes; /* whoever asks for more may be passed */
    wide all, not_passed;
    wide squares; /* sum of the squares of what each request asks for */
};

/* The place of a claim that waits, what is before it, and of that what it lacks, too. */
void ahead_find(const struct engine *e, uint32_t claim, const struct shortfall *shortfall,
                struct position *place, struct before *before);

/* What the claim itself asks for. Returns how many rows of FACTS_MAX_NEEDS there are. */
uint32_t ahead_demand(const struct engine *e, uint32_t claim, struct quota_row *ret_asks);

#endif
