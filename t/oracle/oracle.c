/* SPDX-License-Identifier: Apache-2.0 */

/* Plays random histories through the engine and through a model that is too simple to be wrong, and
 * compares them after each step. A history that shows a difference is cut down to what shows it. */
#include "t/kit/tap.h"
#include "t/oracle/argument.h"
#include "t/oracle/generate.h"
#include "t/oracle/judge.h"
#include "t/oracle/play.h"

#include <stdio.h>
#include <string.h>

static bool find_dialect(const char *name, enum dialect *ret)
{
    static const char *const names[] = {"volcano", "kueue", "both"};

    for (int n = 0; n < 3; n++) {
        *ret = (enum dialect)n;
        if (strcmp(name, names[n]) == 0)
            return true;
    }
    return false;
}

static bool play_random(struct apart *apart, const struct judge *judge)
{
    const enum dialect *dialect = judge->ctx;
    struct generator generator;
    struct play play;
    bool same = true;
    uint32_t length;

    apart_begin(apart);
    generator_init(&generator, apart->seed, *dialect);
    length = 200 + (uint32_t)random_below(&generator.random, APART_STEPS - 200);
    play_init(&play, apart->difference);
    while (same && apart->count < length && apart->steps < judge->steps) {
        struct step *step = &apart->history[apart->count];

        *step = generator_next(&generator, (int)apart->count, &play.model);
        apart->count++;
        apart->steps++;
        same = play_step(&play, step);
    }
    apart->digests += same ? engine_digest(play.engine, true) : 0;
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
    enum dialect dialect;
    struct judge judge = {"t-oracle", STEPS, 1, play_random, &dialect};
    const char *word = "both", *replay = NULL;
    const struct argument arguments[] = {{"--steps", .number = &judge.steps, .least = 1},
                                         {"--seed", .number = &judge.seed},
                                         {"--dialect", .text = &word},
                                         {"--replay", .text = &replay},
                                         {.name = NULL}};

    if (!argument_read(argc, argv, arguments) || !find_dialect(word, &dialect)) {
        fprintf(stderr, "usage: t-oracle [--steps N] [--seed S] [--dialect volcano|kueue|both] "
                        "[--replay FILE]\n");
        return 2;
    }
    if (replay != NULL)
        return judge_replay(judge.program, replay);
    ok(judge_random(&judge), "engine and model agree after each step");
    return tap_done();
}
