/* SPDX-License-Identifier: Apache-2.0 */
#include "abi/host/value.h"

#include <stdlib.h>
#include <string.h>

enum {
    DEPTH_MAX = 32,
};

/* What stands at the head of a value: how many bytes and how many further values follow it. */
struct head {
    size_t size; /* of the head itself */
    uint64_t bytes;
    uint64_t values;
};

static uint64_t big_endian(const uint8_t *at, size_t size)
{
    uint64_t n = 0;

    while (size--)
        n = n << 8 | *at++;
    return n;
}

/* The bytes after the first one that hold a length or a count; the value itself for scalars. */
static size_t width_of(uint8_t first)
{
    static const uint8_t widths[32] = {
        0, 0, 0, 0, 1, 2, 4, 2, 3,  5, 4, 8, 1, 2, 4, 8, /* c0..cf */
        1, 2, 4, 8, 2, 3, 5, 9, 17, 1, 2, 4, 2, 4, 2, 4  /* d0..df */
    };
    return first >= 0xc0 && first <= 0xdf ? widths[first - 0xc0] : 0;
}

/* False: the head is cut off. There is a first byte, and it is not c1. */
static bool head_read(const uint8_t *at, size_t left, struct head *ret)
{
    uint8_t first = *at;
    size_t width = width_of(first);

    if (left <= width)
        return false;
    *ret = (struct head){.size = 1 + width};
    if (first >= 0x80 && first <= 0x8f)
        ret->values = 2 * (uint64_t)(first & 0x0f);
    else if (first >= 0x90 && first <= 0x9f)
        ret->values = first & 0x0f;
    else if (first >= 0xa0 && first <= 0xbf)
        ret->bytes = first & 0x1f;
    else if ((first >= 0xc4 && first <= 0xc6) || (first >= 0xd9 && first <= 0xdb))
        ret->bytes = big_endian(at + 1, width);
    else if (first >= 0xc7 && first <= 0xc9)
        ret->bytes = big_endian(at + 1, width - 1);
    else if (first == 0xdc || first == 0xdd)
        ret->values = big_endian(at + 1, width);
    else if (first == 0xde || first == 0xdf)
        ret->values = 2 * big_endian(at + 1, width);
    return true;
}

/*
 * msgpack-c reserves what a count promises before it looks for it, so the promises are checked
 * first: each value that is still to come takes at least one byte.
 */
const char *value_flaw(const uint8_t *bytes, size_t len)
{
    uint64_t open[DEPTH_MAX + 1] = {1}; /* values still to come, at each level */
    uint64_t owed = 1;                  /* their sum */
    size_t depth = 0;
    size_t at = 0;

    while (owed > 0) {
        struct head head;

        if (at == len)
            return "it is shorter than it says";
        if (bytes[at] == 0xc1)
            return "the byte c1 begins no value";
        if (!head_read(bytes + at, len - at, &head))
            return "it is shorter than it says";
        at += head.size;
        owed += head.values - 1;
        if (head.bytes > len - at || owed > len - at - head.bytes)
            return "it is shorter than it says";
        at += head.bytes;
        open[depth]--;
        if (head.values > 0) {
            if (depth == DEPTH_MAX)
                return "it nests deeper than 32 levels";
            open[++depth] = head.values;
        }
        while (depth > 0 && open[depth] == 0)
            depth--;
    }
    return at < len ? "bytes follow it" : NULL;
}

/*
 * The byte behind a text is the head of the next value, which has been read by now. Where an empty
 * text is, msgpack-c does not say.
 */
static void end_texts(msgpack_object *value)
{
    switch (value->type) {
    case MSGPACK_OBJECT_STR:
        if (value->via.str.size == 0)
            value->via.str.ptr = "";
        else
            ((char *)value->via.str.ptr)[value->via.str.size] = '\0';
        break;
    case MSGPACK_OBJECT_ARRAY:
        for (uint32_t i = 0; i < value->via.array.size; i++)
            end_texts(&value->via.array.ptr[i]);
        break;
    case MSGPACK_OBJECT_MAP:
        for (uint32_t i = 0; i < value->via.map.size; i++) {
            end_texts(&value->via.map.ptr[i].key);
            end_texts(&value->via.map.ptr[i].val);
        }
        break;
    default:
        break;
    }
}

