/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_HOST_CONFORM_PROBE_H
#define SLUICE_HOST_CONFORM_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/host/conform_guard.h"
#include "abi/host/conform_point.h"
#include "abi/host/loader.h"
#include "abi/host/request.h"
#include "abi/host/value.h"
#include "abi/sluice.h"

/*
 * A library under examination, as a worker sees it. Every call goes through the probe, which hands
 * out guarded buffers and holds each result against the ABI, whatever the check is about:
 *
 *   - no byte beyond `cap`, before `out` or beyond `len` is touched, the request is left as it is;
 *   - a length that is returned fits into `cap`, the code of an error is one of sluice.h;
 *   - an answer is one well formed map with `pending`, `next` and `more`;
 *   - an error map is one with `key`, `value` and `want`.
 */

enum {
    DIGEST_BYTES = 64,
    CAP_LEAST = 16 << 10, /* what a hook whose answer fills the buffer asks for */
    MESSAGE_LIMIT = 1 << 20,
};

/* What came of a hook's sample: found out first, and known to all later checks. */
enum use {
    USE_NONE,    /* crashes, hangs, or fails in a way that is not allowed: left alone */
    USE_REFUSES, /* answers UNSUPPORTED */
    USE_WORKS,
};

/* What is examined. In memory that all workers share. */
struct subject {
    const char *path;
    enum use use[LOADER_HOOKS];
};

/* What the manifest says of a hook. */
struct sample {
    bool described;
    bool reads;
    size_t cap; /* the size that `out` must have */
    const msgpack_object *keys;
    struct request request; /* its sample request */
};

struct probe {
    struct points *points;
    struct subject *subject;
    struct loader *lib;
    struct answer manifest;
    struct sample samples[LOADER_HOOKS];
    int64_t now; /* of the samples */

    struct guard in;
    struct guard out;
    size_t len;          /* of the last call's answer, or error map */
    char error_key[256]; /* `key` of the last error map */
    char detail[192];    /* "a request cut off after 3 of 80 bytes" */
    bool quiet;          /* calls are not announced one by one: several threads make them */
};

/*
 * Loads the subject and reads its manifest. False: a point has failed and says why. Nothing needs
 * to be finished: the worker's end does it.
 */
bool probe_init(struct probe *probe, struct points *points, struct subject *subject);

/* The manifest's bytes, for probe_init: what is wrong with them, or NULL. */
const char *probe_read_manifest(struct probe *probe, const uint8_t *bytes, size_t len);

/* A probe for another thread: the same library and samples, guards of its own. */
bool probe_share(const struct probe *probe, struct probe *ret);
void probe_unshare(struct probe *probe);

/* What is special about the calls that follow. */
void probe_detail(struct probe *probe, const char *detail, ...)
    __attribute__((format(printf, 2, 3)));

/* point_wrong with the hook before it and the detail behind it. */
void probe_wrong(struct probe *probe, const char *function, const char *what, ...)
    __attribute__((format(printf, 3, 4)));

/* The answer, or the error map, of the call before. */
const uint8_t *probe_answer(const struct probe *probe);

int64_t probe_call(struct probe *probe, enum loader_hook hook, uint64_t handle, const uint8_t *req,
                   size_t len, size_t cap);

/* With a buffer as large as the manifest says. */
int64_t probe_ask(struct probe *probe, enum loader_hook hook, uint64_t handle, const uint8_t *req,
                  size_t len);
int64_t probe_sample(struct probe *probe, enum loader_hook hook, uint64_t handle);

int64_t probe_open_config(struct probe *probe, const uint8_t *config, size_t len);

/* A handle with the empty configuration; 0 if there is none, and that is told. */
uint64_t probe_open(struct probe *probe);
void probe_close(struct probe *probe, uint64_t handle);

/* Fills a handle: everything is listed, the host leads, and each hook has had its sample. */
void probe_populate(struct probe *probe, uint64_t handle);

/* observe of a kind without an object, at this time. */
int64_t probe_announce(struct probe *probe, uint64_t handle, const char *kind, int64_t now);

/* False, and told, if inspect does not give it. */
bool probe_digest(struct probe *probe, uint64_t handle, char digest[DIGEST_BYTES]);

/*
 * Makes a call that must be refused with one of the codes (a set of bits, 1 << code), and that must
 * leave the digest as it was: as `before`.
 */
void probe_refused(struct probe *probe, enum loader_hook hook, uint64_t handle, const uint8_t *req,
                   size_t len, unsigned codes, const char *before);

/* The digest is still `before`; tells if not. */
void probe_unchanged(struct probe *probe, const char *function, uint64_t handle,
                     const char *before);

/* Whether the last component of the last error map's key is this name. */
bool probe_names(const struct probe *probe, const char *name);

/* "sluice_observe" */
const char *probe_function(enum loader_hook hook);

#endif
