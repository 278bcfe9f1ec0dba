/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "abi/host/conform_checks.h"

enum {
    MESSAGE = 1 << SLUICE_MESSAGE,
    LEVELS = 16,              /* that a message may nest */
    MEMORY_BYTES = 256 << 20, /* more than any message here may cost */
};

/* What is examined: a hook on a handle that has seen something. */
struct scene {
    struct probe *probe;
    enum loader_hook hook;
    uint64_t handle;
    char digest[DIGEST_BYTES];
};

static void refused(struct scene *scene, const uint8_t *bytes, size_t len)
{
    probe_refused(scene->probe, scene->hook, scene->handle, bytes, len, MESSAGE, scene->digest);
}

static void cut_off(struct scene *scene)
{
    const struct request *r = &scene->probe->samples[scene->hook].request;

    for (size_t len = 0; len < request_len(r); len++) {
        probe_detail(scene->probe, "a request cut off after %zu of %zu bytes", len, request_len(r));
        refused(scene, request_bytes(r), len);
    }
}

static void trailing(struct scene *scene)
{
    const struct request *r = &scene->probe->samples[scene->hook].request;
    size_t len = request_len(r);
    uint8_t *bytes = malloc(len + 1);

    if (!bytes)
        abort();
    memcpy(bytes, request_bytes(r), len);
    for (int i = 0; i < 3; i++) {
        bytes[len] = (const uint8_t[]){0x00, 0x80, 0xc1}[i];
        probe_detail(scene->probe, "the byte %02x behind the request", bytes[len]);
        refused(scene, bytes, len + 1);
    }
    free(bytes);
}

/*
 * From now on a library that believes a count of 2^28 gets no memory for it, and cannot say MESSAGE
 * as if nothing had been. A sanitizer reserves address space by the terabyte: there it is left out.
 */
static void limit_memory(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long long pages = 0;
    rlim_t used;

    if (!file)
        return;
    if (fscanf(file, "%llu", &pages) != 1)
        pages = 0;
    fclose(file);
    used = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
    if (used > 0 && used < 1ull << 40)
        setrlimit(RLIMIT_AS, &(struct rlimit){used + MEMORY_BYTES, used + MEMORY_BYTES});
}

/* Bytes that are no message for any hook; each would be dear or fatal to a trusting reader. */
static void no_message(struct scene *scene)
{
    static const struct {
        const char *detail;
        size_t len;
        uint8_t bytes[16];
    } cases[] = {
        {"dd 10 00 00 00: an array of 2^28 items in 5 bytes", 5, {0xdd, 0x10, 0, 0, 0}},
        {"a map of 2^32 - 1 pairs in 5 bytes", 5, {0xdf, 0xff, 0xff, 0xff, 0xff}},
        {"a map whose value is such an array", 8, {0x81, 0xa1, 'a', 0xdd, 0x10, 0, 0, 0}},
        {"text of 2^32 - 1 bytes in 8", 8, {0x81, 0xa1, 'a', 0xdb, 0xff, 0xff, 0xff, 0xff}},
        {"an array", 1, {0x90}},
        {"nil", 1, {0xc0}},
        {"an integer", 1, {0x07}},
        {"the byte c1", 1, {0xc1}},
        {"a map with the key 1", 3, {0x81, 0x01, 0x01}},
        {"an extension", 6, {0x81, 0xa1, 'a', 0xd4, 0x01, 0x02}},
        {"the integer 2^63", 12, {0x81, 0xa1, 'a', 0xcf, 0x80}},
    };
    uint8_t headers[120];

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        probe_detail(scene->probe, "%s", cases[i].detail);
        refused(scene, cases[i].bytes, cases[i].len);
    }
    for (size_t i = 0; i < sizeof(headers); i += 3)
        memcpy(headers + i,
               "\x81\xa1"
               "a",
               3);
    probe_detail(scene->probe, "40 nested headers of maps");
    refused(scene, headers, sizeof(headers));
    memset(headers, 0x91, 40);
    probe_detail(scene->probe, "40 nested headers of arrays");
    refused(scene, headers, 40);
}

/* The sample, and one more key; the caller packs its value and ends the map. */
static void begin_with_key(struct request *r, const struct scene *scene, const char *key,
                           size_t key_len)
{
    const msgpack_object *keys = scene->probe->samples[scene->hook].keys;

    request_clear(r);
    r_map(r);
    for (uint32_t i = 0; i < value_count(keys); i++) {
        const msgpack_object *value;
        const char *name = value_pair(keys, i, &value);

        r_key_value(r, name, value);
    }
    r_text(r, key, key_len);
}

static void refused_request(struct scene *scene, struct request *r)
{
    r_end(r);
    if (!request_ok(r))
        abort();
    refused(scene, request_bytes(r), request_len(r));
}

static void nest(struct request *r, int levels)
{
    for (int i = 0; i < levels; i++)
        r_array(r);
    for (int i = 0; i < levels; i++)
        r_end(r);
}

