/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "abi/host/conform_checks.h"

enum {
    SECOND = 1000000000,
    ROUNDS = 3, /* how often the samples are played */
};

void check_sample(struct points *points, void *arg)
{
    const struct hook_check *check = arg;
    enum loader_hook hook = check->hook;
    struct probe probe;

    if (!probe_init(&probe, points, check->subject))
        return;
    point_begin(points, "%s answers its sample, or is UNSUPPORTED", loader_hook_name(hook));
    uint64_t handle = probe_open(&probe);
    probe_detail(&probe, "the sample");
    int64_t result = probe_sample(&probe, hook, handle);
    if (result < 0 && sluice_error_code(result) != SLUICE_UNSUPPORTED)
        probe_wrong(&probe, probe_function(hook), "returned %s for its sample: it names `%s`",
                    reply_error_name(sluice_error_code(result)), probe.error_key);
    probe_close(&probe, handle);
    if (point_end(points))
        check->subject->use[hook] = result < 0 ? USE_REFUSES : USE_WORKS;
}

static void open_refused(struct probe *probe, const struct request *config, const char *named)
{
    int64_t result;

    if (!request_ok(config))
        abort();
    result = probe_open_config(probe, request_bytes(config), request_len(config));
    if (result > 0) {
        probe_wrong(probe, "sluice_open", "accepted it");
        loader_end(probe->lib, (uint64_t)result);
    } else if (sluice_error_code(result) != SLUICE_FIELD) {
        probe_wrong(probe, "sluice_open", "returned %s, want FIELD",
                    reply_error_name(sluice_error_code(result)));
    } else if (!probe_names(probe, named)) {
        probe_wrong(probe, "sluice_open", "names `%s` instead", probe->error_key);
    }
}

static void open_unknown(struct probe *probe, struct request *r)
{
    for (int i = 0; i < 2; i++) {
        const char *key = (const char *[]){"colour", "!colour"}[i];

        probe_detail(probe, "the unknown key `%s`", key);
        request_clear(r);
        r_map(r);
        r_key_str(r, key, "blue");
        r_end(r);
        open_refused(probe, r, key);
    }
    probe_detail(probe, "`removal` that is no word of ours");
    request_clear(r);
    r_map(r);
    r_key_str(r, "removal", "onFriday");
    r_end(r);
    open_refused(probe, r, "removal");
}

static void open_no_message(struct probe *probe, struct request *r)
{
    request_clear(r);
    r_map(r);
    r_key_str(r, "removal", "onAdmission");
    r_key_bool(r, "observeOnly", true);
    r_end(r);
    for (size_t len = 0; len < request_len(r); len++) {
        probe_detail(probe, "a configuration cut off after %zu of %zu bytes", len, request_len(r));
        int64_t result = probe_open_config(probe, request_bytes(r), len);
        if (sluice_error_code(result) != SLUICE_MESSAGE)
            probe_wrong(probe, "sluice_open", "returned %lld, want MESSAGE", (long long)result);
    }
    probe_detail(probe, "the whole configuration");
    int64_t handle = probe_open_config(probe, request_bytes(r), request_len(r));
    if (handle > 0)
        probe_close(probe, (uint64_t)handle);
    else
        probe_wrong(probe, "sluice_open", "returned %s",
                    reply_error_name(sluice_error_code(handle)));
}

/* A limit of 1 KiB: a tick of 1 KiB passes, one byte more does not. */
static void open_limit(struct probe *probe, struct request *r)
{
    static const char filler[1024];

    request_clear(r);
    r_map(r);
    r_key_map(r, "limits");
    r_key_int(r, "message", 1024);
    r_end(r);
    r_end(r);
    probe_detail(probe, "limits.message of 1024");
    int64_t handle = probe_open_config(probe, request_bytes(r), request_len(r));
    if (handle <= 0) {
        probe_wrong(probe, "sluice_open", "refused it");
        return;
    }
    for (size_t over = 0; over < 2; over++) {
        request_clear(r);
        r_map(r);
        r_key_int(r, "now", probe->now);
        r_str(r, "zz");
        r_bin(r, (const uint8_t *)filler, 1024 + over - request_len(r) - 3);
        r_end(r);
        probe_detail(probe, "%zu bytes where limits.message is 1024", request_len(r));
        int64_t result =
            probe_ask(probe, LOADER_TICK, (uint64_t)handle, request_bytes(r), request_len(r));
        if (over == 0 && result < 0)
            probe_wrong(probe, "sluice_tick", "refused it");
        if (over == 1 && sluice_error_code(result) != SLUICE_MESSAGE)
            probe_wrong(probe, "sluice_tick", "returned %lld, want MESSAGE", (long long)result);
    }
    probe_close(probe, (uint64_t)handle);
}

void check_open(struct points *points, void *arg)
{
    struct probe probe;
    struct request r;

    if (!probe_init(&probe, points, arg))
        return;
    request_init(&r);
    point_begin(points, "open works with an empty configuration");
    uint64_t handle = probe_open(&probe);
    if (handle)
        probe_close(&probe, handle);
    point_end(points);
    point_begin(points, "open refuses a key or a word that it does not know, by name");
    open_unknown(&probe, &r);
    point_end(points);
    point_begin(points, "open refuses a configuration that is no message");
    open_no_message(&probe, &r);
    point_end(points);
    point_begin(points, "open's limit of a message holds, to the byte");
    if (probe.subject->use[LOADER_TICK] == USE_WORKS) {
        open_limit(&probe, &r);
        point_end(points);
    } else {
        point_skip(points, "tick does not work");
    }
    request_finish(&r);
}

