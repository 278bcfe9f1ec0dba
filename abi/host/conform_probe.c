/* SPDX-License-Identifier: Apache-2.0 */
#include "abi/host/conform_probe.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "abi/host/conform_result.h"

const char *probe_function(enum loader_hook hook)
{
    static _Thread_local char names[LOADER_HOOKS][32];

    snprintf(names[hook], sizeof(names[hook]), "sluice_%s", loader_hook_name(hook));
    return names[hook];
}

void probe_detail(struct probe *probe, const char *detail, ...)
{
    va_list args;

    va_start(args, detail);
    vsnprintf(probe->detail, sizeof(probe->detail), detail, args);
    va_end(args);
}

void probe_wrong(struct probe *probe, const char *function, const char *what, ...)
{
    char text[256];
    va_list args;

    va_start(args, what);
    vsnprintf(text, sizeof(text), what, args);
    va_end(args);
    if (probe->detail[0])
        point_wrong(probe->points, "%s %s (%s)", function, text, probe->detail);
    else
        point_wrong(probe->points, "%s %s", function, text);
}

static void doing(struct probe *probe, const char *function)
{
    if (probe->quiet)
        return;
    if (probe->detail[0])
        points_doing(probe->points, "%s (%s)", function, probe->detail);
    else
        points_doing(probe->points, "%s", function);
}

const uint8_t *probe_answer(const struct probe *probe)
{
    return probe->out.handed;
}

/* A call between its guards: what it is given, and what became of them. */
static uint8_t *hand_out(struct probe *probe, const uint8_t *req, size_t len, size_t cap)
{
    uint8_t *in = guard_hand_out(&probe->in, len);

    if (len > 0)
        memcpy(in, req, len);
    guard_watch(&probe->in, &probe->out);
    probe->len = 0;
    return guard_hand_out(&probe->out, cap);
}

int64_t probe_call(struct probe *probe, enum loader_hook hook, uint64_t handle, const uint8_t *req,
                   size_t len, size_t cap)
{
    const char *function = probe_function(hook);
    uint8_t *out = hand_out(probe, req, len, cap);
    int64_t result;

    doing(probe, function);
    result = loader_call(probe->lib, hook, handle, probe->in.handed, len, out, cap);
    result_guards(probe, function, req, len);
    if (result < 0)
        result_error(probe, function, result, cap);
    else
        result_answer(probe, function, (uint64_t)result, cap);
    return result;
}

int64_t probe_ask(struct probe *probe, enum loader_hook hook, uint64_t handle, const uint8_t *req,
                  size_t len)
{
    return probe_call(probe, hook, handle, req, len, probe->samples[hook].cap);
}

int64_t probe_sample(struct probe *probe, enum loader_hook hook, uint64_t handle)
{
    const struct request *r = &probe->samples[hook].request;

    return probe_ask(probe, hook, handle, request_bytes(r), request_len(r));
}

int64_t probe_open_config(struct probe *probe, const uint8_t *config, size_t len)
{
    uint8_t *out = hand_out(probe, config, len, CAP_LEAST);
    int64_t result;

    doing(probe, "sluice_open");
    result = loader_open_handle(probe->lib, probe->in.handed, len, out, CAP_LEAST);
    result_guards(probe, "sluice_open", config, len);
    if (result < 0)
        result_error(probe, "sluice_open", result, CAP_LEAST);
    if (result == 0)
        probe_wrong(probe, "sluice_open", "returned the handle 0");
    return result;
}

uint64_t probe_open(struct probe *probe)
{
    static const uint8_t empty_map[] = {0x80};
    int64_t handle = probe_open_config(probe, empty_map, sizeof(empty_map));

    if (handle > 0)
        return (uint64_t)handle;
    probe_wrong(probe, "sluice_open", "refused the empty configuration: %s",
                reply_error_name(sluice_error_code(handle)));
    return 0;
}

