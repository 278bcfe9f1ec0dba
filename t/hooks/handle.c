/* SPDX-License-Identifier: Apache-2.0 */

/* Handles: what opens, what does not, and what numbers mean when. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "t/kit/ask.h"
#include "t/kit/tap.h"

static const char tick[] = "{now: 1}";

static void test_numbers(void)
{
    uint64_t first = ask_open("{}");
    uint64_t second = ask_open("{}");

    ok(first > 0 && first <= INT64_MAX && second > 0 && first != second, "two handles");
    is_str(ask(first, HOOK_TICK, tick), "{\"pending\"=>0, \"next\"=>0, \"more\"=>false}",
           "the first one works");
    is_int(sluice_close(first), 0, "it closes");
    is_str(ask(first, HOOK_TICK, tick), "NO_HANDLE 0", "and is stale");
    is_int(sluice_error_code(sluice_close(first)), SLUICE_NO_HANDLE, "it closes once");
    ok(ask(second, HOOK_TICK, tick)[0] == '{', "the other one works on");

    uint64_t third = ask_open("{}");
    ok(third != first && third != second, "no number comes twice");
    sluice_close(second);
    sluice_close(third);

    const uint64_t made_up[] = {0,
                                1,
                                HANDLE_PLACES,
                                UINT32_MAX,
                                UINT64_MAX,
                                second ^ 1,
                                third + (UINT64_C(1) << 32),
                                UINT64_C(1) << 63};
    for (size_t i = 0; i < sizeof(made_up) / sizeof(made_up[0]); i++)
        is_str(ask(made_up[i], HOOK_TICK, tick), "NO_HANDLE 0", "made up: %llx",
               (unsigned long long)made_up[i]);
}

static void test_many(void)
{
    static uint64_t handles[HANDLE_PLACES];
    size_t opened = 0;

    while (opened < HANDLE_PLACES && (handles[opened] = ask_open("{}")) > 0)
        opened++;
    is_int(opened, HANDLE_PLACES, "as many as there are places");
    is_int(ask_open("{}"), 0, "and not one more");
    is_str(ask_text(), "LIMIT handles: 1024, want fewer open handles: close one", "which is told");
    sluice_close(handles[7]);
    uint64_t again = ask_open("{}");
    ok(again > 0 && again != handles[7], "a place that is left can be taken, by another number");
    handles[7] = again;
    for (size_t i = 0; i < HANDLE_PLACES; i++)
        sluice_close(handles[i]);
}

static void test_config(void)
{
    static const struct {
        const char *config, *error;
    } wrong[] = {
        {"{queue: 1}", "FIELD queue: 1, want a key of the configuration that PROTOCOL.md lists"},
        {"{limits: {pod: 1}}",
         "FIELD limits.pod: 1, want a key of the configuration that PROTOCOL.md lists"},
        {"{removal: onFoo}", "FIELD removal: \"onFoo\", want one of onBind, onAdmission"},
        {"{manage: 1}", "FIELD manage: 1, want one of optedIn, all"},
        {"{schedulers: []}", "FIELD schedulers: an array, want 1 to 16 names of schedulers"},
        {"{schedulers: [a, '']}", "FIELD schedulers[1]: \"\", want text of 1 to 253 bytes"},
        {"{rootCeiling: {cpu: -1}}", "FIELD rootCeiling.cpu: -1, want an amount that is not "
                                     "negative"},
        {"{rootCeiling: none}", "FIELD rootCeiling: \"none\", want one of unlimited, cluster"},
        {"{rootCeiling: 3}",
         "FIELD rootCeiling: 3, want unlimited, cluster, or a map from resource to amount"},
        {"{record: 1073741825}", "FIELD record: 1073741825, want an integer from 0 to 1073741824"},
        {"{limits: {message: 1023}}",
         "FIELD limits.message: 1023, want an integer from 1024 to 16777216"},
        {"{headGuard: -1}", "FIELD headGuard: -1, want an integer from 0 to 4611686018427387903"},
        {"{observeOnly: 1}", "FIELD observeOnly: 1, want true or false"},
        {"[1]", "MESSAGE : byte 0, want one msgpack map; here the message is not a map"},
    };
    const char *all =
        "{now: 5, schedulers: [a, b], removal: onAdmission, manage: all, rootCeiling: "
        "{cpu: '4', memory: 1Gi}, undeclared: unlimited, reservationTimeout: 5, "
        "headGuard: 6, observeOnly: true, record: 1000, limits: {message: 2048, "
        "pods: 5, queues: 6, nodes: 7}}";

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        is_int(ask_open(wrong[i].config), 0, "refused: %s", wrong[i].config);
        is_str(ask_text(), wrong[i].error, "with the reason");
    }
    uint64_t handle = ask_open(all);
    ok(handle > 0, "every key at once");
    is_str(ask_own(handle, HOOK_INSPECT, "{now: 5, what: limits}"),
           "{\"message\"=>2048, \"pods\"=>5, \"queues\"=>6, \"nodes\"=>7, \"workloads\"=>1048576, "
           "\"clusters\"=>1024, \"used\"=>{\"message\"=>0, "
           "\"pods\"=>0, \"queues\"=>2, \"nodes\"=>0, \"workloads\"=>0, \"clusters\"=>0}}",
           "limits are taken");
    sluice_close(handle);
    ok(ask_open("{rootCeiling: cluster}") > 0, "the cluster as the root's ceiling");
}

static void test_arguments(void)
{
    uint8_t room[64] = {0x80};
    int64_t handle = sluice_open(room, 1, NULL, 0);

    ok(handle > 0, "open needs no room");
    is_int(sluice_open(NULL, 1, NULL, 0), -(int64_t)SLUICE_ARGUMENT, "a null configuration");
    is_int(sluice_open(room, 1, NULL, 1), -(int64_t)SLUICE_ARGUMENT, "a null buffer");
    is_int(sluice_open(room, 8, room + 4, 8), -(int64_t)SLUICE_ARGUMENT, "buffers that overlap");
    is_int(sluice_open(room, UINT64_MAX, NULL, 0), -(int64_t)SLUICE_ARGUMENT,
           "a length beyond the address space");
    is_int(sluice_error_code(sluice_open(NULL, 0, NULL, 0)), SLUICE_MESSAGE, "nothing at all");
    room[0] = 0x90;
    is_int(sluice_open(room, 1, room + 32, 8), -(int64_t)SLUICE_MESSAGE,
           "an error map that does not fit has no length");
    for (int i = 32; i < 40; i++)
        is_int(room[i], 0, "and leaves the buffer alone");
    sluice_close((uint64_t)handle);
}

/* In the child 0 means that all is well. */
static int child(uint64_t handle)
{
    if (strcmp(ask(handle, HOOK_TICK, tick), "NO_HANDLE 0") != 0)
        return 1;
    if (sluice_error_code(sluice_close(handle)) != SLUICE_NO_HANDLE)
        return 2;
    uint64_t own = ask_open("{}");
    if (own == 0 || own == handle || ask(own, HOOK_TICK, tick)[0] != '{')
        return 3;
    return sluice_close(own) == 0 ? 0 : 4;
}

