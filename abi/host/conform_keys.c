/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/host/conform_checks.h"

enum {
    FIELD = 1 << SLUICE_FIELD,
};

/* One key of the sample, at any depth, is to be changed: the nth that is met. */
struct change {
    enum { WRONG_TYPE, MISSING } how;
    size_t nth;
    size_t met;
    char key[64]; /* which one it was */
};

/* A value of a type that the sample's value cannot have meant. */
static void pack_wrong_type(struct request *r, const msgpack_object *value)
{
    switch (value->type) {
    case MSGPACK_OBJECT_ARRAY:
        r_int(r, 7);
        break;
    case MSGPACK_OBJECT_NIL:
        r_map(r);
        r_end(r);
        break;
    default:
        r_array(r);
        r_end(r);
    }
}

static void pack(struct request *r, const msgpack_object *value, struct change *change);

static void pack_pair(struct request *r, const char *key, const msgpack_object *value,
                      struct change *change)
{
    if (change->met++ != change->nth) {
        r_str(r, key);
        pack(r, value, change);
        return;
    }
    snprintf(change->key, sizeof(change->key), "%s", key);
    if (change->how == WRONG_TYPE) {
        r_str(r, key);
        pack_wrong_type(r, value);
    }
}

static void pack(struct request *r, const msgpack_object *value, struct change *change)
{
    if (value_is(value, MSGPACK_OBJECT_MAP)) {
        r_map(r);
        for (uint32_t i = 0; i < value_count(value); i++) {
            const msgpack_object *inner;
            const char *key = value_pair(value, i, &inner);

            pack_pair(r, key, inner, change);
        }
        r_end(r);
    } else if (value_is(value, MSGPACK_OBJECT_ARRAY)) {
        r_array(r);
        for (uint32_t i = 0; i < value_count(value); i++)
            pack(r, value_item(value, i), change);
        r_end(r);
    } else {
        r_value(r, value);
    }
}

/* Packs the sample with one change; false: it has no such key. */
static bool pack_changed(struct request *r, const struct sample *sample, struct change *change)
{
    request_clear(r);
    change->met = 0;
    pack(r, sample->keys, change);
    if (!request_ok(r))
        abort();
    return change->met > change->nth;
}

static void wrong_types(struct probe *probe, enum loader_hook hook, struct request *r)
{
    struct change change = {.how = WRONG_TYPE};
    char before[DIGEST_BYTES];
    uint64_t handle = probe_open(probe);

    probe_populate(probe, handle);
    probe_digest(probe, handle, before);
    for (; pack_changed(r, &probe->samples[hook], &change); change.nth++) {
        probe_detail(probe, "`%s` of another type", change.key);
        probe_refused(probe, hook, handle, request_bytes(r), request_len(r), FIELD, before);
        if (probe->subject->use[hook] == USE_WORKS && !probe_names(probe, change.key))
            probe_wrong(probe, probe_function(hook), "names `%s` instead", probe->error_key);
    }
    probe_close(probe, handle);
}

/* Each on a handle of its own: where a key may be missing, the request does something. */
static void missing_keys(struct probe *probe, enum loader_hook hook, struct request *r)
{
    struct change change = {.how = MISSING};
    char before[DIGEST_BYTES];

    for (; pack_changed(r, &probe->samples[hook], &change); change.nth++) {
        uint64_t handle = probe_open(probe);

        probe_detail(probe, "without `%s`", change.key);
        probe_populate(probe, handle);
        probe_digest(probe, handle, before);
        int64_t result = probe_ask(probe, hook, handle, request_bytes(r), request_len(r));
        int code = sluice_error_code(result);
        if (code == SLUICE_FIELD && !probe_names(probe, change.key))
            probe_wrong(probe, probe_function(hook), "names `%s` instead", probe->error_key);
        else if (code != 0 && code != SLUICE_FIELD && code != SLUICE_UNSUPPORTED)
            probe_wrong(probe, probe_function(hook), "returned %s, want FIELD",
                        reply_error_name(code));
        if (code != 0)
            probe_unchanged(probe, probe_function(hook), handle, before);
        probe_close(probe, handle);
    }
}

