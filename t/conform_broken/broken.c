/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi/sluice.h"

/*
 * A library that breaks the ABI in one way. It hands every call on to the library at $SLUICE_LIB
 * and spoils what goes in or comes back as $SLUICE_FAULT says: one of the names given to `faulty`.
 */

typedef int64_t hook_function(uint64_t handle, const uint8_t *req, uint64_t len, uint8_t *out,
                              uint64_t cap);

/* An answer, and error maps, in msgpack. NEXT is where the value of `next` is. */
static const char good_answer[] = "\x83\xa7pending\0\xa4next\0\xa4more\xc2";
static const char other_key[] = "\x83\xa3key\xa1x\xa5value\xa0\xa4want\xa0";
static const char without_want[] = "\x82\xa3key\xa1x\xa5value\xa0";

enum {
    NEXT = 15,
    REQUEST_BYTES = 2 << 20,
};

static const char *fault;
static void *real;
static pid_t loaded_by;

__attribute__((constructor)) static void workload(void)
{
    const char *path = getenv("SLUICE_LIB");

    fault = getenv("SLUICE_FAULT");
    real = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    loaded_by = getpid();
    if (!fault || !real) {
        fprintf(stderr, "broken: SLUICE_FAULT and SLUICE_LIB must be set\n");
        _exit(3);
    }
}

static bool faulty(const char *name)
{
    return strcmp(fault, name) == 0;
}

static void *find(const char *symbol)
{
    void *found = dlsym(real, symbol);

    if (!found)
        _exit(3);
    return found;
}

static int64_t error(enum sluice_error code, uint64_t len)
{
    return -(int64_t)(len << 8 | code);
}

static int64_t answer(uint8_t *out, const void *bytes, uint64_t len)
{
    memcpy(out, bytes, len);
    return (int64_t)len;
}

/* Observes a node, another one each time: the digest changes. */
static void change_state(uint64_t handle)
{
    static const uint8_t node[] = "\x83\xa3"
                                  "now\x01\xa4"
                                  "kind\xa4"
                                  "node\xa6"
                                  "object"
                                  "\x81\xa4"
                                  "name\xa8";
    static unsigned nodes;
    uint8_t req[sizeof(node) + 8];
    uint8_t out[4096];
    char name[9];
    hook_function *observe = (hook_function *)find("sluice_observe");

    snprintf(name, sizeof(name), "n%07u", nodes++ % 10000000);
    memcpy(req, node, sizeof(node) - 1);
    memcpy(req + sizeof(node) - 1, name, 8);
    observe(handle, req, sizeof(node) - 1 + 8, out, sizeof(out));
}

/* Calls with the request changed: `from` becomes `to` where it stands. */
static int64_t call_replaced(hook_function *hook, uint64_t handle, const uint8_t *req, uint64_t len,
                             uint8_t *out, uint64_t cap, const char *from, char to)
{
    uint8_t *copy = malloc(REQUEST_BYTES);
    int64_t result;

    if (!copy || len > REQUEST_BYTES)
        _exit(3);
    memcpy(copy, req, len);
    uint8_t *at = memmem(copy, len, from, strlen(from));
    if (at)
        *at = (uint8_t)to;
    result = hook(handle, copy, len, out, cap);
    free(copy);
    return result;
}

/* Faults in what goes in. False: the call is not spoiled. */
static bool spoil_request(const char *name, hook_function *hook, uint64_t handle,
                          const uint8_t *req, uint64_t len, uint8_t *out, uint64_t cap,
                          int64_t *ret)
{
    bool tick = strcmp(name, "tick") == 0;
    bool observe = strcmp(name, "observe") == 0;
    static uint64_t shared;
    static int inside;

    if (tick && faulty("hang"))
        for (;;)
            pause();
    if (tick && faulty("crash"))
        abort();
    if (tick && faulty("exit"))
        exit(0);
    if (tick && faulty("in two at once")) {
        if (__atomic_fetch_add(&inside, 1, __ATOMIC_SEQ_CST) > 0)
            *ret = error(SLUICE_NO_MEMORY, 0);
        else
            *ret = hook(handle, req, len, out, cap);
        usleep(100);
        __atomic_fetch_sub(&inside, 1, __ATOMIC_SEQ_CST);
        return true;
    }
    if (observe && faulty("reads beyond len") && req)
        *(volatile uint8_t *)out = req[len];
    if (observe && faulty("writes into the request") && len > 0)
        *(volatile uint8_t *)(uintptr_t)req ^= 1;
    if (faulty("one state for all handles")) {
        if (!shared)
            shared = (uint64_t)sluice_open((const uint8_t *)"\x80", 1, NULL, 0);
        *ret = hook(handle, req, len, out, 0);
        if (sluice_error_code(*ret) == SLUICE_TOO_SMALL)
            *ret = hook(shared, req, len, out, cap);
        return true;
    }
    if (faulty("an old handle after a fork") && getpid() != loaded_by && observe) {
        *ret = answer(out, good_answer, sizeof(good_answer) - 1);
        return true;
    }
    if (observe && faulty("trusts counts") && len == 5 && req && req[0] == 0xdd) {
        void *volatile items = malloc((size_t)8 << 30);

        *ret = items ? hook(handle, req, len, out, cap) : error(SLUICE_NO_MEMORY, 0);
        free(items);
        return true;
    }
    if (observe && faulty("takes ! keys") && req && memmem(req, len, "!new", 4)) {
        *ret = call_replaced(hook, handle, req, len, out, cap, "!new", '?');
        return true;
    }
    if (observe && faulty("refuses unknown keys") && req && memmem(req, len, "fromANew", 8)) {
        *ret = call_replaced(hook, handle, req, len, out, cap, "fromANew", '!');
        return true;
    }
    if (observe && faulty("takes bytes behind") && req && len > 1) {
        *ret = hook(handle, req, len, out, cap);
        if (sluice_error_code(*ret) == SLUICE_MESSAGE)
            *ret = hook(handle, req, len - 1, out, cap);
        return true;
    }
    return false;
}

