/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_ARRIVALS_H
#define SLUICE_SIM_ARRIVALS_H

#include "examples/sim/trace.h"

/*
 * What was seen of pods and workloads of a cluster, and the trace that it comes to. A trace says of
 * each how long it runs, and whoever looks at a cluster knows that only of some:
 *
 *     ran before it was looked at ... arrives at 0, and has so long still to run
 *     ended ......................... runs as long as it did
 *     runs still .................... as long as by now, or as half of those of its queue that
 *                                     ended did, if that is longer
 *     has not started ............... as half of those of its queue that ended
 *
 * What arrived while it was looked at does so a second later or more: so a plan that begins to
 * measure after that second leaves out what ran before. Notes say how many of each there are.
 */
struct arrival {
    struct trace_row row; /* at: the wall's time; runs_for: not known yet */
    int64_t started;      /* -1: it has not */
    int64_t ended;        /* -1: it has not */
};

struct arrivals {
    struct arrival **items;
    size_t count;
    size_t cap;
    struct arena arena;
};

/* One with nothing known yet. */
struct arrival *arrivals_add(struct arrivals *arrivals);

/* Looked at from then to then. False after a fault: nothing arrived of which a length is known. */
bool arrivals_trace(const struct arrivals *arrivals, int64_t begin, int64_t end, const char *path,
                    struct trace *ret, struct fault *fault);
void arrivals_finish(struct arrivals *arrivals);

#endif
