/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_H
#define SLUICE_H

/*
 * sluice.so: the rules of queues for the Kubernetes scheduler.
 *
 * Integers and pointers only: whatever can dlopen can be a host. Requests and
 * answers are msgpack maps; PROTOCOL.md lists every key. The library keeps no
 * pointer beyond a call, calls nobody back, starts no thread, and is never
 * unloaded.
 *
 * Each function says below [who calls it; threads; what it keeps; how it fails].
 */

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SLUICE_ABI_MAJOR 1
#define SLUICE_ABI_MINOR 1

/*
 * A call returns the length of its answer (>= 0), or -(length << 8 | code).
 * After an error nothing has changed, and `out` holds an error map of that
 * length for the codes marked *.
 */
enum sluice_error {
    SLUICE_TOO_SMALL = 1,   /* host: length is the size that `out` must have */
    SLUICE_NO_HANDLE = 2,   /* host: never opened, closed, or from before a fork */
    SLUICE_MESSAGE = 3,     /* host *: not a message */
    SLUICE_FIELD = 4,       /* its author *: a key is missing or its value is of no use */
    SLUICE_UNSUPPORTED = 5, /* nobody *: this version does not do it */
    SLUICE_NO_MEMORY = 6,   /* machine: free some and call again */
    SLUICE_LIMIT = 7,       /* configuration *: a limit would be passed */
    SLUICE_ARGUMENT = 8,    /* host: a null pointer, or buffers that overlap */
    SLUICE_BROKEN = 9,      /* us *: an invariant does not hold */
};

static inline int sluice_error_code(int64_t result)
{
    return result < 0 ? (int)((uint64_t)-result & 0xff) : 0;
}

static inline uint64_t sluice_error_length(int64_t result)
{
    return result < 0 ? (uint64_t)-result >> 8 : 0;
}

/* major << 16 | minor. A host refuses another major version.
 * [any time; any thread; cannot fail] */
uint32_t sluice_abi(void);

/* The ABI described: hooks, their largest answers, sample requests, errors.
 * [any time; any thread; TOO_SMALL, ARGUMENT] */
int64_t sluice_manifest(uint8_t *out, uint64_t cap);

/* A handle > 0 on one engine with this configuration.
 * [any time; any thread; the handle is the caller's until sluice_close;
 *  MESSAGE, FIELD, NO_MEMORY, LIMIT (too many handles), ARGUMENT] */
int64_t sluice_open(const uint8_t *config, uint64_t len, uint8_t *out, uint64_t cap);

/* 0. Waits for the handle's running calls, then frees all it held.
 * [once for each handle; any thread; NO_HANDLE] */
int64_t sluice_close(uint64_t handle);

/* The hooks. [between open and close; any thread, one call of a handle at a
 * time goes on inside; req and out are the caller's and must not overlap;
 * any error above] */
int64_t sluice_observe(uint64_t handle, const uint8_t *req, uint64_t len, uint8_t *out,
                       uint64_t cap);
int64_t sluice_admit(uint64_t handle, const uint8_t *req, uint64_t len, uint8_t *out, uint64_t cap);
int64_t sluice_pre_enqueue(uint64_t handle, const uint8_t *req, uint64_t len, uint8_t *out,
                           uint64_t cap);
int64_t sluice_pre_filter(uint64_t handle, const uint8_t *req, uint64_t len, uint8_t *out,
                          uint64_t cap);
int64_t sluice_filter(uint64_t handle, const uint8_t *req, uint64_t len, uint8_t *out,
                      uint64_t cap);
int64_t sluice_post_filter(uint64_t handle, const uint8_t *req, uint64_t len, uint8_t *out,
                           uint64_t cap);
int64_t sluice_reserve(uint64_t handle, const uint8_t *req, uint64_t len, uint8_t *out,
                       uint64_t cap);
int64_t sluice_unreserve(uint64_t handle, const uint8_t *req, uint64_t len, uint8_t *out,
                         uint64_t cap);
int64_t sluice_permit(uint64_t handle, const uint8_t *req, uint64_t len, uint8_t *out,
                      uint64_t cap);
int64_t sluice_bind(uint64_t handle, const uint8_t *req, uint64_t len, uint8_t *out, uint64_t cap);
int64_t sluice_post_bind(uint64_t handle, const uint8_t *req, uint64_t len, uint8_t *out,
                         uint64_t cap);
int64_t sluice_command(uint64_t handle, const uint8_t *req, uint64_t len, uint8_t *out,
                       uint64_t cap);
int64_t sluice_tick(uint64_t handle, const uint8_t *req, uint64_t len, uint8_t *out, uint64_t cap);
int64_t sluice_drain(uint64_t handle, const uint8_t *req, uint64_t len, uint8_t *out, uint64_t cap);
int64_t sluice_ack(uint64_t handle, const uint8_t *req, uint64_t len, uint8_t *out, uint64_t cap);
int64_t sluice_inspect(uint64_t handle, const uint8_t *req, uint64_t len, uint8_t *out,
                       uint64_t cap);

#ifdef __cplusplus
}
#endif

#endif
