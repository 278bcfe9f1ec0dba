/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_SIM_H
#define SLUICE_SIM_SIM_H

#include "examples/sim/arena.h"
#include "examples/sim/autoscaler.h"
#include "examples/sim/board.h"
#include "examples/sim/clock.h"
#include "examples/sim/expect.h"
#include "examples/sim/faults.h"
#include "examples/sim/fleet.h"
#include "examples/sim/host.h"
#include "examples/sim/library.h"
#include "examples/sim/plan.h"
#include "examples/sim/scenario.h"
#include "examples/sim/scheduler.h"
#include "examples/sim/story.h"
#include "examples/sim/workload.h"
#include "examples/sim/world.h"

/*
 * One run of one scenario:
 *
 *     steps ──▶ world (the API server) ──▶ watch ──▶ library.observe, scheduler's queue
 *                 ▲    ▲      ▲                            │            │
 *                 │    │      └── binding, condition ── scheduler ◀─────┘ pre_enqueue, filter, ...
 *                 │    └───────── patches ──────────── effects ◀─ library.drain
 *                 └── nodes ── autoscaler (reads only conditions)
 */
struct sim {
    struct arena arena;
    struct fault fault;
    const struct scenario *scenario;
    struct clock clock;
    struct world world;
    struct library library;
    struct host host;
    struct scheduler scheduler;
    struct autoscaler autoscaler;
    struct faults faults;
    struct fleet fleet;
    struct workloads workloads;
    struct story story;
    struct board board;
    struct expectations expectations;
    struct plan *plan;   /* NULL: no trace is played */
    struct map refusals; /* struct refusal by reference: what must be refused */
    FILE *recording;     /* NULL: nothing is recorded */
};

/* Of each handle; what is not filled is not touched. */
enum { RECORDING_BYTES = 256 << 20 };

/* A document that the library must refuse, with an error that says this. */
struct refusal {
    const struct tree *says;
    bool happened;
};

/* What the host's clock says to the library. */
int64_t sim_wall(const struct sim *sim);

#endif
