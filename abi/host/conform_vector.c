/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "abi/host/conform_vector.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/host/conform_json.h"

enum {
    WHY_BYTES = 400,
};

/* One file that is played, on one handle. */
struct vector {
    struct subject *subject;
    const char *path;
    const char *name; /* its path in the folder of vectors */
    bool write;

    struct probe probe;
    uint64_t handle;
    json_t *saved;
    char why[WHY_BYTES];
};

static bool only_keys(const json_t *map, const char *const *known, char *why, size_t cap)
{
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)map, key, value)
    {
        const char *const *at = known;

        while (*at && strcmp(*at, key) != 0)
            at++;
        if (!*at) {
            snprintf(why, cap, "has the key \"%s\", which means nothing", key);
            return false;
        }
    }
    return true;
}

/* The request's bytes, packed or given as they are. */
static bool step_request(struct vector *vector, const json_t *step, struct request *r)
{
    const char *hex = json_string_value(json_object_get(step, "bytes"));
    const json_t *request = json_object_get(step, "request");
    size_t len;

    if (!hex && !json_is_object(request)) {
        snprintf(vector->why, WHY_BYTES, "has neither `request`, a map, nor `bytes`, text");
        return false;
    }
    if (!hex)
        return vector_pack(r, request, vector->saved, vector->why, WHY_BYTES);
    uint8_t *bytes = vector_hex(hex, &len);
    if (!bytes) {
        snprintf(vector->why, WHY_BYTES, "has `bytes` that are not hexadecimal");
        return false;
    }
    if (len > 0)
        msgpack_sbuffer_write(&r->bytes, (const char *)bytes, len);
    free(bytes);
    return true;
}

static int64_t step_call(struct vector *vector, int hook, const json_t *step,
                         const struct request *r)
{
    struct probe *probe = &vector->probe;
    const json_t *cap = json_object_get(step, "cap");
    int64_t result;

    if (hook >= 0)
        return probe_call(probe, (enum loader_hook)hook, vector->handle, request_bytes(r),
                          request_len(r),
                          cap ? (size_t)json_integer_value(cap) : probe->samples[hook].cap);
    result = probe_open_config(probe, request_bytes(r), request_len(r));
    if (result > 0)
        probe_close(probe, (uint64_t)result);
    return result < 0 ? result : 0;
}

/* What the call gave, as a vector says it: an answer, or an error with its code. */
static json_t *step_outcome(struct vector *vector, int64_t result)
{
    struct probe *probe = &vector->probe;
    struct answer answer;
    json_t *outcome = NULL;

    if (probe->len > 0 && answer_read(&answer, probe_answer(probe), probe->len)) {
        outcome = vector_from_value(&answer.root);
        answer_finish(&answer);
    } else {
        outcome = json_object();
    }
    if (outcome && result < 0) {
        int code = sluice_error_code(result);

        json_object_set_new(outcome, "code", json_string(reply_error_name(code)));
        if (code == SLUICE_TOO_SMALL)
            json_object_set_new(outcome, "needs",
                                json_integer((json_int_t)sluice_error_length(result)));
    }
    return outcome;
}

static bool step_compare(struct vector *vector, json_t *step, int64_t result, json_t *outcome)
{
    const char *kind = result < 0 ? "error" : "answer";
    const json_t *want = json_object_get(step, kind);
    char why[WHY_BYTES - 16];

    if (!json_object_get(step, "answer") && !json_object_get(step, "error")) {
        if (vector->write) {
            json_object_del(outcome, "digest");
            return json_object_set(step, kind, outcome) == 0;
        }
        snprintf(vector->why, WHY_BYTES, "has neither `answer` nor `error`");
        return false;
    }
    if (!want) {
        char *text = json_dumps(outcome, 0);

        snprintf(vector->why, WHY_BYTES, "gets an %s: %.300s", kind, text ? text : "?");
        free(text);
        return false;
    }
    if (vector_matches(want, outcome, vector->saved, why, sizeof(why)))
        return true;
    snprintf(vector->why, WHY_BYTES, "%s: %s", kind, why);
    return false;
}

static bool step_play(struct vector *vector, json_t *step)
{
    static const char *const keys[] = {"about", "hook",   "request", "bytes",
                                       "cap",   "answer", "error",   NULL};
    const char *name = json_string_value(json_object_get(step, "hook"));
    int hook = name ? loader_hook_of(name, strlen(name)) : -1;
    struct request r;
    bool good = false;

    if (!only_keys(step, keys, vector->why, WHY_BYTES))
        return false;
    if (hook < 0 && (!name || strcmp(name, "open") != 0)) {
        snprintf(vector->why, WHY_BYTES, "has no `hook` that is one");
        return false;
    }
    request_init(&r);
    if (step_request(vector, step, &r)) {
        int64_t result = step_call(vector, hook, step, &r);
        json_t *outcome = step_outcome(vector, result);

        good = outcome && step_compare(vector, step, result, outcome);
        json_decref(outcome);
    }
    request_finish(&r);
    return good;
}