static void pack_with_unknown(struct request *r, const struct sample *sample, const char *key)
{
    request_clear(r);
    r_map(r);
    r_key_map(r, key);
    r_key_str(r, "of", "a newer host");
    r_key_array(r, "values");
    r_int(r, -1);
    r_bool(r, true);
    r_nil(r);
    r_bin(r, (const uint8_t *)"\xff", 1);
    r_end(r);
    r_end(r);
    for (uint32_t i = 0; i < value_count(sample->keys); i++) {
        const msgpack_object *value;
        const char *name = value_pair(sample->keys, i, &value);

        r_key_value(r, name, value);
    }
    r_end(r);
    if (!request_ok(r))
        abort();
}

/* Skipped means: the same answer, and the same state, as without it. */
static void unknown_key(struct probe *probe, enum loader_hook hook, struct request *r)
{
    char digests[2][DIGEST_BYTES];
    uint8_t *answer = malloc(probe->samples[hook].cap);
    int64_t results[2];
    size_t len = 0;

    if (!answer)
        abort();
    pack_with_unknown(r, &probe->samples[hook], "fromANewerHost");
    for (int i = 0; i < 2; i++) {
        const struct request *asked = i == 0 ? &probe->samples[hook].request : r;
        uint64_t handle = probe_open(probe);

        probe_detail(probe, i == 0 ? "the sample" : "with the unknown key `fromANewerHost`");
        probe_populate(probe, handle);
        results[i] = probe_ask(probe, hook, handle, request_bytes(asked), request_len(asked));
        if (i == 0) {
            len = probe->len;
            memcpy(answer, probe_answer(probe), len);
        }
        if (results[i] < 0 && sluice_error_code(results[i]) != SLUICE_UNSUPPORTED)
            probe_wrong(probe, probe_function(hook), "returned %s",
                        reply_error_name(sluice_error_code(results[i])));
        else if (i == 1 &&
                 (results[1] != results[0] || memcmp(answer, probe_answer(probe), len) != 0))
            probe_wrong(probe, probe_function(hook), "answers other than without it");
        probe_digest(probe, handle, digests[i]);
        probe_close(probe, handle);
    }
    if (strcmp(digests[0], digests[1]) != 0)
        probe_wrong(probe, probe_function(hook), "did other than without it");
    free(answer);
}

static void must_understand(struct probe *probe, enum loader_hook hook, struct request *r)
{
    char before[DIGEST_BYTES];
    uint64_t handle = probe_open(probe);

    probe_detail(probe, "with the unknown key `!new`");
    pack_with_unknown(r, &probe->samples[hook], "!new");
    probe_populate(probe, handle);
    probe_digest(probe, handle, before);
    probe_refused(probe, hook, handle, request_bytes(r), request_len(r), FIELD, before);
    if (probe->subject->use[hook] == USE_WORKS && !probe_names(probe, "!new"))
        probe_wrong(probe, probe_function(hook), "names `%s` instead", probe->error_key);
    probe_close(probe, handle);
}

void check_keys(struct points *points, void *arg)
{
    const struct hook_check *check = arg;
    const char *name = loader_hook_name(check->hook);
    struct probe probe;
    struct request r;

    if (!probe_init(&probe, points, check->subject))
        return;
    request_init(&r);
    point_begin(points, "%s refuses each key of its sample with another type, by name", name);
    wrong_types(&probe, check->hook, &r);
    point_end(points);
    point_begin(points, "%s refuses its sample without a key, or does without", name);
    missing_keys(&probe, check->hook, &r);
    point_end(points);
    point_begin(points, "%s skips an unknown key", name);
    unknown_key(&probe, check->hook, &r);
    point_end(points);
    point_begin(points, "%s refuses an unknown key that begins with !", name);
    must_understand(&probe, check->hook, &r);
    point_end(points);
    request_finish(&r);
}
