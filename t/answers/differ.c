/* SPDX-License-Identifier: Apache-2.0 */
#include "t/answers/differ.h"

#include <stdio.h>
#include <string.h>

#include <msgpack.h>

#include "t/kit/peek.h"

struct comparison {
    differ_found *found;
    void *context;
    struct difference at; /* its path is that of what is being compared */
};

static void print(char ret[DIFFERENCE_TEXT], const msgpack_object *value)
{
    if (value == NULL)
        snprintf(ret, DIFFERENCE_TEXT, "(nothing)");
    else if (msgpack_object_print_buffer(ret, DIFFERENCE_TEXT, *value) == 0)
        snprintf(ret, DIFFERENCE_TEXT, "(a long value)");
}

static void tell(struct comparison *c, const msgpack_object *was, const msgpack_object *is)
{
    print(c->at.was, was);
    print(c->at.is, is);
    c->found(c->context, &c->at);
}

/* One step down the path; the length to go back to. */
static size_t enter(struct comparison *c, const char *key, size_t len)
{
    size_t from = strlen(c->at.path);

    snprintf(c->at.path + from, sizeof(c->at.path) - from, "%s%.*s", from > 0 ? "." : "", (int)len,
             key);
    return from;
}

static const msgpack_object *value_of(const msgpack_object_map *map, const msgpack_object *key)
{
    for (uint32_t i = 0; i < map->size; i++)
        if (msgpack_object_equal(map->ptr[i].key, *key))
            return &map->ptr[i].val;
    return NULL;
}

static void compare(struct comparison *c, const msgpack_object *was, const msgpack_object *is);

static void compare_pair(struct comparison *c, const msgpack_object *key, const msgpack_object *was,
                         const msgpack_object *is)
{
    bool named = key->type == MSGPACK_OBJECT_STR;
    size_t from = enter(c, named ? key->via.str.ptr : "?", named ? key->via.str.size : 1);

    if (was == NULL || is == NULL)
        tell(c, was, is);
    else
        compare(c, was, is);
    c->at.path[from] = '\0';
}

static void compare_maps(struct comparison *c, const msgpack_object_map *was,
                         const msgpack_object_map *is)
{
    for (uint32_t i = 0; i < was->size; i++)
        compare_pair(c, &was->ptr[i].key, &was->ptr[i].val, value_of(is, &was->ptr[i].key));
    for (uint32_t i = 0; i < is->size; i++)
        if (value_of(was, &is->ptr[i].key) == NULL)
            compare_pair(c, &is->ptr[i].key, NULL, &is->ptr[i].val);
}

static void compare_arrays(struct comparison *c, const msgpack_object *was,
                           const msgpack_object *is)
{
    const msgpack_object_array *a = &was->via.array, *b = &is->via.array;

    for (uint32_t i = 0; i < a->size && i < b->size; i++) {
        char index[16];
        size_t from;

        snprintf(index, sizeof(index), "%u", i);
        from = enter(c, index, strlen(index));
        compare(c, &a->ptr[i], &b->ptr[i]);
        c->at.path[from] = '\0';
    }
    if (a->size != b->size)
        tell(c, was, is);
}

static void compare(struct comparison *c, const msgpack_object *was, const msgpack_object *is)
{
    if (msgpack_object_equal(*was, *is))
        return;
    if (was->type == MSGPACK_OBJECT_MAP && is->type == MSGPACK_OBJECT_MAP)
        compare_maps(c, &was->via.map, &is->via.map);
    else if (was->type == MSGPACK_OBJECT_ARRAY && is->type == MSGPACK_OBJECT_ARRAY)
        compare_arrays(c, was, is);
    else
        tell(c, was, is);
}

/* How many bytes of the buffer are an answer or an error map. */
static size_t length_of(struct reply_seen reply)
{
    if (reply.result >= 0)
        return (size_t)reply.result;
    return sluice_error_code(reply.result) == SLUICE_TOO_SMALL
               ? 0
               : (size_t)sluice_error_length(reply.result);
}

/* An answer, or the error's code with its map in words. */
static void put_result(char ret[DIFFERENCE_TEXT], struct reply_seen reply)
{
    char key[100], value[100], want[100];
    struct msg_reader r;

    msg_reader_init(&r, reply.bytes, length_of(reply));
    peek_text(&r, "key", key, sizeof(key));
    peek_text(&r, "value", value, sizeof(value));
    peek_text(&r, "want", want, sizeof(want));
    if (reply.result >= 0)
        snprintf(ret, DIFFERENCE_TEXT, "an answer");
    else
        snprintf(ret, DIFFERENCE_TEXT, "the error %d: %s is %s, want %s",
                 sluice_error_code(reply.result), key, value, want);
}

void differ(struct reply_seen was, struct reply_seen is, differ_found *found, void *context)
{
    struct comparison c = {.found = found, .context = context};
    size_t was_len = length_of(was), is_len = length_of(is), at = 0;
    msgpack_unpacked a, b;

    if (sluice_error_code(was.result) != sluice_error_code(is.result)) {
        snprintf(c.at.path, sizeof(c.at.path), "result");
        put_result(c.at.was, was);
        put_result(c.at.is, is);
        found(context, &c.at);
        return;
    }
    if (was_len == is_len && memcmp(was.bytes, is.bytes, was_len) == 0)
        return;
    msgpack_unpacked_init(&a);
    msgpack_unpacked_init(&b);
    if (msgpack_unpack_next(&a, (const char *)was.bytes, was_len, &at) != MSGPACK_UNPACK_SUCCESS)
        a.data = (msgpack_object){.type = MSGPACK_OBJECT_NIL};
    at = 0;
    if (msgpack_unpack_next(&b, (const char *)is.bytes, is_len, &at) != MSGPACK_UNPACK_SUCCESS)
        b.data = (msgpack_object){.type = MSGPACK_OBJECT_NIL};
    compare(&c, &a.data, &b.data);
    msgpack_unpacked_destroy(&a);
    msgpack_unpacked_destroy(&b);
}

void question_name(enum hook_id hook, const uint8_t *request, size_t len, char ret[QUESTION_NAME])
{
    struct msg_reader r;
    char what[24];

    msg_reader_init(&r, request, len);
    peek_text(&r, "what", what, sizeof(what));
    if (hook == HOOK_INSPECT)
        snprintf(ret, QUESTION_NAME, "inspect.%s", what);
    else
        snprintf(ret, QUESTION_NAME, "%s", hook_table[hook].name);
}

bool question_is_compared(const char *name)
{
    return strcmp(name, "inspect.digest") != 0 && strcmp(name, "inspect.memory") != 0 &&
           strcmp(name, "inspect.recording") != 0;
}

void question_subject(const uint8_t *request, size_t len, char ret[QUESTION_SUBJECT])
{
    static const char *const inner[] = {"object", "pod", "command"};
    static const char *const words[] = {"kind", "namespace", "name", "uid", "action"};
    struct msg_reader tops[2]; /* the request, and the object in it */
    int count = 1, used = 0;

    ret[0] = '\0';
    msg_reader_init(&tops[0], request, len);
    for (int i = 0; i < 3 && count == 1; i++)
        count += peek(&tops[0], inner[i], &tops[1]);
    for (int top = 0; top < count; top++)
        for (int i = 0; i < 5; i++) {
            char value[72];

            peek_text(&tops[top], words[i], value, sizeof(value));
            if (value[0] != '\0' && used < QUESTION_SUBJECT - 80)
                used += snprintf(ret + used, (size_t)(QUESTION_SUBJECT - used), "%s%s",
                                 used > 0 ? " " : "", value);
        }
}
