/* SPDX-License-Identifier: Apache-2.0 */
#include "msg_oracle.h"

#include <string.h>

#include <msgpack.h>

#include "abi/msg/reader.h"

enum { MSGPACK_C_DEPTH = 32 };

struct cursor {
    const uint8_t *at;
    const uint8_t *end;
};

static bool take(struct cursor *c, size_t bytes, uint64_t *ret)
{
    if ((size_t)(c->end - c->at) < bytes)
        return false;
    *ret = 0;
    for (size_t i = 0; i < bytes; i++)
        *ret = *ret * 256 + *c->at++;
    return true;
}

static bool pass(struct cursor *c, uint64_t bytes)
{
    if ((uint64_t)(c->end - c->at) < bytes)
        return false;
    c->at += bytes;
    return true;
}

/* Whether msgpack-c can be given the value at the cursor: it is whole, and not too deep. */
static bool is_whole(struct cursor *c, unsigned depth);

static bool are_whole(struct cursor *c, uint64_t values, unsigned depth)
{
    if (depth == 0)
        return false;
    for (uint64_t i = 0; i < values; i++) {
        if (!is_whole(c, depth - 1))
            return false;
    }
    return true;
}

static bool is_whole(struct cursor *c, unsigned depth)
{
    uint64_t first;
    uint64_t n;
    if (!take(c, 1, &first))
        return false;
    if (first < 0x80 || first >= 0xe0)
        return true;
    if (first < 0x90)
        return are_whole(c, 2 * (first - 0x80), depth);
    if (first < 0xa0)
        return are_whole(c, first - 0x90, depth);
    if (first < 0xc0)
        return pass(c, first - 0xa0);
    switch (first) {
    case 0xc0:
    case 0xc2:
    case 0xc3:
        return true;
    case 0xc4:
    case 0xd9:
        return take(c, 1, &n) && pass(c, n);
    case 0xc5:
    case 0xda:
        return take(c, 2, &n) && pass(c, n);
    case 0xc6:
    case 0xdb:
        return take(c, 4, &n) && pass(c, n);
    case 0xcc:
    case 0xd0:
        return pass(c, 1);
    case 0xcd:
    case 0xd1:
        return pass(c, 2);
    case 0xce:
    case 0xd2:
        return pass(c, 4);
    case 0xcf:
    case 0xd3:
        return pass(c, 8);
    case 0xdc:
        return take(c, 2, &n) && are_whole(c, n, depth);
    case 0xdd:
        return take(c, 4, &n) && are_whole(c, n, depth);
    case 0xde:
        return take(c, 2, &n) && are_whole(c, 2 * n, depth);
    case 0xdf:
        return take(c, 4, &n) && are_whole(c, 2 * n, depth);
    default:
        return false;
    }
}

/* UTF-8 by its definition: decode, and see whether the shortest form is what was there. */
static bool is_text(const char *text, size_t len)
{
    size_t i = 0;
    while (i < len) {
        uint8_t first = (uint8_t)text[i];
        size_t bytes = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
        if ((first >= 0x80 && first < 0xc0) || first >= 0xf8 || bytes > len - i)
            return false;
        uint32_t point = bytes == 1 ? first : first & (0xffu >> (bytes + 1));
        for (size_t k = 1; k < bytes; k++) {
            uint8_t next = (uint8_t)text[i + k];
            if (next / 64 != 2)
                return false;
            point = point * 64 + next % 64;
        }
        size_t shortest = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
        if (bytes != shortest || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff))
            return false;
        i += bytes;
    }
    return true;
}

/* msgpack-c may have NULL for what is empty. */
static bool same_bytes(const void *a, size_t a_len, const void *b, size_t b_len)
{
    return a_len == b_len && (a_len == 0 || memcmp(a, b, a_len) == 0);
}

static bool value_accepted(const msgpack_object *o, unsigned depth, uint32_t keys);

static bool map_accepted(const msgpack_object_map *map, unsigned depth, uint32_t keys)
{
    if (depth == 0 || map->size > MSG_KEYS_MAX - keys)
        return false;
    for (uint32_t i = 0; i < map->size; i++) {
        const msgpack_object *key = &map->ptr[i].key;
        if (key->type != MSGPACK_OBJECT_STR || !is_text(key->via.str.ptr, key->via.str.size))
            return false;
        for (uint32_t k = 0; k < i; k++) {
            const msgpack_object_str *other = &map->ptr[k].key.via.str;
            if (same_bytes(key->via.str.ptr, key->via.str.size, other->ptr, other->size))
                return false;
        }
        if (!value_accepted(&map->ptr[i].val, depth - 1, keys + map->size))
            return false;
    }
    return true;
}

static bool value_accepted(const msgpack_object *o, unsigned depth, uint32_t keys)
{
    switch (o->type) {
    case MSGPACK_OBJECT_STR:
        return is_text(o->via.str.ptr, o->via.str.size);
    case MSGPACK_OBJECT_POSITIVE_INTEGER:
        return o->via.u64 <= INT64_MAX;
    case MSGPACK_OBJECT_EXT:
    case MSGPACK_OBJECT_FLOAT32:
    case MSGPACK_OBJECT_FLOAT64:
        return false;
    case MSGPACK_OBJECT_MAP:
        return map_accepted(&o->via.map, depth, keys);
    case MSGPACK_OBJECT_ARRAY:
        if (depth == 0)
            return false;
        for (uint32_t i = 0; i < o->via.array.size; i++) {
            if (!value_accepted(&o->via.array.ptr[i], depth - 1, keys))
                return false;
        }
        return true;
    default:
        return true;
    }
}

