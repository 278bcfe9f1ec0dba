/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <stdbool.h>
#include <string.h>

#include "wire.h"

/* Up to this many keys are compared pair by pair as they come; more are sorted when all are in. */
enum { FEW_KEYS = 16 };

struct key {
    uint32_t hash;
    uint32_t at; /* offset of its text */
    uint32_t len;
};

/* A map or array that is open. */
struct level {
    uint32_t left;      /* pairs or items still to come */
    uint32_t first_key; /* its keys in walk.keys: from here to the walk's key_count, once closing */
    bool is_map;
    bool has_many_keys;
    uint64_t seen; /* one bit for each hash seen, modulo 64 */
};

/*
 * Only open maps have keys, and they close in the reverse order of opening, so the keys are a stack
 * as well:
 *
 *     keys    | outermost map's | next map's | innermost's |  free  |
 *             ^ levels[0]       ^ levels[1]  ^ levels[3]   ^ key_count   (levels[2] is an array)
 *
 * A map's room is claimed when it opens. `key_count` therefore counts keys still to come; where the
 * next key of the innermost map goes follows from how many are left.
 */
struct walk {
    const uint8_t *bytes;
    const uint8_t *at;
    const uint8_t *end;
    unsigned depth_limit;
    unsigned depth;
    uint32_t key_count;
    struct level levels[MSG_DEPTH_MAX];
    struct key keys[MSG_KEYS_MAX];
};

/* Every byte of the text, somewhere, if it is shorter than eight; else the first eight. */
static uint64_t first_word(const uint8_t *text, size_t len)
{
    uint64_t word = 0;
    if (len >= 8) {
        memcpy(&word, text, 8);
    } else if (len >= 4) {
        uint32_t first;
        uint32_t last;
        memcpy(&first, text, 4);
        memcpy(&last, text + len - 4, 4);
        word = (uint64_t)first << 32 | last;
    } else if (len > 0) {
        word = (uint64_t)text[0] << 16 | (uint64_t)text[len / 2] << 8 | text[len - 1];
    }
    return word;
}

static uint64_t last_word(const uint8_t *text, size_t len)
{
    return len >= 8 ? first_word(text + len - 8, 8) : 0;
}

static bool is_ascii_word(uint64_t word)
{
    return (word & UINT64_C(0x8080808080808080)) == 0;
}

static bool is_utf8(const uint8_t *at, size_t len)
{
    if (len <= 16 && is_ascii_word(first_word(at, len) | last_word(at, len)))
        return true;
    const uint8_t *end = at + len;
    while (at < end) {
        if (end - at >= 8 && is_ascii_word(first_word(at, 8))) {
            at += 8;
            continue;
        }
        size_t character = msg_wire_character(at, end);
        if (character == 0)
            return false;
        at += character;
    }
    return true;
}

/*
 * Looks at no more than the two ends, so that its cost does not depend on the length. It only saves
 * comparisons: keys chosen to collide cost time, bounded by the sort, and change no outcome.
 */
static uint32_t key_hash(const uint8_t *text, uint32_t len)
{
    uint64_t mixed = (first_word(text, len) ^ len) * UINT64_C(0x9e3779b97f4a7c15);
    mixed = (mixed ^ mixed >> 32 ^ last_word(text, len)) * UINT64_C(0xbf58476d1ce4e5b9);
    return (uint32_t)(mixed >> 32);
}

/* A total order in which equal keys, and only they, compare as 0. Which order it is matters not. */
static int key_compare(const struct walk *w, const struct key *a, const struct key *b)
{
    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    if (a->len != b->len)
        return a->len < b->len ? -1 : 1;
    return memcmp(w->bytes + a->at, w->bytes + b->at, a->len);
}

static void sift_down(const struct walk *w, struct key *heap, uint32_t count, uint32_t parent)
{
    for (;;) {
        uint32_t child = 2 * parent + 1;
        if (child >= count)
            return;
        if (child + 1 < count && key_compare(w, &heap[child], &heap[child + 1]) < 0)
            child++;
        if (key_compare(w, &heap[parent], &heap[child]) >= 0)
            return;
        struct key lesser = heap[parent];
        heap[parent] = heap[child];
        heap[child] = lesser;
        parent = child;
    }
}

