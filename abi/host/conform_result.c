/* SPDX-License-Identifier: Apache-2.0 */
#include "abi/host/conform_result.h"

#include <stdio.h>
#include <string.h>

enum {
    /* The codes that come with an error map. */
    WITH_MAP = 1 << SLUICE_MESSAGE | 1 << SLUICE_FIELD | 1 << SLUICE_UNSUPPORTED |
               1 << SLUICE_LIMIT | 1 << SLUICE_BROKEN,
};

static const char *bytes_text(size_t n)
{
    static _Thread_local char text[32];

    snprintf(text, sizeof(text), "%zu byte%s", n, n == 1 ? "" : "s");
    return text;
}

void result_guards(struct probe *probe, const char *function, const uint8_t *req, size_t len)
{
    struct guard_report in = guard_look(&probe->in);
    struct guard_report out = guard_look(&probe->out);

    if (out.beyond > 0)
        probe_wrong(probe, function, "wrote %s beyond cap", bytes_text(out.beyond));
    else if (out.touched)
        probe_wrong(probe, function, "touched memory beyond cap");
    if (out.before > 0)
        probe_wrong(probe, function, "wrote %s before out", bytes_text(out.before));
    if (in.beyond > 0)
        probe_wrong(probe, function, "wrote %s beyond its request", bytes_text(in.beyond));
    else if (in.touched)
        probe_wrong(probe, function, "read beyond len");
    if (in.before > 0 || (len > 0 && memcmp(probe->in.handed, req, len) != 0))
        probe_wrong(probe, function, "wrote into its request");
}

static bool has_text(const struct answer *answer, const char *key)
{
    return value_is(value_get(&answer->root, key), MSGPACK_OBJECT_STR);
}

void result_error(struct probe *probe, const char *function, int64_t result, size_t cap)
{
    int code = sluice_error_code(result);
    uint64_t len = sluice_error_length(result);
    struct answer error;

    probe->error_key[0] = '\0';
    if (code < SLUICE_TOO_SMALL || code > SLUICE_BROKEN) {
        probe_wrong(probe, function, "returned an unknown error, code %d", code);
        return;
    }
    if (code == SLUICE_TOO_SMALL) {
        if (len <= cap)
            probe_wrong(probe, function, "says TOO_SMALL of %zu bytes and needs %llu", cap,
                        (unsigned long long)len);
        return;
    }
    if (code == SLUICE_BROKEN)
        probe_wrong(probe, function, "says BROKEN: an invariant of its does not hold");
    if (!(WITH_MAP & 1 << code)) {
        if (len != 0)
            probe_wrong(probe, function, "returned %s with a length, which has no error map",
                        reply_error_name(code));
        return;
    }
    if (len == 0 && cap >= CAP_LEAST)
        probe_wrong(probe, function, "returned %s without an error map, in %zu bytes",
                    reply_error_name(code), cap);
    if (len == 0)
        return;
    if (len > cap) {
        probe_wrong(probe, function, "returned an error map of %llu bytes in %zu",
                    (unsigned long long)len, cap);
        return;
    }
    probe->len = len;
    const char *flaw = value_flaw(probe_answer(probe), len);
    if (flaw) {
        probe_wrong(probe, function, "returned an error map that is not well formed: %s", flaw);
        return;
    }
    if (!answer_read(&error, probe_answer(probe), len)) {
        probe_wrong(probe, function, "returned an error map that is not a map");
        return;
    }
    for (int i = 0; i < 3; i++) {
        const char *key = (const char *[]){"key", "value", "want"}[i];

        if (!has_text(&error, key))
            probe_wrong(probe, function, "returned an error map without the text `%s`", key);
    }
    snprintf(probe->error_key, sizeof(probe->error_key), "%s", value_str(&error.root, "key", ""));
    answer_finish(&error);
}

void result_answer(struct probe *probe, const char *function, uint64_t len, size_t cap)
{
    struct answer answer;

    if (len > cap) {
        probe_wrong(probe, function, "returned an answer of %llu bytes in %zu",
                    (unsigned long long)len, cap);
        return;
    }
    probe->len = len;
    const char *flaw = value_flaw(probe_answer(probe), len);
    if (flaw) {
        probe_wrong(probe, function, "returned an answer that is not well formed: %s", flaw);
        return;
    }
    if (!answer_read(&answer, probe_answer(probe), len)) {
        probe_wrong(probe, function, "returned an answer that is not a map");
        return;
    }
    if (value_int(&answer.root, "pending", -1) < 0)
        probe_wrong(probe, function, "returned an answer without `pending`, an integer >= 0");
    if (value_int(&answer.root, "next", -1) < 0)
        probe_wrong(probe, function, "returned an answer without `next`, an integer >= 0");
    if (!value_is(value_get(&answer.root, "more"), MSGPACK_OBJECT_BOOLEAN))
        probe_wrong(probe, function, "returned an answer without `more`, a bool");
    answer_finish(&answer);
}
