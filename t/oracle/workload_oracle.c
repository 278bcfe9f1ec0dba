/* SPDX-License-Identifier: Apache-2.0 */

/* Plays random histories of workloads through the engine and through a model that is too simple to
 * be wrong, and compares them after each step. A history that shows a difference is cut down to
 * what shows it. */
#include "t/kit/tap.h"
#include "t/oracle/argument.h"
#include "t/oracle/judge.h"
#include "t/oracle/play.h"
#include "t/oracle/workload_generate.h"

#include <stdlib.h>
#include <string.h>

struct options {
    uint64_t steps, seed;
    bool trace, starve;
    const char *replay;
};

static bool read_options(int argc, char **argv, struct options *options)
{
    for (int n = 1; n < argc; n++) {
        bool good = true;

        if (strcmp(argv[n], "--trace") == 0) {
            options->trace = true;
            continue;
        }
        if (strcmp(argv[n], "--starve") == 0) {
            options->starve = true;
            continue;
        }
        if (n + 1 == argc)
            return false;
        if (strcmp(argv[n], "--steps") == 0)
            good = argument_number(argv[n + 1], 1, &options->steps);
        else if (strcmp(argv[n], "--seed") == 0)
            good = argument_number(argv[n + 1], 0, &options->seed);
        else if (strcmp(argv[n], "--replay") == 0)
            options->replay = argv[n + 1];
        else
            return false;
        if (!good)
            return false;
        n++;
    }
    return true;
}

/* What a history that is played again is to be starved of. */
static bool starve;

void judge_play(struct apart *apart, const void *ctx)
{
    const struct history *history = ctx;
    static struct workload_play play;
    bool same = true;

    apart_begin(apart);
    workload_play_init(&play, starve, apart->difference);
    while (same && apart->count < history->count)
        same = workload_play_step(&play, &history->steps[apart->count++]);
    workload_play_finish(&play);
}

static bool play_random(struct apart *apart, const void *ctx)
{
    const struct options *options = ctx;
    static struct workload_play play;
    struct workload_generator generator;
    bool same = true, begins = true;
    uint32_t length;

    apart_begin(apart);
    workload_generator_init(&generator, apart->seed);
    length = 100 + (uint32_t)random_below(&generator.random, APART_STEPS - 100);
    workload_play_init(&play, starve, apart->difference);
    while (same && apart->count < length && apart->steps < options->steps) {
        struct step *step = &apart->history[apart->count];

        begins = begins && workload_generator_begin(&generator, (int)apart->count, step);
        if (!begins)
            *step = workload_generator_next(&generator, &play);
        if (options->trace)
            step_print(stdout, step);
        apart->count++;
        apart->steps++;
        same = workload_play_step(&play, step);
    }
    apart->digests += engine_digest(play.engine, true);
    return workload_play_finish(&play) && same;
}

/* Where the engine checks itself after each call as well, a step costs ten times as much. */
#ifdef SLUICE_CHECK
enum { STEPS = 3000, STARVED = 20 };
#else
enum { STEPS = 30000, STARVED = 20 };
#endif

int main(int argc, char **argv)
{
    struct options options = {.steps = STEPS, .seed = 1};
    struct judge judge = {"t-workload-oracle", 0, 0, play_random, &options};

    if (!read_options(argc, argv, &options)) {
        fprintf(stderr, "usage: t-workload-oracle [--steps N] [--seed S] "
                        "[--starve] [--trace] [--replay FILE]\n");
        return 2;
    }
    starve = options.starve;
    if (options.replay != NULL)
        return judge_replay(judge.program, options.replay);
    judge.steps = options.steps;
    judge.seed = options.seed;
    if (!options.starve) {
        ok(judge_random(&judge), "engine and model agree after each step");
        options.steps /= STARVED;
        judge.steps = options.steps;
    }
    starve = true;
    ok(judge_random(&judge), "and where each call is first made with too little memory");
    return tap_done();
}
