/* SPDX-License-Identifier: Apache-2.0 */
#include "abi/host/conform_json.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/host/value.h"

enum {
    PATH_BYTES = 256,
};

/* The text of {"$word": text}, NULL for any other value. */
static const char *special(const json_t *value, const char *word)
{
    return json_object_size(value) == 1 ? json_string_value(json_object_get(value, word)) : NULL;
}

uint8_t *vector_hex(const char *text, size_t *ret_len)
{
    uint8_t *bytes = malloc(strlen(text) / 2 + 1);
    size_t len = 0;

    while (bytes && *text) {
        char pair[3] = {text[0], text[1], 0};

        if (text[0] == ' ') {
            text++;
            continue;
        }
        if (!isxdigit((unsigned char)pair[0]) || !isxdigit((unsigned char)pair[1])) {
            free(bytes);
            return NULL;
        }
        bytes[len++] = (uint8_t)strtoul(pair, NULL, 16);
        text += 2;
    }
    *ret_len = len;
    return bytes;
}

static bool pack_bin(struct request *r, const char *hex, char *why, size_t cap)
{
    size_t len;
    uint8_t *bytes = vector_hex(hex, &len);

    if (!bytes) {
        snprintf(why, cap, "\"%s\" is not hexadecimal", hex);
        return false;
    }
    r_bin(r, bytes, len);
    free(bytes);
    return true;
}

static bool pack_map(struct request *r, const json_t *map, const json_t *saved, char *why,
                     size_t cap)
{
    const char *name;
    json_t *value;

    r_map(r);
    json_object_foreach((json_t *)map, name, value)
    {
        r_str(r, name);
        if (!vector_pack(r, value, saved, why, cap))
            return false;
    }
    r_end(r);
    return true;
}

bool vector_pack(struct request *r, const json_t *value, const json_t *saved, char *why, size_t cap)
{
    const char *name;

    switch (json_typeof(value)) {
    case JSON_NULL:
        r_nil(r);
        return true;
    case JSON_TRUE:
    case JSON_FALSE:
        r_bool(r, json_is_true(value));
        return true;
    case JSON_INTEGER:
        r_int(r, json_integer_value(value));
        return true;
    case JSON_STRING:
        r_text(r, json_string_value(value), json_string_length(value));
        return true;
    case JSON_ARRAY:
        r_array(r);
        for (size_t i = 0; i < json_array_size(value); i++)
            if (!vector_pack(r, json_array_get(value, i), saved, why, cap))
                return false;
        r_end(r);
        return true;
    case JSON_OBJECT:
        if ((name = special(value, "$bin")))
            return pack_bin(r, name, why, cap);
        if (!(name = special(value, "$use")))
            return pack_map(r, value, saved, why, cap);
        if (json_object_get(saved, name))
            return vector_pack(r, json_object_get(saved, name), saved, why, cap);
        snprintf(why, cap, "nothing was saved as \"%s\"", name);
        return false;
    default:
        snprintf(why, cap, "there are no real numbers in messages");
        return false;
    }
}

static json_t *bin_from(const msgpack_object *value)
{
    size_t len = value->via.bin.size;
    char *hex = calloc(2 * len + 1, 1);
    json_t *map;

    if (!hex)
        return NULL;
    for (size_t i = 0; i < len; i++)
        snprintf(hex + 2 * i, 3, "%02x", (uint8_t)value->via.bin.ptr[i]);
    map = json_pack("{s:s}", "$bin", hex);
    free(hex);
    return map;
}

static json_t *container_from(const msgpack_object *value)
{
    bool is_map = value->type == MSGPACK_OBJECT_MAP;
    json_t *container = is_map ? json_object() : json_array();

    for (uint32_t i = 0; i < value_count(value) && container; i++) {
        const msgpack_object *inner = value_item(value, i);
        const char *key = is_map ? value_pair(value, i, &inner) : "";
        json_t *item = vector_from_value(inner);

        if (!item || (is_map ? json_object_set_new(container, key, item)
                             : json_array_append_new(container, item)) != 0) {
            json_decref(container);
            return NULL;
        }
    }
    return container;
}

json_t *vector_from_value(const msgpack_object *value)
{
    switch (value->type) {
    case MSGPACK_OBJECT_NIL:
        return json_null();
    case MSGPACK_OBJECT_BOOLEAN:
        return json_boolean(value->via.boolean);
    case MSGPACK_OBJECT_POSITIVE_INTEGER:
    case MSGPACK_OBJECT_NEGATIVE_INTEGER:
        return json_integer(value->via.i64);
    case MSGPACK_OBJECT_STR:
        return json_stringn(value->via.str.ptr, value->via.str.size);
    case MSGPACK_OBJECT_BIN:
        return bin_from(value);
    case MSGPACK_OBJECT_ARRAY:
    case MSGPACK_OBJECT_MAP:
        return container_from(value);
    default:
        return NULL;
    }
}

static bool differ(const char *path, const json_t *want, const json_t *got, char *why, size_t cap)
{
    char *wanted = json_dumps(want, JSON_ENCODE_ANY);
    char *was = got ? json_dumps(got, JSON_ENCODE_ANY) : NULL;

    snprintf(why, cap, "%s is %.200s, want %.200s", path, was ? was : "not there",
             wanted ? wanted : "?");
    free(wanted);
    free(was);
    return false;
}

static bool matches(const char *path, const json_t *want, const json_t *got, json_t *saved,
                    char *why, size_t cap)
{
    char inner[PATH_BYTES];
    const char *name;
    json_t *value;

    if ((name = special(want, "$save")) && got)
        return json_object_set(saved, name, (json_t *)got) == 0;
    if (json_is_object(want) && json_is_object(got)) {
        json_object_foreach((json_t *)want, name, value)
        {
            snprintf(inner, sizeof(inner), "%s.%s", path, name);
            if (!matches(inner, value, json_object_get(got, name), saved, why, cap))
                return false;
        }
        return true;
    }
    if (json_is_array(want) && json_is_array(got) &&
        json_array_size(want) == json_array_size(got)) {
        for (size_t i = 0; i < json_array_size(want); i++) {
            snprintf(inner, sizeof(inner), "%s[%zu]", path, i);
            if (!matches(inner, json_array_get(want, i), json_array_get(got, i), saved, why, cap))
                return false;
        }
        return true;
    }
    return (got && json_equal(want, got)) || differ(path, want, got, why, cap);
}

bool vector_matches(const json_t *want, const json_t *got, json_t *saved, char *why, size_t cap)
{
    return matches("it", want, got, saved, why, cap);
}
