/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ORACLE_GANG_PLAY_H
#define SLUICE_T_ORACLE_GANG_PLAY_H

#include "t/oracle/difference.h"
#include "t/oracle/gang_world.h"
#include "t/oracle/random.h"
#include "t/oracle/supply.h"

/*
 * A host and its scheduler over the world of gang_world.h: it shows the engine what there is, now
 * or later, runs scheduling cycles, and carries out what it is asked for, or not.
 */
enum { GANG_REQUESTS = 48, GANG_USERS = GANG_GROUPS - 1 /* the place of the user's PodGroup */ };

struct gang_play {
    struct random random;
    struct gang_world world;
    struct supply supply;
    struct engine *engine;
    struct engine_config config;
    bool leads, trace;
    bool calm; /* everything is done at once, and works */
    int count;
    struct gang_request requests[GANG_REQUESTS]; /* under way */
    struct {
        bool active;       /* in the scheduler's queue of those to look at */
        int64_t at_permit; /* waits there until then; 0: does not */
        int shown;         /* the life that the host has heard of */
    } pods[GANG_PODS];
    struct {
        char name[GANG_TEXT];
        int life;
    } groups[GANG_GROUPS]; /* those that the host has heard of */
    uint64_t writes[EFFECT_KINDS];
    char broken[DIFFERENCE_MAX];
};

bool gang_one_in(struct gang_play *play, int n);
int gang_below(struct gang_play *play, int n);
void gang_say(struct gang_play *play, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* What the host shows; what it hears of now, or later. -1: none. */
void gang_show_pod(struct gang_play *play, const struct gang_pod *pod);
void gang_show_group(struct gang_play *play, const struct gang_group *group);
void gang_show_queue(struct gang_play *play, int queue, int64_t cpu, enum queue_state stop);
void gang_show_all(struct gang_play *play);
void gang_hear(struct gang_play *play, int pod, int group);

void gang_lead(struct gang_play *play, bool leads);
void gang_open(struct gang_play *play);

/* The engine goes. Memory that it does not give back is a difference. */
void gang_close(struct gang_play *play);
void gang_restart(struct gang_play *play);
void gang_pass_time(struct gang_play *play, int64_t now);

/* A scheduling cycle of a pod, if it is to be looked at; the scheduler looks again at who found no
 * node. */
void gang_schedule(struct gang_play *play, int pod);
void gang_try_again(struct gang_play *play, int pod);

/* The host takes the next effect, false: there is none; and ends one of those that it has. */
bool gang_lease(struct gang_play *play);
void gang_carry(struct gang_play *play, enum carry way);

/* Something happens. */
void gang_step(struct gang_play *play);

/* All that there is to do is done, until nothing changes any more; then each object is looked at.
 */
void gang_calm_down(struct gang_play *play);
void gang_look(struct gang_play *play);

#endif