static void depth(struct scene *scene, struct request *r)
{
    probe_detail(scene->probe, "%d levels", LEVELS + 1);
    begin_with_key(r, scene, "zz", 2);
    nest(r, LEVELS);
    refused_request(scene, r);

    probe_detail(scene->probe, "33 levels");
    begin_with_key(r, scene, "zz", 2);
    nest(r, REQUEST_DEPTH - 1);
    r_end(r);
    /* The builder nests no deeper: one more level goes into the innermost array by hand. */
    uint8_t *bytes = malloc(request_len(r) + 1);
    if (!bytes || !request_ok(r))
        abort();
    memcpy(bytes, request_bytes(r), request_len(r));
    bytes[request_len(r) - 1] = 1;
    bytes[request_len(r)] = 0x90;
    refused(scene, bytes, request_len(r) + 1);
    free(bytes);
}

static void keys_twice(struct scene *scene, struct request *r)
{
    const msgpack_object *keys = scene->probe->samples[scene->hook].keys;

    for (uint32_t i = 0; i < value_count(keys); i++) {
        const msgpack_object *value;
        const char *name = value_pair(keys, i, &value);

        probe_detail(scene->probe, "`%s` twice", name);
        begin_with_key(r, scene, name, strlen(name));
        r_value(r, value);
        refused_request(scene, r);
    }
    probe_detail(scene->probe, "a key twice in a map that is skipped");
    begin_with_key(r, scene, "zz", 2);
    r_map(r);
    r_key_int(r, "a", 1);
    r_key_int(r, "a", 2);
    r_end(r);
    refused_request(scene, r);
}

static void not_utf8(struct scene *scene, struct request *r)
{
    static const char *const texts[] = {
        "\xff",
        "a\x80",
        "\xc0\xaf",         /* an overlong form */
        "\xed\xa0\x80",     /* a surrogate */
        "\xf4\x90\x80\x80", /* above U+10FFFF */
        "\xe2\x82",         /* cut off */
    };

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        probe_detail(scene->probe, "text that is not UTF-8, case %zu, as a value", i + 1);
        begin_with_key(r, scene, "zz", 2);
        r_str(r, texts[i]);
        refused_request(scene, r);
        probe_detail(scene->probe, "text that is not UTF-8, case %zu, as a key", i + 1);
        begin_with_key(r, scene, texts[i], strlen(texts[i]));
        r_nil(r);
        refused_request(scene, r);
    }
}

static void too_long(struct scene *scene, struct request *r)
{
    size_t len = MESSAGE_LIMIT;
    char *text = malloc(len);

    if (!text)
        abort();
    memset(text, 'a', len);
    probe_detail(scene->probe, "a message of more than %zu bytes", len);
    begin_with_key(r, scene, "zz", 2);
    r_text(r, text, len);
    refused_request(scene, r);
    free(text);
}

/* After all that was refused: the same answers as a handle that has seen none of it. */
static void works_on(struct scene *scene)
{
    struct probe *probe = scene->probe;
    uint64_t other = probe_open(probe);
    uint8_t *first = malloc(CAP_LEAST);

    if (!first)
        abort();
    probe_detail(probe, "its sample, after requests that were refused");
    probe_populate(probe, other);
    int64_t want = probe_sample(probe, scene->hook, other);
    size_t len = probe->len < CAP_LEAST ? probe->len : CAP_LEAST;
    memcpy(first, probe_answer(probe), len);
    int64_t got = probe_sample(probe, scene->hook, scene->handle);
    if (got != want || memcmp(first, probe_answer(probe), len) != 0)
        probe_wrong(probe, probe_function(scene->hook),
                    "answers other than on a handle that has seen none of them");
    probe_close(probe, other);
    free(first);
}

void check_message(struct points *points, void *arg)
{
    const struct hook_check *check = arg;
    const char *name = loader_hook_name(check->hook);
    struct probe probe;
    struct scene scene = {.probe = &probe, .hook = check->hook};
    struct request r;

    if (!probe_init(&probe, points, check->subject))
        return;
    request_init(&r);
    scene.handle = probe_open(&probe);
    probe_populate(&probe, scene.handle);
    probe_digest(&probe, scene.handle, scene.digest);

    limit_memory();
    point_begin(points, "%s refuses a request that is cut off, at each byte", name);
    cut_off(&scene);
    point_end(points);
    point_begin(points, "%s refuses bytes behind the request", name);
    trailing(&scene);
    point_end(points);
    point_begin(points, "%s refuses bytes that are no message", name);
    no_message(&scene);
    point_end(points);
    point_begin(points, "%s refuses more than %d levels", name, LEVELS);
    depth(&scene, &r);
    point_end(points);
    point_begin(points, "%s refuses a key that comes twice", name);
    keys_twice(&scene, &r);
    point_end(points);
    point_begin(points, "%s refuses text that is not UTF-8", name);
    not_utf8(&scene, &r);
    point_end(points);
    point_begin(points, "%s refuses a message over the limit", name);
    too_long(&scene, &r);
    point_end(points);
    point_begin(points, "%s works on as if none of them had come", name);
    works_on(&scene);
    point_end(points);
    probe_close(&probe, scene.handle);
    request_finish(&r);
}
