/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "abi/host/conform_checks.h"

enum {
    MADE_UP = 1000, /* handles tried at random */
    REOPENED = 200,
    FORKED_WELL = 0,
    FORKED_ACCEPTED = 1, /* the child's status: an old handle worked */
    FORKED_NO_OPEN = 2,
};

/* Every function that takes a handle says NO_HANDLE. */
static void no_handle(struct probe *probe, uint64_t handle)
{
    const int64_t want = -(int64_t)SLUICE_NO_HANDLE;

    for (int i = 0; i < LOADER_HOOKS; i++) {
        enum loader_hook hook = (enum loader_hook)i;
        int64_t got;

        if (probe->subject->use[hook] == USE_NONE)
            continue;
        got = probe_sample(probe, hook, handle);
        if (got != want)
            probe_wrong(probe, probe_function(hook), "returned %lld, want NO_HANDLE",
                        (long long)got);
    }
    if (!probe->quiet)
        points_doing(probe->points, "sluice_close (%s)", probe->detail);
    if (loader_end(probe->lib, handle) != want)
        probe_wrong(probe, "sluice_close", "accepted it");
}

static void made_up(struct probe *probe)
{
    uint64_t open = probe_open(probe);
    uint64_t random = 0x9e3779b97f4a7c15;

    for (int i = 0; i < MADE_UP; i++) {
        uint64_t handle = i < 4 ? (uint64_t[]){0, UINT64_MAX, INT64_MAX, 1ull << 63}[i] : random;

        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        if (handle == open)
            continue;
        probe_detail(probe, "the made-up handle %#llx", (unsigned long long)handle);
        no_handle(probe, handle);
    }
    for (int bit = 0; bit < 64; bit++) {
        probe_detail(probe, "an open handle with bit %d turned", bit);
        no_handle(probe, open ^ 1ull << bit);
    }
    probe_close(probe, open);
}

static void stale(struct probe *probe)
{
    uint64_t first = probe_open(probe);

    probe_close(probe, first);
    probe_detail(probe, "a closed handle");
    no_handle(probe, first);
    for (int i = 0; i < REOPENED; i++) {
        uint64_t next = probe_open(probe);

        probe_detail(probe, "a handle closed before %d others were opened", i + 1);
        if (next == first)
            probe_wrong(probe, "sluice_open", "gave the same handle again");
        else
            no_handle(probe, first);
        probe_close(probe, next);
    }
}

/* Runs in the child of a fork. Its points lead nowhere; its status tells. */
static int in_child(struct probe *probe, uint64_t handle, enum loader_hook *ret_hook)
{
    const int64_t want = -(int64_t)SLUICE_NO_HANDLE;
    int status = FORKED_WELL;
    int64_t own;

    for (int i = 0; i < LOADER_HOOKS && status == FORKED_WELL; i++) {
        *ret_hook = (enum loader_hook)i;
        if (probe->subject->use[i] != USE_NONE && probe_sample(probe, *ret_hook, handle) != want)
            status = FORKED_ACCEPTED;
    }
    own = probe_open_config(probe, (const uint8_t[]){0x80}, 1);
    if (own <= 0 || probe_announce(probe, (uint64_t)own, "synced", probe->now) < 0)
        status = status == FORKED_WELL ? FORKED_NO_OPEN : status;
    return status;
}

static void after_fork(struct probe *probe)
{
    uint64_t handle = probe_open(probe);
    enum loader_hook hook = LOADER_OBSERVE;
    int status = 0;

    probe_populate(probe, handle);
    probe_detail(probe, "in the child of a fork");
    pid_t pid = fork();
    if (pid == 0) {
        int verdict = in_child(probe, handle, &hook);
        _exit(verdict << 5 | (int)hook);
    }
    waitpid(pid, &status, 0);
    if (!WIFEXITED(status)) {
        probe_wrong(probe, "the library", "crashed");
    } else {
        hook = (enum loader_hook)(WEXITSTATUS(status) & 0x1f);
        switch (WEXITSTATUS(status) >> 5) {
        case FORKED_WELL:
            break;
        case FORKED_ACCEPTED:
            probe_wrong(probe, probe_function(hook), "accepted a handle from before the fork");
            break;
        default:
            probe_wrong(probe, "sluice_open", "gave no handle that works");
        }
    }
    probe_detail(probe, "in the parent, after a fork");
    probe_sample(probe, LOADER_INSPECT, handle);
    probe_close(probe, handle);
}

void check_handles(struct points *points, void *arg)
{
    struct probe probe;

    if (!probe_init(&probe, points, arg))
        return;
    point_begin(points, "a handle that was never opened is NO_HANDLE");
    made_up(&probe);
    point_end(points);
    point_begin(points, "a closed handle is NO_HANDLE, whatever is opened after it");
    stale(&probe);
    point_end(points);
    point_begin(points, "a handle from before a fork is NO_HANDLE in the child");
    after_fork(&probe);
    point_end(points);
}
