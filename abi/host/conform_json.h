/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_HOST_CONFORM_JSON_H
#define SLUICE_HOST_CONFORM_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "abi/host/request.h"

/*
 * Messages as JSON, in which the vectors are written. Maps, arrays, text, integers, booleans and
 * nil are what they are in JSON; three things are maps with one key:
 *
 *     {"$bin": "00ff"}    bytes
 *     {"$save": "id"}     in an answer: any value, remembered under this name
 *     {"$use": "id"}      in a request: the value that was remembered
 */

/* Appends the value. False, and a sentence in why: it cannot be said in msgpack. */
bool vector_pack(struct request *r, const json_t *value, const json_t *saved, char *why,
                 size_t cap);

/* A new reference; NULL for what JSON has no word for (floats, extensions), and without memory. */
json_t *vector_from_value(const msgpack_object *value);

/*
 * Whether `got` is as `want` says: equal, but that maps may have more keys than are wanted. Else
 * why tells where they differ: it.pods[2].state is "held", want "waiting".
 */
bool vector_matches(const json_t *want, const json_t *got, json_t *saved, char *why, size_t cap);

/* Pairs of hexadecimal digits, with or without spaces between; malloc'd, NULL if malformed. */
uint8_t *vector_hex(const char *text, size_t *ret_len);

#endif
