/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "abi/host/conform_checks.h"

enum {
    THREADS = 4,
    ROUNDS = 100,
    CLOSES = 20,
};

struct player {
    struct probe probe;
    pthread_t thread;
    uint64_t handle;
    int rounds;       /* 0: until the handle is closed */
    uint64_t answers; /* a sum over their bytes */
};

static void add_answer(struct player *player, int64_t result)
{
    const uint8_t *bytes = probe_answer(&player->probe);

    player->answers = player->answers * 31 + (uint64_t)result;
    for (size_t i = 0; i < player->probe.len; i++)
        player->answers = player->answers * 31 + bytes[i];
}

static void *play(void *arg)
{
    struct player *player = arg;
    struct probe *probe = &player->probe;

    for (int round = 0; player->rounds == 0 || round < player->rounds; round++)
        for (int i = 0; i < LOADER_HOOKS; i++) {
            enum loader_hook hook = (enum loader_hook)i;

            if (probe->subject->use[hook] == USE_NONE)
                continue;
            int64_t result = probe_sample(probe, hook, player->handle);
            int code = sluice_error_code(result);
            add_answer(player, result);
            if (code == SLUICE_NO_HANDLE && player->rounds == 0)
                return NULL;
            if (code != 0 && code != SLUICE_UNSUPPORTED)
                probe_wrong(probe, probe_function(hook), "returned %s", reply_error_name(code));
        }
    return NULL;
}

/* Starts a player for each handle; the caller joins them. */
static void players_start(struct probe *probe, struct player *players, const uint64_t *handles,
                          int rounds, const char *detail)
{
    points_doing(probe->points, "the library (%s)", detail);
    for (int i = 0; i < THREADS; i++) {
        struct player *player = &players[i];

        *player = (struct player){.handle = handles[i], .rounds = rounds};
        if (!probe_share(probe, &player->probe))
            abort();
        player->probe.quiet = true;
        probe_detail(&player->probe, "%s", detail);
        if (pthread_create(&player->thread, NULL, play, player) != 0)
            abort();
    }
}

static void players_join(struct player *players)
{
    for (int i = 0; i < THREADS; i++) {
        pthread_join(players[i].thread, NULL);
        probe_unshare(&players[i].probe);
    }
}

static void one_handle(struct probe *probe)
{
    struct player players[THREADS];
    uint64_t handle = probe_open(probe);
    uint64_t handles[THREADS] = {handle, handle, handle, handle};

    probe_populate(probe, handle);
    players_start(probe, players, handles, ROUNDS, "4 threads on one handle");
    players_join(players);
    probe_detail(probe, "after 4 threads used it at once");
    probe_close(probe, handle);
}

static void four_handles(struct probe *probe)
{
    struct player players[THREADS];
    uint64_t handles[THREADS];

    for (int i = 0; i < THREADS; i++) {
        handles[i] = probe_open(probe);
        probe_populate(probe, handles[i]);
    }
    players_start(probe, players, handles, ROUNDS, "4 threads on 4 handles");
    players_join(players);
    for (int i = 0; i < THREADS; i++) {
        if (players[i].answers != players[0].answers)
            point_wrong(probe->points, "4 threads got different answers to the same requests, "
                                       "each on a handle of its own");
        probe_close(probe, handles[i]);
    }
}

static void close_in_midst(struct probe *probe)
{
    struct player players[THREADS];

    for (int i = 0; i < CLOSES; i++) {
        uint64_t handle = probe_open(probe);
        uint64_t handles[THREADS] = {handle, handle, handle, handle};

        probe_populate(probe, handle);
        players_start(probe, players, handles, 0, "closed while 4 threads use it");
        nanosleep(&(struct timespec){.tv_nsec = 1000000L * (i % 5)}, NULL);
        if (loader_end(probe->lib, handle) != 0)
            point_wrong(probe->points, "sluice_close refused a handle that is in use");
        players_join(players);
        if (loader_end(probe->lib, handle) != -(int64_t)SLUICE_NO_HANDLE)
            point_wrong(probe->points, "sluice_close closed a handle twice");
    }
}

void check_threads(struct points *points, void *arg)
{
    struct probe probe;

    if (!probe_init(&probe, points, arg))
        return;
    point_begin(points, "4 threads may use one handle");
    one_handle(&probe);
    point_end(points);
    point_begin(points, "4 threads may use 4 handles, and do not disturb each other");
    four_handles(&probe);
    point_end(points);
    point_begin(points, "a handle may be closed while calls run");
    close_in_midst(&probe);
    point_end(points);
}
