/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/host/conform_checks.h"

enum {
    BUFFER_BYTES = 2 << 20, /* longer than the longest message that is tried */
};

/* A hook's entry into its sample; what is wrong with it, or NULL. */
static const char *sample_read(struct sample *sample, const msgpack_object *entry)
{
    int64_t cap = value_int(entry, "answer", -1);

    sample->keys = value_map(entry, "keys");
    if (cap < 0)
        return "has no `answer`, an integer >= 0";
    if (cap > BUFFER_BYTES)
        return "has an `answer` that is larger than any host would allow";
    if (!value_is(value_get(entry, "reads"), MSGPACK_OBJECT_BOOLEAN))
        return "has no `reads`, a bool";
    if (!sample->keys)
        return "has no `keys`, a map";
    sample->cap = cap == 0 ? CAP_LEAST : (size_t)cap;
    sample->reads = value_bool(entry, "reads", false);
    request_init(&sample->request);
    r_value(&sample->request, sample->keys);
    if (!request_ok(&sample->request))
        return "has `keys` that cannot be packed";
    sample->described = true;
    return NULL;
}

const char *probe_read_manifest(struct probe *probe, const uint8_t *bytes, size_t len)
{
    static _Thread_local char text[256];
    const char *flaw = value_flaw(bytes, len);

    if (flaw) {
        snprintf(text, sizeof(text), "is not well formed: %s", flaw);
        return text;
    }
    if (!answer_read(&probe->manifest, bytes, len))
        return "is not a map";

    const msgpack_object *hooks = value_array(&probe->manifest.root, "hooks");
    if (!hooks)
        return "has no `hooks`, an array";
    for (uint32_t i = 0; i < value_count(hooks); i++) {
        const char *name = value_str(value_item(hooks, i), "name", "");
        int hook = loader_hook_of(name, strlen(name));

        if (hook < 0)
            continue;
        flaw = sample_read(&probe->samples[hook], value_item(hooks, i));
        if (flaw) {
            snprintf(text, sizeof(text), "says of `%s` something that is wrong: it %s", name, flaw);
            return text;
        }
    }
    for (int hook = 0; hook < LOADER_HOOKS; hook++)
        if (!probe->samples[hook].described) {
            snprintf(text, sizeof(text), "does not name the hook `%s`",
                     loader_hook_name((enum loader_hook)hook));
            return text;
        }
    probe->now = value_int(probe->samples[LOADER_OBSERVE].keys, "now", -1);
    return probe->now < 0 ? "has a sample for `observe` without `now`" : NULL;
}

static bool guards_init(struct probe *probe)
{
    if (guard_init(&probe->in, BUFFER_BYTES) && guard_init(&probe->out, BUFFER_BYTES))
        return true;
    point_wrong(probe->points, "no memory for the buffers");
    return false;
}

static bool probe_load(struct probe *probe)
{
    struct reply reply = {0};
    char why[768];
    const char *flaw = NULL;
    bool described = false;

    points_doing(probe->points, "loading it");
    if (!loader_open(probe->subject->path, &probe->lib, why, sizeof(why))) {
        point_wrong(probe->points, "%s", why);
        return false;
    }
    points_doing(probe->points, "sluice_manifest");
    if (loader_describe(probe->lib, &reply) < 0)
        point_wrong(probe->points, "sluice_manifest failed");
    else if ((flaw = probe_read_manifest(probe, reply.bytes, reply.len)))
        point_wrong(probe->points, "the manifest %s", flaw);
    else
        described = true;
    reply_finish(&reply);
    return described;
}

bool probe_init(struct probe *probe, struct points *points, struct subject *subject)
{
    *probe = (struct probe){.points = points, .subject = subject};
    guard_catch_faults();
    if (guards_init(probe) && probe_load(probe))
        return true;
    point_begin(points, "the library loads");
    point_wrong(points, "not any more");
    point_end(points);
    return false;
}

bool probe_share(const struct probe *probe, struct probe *ret)
{
    *ret = *probe;
    ret->in = (struct guard){0};
    ret->out = (struct guard){0};
    return guards_init(ret);
}

void probe_unshare(struct probe *probe)
{
    guard_watch(NULL, NULL);
    guard_finish(&probe->in);
    guard_finish(&probe->out);
}

/* TOO_SMALL below the size, to the byte; the manifest at it. */
static void check_manifest_sizes(struct probe *probe)
{
    int64_t first = loader_manifest(probe->lib, guard_hand_out(&probe->out, 0), 0);
    size_t size = sluice_error_length(first);

    point_begin(probe->points, "the manifest says what size it needs, at every smaller size");
    if (sluice_error_code(first) != SLUICE_TOO_SMALL || size > BUFFER_BYTES) {
        point_wrong(probe->points, "sluice_manifest returned %lld for cap 0, want TOO_SMALL",
                    (long long)first);
        size = 0;
    }
    for (size_t cap = 0; cap <= size && size > 0; cap++) {
        int64_t want = cap < size ? first : (int64_t)size;
        int64_t got;

        probe_detail(probe, "cap %zu, of %zu that it needs", cap, size);
        points_doing(probe->points, "sluice_manifest (cap %zu)", cap);
        guard_hand_out(&probe->in, 0);
        guard_watch(&probe->in, &probe->out);
        got = loader_manifest(probe->lib, guard_hand_out(&probe->out, cap), cap);
        result_guards(probe, "sluice_manifest", NULL, 0);
        if (got != want)
            probe_wrong(probe, "sluice_manifest", "returned %lld, want %lld", (long long)got,
                        (long long)want);
    }
    probe_detail(probe, "%s", "");
    point_end(probe->points);

    point_begin(probe->points, "the manifest with a null pointer is ARGUMENT");
    points_doing(probe->points, "sluice_manifest (a null pointer)");
    int64_t got = loader_manifest(probe->lib, NULL, 1);
    if (got != -(int64_t)SLUICE_ARGUMENT)
        point_wrong(probe->points, "sluice_manifest returned %lld, want ARGUMENT", (long long)got);
    point_end(probe->points);
}

static void check_manifest_words(struct probe *probe)
{
    const msgpack_object *root = &probe->manifest.root;
    const msgpack_object *errors = value_map(root, "errors");

    point_begin(probe->points, "the manifest tells the same version as sluice_abi");
    if (value_int(root, "abi", -1) != loader_abi(probe->lib))
        point_wrong(probe->points, "the manifest says %lld, sluice_abi %u",
                    (long long)value_int(root, "abi", -1), loader_abi(probe->lib));
    point_end(probe->points);

    point_begin(probe->points, "the manifest names build, compiler and every error");
    for (int i = 0; i < 2; i++) {
        const char *key = (const char *[]){"version", "compiler"}[i];

        if (!*value_str(root, key, ""))
            point_wrong(probe->points, "the manifest has no text `%s`", key);
    }
    for (int code = SLUICE_TOO_SMALL; code <= SLUICE_BROKEN; code++)
        if (value_int(errors, reply_error_name(code), -1) != code)
            point_wrong(probe->points, "the manifest gives %s the code %lld, want %d",
                        reply_error_name(code),
                        (long long)value_int(errors, reply_error_name(code), -1), code);
    point_end(probe->points);
}

void check_load(struct points *points, void *arg)
{
    struct probe probe = {.points = points, .subject = arg};

    guard_catch_faults();
    point_begin(points, "it loads, has every function, and says what it is");
    bool loaded = guards_init(&probe) && probe_load(&probe);
    point_end(points);
    if (!loaded)
        return;
    check_manifest_words(&probe);
    check_manifest_sizes(&probe);
}
