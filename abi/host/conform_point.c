/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "abi/host/conform_point.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    TEXT_BYTES = 512,
    LOOK_MS = 50, /* how often the main process looks at the steps */
};

/* libgcov's, where coverage is measured: _exit would lose what a worker reached, also in the
 * library. */
extern void __gcov_dump(void) __attribute__((weak));

/* Written by the worker, read by the main process while it runs and after its death. */
struct shared {
    uint64_t steps;
    bool in_point;
    char name[TEXT_BYTES];
    char doing[TEXT_BYTES];
};

struct points {
    struct shared *shared;
    int out;
    bool wrong;
    char what[TEXT_BYTES];
    pthread_mutex_t lock;
};

/* What the main process knows of a worker. */
struct worker {
    pid_t pid;
    int in;
    struct shared *shared;
    char line[3 * TEXT_BYTES];
    size_t length;
    bool failed;
};

static void step(struct shared *shared)
{
    __atomic_add_fetch(&shared->steps, 1, __ATOMIC_RELEASE);
}

void point_begin(struct points *points, const char *name, ...)
{
    va_list args;

    va_start(args, name);
    vsnprintf(points->shared->name, TEXT_BYTES, name, args);
    va_end(args);
    points->wrong = false;
    points->shared->doing[0] = '\0';
    points->shared->in_point = true;
    step(points->shared);
}

void point_wrong(struct points *points, const char *what, ...)
{
    va_list args;

    pthread_mutex_lock(&points->lock);
    if (!points->wrong) {
        points->wrong = true;
        va_start(args, what);
        vsnprintf(points->what, sizeof(points->what), what, args);
        va_end(args);
        for (char *at = points->what; *at; at++)
            if (*at == '\n')
                *at = ' ';
    }
    pthread_mutex_unlock(&points->lock);
}

bool point_end(struct points *points)
{
    bool wrong = points->wrong;

    if (wrong)
        dprintf(points->out, "not ok %s: %s\n", points->shared->name, points->what);
    else
        dprintf(points->out, "ok %s\n", points->shared->name);
    points->shared->in_point = false;
    step(points->shared);
    return !wrong;
}

void point_skip(struct points *points, const char *why, ...)
{
    char text[TEXT_BYTES];
    va_list args;

    va_start(args, why);
    vsnprintf(text, sizeof(text), why, args);
    va_end(args);
    dprintf(points->out, "ok %s # SKIP %s\n", points->shared->name, text);
    points->shared->in_point = false;
    step(points->shared);
}

void points_doing(struct points *points, const char *what, ...)
{
    va_list args;

    pthread_mutex_lock(&points->lock);
    va_start(args, what);
    vsnprintf(points->shared->doing, TEXT_BYTES, what, args);
    va_end(args);
    step(points->shared);
    pthread_mutex_unlock(&points->lock);
}

void points_note(struct points *points, const char *text, ...)
{
    char line[TEXT_BYTES];
    va_list args;

    va_start(args, text);
    vsnprintf(line, sizeof(line), text, args);
    va_end(args);
    dprintf(points->out, "# %s\n", line);
}

static void print_line(struct tally *tally, struct worker *worker, const char *line)
{
    bool failed = strncmp(line, "not ok ", 7) == 0;

    if (line[0] == '#') {
        printf("%s\n", line);
    } else {
        tally->run++;
        tally->failed += failed;
        worker->failed |= failed;
        printf("%s %d - %s\n", failed ? "not ok" : "ok", tally->run, line + (failed ? 7 : 3));
    }
    fflush(stdout);
}

/* Prints the lines that have come; false at the end of the worker's output. */
static bool worker_read(struct worker *worker, struct tally *tally)
{
    size_t room = sizeof(worker->line) - 1 - worker->length;
    ssize_t n = read(worker->in, worker->line + worker->length, room);

    if (n <= 0)
        return false;
    worker->length += (size_t)n;
    worker->line[worker->length] = '\0';

    char *line = worker->line;
    for (char *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        print_line(tally, worker, line);
    }
    worker->length -= (size_t)(line - worker->line);
    memmove(worker->line, line, worker->length);
    return true;
}

static double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Until the worker's output ends; false: it was ended because it made no step. */
static bool worker_watch(struct worker *worker, struct tally *tally)
{
    struct pollfd ready = {.fd = worker->in, .events = POLLIN};
    double last = seconds_now();
    uint64_t steps = 0;

    for (;;) {
        uint64_t now = __atomic_load_n(&worker->shared->steps, __ATOMIC_ACQUIRE);

        if (now != steps) {
            steps = now;
            last = seconds_now();
        } else if (seconds_now() - last > tally->seconds) {
            kill(-worker->pid, SIGKILL);
            return false;
        }
        if (poll(&ready, 1, LOOK_MS) > 0 && !worker_read(worker, tally))
            return true;
    }
}

/* A failed point for a worker that did not come to its end. */
static void worker_died(struct worker *worker, struct tally *tally, const char *title,
                        const char *how)
{
    const struct shared *shared = worker->shared;
    char line[2 * TEXT_BYTES + 128];

    snprintf(line, sizeof(line), "not ok %s: %s %s", shared->in_point ? shared->name : title,
             shared->doing[0] ? shared->doing : "the library", how);
    print_line(tally, worker, line);
}

static void worker_run(struct shared *shared, int out,
                       void (*check)(struct points *points, void *arg), void *arg)
{
    struct points points = {.shared = shared, .out = out};

    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    pthread_mutex_init(&points.lock, NULL);
    check(&points, arg);
    if (__gcov_dump != NULL)
        exit(0);
    _exit(0);
}

bool points_run(struct tally *tally, const char *title,
                void (*check)(struct points *points, void *arg), void *arg)
{
    struct worker worker = {0};
    char how[96];
    int ends[2];
    int status = 0;
    bool in_time;

    if (tally->hung >= HUNG_MOST)
        return false;
    worker.shared = mmap(NULL, sizeof(*worker.shared), PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (worker.shared == MAP_FAILED || pipe(ends) != 0) {
        perror("sluice-conform");
        exit(2);
    }
    fflush(stdout);
    worker.pid = fork();
    if (worker.pid == 0) {
        close(ends[0]);
        worker_run(worker.shared, ends[1], check, arg);
    }
    close(ends[1]);
    if (worker.pid < 0) {
        perror("sluice-conform: fork");
        exit(2);
    }
    setpgid(worker.pid, worker.pid);
    worker.in = ends[0];

    in_time = worker_watch(&worker, tally);
    waitpid(worker.pid, &status, 0);
    if (!in_time) {
        snprintf(how, sizeof(how), "hangs: no answer within %d s", tally->seconds);
        worker_died(&worker, tally, title, how);
        if (++tally->hung == HUNG_MOST)
            printf("# given up: %d calls did not return, the rest is not looked at\n", HUNG_MOST);
    } else if (WIFSIGNALED(status)) {
        snprintf(how, sizeof(how), "crashed: %.64s", strsignal(WTERMSIG(status)));
        worker_died(&worker, tally, title, how);
    } else if (WEXITSTATUS(status) != 0) {
        snprintf(how, sizeof(how), "ended the process with status %d", WEXITSTATUS(status));
        worker_died(&worker, tally, title, how);
    } else if (worker.shared->in_point) {
        worker_died(&worker, tally, title, "ended the process");
    }
    close(worker.in);
    munmap(worker.shared, sizeof(*worker.shared));
    return !worker.failed;
}
