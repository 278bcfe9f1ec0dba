/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "abi/host/conform_steps.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/host/conform_words.h"

enum {
    ROUNDS_MOST = 100, /* of draining and acknowledging */
};

static char *format(const char *text, va_list args)
{
    char *made;

    if (vasprintf(&made, text, args) < 0)
        abort();
    return made;
}

void s_lead(struct story *s)
{
    s_ask(s, LOADER_OBSERVE, "{kind: synced}");
    s_ask(s, LOADER_OBSERVE, "{kind: leader}");
}

void s_see(struct story *s, const char *kind, const char *object, ...)
{
    va_list args;

    va_start(args, object);
    char *text = format(object, args);
    va_end(args);
    s_ask(s, LOADER_OBSERVE, "{kind: %s, object: %s}", kind, text);
    free(text);
}

void s_lose(struct story *s, const char *kind, const char *object, ...)
{
    va_list args;

    va_start(args, object);
    char *text = format(object, args);
    va_end(args);
    s_ask(s, LOADER_OBSERVE, "{kind: %s, gone: true, object: %s}", kind, text);
    free(text);
}

/* Maps join, nil takes a key away, all else replaces. */
static void merge(json_t *base, const json_t *more)
{
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)more, key, value)
    {
        json_t *there = json_object_get(base, key);

        if (json_is_null(value))
            json_object_del(base, key);
        else if (json_is_object(value) && json_is_object(there))
            merge(there, value);
        else
            json_object_set(base, key, value);
    }
}

static json_t *pod(const char *uid, const char *more)
{
    char text[512];

    snprintf(text, sizeof(text),
             "{uid: '%.64s', namespace: n, name: '%.64s', created: 1, gates: [" STORY_GATE
             "], annotations: {" STORY_GATE ": 'true'}}",
             uid, uid);
    json_t *object = words_read(text);
    json_t *changes = words_read(more);
    json_t *queue = json_incref(json_object_get(changes, "queue"));

    json_object_del(changes, "queue");
    if (queue)
        json_object_set(json_object_get(object, "annotations"), STORY_QUEUE, queue);
    merge(object, changes);
    json_decref(changes);
    json_decref(queue);
    return object;
}

char *story_pod(const char *uid, const char *more, ...)
{
    va_list args;

    va_start(args, more);
    char *text = format(more, args);
    va_end(args);
    json_t *object = pod(uid, text);
    char *words = json_dumps(object, JSON_COMPACT);
    /* JSON is the notation, but for its quotes. */
    for (char *at = words; *at; at++)
        *at = *at == '"' ? '\'' : *at;
    json_decref(object);
    free(text);
    return words;
}

void s_pod(struct story *s, const char *uid, const char *more, ...)
{
    va_list args;

    va_start(args, more);
    char *text = format(more, args);
    va_end(args);
    char *object = story_pod(uid, "%s", text);
    s_ask(s, LOADER_OBSERVE, "{kind: pod, object: %s}", object);
    free(object);
    free(text);
}

void s_state(struct story *s, const char *uid, const char *state)
{
    s_ask(s, LOADER_INSPECT, "{what: pod, uid: '%s'}", uid);
    s_want(s, "{state: %s}", state);
}

void s_drain(struct story *s)
{
    s_ask(s, LOADER_DRAIN, "{max: 1024}");
}

int64_t s_effect(const struct story *s, const char *kind, const char *about)
{
    const json_t *effects = s_value(s, "effects");

    for (size_t i = 0; i < json_array_size(effects); i++) {
        const json_t *effect = json_array_get(effects, i);
        const char *uid = json_string_value(json_object_get(effect, "uid"));
        const char *name = json_string_value(json_object_get(effect, "name"));
        const char *its_kind = json_string_value(json_object_get(effect, "kind"));

        if (its_kind && strcmp(its_kind, kind) == 0 &&
            (!about || (uid && strcmp(uid, about) == 0) || (name && strcmp(name, about) == 0)))
            return json_integer_value(json_object_get(effect, "id"));
    }
    return 0;
}

void s_ack(struct story *s, int64_t id, const char *result)
{
    s_ask(s, LOADER_ACK, "{acks: [{id: %lld, result: %s}]}", (long long)id, result);
}

void s_settle(struct story *s)
{
    for (int i = 0; i < ROUNDS_MOST; i++) {
        s_ask(s, LOADER_TICK, "{}");
        s_drain(s);
        if (s_count(s, "effects") == 0)
            return;
        json_t *effects = json_incref((json_t *)s_value(s, "effects"));
        for (size_t at = 0; at < json_array_size(effects); at++)
            s_ack(s, json_integer_value(json_object_get(json_array_get(effects, at), "id")),
                  "done");
        json_decref(effects);
    }
    s_holds(s, false, "effects come to an end when all are done");
}

void s_tick(struct story *s, int64_t now)
{
    s_ask(s, LOADER_TICK, "{now: %lld}", (long long)now);
}

int64_t s_clock(struct story *s)
{
    char *object = story_pod("clock", "{requests: {}, namespace: clocks}");

    s_ask(s, LOADER_OBSERVE, "{now: 0, kind: pod, object: %s}", object);
    free(object);
    s_ask(s, LOADER_INSPECT, "{what: pod, uid: clock}");
    int64_t granted = s_int(s, "granted");
    s_ask(s, LOADER_OBSERVE, "{now: 0, kind: pod, gone: true, object: {uid: clock}}");
    return granted;
}

int64_t s_wake(struct story *s)
{
    s_lead(s);
    char *pod = story_pod("p", "{requests: {cpu: 1}, queue: q}");

    s_ask(s, LOADER_PRE_ENQUEUE, "{pod: %s}", pod);
    s_want(s, "{pass: false, reason: QueueUnknown}");
    s_ask(s, LOADER_OBSERVE, "{kind: pod, object: %s}", pod);
    free(pod);
    s_see(s, "queue", "{kind: Queue, name: q}");
    s_holds(s, s_int(s, "pending") > 0, "what is needed is pending");
    s_drain(s);
    return s_effect(s, "activate", "p");
}
