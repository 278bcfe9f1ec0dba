/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_HOST_H
#define SLUICE_SIM_HOST_H

#include "abi/host/loader.h"
#include "abi/host/value.h"
#include "examples/sim/tree.h"

struct sim;

/*
 * The plugin inside the scheduler's process: it opens the library, makes every call to it, ticks
 * when it is asked to, and drains when effects wait.
 */

struct host {
    bool leads;
    bool draining;          /* a drain is planned */
    int64_t tick_at;        /* when the next tick is planned; INT64_MAX: none is */
    int64_t unknown;        /* acknowledgements that the library could not place */
    struct effect *effects; /* those that are under way, the latest first */
};

/* Opens a handle, and tells it that the listing is complete and that this host leads. */
void host_start(struct sim *sim);

/* The process dies and another one starts: nothing is left but what is in the API server. */
void host_restart(struct sim *sim);

/* Appends what was recorded of the open handle to the story's recording, if there is one. */
void host_record(struct sim *sim);

/* The lease was lost, or gained. */
void host_lead(struct sim *sim, bool leads);

/* The host's clock has jumped: what it waits for may be due. */
void host_look_at_clock(struct sim *sim);

/* Ends the request that library_begin began, calls, and sees to what the answer asks for. NULL
 * after an error, which is in sim->library.error. */
const msgpack_object *host_call(struct sim *sim, enum loader_hook hook);

/* The same, where the request cannot be wrong: an error ends the run. */
const msgpack_object *host_must(struct sim *sim, enum loader_hook hook);

/* An object was refused: what a step waits for, or else the end of the run. */
void host_refused(struct sim *sim, const struct tree *where, const char *ref, const char *why);

/* A Command object. */
struct object;
void host_command(struct sim *sim, const struct object *command);

/* The library's webhook for queues and commands: false if it refuses, which is then told. */
bool host_admits(struct sim *sim, const struct tree *where, const struct object *object,
                 const char *operation);

/* Any bytes, as a step `send:` wants them; checks the answer, and that an error changed nothing. */
void host_send(struct sim *sim, const struct tree *spec);
void host_check_send(struct fault *fault, const struct tree *spec);

#endif
