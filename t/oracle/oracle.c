/* SPDX-License-Identifier: Apache-2.0 */

/* Plays random histories through the engine and through a model that is too simple to be wrong, and
 * compares them after each step. A history that shows a difference is cut down to what shows it. */
#include "t/kit/tap.h"
#include "t/oracle/argument.h"
#include "t/oracle/generate.h"
#include "t/oracle/judge.h"
#include "t/oracle/play.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
    uint64_t steps, seed;
    enum dialect dialect;
    const char *replay;
};

static bool read_options(int argc, char **argv, struct options *options)
{
    static const char *const dialects[] = {"volcano", "kueue", "both"};

    for (int n = 1; n + 1 < argc; n += 2) {
        bool good = true;

        if (strcmp(argv[n], "--steps") == 0)
            good = argument_number(argv[n + 1], 1, &options->steps);
        else if (strcmp(argv[n], "--seed") == 0)
            good = argument_number(argv[n + 1], 0, &options->seed);
        else if (strcmp(argv[n], "--replay") == 0)
            options->replay = argv[n + 1];
        else if (strcmp(argv[n], "--dialect") == 0) {
            int dialect = 0;

            while (dialect < 3 && strcmp(argv[n + 1], dialects[dialect]) != 0)
                dialect++;
            if (dialect == 3)
                return false;
            options->dialect = (enum dialect)dialect;
        } else {
            return false;
        }
        if (!good)
            return false;
    }
    return argc % 2 == 1;
}

static bool play_random(struct apart *apart, const void *ctx)
{
    const struct options *options = ctx;
    struct generator generator;
    struct play play;
    bool same = true, begins = true;
    uint32_t length;

    apart_begin(apart);
    generator_init(&generator, apart->seed, options->dialect);
    length = 200 + (uint32_t)random_below(&generator.random, APART_STEPS - 200);
    play_init(&play, apart->difference);
    while (same && apart->count < length && apart->steps < options->steps) {
        struct step *step = &apart->history[apart->count];

        begins = begins && generator_begin(&generator, (int)apart->count, step);
        if (!begins)
            *step = generator_next(&generator, &play.model);
        apart->count++;
        apart->steps++;
        same = play_step(&play, step);
    }
    apart->digests += engine_digest(play.engine, true);
    return play_finish(&play) && same;
}

/* Where the engine checks itself after each call as well, a step costs ten times as much. */
#ifdef SLUICE_CHECK
enum { STEPS = 10000 };
#else
enum { STEPS = 100000 };
#endif

int main(int argc, char **argv)
{
    struct options options = {.steps = STEPS, .seed = 1, .dialect = DIALECT_BOTH};
    struct judge judge = {"t-oracle", 0, 0, play_random, &options};

    if (!read_options(argc, argv, &options)) {
        fprintf(stderr, "usage: t-oracle [--steps N] [--seed S] [--dialect volcano|kueue|both] "
                        "[--replay FILE]\n");
        return 2;
    }
    judge.steps = options.steps;
    judge.seed = options.seed;
    if (options.replay != NULL)
        return judge_replay(judge.program, options.replay);
    ok(judge_random(&judge), "engine and model agree after each step");
    return tap_done();
}
