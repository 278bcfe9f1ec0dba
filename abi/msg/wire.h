/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_MSG_WIRE_H
#define SLUICE_MSG_WIRE_H

#include <stddef.h>
#include <stdint.h>

/*
 * The layout of one msgpack value, and of one character of text. The first byte says what follows;
 * numbers are big-endian.
 *
 *     00..7f  integer 0..127                 c4 c5 c6  binary, length in 1, 2, 4 bytes
 *     80..8f  map, 0..15 pairs               c7 c8 c9  extension
 *     90..9f  array, 0..15 items             ca cb     float, 4 and 8 bytes
 *     a0..bf  text, 0..31 bytes              cc..cf    unsigned integer, 1, 2, 4, 8 bytes
 *     c0      nil                            d0..d3    signed integer, 1, 2, 4, 8 bytes
 *     c1      (never)                        d4..d8    extension
 *     c2 c3   false, true                    d9 da db  text, length in 1, 2, 4 bytes
 *     e0..ff  integer -32..-1                dc dd     array, count in 2, 4 bytes
 *                                            de df     map, count in 2, 4 bytes
 */
enum msg_type {
    MSG_NOTHING, /* the end of the bytes, an error, or a value that no message may hold */
    MSG_NIL,
    MSG_BOOL,
    MSG_INT,
    MSG_FLOAT,
    MSG_TEXT,
    MSG_BIN,
    MSG_ARRAY,
    MSG_MAP,
};

enum msg_type msg_wire_type(uint8_t first);

/* What stands before a value's contents; of a scalar, the whole value. */
struct msg_head {
    enum msg_type type;
    uint32_t count;  /* text, binary: bytes; array: items; map: pairs; else 0 */
    int64_t integer; /* MSG_INT: the value; MSG_BOOL: 0 or 1; else 0 */
};

/*
 * Reads a head and moves *at behind it. The contents are known to be there: bytes for text and
 * binary, and for arrays and maps at least one byte for each key and value. Returns 0, or
 * MSG_TRUNCATED, MSG_EXT, MSG_INTEGER or MSG_NO_VALUE and leaves *at and *ret_head alone.
 */
int msg_wire_head(const uint8_t **at, const uint8_t *end, struct msg_head *ret_head);

/* The length of the UTF-8 character that begins at `at` < `end`, or 0 if none does. */
size_t msg_wire_character(const uint8_t *at, const uint8_t *end);

#endif