static bool vector_open(struct vector *vector, const json_t *config)
{
    struct request r;
    bool good;

    request_init(&r);
    if (config) {
        good = vector_pack(&r, config, vector->saved, vector->why, WHY_BYTES);
    } else {
        r_map(&r);
        r_end(&r);
        good = true;
    }
    if (good) {
        int64_t handle = probe_open_config(&vector->probe, request_bytes(&r), request_len(&r));

        good = handle > 0;
        vector->handle = (uint64_t)handle;
        if (!good)
            snprintf(vector->why, WHY_BYTES, "its configuration is refused with %s",
                     reply_error_name(sluice_error_code(handle)));
    }
    request_finish(&r);
    return good;
}

static void print_pairs(FILE *file, const json_t *map, const char *between)
{
    const char *key;
    json_t *value;
    const char *before = "";

    json_object_foreach((json_t *)map, key, value)
    {
        char *text = json_dumps(value, JSON_ENCODE_ANY);

        fprintf(file, "%s\"%s\": %s", before, key, text ? text : "null");
        free(text);
        before = between;
    }
}

/* A step's parts each on a line of its own: readable, and one change is one line of a diff. */
static bool vector_write(const char *path, json_t *root)
{
    json_t *steps = json_incref(json_object_get(root, "steps"));
    FILE *file = fopen(path, "w");

    if (!file) {
        json_decref(steps);
        return false;
    }
    json_object_del(root, "steps");
    fputs("{\n  ", file);
    print_pairs(file, root, ",\n  ");
    fputs(json_object_size(root) > 0 ? ",\n  \"steps\": [" : "\"steps\": [", file);
    for (size_t i = 0; i < json_array_size(steps); i++) {
        fputs(i ? ",\n    {" : "\n    {", file);
        print_pairs(file, json_array_get(steps, i), ",\n     ");
        fputc('}', file);
    }
    fputs("\n  ]\n}\n", file);
    json_decref(steps);
    return fclose(file) == 0;
}

static void vector_play(struct vector *vector, json_t *root)
{
    static const char *const keys[] = {"about", "config", "steps", NULL};
    json_t *steps = json_object_get(root, "steps");
    struct points *points = vector->probe.points;

    if (!only_keys(root, keys, vector->why, WHY_BYTES)) {
        point_wrong(points, "it %s", vector->why);
        return;
    }
    if (json_array_size(steps) == 0) {
        point_wrong(points, "it has no `steps`");
        return;
    }
    if (!vector_open(vector, json_object_get(root, "config"))) {
        point_wrong(points, "%s", vector->why);
        return;
    }
    for (size_t i = 0; i < json_array_size(steps); i++) {
        json_t *step = json_array_get(steps, i);
        const char *hook = json_string_value(json_object_get(step, "hook"));

        probe_detail(&vector->probe, "step %zu", i + 1);
        if (!step_play(vector, step)) {
            point_wrong(points, "step %zu, %s, %s", i + 1, hook ? hook : "?", vector->why);
            return;
        }
    }
    probe_close(&vector->probe, vector->handle);
    if (vector->write && !vector_write(vector->path, root))
        point_wrong(points, "it cannot be written");
}

static void check_vector(struct points *points, void *arg)
{
    struct vector *vector = arg;
    json_error_t error;
    json_t *root;

    if (!probe_init(&vector->probe, points, vector->subject))
        return;
    point_begin(points, "vectors %s", vector->name);
    vector->saved = json_object();
    root = json_load_file(vector->path, JSON_REJECT_DUPLICATES, &error);
    if (root)
        vector_play(vector, root);
    else
        point_wrong(points, "line %d: %s", error.line, error.text);
    point_end(points);
    json_decref(root);
    json_decref(vector->saved);
}

static int is_shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* How many were found. A folder that cannot be read has none, and its caller says so. */
static int run_folder(struct tally *tally, struct subject *subject, const char *folder, size_t root,
                      bool write)
{
    struct dirent **entries = NULL;
    int n = scandir(folder, &entries, is_shown, alphasort);
    int found = 0;

    for (int i = 0; i < n; i++) {
        const char *dot = strrchr(entries[i]->d_name, '.');
        char *path = NULL;

        if (asprintf(&path, "%s/%s", folder, entries[i]->d_name) < 0)
            abort();
        if (dot && strcmp(dot, ".json") == 0) {
            struct vector vector = {
                .subject = subject, .path = path, .name = path + root, .write = write};

            points_run(tally, vector.name, check_vector, &vector);
            found++;
        } else if (entries[i]->d_type == DT_DIR) {
            found += run_folder(tally, subject, path, root, write);
        }
        free(path);
        free(entries[i]);
    }
    free(entries);
    return found;
}

static void check_nothing(struct points *points, void *folder)
{
    point_begin(points, "there are vectors");
    point_wrong(points, "none in %s", (const char *)folder);
    point_end(points);
}

void vectors_run(struct tally *tally, struct subject *subject, const char *folder, bool write)
{
    if (run_folder(tally, subject, folder, strlen(folder) + 1, write) == 0)
        points_run(tally, "there are vectors", check_nothing, (void *)(uintptr_t)folder);
}
