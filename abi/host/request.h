/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_HOST_REQUEST_H
#define SLUICE_HOST_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <msgpack.h>

/*
 * Builds a request with msgpack-c. Maps and arrays are opened and ended, nobody counts.
 *
 *     struct request r;
 *     request_init(&r);
 *
 *     r_map(&r);
 *     r_key_int(&r, "now", now);
 *     r_key_str(&r, "kind", "pod");
 *     r_key_map(&r, "object");
 *     r_key_str(&r, "uid", pod->uid);
 *     r_key_array(&r, "gates");
 *     for (size_t i = 0; i < pod->n_gates; i++)
 *         r_str(&r, pod->gates[i]);
 *     r_end(&r);
 *     r_end(&r);
 *     r_end(&r);
 *
 *     if (request_ok(&r))
 *         loader_ask(lib, LOADER_OBSERVE, handle, request_bytes(&r), request_len(&r), &reply);
 *     request_clear(&r);      and build the next one in the same memory
 *     request_finish(&r);
 *
 * Errors are sticky (no memory, nested deeper than REQUEST_DEPTH): look once, by request_ok.
 */

enum {
    REQUEST_DEPTH = 32,
};

struct request {
    msgpack_sbuffer bytes;
    msgpack_packer packer;
    struct {
        size_t head;    /* where its first byte is */
        uint32_t items; /* values so far; in a map a key is one too */
    } open[REQUEST_DEPTH];
    uint32_t depth;
    bool failed;
};

void request_init(struct request *r);
void request_clear(struct request *r);
void request_finish(struct request *r);

/* Whether all went well and every map and array has been ended. */
bool request_ok(const struct request *r);
const uint8_t *request_bytes(const struct request *r);
size_t request_len(const struct request *r);

void r_map(struct request *r);
void r_array(struct request *r);
void r_end(struct request *r);

void r_str(struct request *r, const char *text);
void r_text(struct request *r, const char *text, size_t len);
void r_bin(struct request *r, const uint8_t *bytes, size_t len);
void r_int(struct request *r, int64_t value);
void r_bool(struct request *r, bool value);
void r_nil(struct request *r);
void r_value(struct request *r, const msgpack_object *value);

void r_key_map(struct request *r, const char *key);
void r_key_array(struct request *r, const char *key);
void r_key_str(struct request *r, const char *key, const char *text);
void r_key_int(struct request *r, const char *key, int64_t value);
void r_key_bool(struct request *r, const char *key, bool value);
void r_key_value(struct request *r, const char *key, const msgpack_object *value);

#endif
