/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_HOST_LOADER_H
#define SLUICE_HOST_LOADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/host/reply.h"

/*
 * A host's way to sluice.so: dlopen finds it, libffi calls it, and nothing of it is linked.
 *
 *     struct loader *lib;
 *     struct reply reply = {0};
 *     char why[256];
 *
 *     if (!loader_open("build/sluice.so", &lib, why, sizeof(why)))
 *         ...   why says what is wrong with it
 *     int64_t handle = loader_begin(lib, config, len, &reply);
 *     int64_t r = loader_ask(lib, LOADER_OBSERVE, (uint64_t)handle, req, len, &reply);
 *     loader_end(lib, (uint64_t)handle);
 *     reply_finish(&reply);
 *     loader_close(lib);
 *
 * Results are those of sluice.h: sluice_error_code() and sluice_error_length() take them apart.
 * A loader is not changed by calls, so any number of threads may use it at once, each with a reply
 * of its own.
 */

enum loader_hook {
    LOADER_OBSERVE,
    LOADER_ADMIT,
    LOADER_PRE_ENQUEUE,
    LOADER_PRE_FILTER,
    LOADER_FILTER,
    LOADER_POST_FILTER,
    LOADER_RESERVE,
    LOADER_UNRESERVE,
    LOADER_PERMIT,
    LOADER_BIND,
    LOADER_POST_BIND,
    LOADER_COMMAND,
    LOADER_TICK,
    LOADER_DRAIN,
    LOADER_ACK,
    LOADER_INSPECT,
    LOADER_HOOKS
};

struct loader;

/* "observe" and back; -1 for a name that is none of the hooks. */
const char *loader_hook_name(enum loader_hook hook);
int loader_hook_of(const char *name, size_t len);

/*
 * Loads the shared object at path, which must have every function of sluice.h and our major
 * version. False: why (of cap bytes) says what is missing, every missing function by name.
 */
bool loader_open(const char *path, struct loader **ret, char *why, size_t cap);

/* Handles must be closed before. NULL is allowed. */
void loader_close(struct loader *loader);

/* The functions of sluice.h as they are. */
uint32_t loader_abi(const struct loader *loader);
int64_t loader_manifest(const struct loader *loader, uint8_t *out, uint64_t cap);
int64_t loader_open_handle(const struct loader *loader, const uint8_t *config, uint64_t len,
                           uint8_t *out, uint64_t cap);
int64_t loader_end(const struct loader *loader, uint64_t handle);
int64_t loader_call(const struct loader *loader, enum loader_hook hook, uint64_t handle,
                    const uint8_t *req, uint64_t len, uint8_t *out, uint64_t cap);

/*
 * The same with a reply, which is grown until the answer (or the error map) is in it. If there is
 * no memory to grow it, the result is NO_MEMORY.
 */
int64_t loader_describe(const struct loader *loader, struct reply *reply);
int64_t loader_begin(const struct loader *loader, const uint8_t *config, size_t len,
                     struct reply *reply);
int64_t loader_ask(const struct loader *loader, enum loader_hook hook, uint64_t handle,
                   const uint8_t *req, size_t len, struct reply *reply);

#endif
