/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "abi/host/conform_story.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/host/conform_json.h"
#include "abi/host/conform_words.h"

enum {
    WHY_BYTES = 500,
};

static char *format(const char *text, va_list args)
{
    char *made;

    if (vasprintf(&made, text, args) < 0)
        abort();
    return made;
}

/* Keeps what the call gave: the answer, or the error map. */
static void keep(struct story *s, int64_t result)
{
    struct probe *probe = s->probe;
    struct answer answer;

    json_decref(s->answer);
    s->answer = NULL;
    s->result = result;
    if (probe->len > 0 && answer_read(&answer, probe_answer(probe), probe->len)) {
        s->answer = vector_from_value(&answer.root);
        answer_finish(&answer);
    }
}

static void pack(struct request *r, const json_t *value)
{
    char why[WHY_BYTES];

    request_init(r);
    if (!vector_pack(r, value, NULL, why, sizeof(why)) || !request_ok(r)) {
        fprintf(stderr, "sluice-conform: a message of its own: %s\n", why);
        abort();
    }
}

static int64_t open_with(struct story *s, const char *config)
{
    json_t *value = words_read(config);
    struct request r;
    int64_t result;

    pack(&r, value);
    probe_detail(s->probe, "%.150s", config);
    result = probe_open_config(s->probe, request_bytes(&r), request_len(&r));
    request_finish(&r);
    json_decref(value);
    keep(s, result);
    return result;
}

void s_finish(struct story *s)
{
    if (s->handle)
        probe_close(s->probe, s->handle);
    s->handle = 0;
    json_decref(s->answer);
    s->answer = NULL;
}

void s_open(struct story *s, const char *config, ...)
{
    va_list args;

    s_finish(s);
    va_start(args, config);
    char *text = format(config, args);
    va_end(args);
    int64_t result = open_with(s, text);
    if (result > 0)
        s->handle = (uint64_t)result;
    else
        probe_wrong(s->probe, "sluice_open", "returned %s",
                    reply_error_name(sluice_error_code(result)));
    free(text);
}

static void call(struct story *s, enum loader_hook hook, const char *text)
{
    size_t cap = s->cap > 0 ? s->cap : s->probe->samples[hook].cap;
    json_t *request = words_read(text);
    struct request r;

    if (!json_object_get(request, "now"))
        json_object_set_new(request, "now", json_integer(s->now));
    pack(&r, request);
    probe_detail(s->probe, "%.150s", text);
    keep(s, probe_call(s->probe, hook, s->handle, request_bytes(&r), request_len(&r), cap));
    request_finish(&r);
    json_decref(request);
}

void s_try(struct story *s, enum loader_hook hook, const char *request, ...)
{
    va_list args;

    va_start(args, request);
    char *text = format(request, args);
    va_end(args);
    call(s, hook, text);
    free(text);
}

static void answered(struct story *s, enum loader_hook hook)
{
    if (s->result < 0)
        probe_wrong(s->probe, probe_function(hook), "returned %s: it names `%s`",
                    reply_error_name(sluice_error_code(s->result)), s->probe->error_key);
}

void s_ask(struct story *s, enum loader_hook hook, const char *request, ...)
{
    va_list args;

    va_start(args, request);
    char *text = format(request, args);
    va_end(args);
    call(s, hook, text);
    answered(s, hook);
    free(text);
}

static void judge_refusal(struct story *s, const char *function, enum sluice_error code,
                          const char *key)
{
    if (sluice_error_code(s->result) != (int)code)
        probe_wrong(s->probe, function, "returned %s, want %s",
                    s->result < 0 ? reply_error_name(sluice_error_code(s->result)) : "an answer",
                    reply_error_name((int)code));
    else if (key && strcmp(s->probe->error_key, key) != 0)
        probe_wrong(s->probe, function, "names `%s`, want `%s`", s->probe->error_key, key);
}

void s_digest(struct story *s, char digest[STORY_DIGEST])
{
    probe_detail(s->probe, "the digest");
    probe_digest(s->probe, s->handle, digest);
}

void s_refuse(struct story *s, enum sluice_error code, const char *key, enum loader_hook hook,
              const char *request, ...)
{
    char before[STORY_DIGEST];
    va_list args;

    s_digest(s, before);
    va_start(args, request);
    char *text = format(request, args);
    va_end(args);
    call(s, hook, text);
    judge_refusal(s, probe_function(hook), code, key);
    probe_unchanged(s->probe, probe_function(hook), s->handle, before);
    free(text);
}

void s_refuse_open(struct story *s, enum sluice_error code, const char *key, const char *config,
                   ...)
{
    va_list args;

    va_start(args, config);
    char *text = format(config, args);
    va_end(args);
    int64_t result = open_with(s, text);
    judge_refusal(s, "sluice_open", code, key);
    if (result > 0)
        probe_close(s->probe, (uint64_t)result);
    free(text);
}

void s_refuse_bytes(struct story *s, enum sluice_error code, enum loader_hook hook,
                    const uint8_t *bytes, size_t len)
{
    char before[STORY_DIGEST];

    s_digest(s, before);
    probe_detail(s->probe, "a request of %zu bytes", len);
    keep(s, probe_ask(s->probe, hook, s->handle, bytes, len));
    judge_refusal(s, probe_function(hook), code, NULL);
    probe_unchanged(s->probe, probe_function(hook), s->handle, before);
}

void s_want(struct story *s, const char *want, ...)
{
    char why[WHY_BYTES] = "there is no answer";
    va_list args;

    va_start(args, want);
    char *text = format(want, args);
    va_end(args);
    json_t *wanted = words_read(text);
    if (!s->answer || !vector_matches(wanted, s->answer, NULL, why, sizeof(why)))
        probe_wrong(s->probe, "the answer:", "%.180s", why);
    json_decref(wanted);
    free(text);
}

void s_holds(struct story *s, bool holds, const char *what, ...)
{
    char text[WHY_BYTES];
    va_list args;

    if (holds)
        return;
    va_start(args, what);
    vsnprintf(text, sizeof(text), what, args);
    va_end(args);
    probe_wrong(s->probe, "the library", "breaks this: %.180s", text);
}

void s_equal(struct story *s, int64_t got, int64_t want, const char *what)
{
    s_holds(s, got == want, "%s is %lld, want %lld", what, (long long)got, (long long)want);
}

const json_t *s_value(const struct story *s, const char *path)
{
    const json_t *at = s->answer;
    char key[128];

    while (at && *path) {
        size_t len = strcspn(path, ".");

        snprintf(key, sizeof(key), "%.*s", (int)len, path);
        at = json_is_array(at) ? json_array_get(at, strtoul(key, NULL, 10))
                               : json_object_get(at, key);
        path += len + (path[len] == '.');
    }
    return at;
}

int64_t s_int(const struct story *s, const char *path)
{
    return json_integer_value(s_value(s, path));
}

const char *s_text(const struct story *s, const char *path)
{
    const char *text = json_string_value(s_value(s, path));

    return text ? text : "";
}

size_t s_count(const struct story *s, const char *path)
{
    const json_t *value = s_value(s, path);

    return json_is_array(value) ? json_array_size(value) : json_object_size(value);
}