/* Faults in what comes back. */
static int64_t spoil_answer(const char *name, int64_t result, uint64_t handle, uint8_t *out,
                            uint64_t cap)
{
    static uint8_t times;
    bool tick = strcmp(name, "tick") == 0;
    bool observe = strcmp(name, "observe") == 0;
    bool inspect = strcmp(name, "inspect") == 0;
    int code = sluice_error_code(result);

    if (observe && code == 0 && faulty("writes beyond cap"))
        memset(out + cap, 0, 3);
    if (observe && code == 0 && faulty("writes before out"))
        out[-1] = 0;
    if (observe && code != 0 && code != SLUICE_NO_HANDLE && faulty("an error that does something"))
        change_state(handle);
    if (observe && code == SLUICE_TOO_SMALL && faulty("TOO_SMALL that does something"))
        change_state(handle);
    if (inspect && code == 0 && faulty("a reader that does something"))
        change_state(handle);
    if (observe && code == SLUICE_TOO_SMALL && faulty("another size"))
        return error(SLUICE_TOO_SMALL, sluice_error_length(result) + 1);
    if (observe && code == SLUICE_FIELD && faulty("names another key"))
        return error(SLUICE_FIELD, (uint64_t)answer(out, other_key, sizeof(other_key) - 1));
    if (observe && code == SLUICE_FIELD && faulty("an error map without want"))
        return error(SLUICE_FIELD, (uint64_t)answer(out, without_want, sizeof(without_want) - 1));
    if (observe && code == SLUICE_ARGUMENT && faulty("another code"))
        return error(SLUICE_NO_MEMORY, 0);
    if (observe && code != 0 && faulty("an unknown code"))
        return error((enum sluice_error)77, 0);
    if (!tick || code != 0)
        return result;
    if (faulty("an answer that is no map"))
        return answer(out, "\x90", 1);
    if (faulty("an answer cut off"))
        return result - 1;
    if (faulty("an answer without pending"))
        return answer(out, "\x80", 1);
    if (faulty("an answer longer than cap"))
        return (int64_t)cap + 1;
    if (faulty("another answer each time")) {
        answer(out, good_answer, sizeof(good_answer) - 1);
        out[NEXT] = times++ & 0x7f;
        return sizeof(good_answer) - 1;
    }
    return result;
}

static int64_t call(const char *symbol, uint64_t handle, const uint8_t *req, uint64_t len,
                    uint8_t *out, uint64_t cap)
{
    hook_function *hook = (hook_function *)find(symbol);
    const char *name = symbol + strlen("sluice_");
    int64_t result;

    if (spoil_request(name, hook, handle, req, len, out, cap, &result))
        return result;
    return spoil_answer(name, hook(handle, req, len, out, cap), handle, out, cap);
}

uint32_t sluice_abi(void)
{
    return faulty("another major version") ? 7u << 16 : ((uint32_t(*)(void))find("sluice_abi"))();
}

int64_t sluice_manifest(uint8_t *out, uint64_t cap)
{
    int64_t result = ((int64_t(*)(uint8_t *, uint64_t))find("sluice_manifest"))(out, cap);
    uint8_t *at = result > 0 ? memmem(out, (size_t)result, "\xa4tick", 5) : NULL;

    if (at && faulty("a manifest without tick"))
        at[1] = 'k';
    if (result > 0 && faulty("a manifest cut off"))
        return result - 1;
    return result;
}

int64_t sluice_open(const uint8_t *config, uint64_t len, uint8_t *out, uint64_t cap)
{
    int64_t (*open)(const uint8_t *, uint64_t, uint8_t *, uint64_t) =
        (int64_t(*)(const uint8_t *, uint64_t, uint8_t *, uint64_t))find("sluice_open");
    int64_t result = open(config, len, out, cap);

    if (sluice_error_code(result) == SLUICE_FIELD && faulty("opens with unknown keys"))
        return open((const uint8_t *)"\x80", 1, out, cap);
    return result;
}

int64_t sluice_close(uint64_t handle)
{
    if (faulty("closes nothing"))
        return 0;
    return ((int64_t(*)(uint64_t))find("sluice_close"))(handle);
}

#define HOOK(name)                                                                                 \
    int64_t sluice_##name(uint64_t handle, const uint8_t *req, uint64_t len, uint8_t *out,         \
                          uint64_t cap)                                                            \
    {                                                                                              \
        return call("sluice_" #name, handle, req, len, out, cap);                                  \
    }

HOOK(observe)
HOOK(admit)
HOOK(pre_enqueue)
HOOK(pre_filter)
HOOK(filter)
HOOK(post_filter)
HOOK(reserve)
HOOK(unreserve)
HOOK(permit)
HOOK(bind)
HOOK(post_bind)
HOOK(command)
HOOK(tick)
HOOK(drain)
HOOK(ack)
HOOK(inspect)
