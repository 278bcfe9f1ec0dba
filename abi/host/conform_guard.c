/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "abi/host/conform_guard.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    WALL_BYTES = 64 << 10,
    CANARY_BYTES = 64,
    CANARY = 0xa5,
};

/* A signal handler gets no argument of ours; a fault is handled on the thread that made it. */
static _Thread_local struct guard *volatile watched[2];

static bool guard_owns(const struct guard *guard, const uint8_t *at)
{
    return guard && at >= guard->wall && at < guard->wall + WALL_BYTES && !guard->touched;
}

static void on_fault(int number, siginfo_t *info, void *context)
{
    const uint8_t *at = info->si_addr;

    (void)context;
    for (int i = 0; i < 2; i++) {
        struct guard *guard = watched[i];

        if (guard_owns(guard, at)) {
            guard->touched = true;
            mprotect(guard->wall, WALL_BYTES, PROT_READ | PROT_WRITE);
            return;
        }
    }
    signal(number, SIG_DFL);
}

void guard_catch_faults(void)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};

    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
}

static void wall_close(struct guard *guard)
{
    memset(guard->wall, CANARY, WALL_BYTES);
    mprotect(guard->wall, WALL_BYTES, PROT_NONE);
    guard->touched = false;
}

bool guard_init(struct guard *guard, size_t len)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t size = (len + CANARY_BYTES + page - 1) / page * page;
    void *start =
        mmap(NULL, size + WALL_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (start == MAP_FAILED)
        return false;
    *guard = (struct guard){.start = start, .wall = (uint8_t *)start + size, .size = size};
    wall_close(guard);
    guard_hand_out(guard, 0);
    return true;
}

void guard_finish(struct guard *guard)
{
    if (guard->start)
        munmap(guard->start, guard->size + WALL_BYTES);
    *guard = (struct guard){0};
}

uint8_t *guard_hand_out(struct guard *guard, size_t len)
{
    guard->handed = guard->wall - len;
    memset(guard->handed - CANARY_BYTES, CANARY, CANARY_BYTES);
    return guard->handed;
}

void guard_watch(struct guard *one, struct guard *two)
{
    watched[0] = one;
    watched[1] = two;
}

struct guard_report guard_look(struct guard *guard)
{
    struct guard_report report = {.touched = guard->touched};

    for (size_t i = CANARY_BYTES; i > 0 && report.before == 0; i--)
        if (guard->handed[-(ptrdiff_t)i] != CANARY)
            report.before = i;
    if (!guard->touched)
        return report;
    for (size_t i = WALL_BYTES; i > 0 && report.beyond == 0; i--)
        if (guard->wall[i - 1] != CANARY)
            report.beyond = i;
    wall_close(guard);
    return report;
}