static void test_fork(void)
{
    uint64_t handle = ask_open("{}");
    pid_t pid = fork();
    int status = -1;

    if (pid == 0)
        _exit(child(handle));
    ok(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status), "the child ends by itself");
    is_int(WEXITSTATUS(status), 0, "the parent's handle is stale in it, and it can open its own");
    ok(ask(handle, HOOK_TICK, tick)[0] == '{', "the parent's works on");
    sluice_close(handle);
}

static long fail_at, held;

static void *failing(size_t size, bool zeroed)
{
    void *p = --fail_at == 0 ? NULL : zeroed ? calloc(1, size) : malloc(size);

    held += p != NULL;
    return p;
}

static void give_back(void *p)
{
    held -= p != NULL;
    free(p);
}

static void test_memory(void)
{
    static const struct memory_source source = {failing, give_back};
    long failures = 0;

    memory_set_source(&source);
    for (long n = 1;; n++) {
        fail_at = n;
        uint64_t handle = ask_open("{record: 5000}");
        if (handle > 0) {
            sluice_close(handle);
            break;
        }
        if (strcmp(ask_text(), "NO_MEMORY 0") != 0 || held != 0)
            break;
        failures++;
    }
    ok(failures > 5 && fail_at > 0, "open without memory says so (%ld allocations)", failures);
    is_int(held, 0, "and keeps nothing");
    memory_set_source(NULL);
}

int main(void)
{
    test_numbers();
    test_many();
    test_config();
    test_arguments();
    test_fork();
    test_memory();
    return tap_done();
}
