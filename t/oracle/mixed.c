/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Pods, a group of Kubernetes' own and workloads in the same queues, in random histories: objects
 * come, change and go, quotas and policies are edited, writes end in every way, the lead is lost,
 * the engine begins anew. After each step a naive look counts everything anew, and sees that nobody
 * waits who fits or would find victims of any kind, and that whoever is promised room will have it.
 * Now and then the host does all that there is to do, and makes evicted pods again: that ends.
 */
#include "t/oracle/mixed.h"

#include "t/kit/tap.h"
#include "t/oracle/argument.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct mixed mixed; /* large */
static uint64_t seed_now;

static void tell_hang(int signal)
{
    (void)signal;
    printf("# seed %" PRIu64 ": it hangs\nnot ok - it hangs\n", seed_now);
    fflush(stdout);
    _exit(1);
}

static bool play_history(uint64_t seed, bool trace, uint64_t *ret_steps)
{
    memset(&mixed, 0, sizeof(mixed));
    mixed.random.state = seed_now = seed;
    mixed.trace = trace;
    alarm(60);
    mixed_open(&mixed);
    for (int n = 0; n < MIXED_STEPS && mixed.broken[0] == '\0'; n++) {
        mixed_step(&mixed);
        ++*ret_steps;
        if (random_one_in(&mixed.random, 100) && mixed.broken[0] == '\0')
            mixed_calm_down(&mixed);
    }
    mixed_close(&mixed);
    alarm(0);
    if (mixed.broken[0] != '\0')
        tap_diag("seed %" PRIu64 ": %s", seed, mixed.broken);
    return mixed.broken[0] == '\0';
}

#ifdef SLUICE_CHECK
enum { HISTORIES = 20 };
#else
enum { HISTORIES = 200 };
#endif

int main(int argc, char **argv)
{
    uint64_t seed = 1, count = HISTORIES, steps = 0;
    time_t began = time(NULL), told = began;
    bool trace = false, good = true;
    const struct argument arguments[] = {{"--seed", .number = &seed},
                                         {"--histories", .number = &count, .least = 1},
                                         {"--trace", .is_said = &trace},
                                         {.name = NULL}};

    if (!argument_read(argc, argv, arguments))
        return fputs("usage: t-mixed-oracle [--seed N] [--histories N] [--trace]\n", stderr), 2;
    signal(SIGALRM, tell_hang);
    for (uint64_t n = 0; n < count && good; n++) {
        good = play_history(seed + n, trace, &steps);
        if (time(NULL) - told >= 10) {
            told = time(NULL);
            fprintf(stderr, "t-mixed-oracle: %" PRIu64 " of %" PRIu64 " histories, %lld s\n", n,
                    count, (long long)(told - began));
        }
    }
    tap_diag("%" PRIu64 " steps in %" PRIu64 " histories, seeds from %" PRIu64, steps, count, seed);
    ok(good, "nobody waits who fits or finds victims, and evictions come to an end");
    return tap_done();
}
