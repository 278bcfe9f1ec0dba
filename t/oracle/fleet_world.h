/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ORACLE_FLEET_WORLD_H
#define SLUICE_T_ORACLE_FLEET_WORLD_H

#include "plugin/base/effect.h"
#include "plugin/base/facts.h"
#include "t/oracle/difference.h"
#include "t/oracle/random.h"
#include "t/oracle/step.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The clusters themselves: what their API servers hold, and what becomes of a request. It knows no
 * manager and no decision; it is here that two workers preempt for one workload, if they do.
 */
enum { FLEET_WORKERS = 4, FLEET_WORKLOADS = 3, FLEET_MEMORY = 2048 };

#define FLEET_TIMEOUT (60 * SECOND)

struct fleet_replica {
    bool there;
    int uid; /* a number of its own */
    int origin;
    int64_t version;
    bool gated, open, signals, reserved, admitted, evicted, deleted;
};

struct fleet_workload {
    bool there;
    int uid;
    int64_t version;
    bool reserved, ready, over, retry;
    int cluster; /* -1: none yet */
    bool nominated[FLEET_WORKERS];
    char memory[FLEET_MEMORY];
    bool spoiled; /* somebody changed the memory */
    struct fleet_replica at[FLEET_WORKERS];
    int64_t opened[FLEET_WORKERS]; /* of this workload, whatever became of the replica */
};

struct fleet_world {
    struct random random;
    int64_t now, version;
    int uids;
    bool reachable[FLEET_WORKERS];
    struct fleet_workload workloads[FLEET_WORKLOADS];
    char broken[DIFFERENCE_MAX]; /* what must never be and was */
    long openings;
};

void fleet_world_init(struct fleet_world *world, uint64_t seed);

/* Something happens: a workload comes or goes or changes, a worker vanishes, signals, admits,
 * evicts, forgets; a person opens a gate. */
void fleet_world_happens(struct fleet_world *world);

/* All workers are there, and no workload changes any more. */
void fleet_world_calms(struct fleet_world *world);

/* A request, as it was leased: with the text that it writes. */
struct fleet_request {
    enum effect_kind kind;
    int64_t id, version, until;
    int worker, workload, uid, origin; /* of the replica; else of the workload */
    int cluster;
    bool gated;
    char memory[FLEET_MEMORY];
};

/* Carries it out. */
enum effect_result fleet_world_do(struct fleet_world *world, const struct fleet_request *request);

/* What a host would show of an object. */
struct fleet_view {
    char name[16], uid[16], origin[16], cluster[16];
    char names[FLEET_WORKERS][16];
    struct dispatch_facts workload;
    struct replica_facts replica;
};
void fleet_world_workload(const struct fleet_world *world, int workload, struct fleet_view *ret);
void fleet_world_replica(const struct fleet_world *world, int workload, int worker,
                         struct fleet_view *ret);

/* Names are letters and numbers. -1: none of ours. */
int fleet_number(struct text name);

#endif
