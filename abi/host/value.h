/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_HOST_VALUE_H
#define SLUICE_HOST_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <msgpack.h>

/*
 * An answer as a tree to look things up in.
 *
 *     struct answer answer;
 *     if (!answer_read(&answer, reply.bytes, reply.len))
 *         ...   not a message, or no memory
 *     bool pass = value_bool(&answer.root, "pass", false);
 *     const msgpack_object *gates = value_array(&answer.root, "gates");
 *     for (uint32_t i = 0; i < value_count(gates); i++)
 *         puts(value_item_str(gates, i, ""));
 *     answer_finish(&answer);
 *
 * The tree has its own copy of the bytes, and every text in it ends with a zero byte. Every lookup
 * takes NULL for "nothing there", so lookups nest without a check between them.
 */
struct answer {
    msgpack_object root;
    msgpack_zone zone;
    char *bytes;
};

/* Why bytes are not one well formed msgpack value, nested at most 32 levels; NULL if they are. */
const char *value_flaw(const uint8_t *bytes, size_t len);

/* False: the bytes are not one map, or there is no memory; then nothing needs to be finished. */
bool answer_read(struct answer *answer, const uint8_t *bytes, size_t len);
void answer_finish(struct answer *answer);

/* The value of a key of a map; NULL if it is not a map or has no such key. */
const msgpack_object *value_get(const msgpack_object *map, const char *key);

/* The same for one type of value: NULL, or what the last argument says, for any other type. */
const msgpack_object *value_map(const msgpack_object *map, const char *key);
const msgpack_object *value_array(const msgpack_object *map, const char *key);
int64_t value_int(const msgpack_object *map, const char *key, int64_t otherwise);
bool value_bool(const msgpack_object *map, const char *key, bool otherwise);
const char *value_str(const msgpack_object *map, const char *key, const char *otherwise);
const uint8_t *value_bin(const msgpack_object *map, const char *key, size_t *ret_len);

/* Whether there is a value of this type; an integer may have either of msgpack's two types. */
bool value_is(const msgpack_object *value, msgpack_object_type type);

/* Items of an array, pairs of a map, else 0. */
uint32_t value_count(const msgpack_object *value);
const msgpack_object *value_item(const msgpack_object *array, uint32_t i);
const char *value_item_str(const msgpack_object *array, uint32_t i, const char *otherwise);

/* The i-th pair of a map: its key ("" if there is none), and its value if ret is not NULL. */
const char *value_pair(const msgpack_object *map, uint32_t i, const msgpack_object **ret);

#endif