bool answer_read(struct answer *answer, const uint8_t *bytes, size_t len)
{
    size_t at = 0;

    if (value_flaw(bytes, len))
        return false;
    answer->bytes = malloc(len + 1);
    if (!answer->bytes)
        return false;
    memcpy(answer->bytes, bytes, len);
    if (!msgpack_zone_init(&answer->zone, MSGPACK_ZONE_CHUNK_SIZE)) {
        free(answer->bytes);
        return false;
    }
    if (msgpack_unpack(answer->bytes, len, &at, &answer->zone, &answer->root) !=
            MSGPACK_UNPACK_SUCCESS ||
        answer->root.type != MSGPACK_OBJECT_MAP) {
        answer_finish(answer);
        return false;
    }
    end_texts(&answer->root);
    return true;
}

void answer_finish(struct answer *answer)
{
    msgpack_zone_destroy(&answer->zone);
    free(answer->bytes);
}

static bool is_text(const msgpack_object *value, const char *text)
{
    size_t len = strlen(text);

    return value->type == MSGPACK_OBJECT_STR && value->via.str.size == len &&
           memcmp(value->via.str.ptr, text, len) == 0;
}

const msgpack_object *value_get(const msgpack_object *map, const char *key)
{
    if (!value_is(map, MSGPACK_OBJECT_MAP))
        return NULL;
    for (uint32_t i = 0; i < map->via.map.size; i++)
        if (is_text(&map->via.map.ptr[i].key, key))
            return &map->via.map.ptr[i].val;
    return NULL;
}

static const msgpack_object *get_typed(const msgpack_object *map, const char *key,
                                       msgpack_object_type type)
{
    const msgpack_object *value = value_get(map, key);

    return value_is(value, type) ? value : NULL;
}

const msgpack_object *value_map(const msgpack_object *map, const char *key)
{
    return get_typed(map, key, MSGPACK_OBJECT_MAP);
}

const msgpack_object *value_array(const msgpack_object *map, const char *key)
{
    return get_typed(map, key, MSGPACK_OBJECT_ARRAY);
}

int64_t value_int(const msgpack_object *map, const char *key, int64_t otherwise)
{
    const msgpack_object *value = get_typed(map, key, MSGPACK_OBJECT_POSITIVE_INTEGER);

    return value ? value->via.i64 : otherwise;
}

bool value_bool(const msgpack_object *map, const char *key, bool otherwise)
{
    const msgpack_object *value = get_typed(map, key, MSGPACK_OBJECT_BOOLEAN);

    return value ? value->via.boolean : otherwise;
}

const char *value_str(const msgpack_object *map, const char *key, const char *otherwise)
{
    const msgpack_object *value = get_typed(map, key, MSGPACK_OBJECT_STR);

    return value ? value->via.str.ptr : otherwise;
}

const uint8_t *value_bin(const msgpack_object *map, const char *key, size_t *ret_len)
{
    const msgpack_object *value = get_typed(map, key, MSGPACK_OBJECT_BIN);

    if (!value)
        return NULL;
    *ret_len = value->via.bin.size;
    return (const uint8_t *)value->via.bin.ptr;
}

bool value_is(const msgpack_object *value, msgpack_object_type type)
{
    if (!value)
        return false;
    if (value->type == MSGPACK_OBJECT_NEGATIVE_INTEGER)
        return type == MSGPACK_OBJECT_POSITIVE_INTEGER || type == MSGPACK_OBJECT_NEGATIVE_INTEGER;
    if (value->type == MSGPACK_OBJECT_POSITIVE_INTEGER)
        return (type == MSGPACK_OBJECT_POSITIVE_INTEGER ||
                type == MSGPACK_OBJECT_NEGATIVE_INTEGER) &&
               value->via.u64 <= INT64_MAX;
    return value->type == type;
}

uint32_t value_count(const msgpack_object *value)
{
    if (value_is(value, MSGPACK_OBJECT_ARRAY))
        return value->via.array.size;
    return value_is(value, MSGPACK_OBJECT_MAP) ? value->via.map.size : 0;
}

const msgpack_object *value_item(const msgpack_object *array, uint32_t i)
{
    if (!value_is(array, MSGPACK_OBJECT_ARRAY) || i >= array->via.array.size)
        return NULL;
    return &array->via.array.ptr[i];
}

const char *value_item_str(const msgpack_object *array, uint32_t i, const char *otherwise)
{
    const msgpack_object *item = value_item(array, i);

    return value_is(item, MSGPACK_OBJECT_STR) ? item->via.str.ptr : otherwise;
}

const char *value_pair(const msgpack_object *map, uint32_t i, const msgpack_object **ret)
{
    const msgpack_object_kv *pair;

    if (!value_is(map, MSGPACK_OBJECT_MAP) || i >= map->via.map.size) {
        if (ret)
            *ret = NULL;
        return "";
    }
    pair = &map->via.map.ptr[i];
    if (ret)
        *ret = &pair->val;
    return pair->key.type == MSGPACK_OBJECT_STR ? pair->key.via.str.ptr : "";
}
