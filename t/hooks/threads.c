/* SPDX-License-Identifier: Apache-2.0 */

/* Many threads: on one handle, on their own, while it is closed, and through a fork. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <sched.h>
#include <unistd.h>

#include "t/kit/ask.h"
#include "t/kit/tap.h"

enum { THREADS = 6, PODS = 150, STORMS = 120 };

static _Atomic uint64_t shared;
static atomic_int wrong, answered, refused;

static bool is_answer(const char *said)
{
    return said[0] == '{';
}

static void submit(uint64_t handle, int thread, int n)
{
    char request[512];
    char pod[400];

    snprintf(pod, sizeof(pod),
             "{uid: u%d-%d, namespace: d, name: p%d-%d, created: %d, gates: "
             "[scheduling.volcano.sh/queue-allocation-gate], annotations: "
             "{scheduling.volcano.sh/queue-allocation-gate: 'true'}, requests: {cpu: 1}}",
             thread, n, thread, n, n);
    snprintf(request, sizeof(request), "{now: %d, pod: %s}", n, pod);
    const char *said = ask(handle, HOOK_PRE_ENQUEUE, request);
    if (is_answer(said))
        answered++;
    else if (strcmp(said, "NO_HANDLE 0") == 0)
        refused++;
    else
        wrong++;
    snprintf(request, sizeof(request), "{now: %d, kind: pod, object: %s}", n, pod);
    ask(handle, HOOK_OBSERVE, request);
    if (n % 16 == 0)
        ask(handle, HOOK_INSPECT, "{now: 1, what: queues}");
    ask(handle, HOOK_DRAIN, "{now: 1, max: 4}");
}

static void *submit_all(void *arg)
{
    for (int n = 0; n < PODS; n++)
        submit(atomic_load(&shared), (int)(intptr_t)arg, n);
    return NULL;
}

static void *submit_until_closed(void *arg)
{
    for (int n = 0; refused == 0; n++)
        submit(atomic_load(&shared), (int)(intptr_t)arg, n % PODS);
    submit(atomic_load(&shared), (int)(intptr_t)arg, 0);
    return NULL;
}

static void begin(uint64_t handle)
{
    ask(handle, HOOK_OBSERVE, "{now: 1, kind: synced}");
    ask(handle, HOOK_OBSERVE, "{now: 1, kind: leader}");
}

static void run(pthread_t *threads, void *(*work)(void *))
{
    for (intptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
}

static void join(const pthread_t *threads)
{
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static void test_one_handle(void)
{
    pthread_t threads[THREADS];
    uint64_t handle = ask_open("{record: 100000}");

    atomic_store(&shared, handle);
    begin(handle);
    run(threads, submit_all);
    join(threads);
    is_int(answered, THREADS * PODS, "every call of %d threads was answered", THREADS);
    is_int(refused + wrong, 0, "and none otherwise");
    is_str(ask_own(handle, HOOK_INSPECT, "{now: 1, what: check}"),
           "{\"ok\"=>true, \"broken\"=>\"\"}", "every invariant holds");
    char used[64];
    snprintf(used, sizeof(used), "\"pods\"=>%d, \"queues\"=>2", THREADS * PODS);
    ok(strstr(ask(handle, HOOK_INSPECT, "{now: 1, what: limits}"), used), "every pod is there");
    sluice_close(handle);
}

static void test_close_under_load(void)
{
    pthread_t threads[THREADS];
    uint64_t handle = ask_open("{}");

    answered = refused = wrong = 0;
    atomic_store(&shared, handle);
    begin(handle);
    run(threads, submit_until_closed);
    while (answered < THREADS * PODS / 8)
        sched_yield();
    is_int(sluice_close(handle), 0, "closes under workload");
    join(threads);
    is_int(wrong, 0, "calls are answered, or their handle is gone");
    ok(refused >= THREADS, "later ones find no handle (%d, %d were answered)", (int)refused,
       (int)answered);
}

static void *storm(void *arg)
{
    for (int n = 0; n < STORMS; n++) {
        uint64_t handle = ask_open("{record: 500}");
        uint64_t other = atomic_exchange(&shared, handle);

        if (handle == 0)
            wrong++;
        submit(handle, (int)(intptr_t)arg, n);
        if (other != 0 && sluice_close(other) != 0)
            wrong++;
    }
    return NULL;
}

static void test_storm(void)
{
    pthread_t threads[THREADS];

    answered = refused = wrong = 0;
    atomic_store(&shared, 0);
    run(threads, storm);
    join(threads);
    is_int(wrong, 0, "handles open and close in all threads at once, each is closed once");
    is_int(sluice_close(atomic_load(&shared)), 0, "the last one is left");
    is_int(answered + refused, THREADS * STORMS, "and every call had its answer");
}

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

#ifdef SANITIZED
static void test_fork_under_load(void)
{
    /* The one ends such children; in the other's allocator they wait for a thread that they have
     * not. */
    tap_skip(1, "sanitizers do not let the children of a program with threads run on");
}
#else
static atomic_bool stop;

static void *submit_on(void *arg)
{
    for (int n = 0; !stop; n = (n + 1) % PODS)
        submit(atomic_load(&shared), (int)(intptr_t)arg, n);
    return NULL;
}

static int child(uint64_t handle)
{
    alarm(20);
    if (strcmp(ask(handle, HOOK_TICK, "{now: 1}"), "NO_HANDLE 0") != 0)
        return 1;
    uint64_t own = ask_open("{}");
    if (own == 0 || !is_answer(ask(own, HOOK_TICK, "{now: 1}")))
        return 2;
    return sluice_close(own) == 0 ? 0 : 3;
}

static void test_fork_under_load(void)
{
    pthread_t threads[THREADS];
    uint64_t handle = ask_open("{}");
    int status = 0;

    atomic_store(&shared, handle);
    begin(handle);
    stop = false;
    run(threads, submit_on);
    for (int i = 0; i < 20 && status == 0; i++) {
        pid_t pid = fork();

        if (pid == 0)
            _exit(child(handle));
        if (waitpid(pid, &status, 0) != pid)
            status = -1;
    }
    stop = true;
    join(threads);
    is_int(status, 0, "children of a fork under workload find no handle, and open their own");
    sluice_close(handle);
}
#endif

int main(void)
{
    test_one_handle();
    test_close_under_load();
    test_storm();
    test_fork_under_load();
    return tap_done();
}
