/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_BENCH_WORLD_H
#define SLUICE_BENCH_WORLD_H

#include "plugin/engine.h"
#include "t/bench/pod.h"
#include "t/kit/door.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A cluster whose queues are full, and in which pods wait:
 *
 *   flat   root ─▶ one queue
 *   tree   root ─▶ 10 ─▶ 90 ─▶ 900 queues: 1,000 of them, 4 deep with the root; pods wait in
 *          the 900
 *
 * The room is the root's, so all leaves compete for it. Running pods of 1 and of 100 units fill it:
 * when one of them goes, as many waiting pods are granted.
 */
enum { LEAVES = 900, RUNNING_SMALL = 200, RUNNING_LARGE = 64, LARGE = 100 };

enum shapes {
    SHAPES_ONE,  /* all pods ask for the same */
    SHAPES_MANY, /* no two do */
    SHAPES_AWRY, /* no two, and half of them ask for much cpu, half for much memory */
};

struct heap_use {
    struct mem mem;
    size_t bytes, peak; /* as asked for */
    size_t usable;      /* as malloc says */
};

struct world {
    const struct door *door; /* NULL: the engine itself */
    struct engine *engine;
    uint64_t handle;
    struct heap_use use; /* of the engine itself */
    bool tree;
    enum shapes shapes;
    int64_t now;
    uint32_t count;    /* pods that wait, or did before the releases */
    uint32_t *serials; /* of them */
    uint32_t next_serial;
    uint32_t released[2]; /* running pods that are gone */
    struct pod_facts facts;
};

struct world_plan {
    const struct door *door;
    bool tree;
    enum shapes shapes;
    uint32_t waiting;
};

/* The pod of a serial number; serials of running pods come after all others. */
void world_pod(const struct world *world, uint32_t serial, struct pod *pod);

/* With `each` (may be NULL) called after each pod that came. */
struct world *world_build(const struct world_plan *plan,
                          void (*each)(void *ctx, const struct world *world), void *ctx);
void world_free(struct world *world);

/* A pod, ready to be passed in. */
struct delivery {
    struct pod pod;
    size_t len;
    uint8_t request[REQUEST_BYTES];
};

/* ERRAND_ASK and ERRAND_NAME are pre_enqueue: the pod is shown, or only named. */
enum errand { ERRAND_ASK, ERRAND_NAME, ERRAND_SEE, ERRAND_LOSE };

void world_prepare(const struct world *world, enum errand errand, struct delivery *delivery);

/* Passes it in; true if the pod passes, or, otherwise, if work is left. */
bool world_deliver(struct world *world, enum errand errand, const struct delivery *delivery);

/* Ticks until no work is left. Returns how many ticks it took. */
uint32_t world_settle(struct world *world);

/* Effects that could be drained: one for each grant. */
uint32_t world_pending(struct world *world);

/* The next running pod of this size is prepared to go. */
void world_prepare_release(struct world *world, bool large, struct delivery *delivery);

void heap_use_init(struct heap_use *use);

#endif