/* Heapsort: n log n comparisons for any input, in place. */
static void sort_keys(const struct walk *w, struct key *keys, uint32_t count)
{
    for (uint32_t parent = count / 2; parent-- > 0;)
        sift_down(w, keys, count, parent);
    for (uint32_t last = count; last-- > 1;) {
        struct key greatest = keys[0];
        keys[0] = keys[last];
        keys[last] = greatest;
        sift_down(w, keys, last, 0);
    }
}

static int fault_at(uint32_t offset, int error, size_t *ret_at)
{
    *ret_at = offset;
    return error;
}

static int check_many_keys(const struct walk *w, struct key *keys, uint32_t count, size_t *ret_at)
{
    sort_keys(w, keys, count);
    for (uint32_t i = 1; i < count; i++) {
        if (key_compare(w, &keys[i - 1], &keys[i]) == 0) {
            uint32_t later = keys[i].at > keys[i - 1].at ? keys[i].at : keys[i - 1].at;
            return fault_at(later, MSG_KEY_TWICE, ret_at);
        }
    }
    return 0;
}

static int add_key(struct walk *w, struct level *map, const uint8_t *text, uint32_t len,
                   size_t *ret_at)
{
    struct key *first = &w->keys[map->first_key];
    struct key *key = &w->keys[w->key_count - map->left];
    key->hash = key_hash(text, len);
    key->at = (uint32_t)(text - w->bytes);
    key->len = len;

    uint64_t bit = UINT64_C(1) << (key->hash & 63);
    if (!map->has_many_keys && (map->seen & bit)) {
        for (const struct key *other = first; other < key; other++) {
            if (key_compare(w, other, key) == 0)
                return fault_at(key->at, MSG_KEY_TWICE, ret_at);
        }
    }
    map->seen |= bit;
    return 0;
}

static int open_level(struct walk *w, const struct msg_head *head)
{
    if (w->depth == w->depth_limit)
        return MSG_DEPTH;
    bool is_map = head->type == MSG_MAP;
    if (is_map && head->count > MSG_KEYS_MAX - w->key_count)
        return MSG_KEYS;
    struct level *level = &w->levels[w->depth++];
    level->left = head->count;
    level->first_key = w->key_count;
    level->is_map = is_map;
    level->has_many_keys = is_map && head->count > FEW_KEYS;
    level->seen = 0;
    if (is_map)
        w->key_count += head->count;
    return 0;
}

static int close_level(struct walk *w, size_t *ret_at)
{
    const struct level *level = &w->levels[--w->depth];
    uint32_t count = w->key_count - level->first_key;
    w->key_count = level->first_key;
    if (level->has_many_keys)
        return check_many_keys(w, &w->keys[level->first_key], count, ret_at);
    return 0;
}

/* As msg_wire_head; text of up to 255 bytes, which is most of any message, takes the short way. */
static int read_head(struct walk *w, struct msg_head *ret_head)
{
    size_t behind = (size_t)(w->end - w->at);
    if (behind > 0 && (*w->at & 0xe0) == 0xa0 && (*w->at & 0x1fu) < behind) {
        *ret_head = (struct msg_head){.type = MSG_TEXT, .count = *w->at & 0x1fu};
        w->at++;
        return 0;
    }
    if (behind > 1 && *w->at == 0xd9 && w->at[1] < behind - 1) {
        *ret_head = (struct msg_head){.type = MSG_TEXT, .count = w->at[1]};
        w->at += 2;
        return 0;
    }
    return msg_wire_head(&w->at, w->end, ret_head);
}

/* The head of the next value; text and binary are walked over as a whole. */
static int walk_value(struct walk *w, struct msg_head *ret_head)
{
    int error = read_head(w, ret_head);
    if (error < 0)
        return error;
    if (ret_head->type == MSG_TEXT && !is_utf8(w->at, ret_head->count))
        return MSG_NOT_UTF8;
    if (ret_head->type == MSG_FLOAT)
        return MSG_NO_INTEGER;
    if (ret_head->type == MSG_TEXT || ret_head->type == MSG_BIN)
        w->at += ret_head->count;
    return 0;
}

