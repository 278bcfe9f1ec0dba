/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_MSG_CHECK_H
#define SLUICE_MSG_CHECK_H

#include <stddef.h>
#include <stdint.h>

/*
 * The check that stands before everything else: no byte of a message is used until the whole of it
 * has passed here. A message that passed
 *
 *   - is one msgpack map, and nothing follows it;
 *   - nests at most `depth` maps and arrays, the outermost counted;
 *   - has no count and no length that reaches past its end;
 *   - has text for every key, and no key twice in one map;
 *   - has only UTF-8 in its text (no overlong form, no surrogate, nothing above U+10FFFF);
 *   - has only integers that fit int64, and no extension types.
 *
 * nil, binary and floats may occur: a reader that wants none refuses them where it meets them.
 *
 * The walk needs no memory but its stack (about 26 KiB), does not recurse, and its time grows with
 * length times the logarithm of the largest map, whatever the bytes are.
 */

enum {
    MSG_BYTES_DEFAULT = 1 << 20,
    MSG_DEPTH_DEFAULT = 16,
    MSG_DEPTH_MAX = 32,  /* whatever the limits say */
    MSG_KEYS_MAX = 2048, /* keys of a map together with the keys of all maps around it */
};

struct msg_limits {
    size_t bytes;   /* longest message */
    unsigned depth; /* most maps and arrays within each other */
};

/* What can be wrong with a message. The host built it, so the host is to blame for each. */
enum msg_error {
    MSG_OK = 0,

    /* From msg_check: the bytes are not a message. */
    MSG_TRUNCATED = -1,    /* ends inside a value, or a count or length reaches past the end */
    MSG_TRAILING = -2,     /* bytes follow the message's map */
    MSG_TOO_LONG = -3,     /* longer than limits.bytes */
    MSG_DEPTH = -4,        /* nests deeper than limits.depth */
    MSG_NOT_A_MAP = -5,    /* the outermost value is something else */
    MSG_KEY_NOT_TEXT = -6, /* a map's key is not text */
    MSG_KEY_TWICE = -7,    /* a key occurs twice in one map */
    MSG_KEYS = -8,         /* more than MSG_KEYS_MAX keys */
    MSG_NOT_UTF8 = -9,     /* text that is not UTF-8 */
    MSG_EXT = -10,         /* an extension type, timestamps included */
    MSG_INTEGER = -11,     /* an unsigned integer above INT64_MAX */
    MSG_NO_VALUE = -12,    /* the byte 0xc1, which begins no value */
    MSG_NO_INTEGER = -13,  /* a float */

    /* From the reader: a message, but not the one that was expected. */
    MSG_TYPE = -14,            /* a value of another type */
    MSG_RANGE = -15,           /* an integer below the least or above the greatest */
    MSG_LENGTH = -16,          /* text, binary or array too short or too long */
    MSG_UNKNOWN_VALUE = -17,   /* none of the words that are allowed here */
    MSG_REQUIRED = -18,        /* a key that must be there is not */
    MSG_MUST_UNDERSTAND = -19, /* an unknown key that begins with '!' */
    MSG_INVALID = -20,         /* well-formed, but means nothing here: msg_fail's caller says why */
};

/*
 * Returns 0, or one of enum msg_error; then *ret_at (unless ret_at is NULL) is the offset of the
 * value at fault, or of the text of a key that comes twice. It is left alone on success.
 */
int msg_check(const uint8_t *bytes, size_t len, const struct msg_limits *limits, size_t *ret_at);

/* A sentence for people, without a full stop; never NULL. */
const char *msg_error_text(int error);

#endif
