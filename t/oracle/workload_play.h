/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ORACLE_WORKLOAD_PLAY_H
#define SLUICE_T_ORACLE_WORKLOAD_PLAY_H

#include "plugin/engine.h"
#include "t/oracle/workload_model.h"
#include "t/oracle/difference.h"
#include "t/oracle/supply.h"

/* The engine, and the world that it admits workloads in. */
struct workload_play {
    struct engine *engine;
    struct supply supply;
    struct step config;
    struct workload_world world;
    struct workload_scenery scenery;
    struct workload_request requests[WORKLOADS];
    struct workload_model model;
    char *difference; /* of this history */
};

/* `starves`: each call that needs memory is first made with too little. */
void workload_play_init(struct workload_play *play, bool starves, char difference[DIFFERENCE_MAX]);

/* False: the engine gave back less than it took, which is a difference. */
bool workload_play_finish(struct workload_play *play);

/* Plays one step. False: something is not as it should be; `difference` says what. */
bool workload_play_step(struct workload_play *play, const struct step *step);

/* Whether the engine, at rest, is sound, and as the model says; else play->difference says how it
 * is not. */
bool workload_compare(struct workload_play *play);

/* The objects around workloads: one changes; all are shown to an engine that begins anew. */
bool workload_play_drive_scenery(struct workload_play *play, const struct step *step);
bool workload_play_show_scenery(struct workload_play *play);

bool workload_play_call(struct workload_play *play, supplied_call *call, const void *ctx);

/* Until the engine has nothing to do, and the model has followed. */
bool workload_play_rest(struct workload_play *play);

#endif
