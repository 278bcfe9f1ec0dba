/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_LIBRARY_H
#define SLUICE_SIM_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "abi/host/loader.h"
#include "abi/host/reply.h"
#include "abi/host/request.h"
#include "abi/host/value.h"

/*
 * One open handle of sluice.so, and the way to call it:
 *
 *     struct request *r = library_begin(&library, now);
 *     r_key_str(r, "uid", uid);
 *     const msgpack_object *answer = library_call(&library, LOADER_PRE_FILTER);
 *     if (!answer)
 *         ...   library.error says why
 *
 * An answer is valid until the next call.
 */
struct library {
    struct loader *loader;
    uint64_t handle; /* 0: none is open */
    struct request request;
    struct reply reply;
    struct answer answer;
    bool has_answer;
    int64_t result;
    char error[1024]; /* of a failed call */
    uint64_t calls;
    bool creeps; /* each call is a nanosecond later than the one before */

    /* From the latest answer. */
    int64_t pending;
    int64_t next;
    bool more;
};

/* Where the library is: the path given, else $SLUICE_LIB, else beside the program, else where both
 * were installed, else by name. */
const char *library_path(const char *given, const char *program, char *out, size_t cap);

/* False: library->error says of which file what is wrong with it, and what to do. */
bool library_load(struct library *library, const char *path);
void library_finish(struct library *library);

/* A request with `now` in its map, which library_call ends. */
struct request *library_begin(struct library *library, int64_t now);
const msgpack_object *library_call(struct library *library, enum loader_hook hook);

/* Opens a handle with the configuration that has been built in library->request. */
bool library_open(struct library *library);
void library_close(struct library *library);

/* Any bytes to any hook; the result is in library->result. */
const msgpack_object *library_send(struct library *library, enum loader_hook hook,
                                   const uint8_t *bytes, size_t len);

/* The engine's digest in out (17 bytes); false if it cannot be had. */
bool library_digest(struct library *library, int64_t now, char *out);

/* Appends the handle's recording to a file. */
bool library_recording(struct library *library, int64_t now, FILE *file);

#endif
