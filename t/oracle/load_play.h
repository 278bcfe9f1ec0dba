/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ORACLE_LOAD_PLAY_H
#define SLUICE_T_ORACLE_LOAD_PLAY_H

#include "plugin/engine.h"
#include "t/oracle/load_model.h"
#include "t/oracle/load_supply.h"

/* A write that the host was told to do, and has not answered. */
struct load_request {
    bool is;
    int64_t id, version;
    int object;
    struct load_write_of write;
};

/* The engine, and the world that it admits workloads in. */
struct load_play {
    struct engine *engine;
    struct mem mem;
    struct load_supply supply;
    struct step config;
    struct load_world world;
    struct load_scenery scenery;
    struct load_request requests[LOADS];
    struct load_model model;
    char difference[1024];
};

/* `starves`: each call that needs memory is first made with too little. */
void load_play_init(struct load_play *play, bool starves);

/* False if the engine gave back less than it took. */
bool load_play_finish(struct load_play *play);

/* Plays one step. False: something is not as it should be; `difference` says what. */
bool load_play_step(struct load_play *play, const struct step *step);

/* The objects around workloads: one changes; all are shown to an engine that begins anew. */
bool load_play_drive_scenery(struct load_play *play, const struct step *step);
bool load_play_show_scenery(struct load_play *play);

bool load_play_call(struct load_play *play, load_call *call, const void *ctx);

/* Until the engine has nothing to do, and the model has followed. */
bool load_play_rest(struct load_play *play);

/* Notes the first difference. Returns false. */
__attribute__((format(printf, 2, 3))) bool load_play_differ(struct load_play *play,
                                                            const char *format, ...);

#endif