static int walk_key(struct walk *w, struct level *map, size_t *ret_at)
{
    uint32_t start = (uint32_t)(w->at - w->bytes);
    struct msg_head head;
    int error = walk_value(w, &head);
    if (error < 0)
        return fault_at(start, error, ret_at);
    if (head.type != MSG_TEXT)
        return fault_at(start, MSG_KEY_NOT_TEXT, ret_at);
    return add_key(w, map, w->at - head.count, head.count, ret_at);
}

static int walk_next(struct walk *w, size_t *ret_at)
{
    struct level *level = &w->levels[w->depth - 1];
    if (level->left == 0)
        return close_level(w, ret_at);
    if (level->is_map) {
        int error = walk_key(w, level, ret_at);
        if (error < 0)
            return error;
    }
    level->left--;

    uint32_t start = (uint32_t)(w->at - w->bytes);
    struct msg_head head;
    int error = walk_value(w, &head);
    if (error == 0 && (head.type == MSG_MAP || head.type == MSG_ARRAY))
        error = open_level(w, &head);
    return error < 0 ? fault_at(start, error, ret_at) : 0;
}

static int walk_message(struct walk *w, size_t *ret_at)
{
    if (msg_wire_type(*w->at) != MSG_MAP)
        return fault_at(0, MSG_NOT_A_MAP, ret_at);
    struct msg_head head;
    int error = msg_wire_head(&w->at, w->end, &head);
    if (error == 0)
        error = open_level(w, &head);
    if (error < 0)
        return fault_at(0, error, ret_at);
    while (w->depth > 0) {
        error = walk_next(w, ret_at);
        if (error < 0)
            return error;
    }
    if (w->at != w->end)
        return fault_at((uint32_t)(w->at - w->bytes), MSG_TRAILING, ret_at);
    return 0;
}

int msg_check(const uint8_t *bytes, size_t len, const struct msg_limits *limits, size_t *ret_at)
{
    size_t at = 0;
    int error;
    if (len == 0) {
        error = MSG_TRUNCATED;
    } else if (len > limits->bytes || len > UINT32_MAX) {
        error = MSG_TOO_LONG;
    } else {
        struct walk w;
        w.bytes = bytes;
        w.at = bytes;
        w.end = bytes + len;
        w.depth_limit = limits->depth < MSG_DEPTH_MAX ? limits->depth : MSG_DEPTH_MAX;
        w.depth = 0;
        w.key_count = 0;
        error = walk_message(&w, &at);
    }
    if (error < 0 && ret_at)
        *ret_at = at;
    return error;
}

const char *msg_error_text(int error)
{
    switch ((enum msg_error)error) {
    case MSG_OK:
        return "no error";
    case MSG_TRUNCATED:
        return "the message ends inside a value";
    case MSG_TRAILING:
        return "bytes follow the message's map";
    case MSG_TOO_LONG:
        return "the message is longer than the limit";
    case MSG_DEPTH:
        return "maps and arrays nest deeper than the limit";
    case MSG_NOT_A_MAP:
        return "the message is not a map";
    case MSG_KEY_NOT_TEXT:
        return "a key is not text";
    case MSG_KEY_TWICE:
        return "a key occurs twice in one map";
    case MSG_KEYS:
        return "a map has too many keys";
    case MSG_NOT_UTF8:
        return "text is not UTF-8";
    case MSG_EXT:
        return "extension types are not allowed";
    case MSG_NO_INTEGER:
        return "floats are not allowed";
    case MSG_INTEGER:
        return "an integer does not fit 64 bits with a sign";
    case MSG_NO_VALUE:
        return "the byte c1 begins no value";
    case MSG_TYPE:
        return "a value has the wrong type";
    case MSG_RANGE:
        return "an integer is out of range";
    case MSG_LENGTH:
        return "a value is too short or too long";
    case MSG_UNKNOWN_VALUE:
        return "a word is none of those allowed";
    case MSG_REQUIRED:
        return "a required key is missing";
    case MSG_MUST_UNDERSTAND:
        return "an unknown key must be understood";
    case MSG_INVALID:
        return "a value makes no sense here";
    }
    return "an unknown error";
}
