/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_PLAYER_STAGE_H
#define SLUICE_T_PLAYER_STAGE_H

#include "t/player/host.h"

/*
 * Where histories are played: in a process of their own, since what is looked for are calls that
 * crash or never return, over memory that its parent sees, too.
 */
enum {
    STAGE_SECONDS = 10, /* of the processor, for a history that is played for the first time */
    STAGE_REPLAY_SECONDS = 2, /* for one that is played again, without what makes it */
};

struct stage {
    struct history history; /* the one that is being played */
    uint64_t seed;          /* of it */
    uint64_t calls, histories;
    uint64_t errors;  /* calls that were refused */
    char wrong[1024]; /* of the last play; empty: nothing */
};

/* The one that is shared with all processes that stage_run starts. */
struct stage *stage_get(void);

/* A history begins, which may take so many seconds of the processor. */
void stage_begin(struct stage *stage, int seconds);

/* Runs a function in a process of its own; if that dies, `wrong` says how and where. */
void stage_run(struct stage *stage, void (*run)(struct stage *stage, const void *ctx),
               const void *ctx);

/* Plays a history as it is written, in a process of its own. `wrong` says what came of it. */
void stage_replay(struct stage *stage, const struct history *history);

#endif
