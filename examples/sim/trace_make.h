/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_TRACE_MAKE_H
#define SLUICE_SIM_TRACE_MAKE_H

#include "examples/sim/trace.h"

/*
 * Arrivals with the shapes of public traces: how large and how long, in which bursts, from how few
 * users most of it comes. PLAN.md has the sources, and says which figures are theirs.
 */
struct trace_wish {
    const char *kind; /* one of trace_kinds */
    int64_t pods;     /* about so many, of all rows */
    int64_t queues;   /* q-0, q-1, ... */
    int64_t users;
    int64_t length; /* all arrive within it */
    uint64_t seed;
};

/* The kinds; the last is NULL. */
extern const char *const trace_kinds[];

/* [the wish is a good one] */
void trace_make(struct trace *trace, const struct trace_wish *wish);

#endif
