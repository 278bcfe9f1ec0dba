/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_HOOKS_HANDLE_H
#define SLUICE_HOOKS_HANDLE_H

#include "memory.h"
#include "plugin/base/outbox.h"
#include "plugin/engine.h"
#include "plugin/fleet/fleet.h"
#include "recorder.h"
#include "scratch.h"

#include <stdint.h>

/*
 * An engine, a fleet and what their calls need, and the number by which a host knows them:
 *
 *     63  62 ........ 32  31 ......... 0
 *      0 │  generation   │  place + 1   │      above 0; a closed one never means another again
 *
 * A place has a lock, which outlives what is in it: a call that comes too late finds the place
 * empty, or another generation in it, and a close waits for the call that is under way. In the
 * child of a fork every place is empty.
 */
enum { HANDLE_PLACES = 1024 };

struct handle {
    struct engine *engine;
    struct fleet *fleet;
    struct outbox *outbox; /* the engine's, of both */
    struct memory memory;
    struct scratch scratch;
    struct recorder recorder;
    struct engine_config config; /* its texts are in config_bytes */
    struct fleet_config fleet_config;
    bool manages; /* worker clusters: a host that does not never shows the fleet anything */
    uint8_t *config_bytes;
    size_t message_limit;
    size_t longest; /* request that changed something */
};

/* NULL takes no harm. */
void handle_destroy(struct handle *handle);

enum handle_error {
    HANDLE_NO_MEMORY = -1,
    HANDLE_NO_PLACE = -2, /* HANDLE_PLACES are open */
};

/* Gives the handle a number; on failure it is still the caller's. The number is known before other
 * threads can use it: `ready` is called with it, and with the lock held. */
int64_t handle_publish(struct handle *handle, void (*ready)(void *ctx, int64_t number), void *ctx);

/* The handle of a number, locked, or NULL. */
struct handle *handle_enter(uint64_t number);
void handle_leave(uint64_t number);

/* Waits for the call that is under way and takes the handle out of its place; NULL: no such
 * handle. */
struct handle *handle_withdraw(uint64_t number);

#endif
