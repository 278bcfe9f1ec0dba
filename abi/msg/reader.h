/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_MSG_READER_H
#define SLUICE_MSG_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "check.h"
#include "wire.h"

/*
 * A cursor over a message: no tree of objects, no memory, every text a view into the message.
 *
 *     struct msg_map m;
 *     struct msg_text key;
 *     bool has_uid = false;
 *
 *     msg_open_map(r, &m);
 *     while (msg_next_key(r, &m, &key)) {
 *         if (msg_text_is(key, "uid"))
 *             has_uid = msg_get_text(r, 1, 64, &pod->uid);
 *         else if (msg_text_is(key, "priority"))
 *             msg_get_int(r, INT32_MIN, INT32_MAX, &pod->priority);
 *         else
 *             msg_skip_unknown(r);
 *     }
 *     msg_require(r, has_uid, "uid");
 *
 *     if (r->error)
 *         ...   r->fault says which key, what it was, and what would be right
 *
 * Rules of use: after msg_next_key or msg_next_item returned true, exactly one value is read (a
 * get, an open and its whole loop, or a skip); a loop runs until its msg_next_ returns false.
 *
 * Errors are sticky. The first one is remembered; from then on every get, open and skip does
 * nothing and leaves its out-parameter untouched, and every loop ends. So r->error is looked at
 * once, at the end, and nothing that was read counts before that.
 *
 * The bytes should have passed msg_check: the reader looks neither for keys that come twice nor at
 * UTF-8. It stays inside the bytes whatever they are.
 */

struct msg_text {
    const char *at; /* not terminated by a zero byte */
    size_t len;
};

struct msg_bin {
    const uint8_t *at;
    size_t len;
};

/* A map or an array that is being read. `left` is what has not been read of it: pairs, items. */
struct msg_map {
    const uint8_t *start;
    uint32_t left;
    uint32_t level;
};

struct msg_array {
    const uint8_t *start;
    uint32_t left;
    uint32_t level;
};

enum {
    MSG_PATH_BYTES = 96,
    MSG_VALUE_BYTES = 64,
    MSG_WANT_BYTES = 160,
};

/*
 * The first error in words: zero-terminated UTF-8 without control characters, those of the message
 * being written as \n or \x1b. What is longer is cut between characters and ends with "...".
 */
struct msg_fault {
    char path[MSG_PATH_BYTES + 4];   /* "pod.gates[2]", "config.rootCeiling.cpu", "" */
    char value[MSG_VALUE_BYTES + 6]; /* "\"onFoo\"", "-3", "a map", "nil", "nothing" */
    char want[MSG_WANT_BYTES + 4];   /* "an integer from 0 to 7", "one of onBind, onAdmission" */
};

/* A step of the path: the key of a map, or (key NULL) the index n in an array. */
struct msg_step {
    const char *key;
    uint32_t n;
};

struct msg_reader {
    const uint8_t *at;
    const uint8_t *end;
    const uint8_t *subject; /* where the value begins that the path names */
    int error;              /* 0, or the first error: one of enum msg_error */
    uint32_t depth;
    struct msg_step path[MSG_DEPTH_MAX]; /* the first `depth` are set */
    struct msg_fault fault;              /* set when error is not 0 */
};

void msg_reader_init(struct msg_reader *r, const uint8_t *bytes, size_t len);

/* What comes next, to choose by; MSG_NOTHING at the end and after an error. */
enum msg_type msg_peek_type(const struct msg_reader *r);

/* Even when they fail, *ret may be given to its msg_next_ function, which then returns false. */
bool msg_open_map(struct msg_reader *r, struct msg_map *ret);
bool msg_open_array(struct msg_reader *r, struct msg_array *ret);

static inline bool msg_next_key(struct msg_reader *r, struct msg_map *map,
                                struct msg_text *ret_key);
static inline bool msg_next_item(struct msg_reader *r, struct msg_array *array);