bool msg_oracle_accepts(const uint8_t *bytes, size_t len, unsigned depth)
{
    struct cursor c = {bytes, bytes + len};
    if (!is_whole(&c, MSGPACK_C_DEPTH) || c.at != c.end)
        return false;
    msgpack_unpacked unpacked;
    msgpack_unpacked_init(&unpacked);
    size_t off = 0;
    bool accepted =
        msgpack_unpack_next(&unpacked, (const char *)bytes, len, &off) == MSGPACK_UNPACK_SUCCESS &&
        off == len && unpacked.data.type == MSGPACK_OBJECT_MAP &&
        value_accepted(&unpacked.data, depth, 0);
    msgpack_unpacked_destroy(&unpacked);
    return accepted;
}

static const char *read_value(struct msg_reader *r, const msgpack_object *o);

static const char *read_map(struct msg_reader *r, const msgpack_object_map *map)
{
    struct msg_map m;
    struct msg_text key;
    uint32_t i = 0;
    if (!msg_open_map(r, &m) || m.left != map->size)
        return "a map opens with another count";
    while (msg_next_key(r, &m, &key)) {
        const msgpack_object_str *str = &map->ptr[i].key.via.str;
        if (!same_bytes(key.at, key.len, str->ptr, str->size))
            return "another key";
        const char *differs = read_value(r, &map->ptr[i].val);
        if (differs)
            return differs;
        i++;
    }
    return i == map->size ? NULL : "another number of pairs";
}

static const char *read_array(struct msg_reader *r, const msgpack_object_array *array)
{
    struct msg_array a;
    uint32_t i = 0;
    if (!msg_open_array(r, &a) || a.left != array->size)
        return "an array opens with another count";
    while (msg_next_item(r, &a)) {
        const char *differs = read_value(r, &array->ptr[i]);
        if (differs)
            return differs;
        i++;
    }
    return i == array->size ? NULL : "another number of items";
}

static const char *read_integer(struct msg_reader *r, int64_t want)
{
    int64_t integer = 0;
    if (msg_peek_type(r) != MSG_INT || !msg_get_int(r, INT64_MIN, INT64_MAX, &integer))
        return "an integer is not read";
    return integer == want ? NULL : "another integer";
}

static const char *read_value(struct msg_reader *r, const msgpack_object *o)
{
    struct msg_text text;
    struct msg_bin bin;
    bool truth = false;
    switch (o->type) {
    case MSGPACK_OBJECT_NIL:
        return msg_peek_type(r) == MSG_NIL && msg_get_nil(r) ? NULL : "nil is not read";
    case MSGPACK_OBJECT_BOOLEAN:
        if (msg_peek_type(r) != MSG_BOOL || !msg_get_bool(r, &truth))
            return "a truth value is not read";
        return truth == o->via.boolean ? NULL : "the other truth value";
    case MSGPACK_OBJECT_POSITIVE_INTEGER:
        return read_integer(r, (int64_t)o->via.u64);
    case MSGPACK_OBJECT_NEGATIVE_INTEGER:
        return read_integer(r, o->via.i64);
    case MSGPACK_OBJECT_STR:
        if (msg_peek_type(r) != MSG_TEXT || !msg_get_text(r, 0, SIZE_MAX, &text))
            return "text is not read";
        return same_bytes(text.at, text.len, o->via.str.ptr, o->via.str.size) ? NULL
                                                                              : "another text";
    case MSGPACK_OBJECT_BIN:
        if (msg_peek_type(r) != MSG_BIN || !msg_get_bin(r, 0, SIZE_MAX, &bin))
            return "binary is not read";
        return same_bytes(bin.at, bin.len, o->via.bin.ptr, o->via.bin.size) ? NULL
                                                                            : "another binary";
    case MSGPACK_OBJECT_ARRAY:
        return msg_peek_type(r) == MSG_ARRAY ? read_array(r, &o->via.array) : "no array is seen";
    case MSGPACK_OBJECT_MAP:
        return msg_peek_type(r) == MSG_MAP ? read_map(r, &o->via.map) : "no map is seen";
    default:
        return "a type that no message may hold";
    }
}

const char *msg_oracle_read(const uint8_t *bytes, size_t len)
{
    msgpack_unpacked unpacked;
    msgpack_unpacked_init(&unpacked);
    size_t off = 0;
    const char *differs = "msgpack-c does not decode it";
    if (msgpack_unpack_next(&unpacked, (const char *)bytes, len, &off) == MSGPACK_UNPACK_SUCCESS) {
        struct msg_reader r;
        msg_reader_init(&r, bytes, len);
        differs = read_value(&r, &unpacked.data);
        if (!differs && (r.error || r.at != r.end))
            differs = "the reader does not end where the message does";

        struct msg_reader skipper;
        msg_reader_init(&skipper, bytes, len);
        msg_skip_value(&skipper);
        if (!differs && (skipper.error || skipper.at != skipper.end))
            differs = "skipping does not end where the message does";
    }
    msgpack_unpacked_destroy(&unpacked);
    return differs;
}
