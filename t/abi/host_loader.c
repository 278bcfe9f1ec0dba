/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "abi/host/loader.h"
#include "abi/host/value.h"
#include "abi/sluice.h"
#include "t/kit/tap.h"

static void not_a_library(const char *path, const char *told)
{
    struct loader *untouched = NULL;
    char why[256] = "";

    ok(!loader_open(path, &untouched, why, sizeof(why)), "%s is refused", path);
    ok(strstr(why, told), "and told why: %s", why);
    ok(!untouched, "and nothing is returned");
}

static void names(void)
{
    ok(loader_hook_of("tick", 4) == LOADER_TICK, "a hook is found by its name");
    ok(loader_hook_of("ticks", 5) == -1 && loader_hook_of("tic", 3) == -1, "by the whole of it");
    for (int i = 0; i < LOADER_HOOKS; i++) {
        const char *name = loader_hook_name((enum loader_hook)i);

        if (loader_hook_of(name, strlen(name)) != i)
            ok(false, "%s is hook %d", name, i);
    }
}

/* A reply that is too small at first, and what is asked through it. */
static void asks(const struct loader *lib)
{
    static const uint8_t digest[] = "\x82\xa3"
                                    "now\x01\xa4"
                                    "what\xa6"
                                    "digest";
    struct reply reply = {0};
    struct answer answer;
    char text[256];
    int64_t handle = loader_begin(lib, (const uint8_t *)"\x80", 1, &reply);
    int64_t result;

    ok(handle > 0, "a handle");
    result = loader_ask(lib, LOADER_INSPECT, (uint64_t)handle, digest, sizeof(digest) - 1, &reply);
    ok(result > 0 && (size_t)result == reply.len, "an answer, as long as the call says");
    if (ok(answer_read(&answer, reply.bytes, reply.len), "that can be read")) {
        is_int(strlen(value_str(&answer.root, "digest", "")), 16, "with a digest in it");
        answer_finish(&answer);
    }
    result = loader_ask(lib, LOADER_TICK, (uint64_t)handle, (const uint8_t *)"\x80", 1, &reply);
    is_int(sluice_error_code(result), SLUICE_FIELD, "a tick without `now` is refused");
    reply_explain(&reply, result, text, sizeof(text));
    ok(strncmp(text, "FIELD: now is ", 14) == 0, "and explained: %s", text);
    reply_explain(&reply, result, text, 6);
    is_str(text, "FIELD", "as far as there is room");
    is_int(loader_end(lib, (uint64_t)handle), 0, "closed");
    result = loader_ask(lib, LOADER_TICK, (uint64_t)handle, (const uint8_t *)"\x80", 1, &reply);
    reply_explain(&reply, result, text, sizeof(text));
    is_str(text, "NO_HANDLE", "an error without a map is its name");
    result = loader_begin(lib,
                          (const uint8_t *)"\x81\xa1"
                                           "a\1",
                          4, &reply);
    reply_explain(&reply, result, text, sizeof(text));
    ok(strncmp(text, "FIELD: a is ", 12) == 0, "a configuration is refused: %s", text);
    reply_finish(&reply);
}

static void describes(const struct loader *lib)
{
    struct reply reply = {.bytes = malloc(1), .cap = 1};
    struct answer answer;

    is_int(loader_abi(lib) >> 16, SLUICE_ABI_MAJOR, "our major version");
    is_int(loader_abi(lib) & 0xffff, SLUICE_ABI_MINOR, "and our minor one");
    ok(loader_describe(lib, &reply) > 0, "the manifest, in a reply that has to grow for it");
    if (ok(answer_read(&answer, reply.bytes, reply.len), "that can be read")) {
        is_int(value_count(value_array(&answer.root, "hooks")), LOADER_HOOKS, "with every hook");
        answer_finish(&answer);
    }
    reply_finish(&reply);
}

int main(void)
{
    const char *path = getenv("SLUICE_LIB");
    struct loader *lib;
    char why[256];

    not_a_library("/nowhere/sluice.so", "/nowhere/sluice.so");
    not_a_library("libc.so.6", "lacks sluice_abi, sluice_manifest, ");
    names();
    loader_close(NULL);
    if (!ok(path && loader_open(path, &lib, why, sizeof(why)), "$SLUICE_LIB loads"))
        return tap_done();
    describes(lib);
    asks(lib);
    loader_close(lib);
    return tap_done();
}
