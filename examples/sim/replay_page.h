/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_REPLAY_PAGE_H
#define SLUICE_SIM_REPLAY_PAGE_H

#include "examples/sim/sim.h"

/*
 * What a page shows of a recording (board.h): the library is asked between the calls that are made
 * again, at each moment that the recording knows.
 *
 *     request ──▶ replay_page_moment: is the moment before it over? ──▶ a frame
 *        └──────▶ call ──▶ replay_page_saw: which pods, which workloads there are; who was evicted
 *
 * Of nodes a recording says what they have and not what is free: they are left out.
 */
struct replay_page {
    struct sim sim; /* nothing but the library, what it was shown, and the board */
    struct scenario scenario;
};

/* Before the first call; finish may be called in any state. */
void replay_page_start(struct replay_page *page, const char *path);
void replay_page_finish(struct replay_page *page);

/* As a replay_watch is told: a handle was opened with this configuration. */
void replay_page_opened(void *page, const msgpack_object *config);

/* A call is about to be made, and was made. */
void replay_page_moment(void *page, const msgpack_object *request);
void replay_page_saw(void *page, enum loader_hook hook, const msgpack_object *request,
                     const msgpack_object *answer);

#endif
