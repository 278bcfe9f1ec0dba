/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_REPLAY_H
#define SLUICE_SIM_REPLAY_H

#include "examples/sim/library.h"

struct run_options;

/* Makes the calls of a recording again, and compares every answer byte for byte; a page, or its
 * frames, show it where the options name a file for them. An exit code; what differs first is said
 * on stderr. */
int replay_file(const struct run_options *options, const char *path);

/* Who looks on while the calls of a recording are made again. What is NULL is not told. */
struct replay_watch {
    void *who;
    struct library *library; /* that makes them: it may be asked from within `after` */
    bool lenient;            /* its answers may be others than they were */
    void (*opened)(void *who, const msgpack_object *config);
    void (*before)(void *who, const msgpack_object *request);
    void (*after)(void *who, enum loader_hook hook, const msgpack_object *request,
                  const msgpack_object *answer);
};

struct replay_sum {
    uint64_t calls;
    bool full; /* the recording stops before the run did */
};

/* An exit code. The library is whoever's it is to finish. */
int replay_watched(const char *library, const char *path, const struct replay_watch *watch,
                   struct replay_sum *ret);

#endif