/* Plays every sample on two handles at once; the answers must be the same bytes. */
static void same_answers(struct probe *probe)
{
    uint64_t one = probe_open(probe);
    uint64_t two = probe_open(probe);
    char digests[2][DIGEST_BYTES];

    probe_populate(probe, one);
    probe_populate(probe, two);
    for (int i = 0; i < ROUNDS * LOADER_HOOKS; i++) {
        enum loader_hook hook = (enum loader_hook)(i % LOADER_HOOKS);

        if (probe->subject->use[hook] == USE_NONE)
            continue;
        probe_detail(probe, "the sample, on two fresh handles");
        int64_t first = probe_sample(probe, hook, one);
        size_t len = probe->len;
        uint8_t *answer = malloc(len + 1);
        if (!answer)
            abort();
        memcpy(answer, probe_answer(probe), len);
        int64_t second = probe_sample(probe, hook, two);
        if (first != second || memcmp(answer, probe_answer(probe), len) != 0)
            probe_wrong(probe, probe_function(hook), "gives two answers to the same requests");
        free(answer);
    }
    probe_digest(probe, one, digests[0]);
    probe_digest(probe, two, digests[1]);
    if (strcmp(digests[0], digests[1]) != 0)
        probe_wrong(probe, "sluice_inspect", "gives two digests after the same requests");
    probe_close(probe, one);
    probe_close(probe, two);
}

static void two_handles(struct probe *probe)
{
    uint64_t busy = probe_open(probe);
    uint64_t idle = probe_open(probe);
    char empty[DIGEST_BYTES];
    char full[DIGEST_BYTES];

    probe_digest(probe, idle, empty);
    probe_populate(probe, busy);
    probe_detail(probe, "on a handle, while another one is used");
    probe_unchanged(probe, "the library", idle, empty);
    probe_digest(probe, busy, full);
    if (strcmp(empty, full) == 0)
        probe_wrong(probe, "sluice_inspect",
                    "gives an empty handle the digest of one that has seen every sample");
    probe_close(probe, busy);
    probe_unchanged(probe, "the library", idle, empty);
    probe_close(probe, idle);
}

static void readers(struct probe *probe)
{
    uint64_t handle = probe_open(probe);
    char before[DIGEST_BYTES];

    probe_populate(probe, handle);
    probe_digest(probe, handle, before);
    for (int i = 0; i < LOADER_HOOKS; i++) {
        enum loader_hook hook = (enum loader_hook)i;

        if (!probe->samples[hook].reads || probe->subject->use[hook] != USE_WORKS)
            continue;
        probe_detail(probe, "which the manifest says only reads");
        probe_sample(probe, hook, handle);
        probe_unchanged(probe, probe_function(hook), handle, before);
    }
    probe_close(probe, handle);
}

static void tick_at(struct probe *probe, uint64_t handle, int64_t now)
{
    struct request r;

    request_init(&r);
    r_map(&r);
    r_key_int(&r, "now", now);
    r_end(&r);
    if (probe_ask(probe, LOADER_TICK, handle, request_bytes(&r), request_len(&r)) < 0)
        probe_wrong(probe, "sluice_tick", "refused a time");
    request_finish(&r);
}

static void time_back(struct probe *probe)
{
    uint64_t handle = probe_open(probe);

    probe_populate(probe, handle);
    for (int i = 0; i < 5; i++) {
        static const int64_t steps[] = {10, 9, -10, 10, -1000};
        int64_t now = probe->now + steps[i] * SECOND;

        now = now < 0 ? 0 : now;
        probe_detail(probe, "`now` %lld s from the sample's", (long long)steps[i]);
        tick_at(probe, handle, now);
        if (probe_announce(probe, handle, "synced", now) < 0)
            probe_wrong(probe, "sluice_observe", "refused a time");
    }
    probe_close(probe, handle);
}

static void unknown_kind(struct probe *probe)
{
    uint64_t handle = probe_open(probe);
    struct answer answer;

    probe_detail(probe, "the kind `weather`");
    if (probe_announce(probe, handle, "weather", probe->now) < 0) {
        probe_wrong(probe, "sluice_observe", "refused it");
    } else if (answer_read(&answer, probe_answer(probe), probe->len)) {
        if (!value_bool(&answer.root, "ignored", false))
            probe_wrong(probe, "sluice_observe", "does not say that it was ignored");
        answer_finish(&answer);
    }
    probe_close(probe, handle);
}

void check_calls(struct points *points, void *arg)
{
    struct probe probe;

    if (!probe_init(&probe, points, arg))
        return;
    point_begin(points, "the same requests get the same answers");
    same_answers(&probe);
    point_end(points);
    point_begin(points, "two handles do not see each other");
    two_handles(&probe);
    point_end(points);
    point_begin(points, "hooks that only read leave the state as it is");
    readers(&probe);
    point_end(points);
    point_begin(points, "time may step back");
    time_back(&probe);
    point_end(points);
    point_begin(points, "an unknown kind is ignored");
    unknown_kind(&probe);
    point_end(points);
}