void probe_close(struct probe *probe, uint64_t handle)
{
    int64_t result;

    doing(probe, "sluice_close");
    result = loader_end(probe->lib, handle);
    if (result != 0)
        probe_wrong(probe, "sluice_close", "returned %lld for an open handle", (long long)result);
}

int64_t probe_announce(struct probe *probe, uint64_t handle, const char *kind, int64_t now)
{
    struct request r;
    int64_t result;

    request_init(&r);
    r_map(&r);
    r_key_int(&r, "now", now);
    r_key_str(&r, "kind", kind);
    r_end(&r);
    result = probe_ask(probe, LOADER_OBSERVE, handle, request_bytes(&r), request_len(&r));
    request_finish(&r);
    return result;
}

void probe_populate(struct probe *probe, uint64_t handle)
{
    for (int i = 0; i < 2; i++) {
        const char *kind = (const char *[]){"synced", "leader"}[i];

        if (probe_announce(probe, handle, kind, probe->now) < 0)
            probe_wrong(probe, "sluice_observe", "refused the kind `%s`", kind);
    }
    for (int hook = 0; hook < LOADER_HOOKS; hook++)
        if (probe->subject->use[hook] == USE_WORKS)
            probe_sample(probe, (enum loader_hook)hook, handle);
}

bool probe_digest(struct probe *probe, uint64_t handle, char digest[DIGEST_BYTES])
{
    struct request r;
    struct answer answer;
    int64_t result;

    request_init(&r);
    r_map(&r);
    r_key_int(&r, "now", probe->now);
    r_key_str(&r, "what", "digest");
    r_end(&r);
    result =
        probe_call(probe, LOADER_INSPECT, handle, request_bytes(&r), request_len(&r), CAP_LEAST);
    request_finish(&r);
    digest[0] = '\0';
    if (result >= 0 && answer_read(&answer, probe_answer(probe), probe->len)) {
        snprintf(digest, DIGEST_BYTES, "%s", value_str(&answer.root, "digest", ""));
        answer_finish(&answer);
    }
    if (!digest[0])
        probe_wrong(probe, "sluice_inspect", "gave no digest");
    return digest[0];
}

void probe_unchanged(struct probe *probe, const char *function, uint64_t handle, const char *before)
{
    char after[DIGEST_BYTES];

    if (probe_digest(probe, handle, after) && strcmp(before, after) != 0)
        probe_wrong(probe, function, "changed the state: the digest was %s and is %s", before,
                    after);
}

static const char *codes_text(unsigned codes)
{
    static _Thread_local char text[128];

    text[0] = '\0';
    for (int code = 1; code <= SLUICE_BROKEN; code++) {
        size_t used = strlen(text);

        if (codes & 1u << code)
            snprintf(text + used, sizeof(text) - used, "%s%s", used ? " or " : "",
                     reply_error_name(code));
    }
    return text;
}

void probe_refused(struct probe *probe, enum loader_hook hook, uint64_t handle, const uint8_t *req,
                   size_t len, unsigned codes, const char *before)
{
    int64_t result = probe_ask(probe, hook, handle, req, len);
    int code = sluice_error_code(result);

    if (probe->subject->use[hook] == USE_REFUSES)
        codes |= 1u << SLUICE_UNSUPPORTED;
    if (result >= 0)
        probe_wrong(probe, probe_function(hook), "accepted what must be refused with %s",
                    codes_text(codes));
    else if (code > SLUICE_BROKEN || !(codes & 1u << code))
        probe_wrong(probe, probe_function(hook), "returned %s, want %s", reply_error_name(code),
                    codes_text(codes));
    if (before)
        probe_unchanged(probe, probe_function(hook), handle, before);
}

bool probe_names(const struct probe *probe, const char *name)
{
    size_t len = strlen(name);
    size_t key_len = strlen(probe->error_key);
    const char *last = probe->error_key + key_len - len;

    return key_len >= len && strcmp(last, name) == 0 && (key_len == len || last[-1] == '.');
}