/* Each returns whether it read a value; lengths are in bytes, all limits are inclusive. */
static inline bool msg_get_int(struct msg_reader *r, int64_t min, int64_t max, int64_t *ret);
static inline bool msg_get_text(struct msg_reader *r, size_t min_len, size_t max_len,
                                struct msg_text *ret);
bool msg_get_bool(struct msg_reader *r, bool *ret);
bool msg_get_bin(struct msg_reader *r, size_t min_len, size_t max_len, struct msg_bin *ret);

/* names ends with NULL; *ret is the index of the one that was read. */
bool msg_get_enum(struct msg_reader *r, const char *const names[], int *ret);

/* True, and past it, if the next value is nil; else nothing happens. */
bool msg_get_nil(struct msg_reader *r);

/* For a key that this version does not know: an error if it begins with '!', else a skip. */
void msg_skip_unknown(struct msg_reader *r);
void msg_skip_value(struct msg_reader *r);

/*
 * An error that only the caller can see, about the value that was read last: the one of the last
 * key or item, or the map or array whose loop has just ended. `want` is copied: "a quantity such
 * as 500m or 2Gi".
 */
void msg_fail(struct msg_reader *r, enum msg_error error, const char *want);

/* After the loop over a map: an error that names `key` in that map unless it was present. */
void msg_require(struct msg_reader *r, bool present, const char *key);

static inline bool msg_text_is(struct msg_text text, const char *literal)
{
    size_t len = strlen(literal);
    return text.len == len && (len == 0 || memcmp(text.at, literal, len) == 0);
}

/*
 * Below is how it works: the short forms that nearly every value has are read inline, all else out
 * of line. An error empties the cursor (at == end), so the inline forms need not look at r->error.
 */

bool msg_next_key_long(struct msg_reader *r, struct msg_map *map, struct msg_text *ret_key);
bool msg_next_item_last(struct msg_reader *r, struct msg_array *array);
bool msg_get_int_long(struct msg_reader *r, int64_t min, int64_t max, int64_t *ret);
bool msg_get_text_long(struct msg_reader *r, size_t min_len, size_t max_len, struct msg_text *ret);

/* The text at the cursor, if it is of the form whose first byte holds its length (up to 31). */
static inline bool msg_short_text(const struct msg_reader *r, struct msg_text *ret)
{
    if (r->at == r->end)
        return false;
    size_t len = *r->at ^ 0xa0u;
    if (len > 31 || (size_t)(r->end - r->at) <= len)
        return false;
    ret->at = (const char *)r->at + 1;
    ret->len = len;
    return true;
}

static inline bool msg_next_key(struct msg_reader *r, struct msg_map *map, struct msg_text *ret_key)
{
    struct msg_text key;
    if (map->left == 0 || !msg_short_text(r, &key))
        return msg_next_key_long(r, map, ret_key);
    map->left--;
    r->depth = map->level + 1;
    r->path[map->level].key = key.at;
    r->path[map->level].n = (uint32_t)key.len;
    r->at += 1 + key.len;
    r->subject = r->at;
    *ret_key = key;
    return true;
}

static inline bool msg_next_item(struct msg_reader *r, struct msg_array *array)
{
    if (array->left == 0 || r->at == r->end)
        return msg_next_item_last(r, array);
    array->left--;
    r->depth = array->level + 1;
    r->path[array->level].n++;
    r->subject = r->at;
    return true;
}

static inline bool msg_get_int(struct msg_reader *r, int64_t min, int64_t max, int64_t *ret)
{
    if (r->at == r->end || *r->at > 0x7f || *r->at < min || *r->at > max)
        return msg_get_int_long(r, min, max, ret);
    *ret = *r->at++;
    return true;
}

static inline bool msg_get_text(struct msg_reader *r, size_t min_len, size_t max_len,
                                struct msg_text *ret)
{
    struct msg_text text;
    if (!msg_short_text(r, &text) || text.len < min_len || text.len > max_len)
        return msg_get_text_long(r, min_len, max_len, ret);
    r->at += 1 + text.len;
    *ret = text;
    return true;
}

#endif
