/* SPDX-License-Identifier: Apache-2.0 */

/* Plays random histories of workloads through the engine and through a model that is too simple to
 * be wrong, and compares them after each step. A history that shows a difference is cut down to
 * what shows it. */
#include "t/kit/tap.h"
#include "t/oracle/argument.h"
#include "t/oracle/judge.h"
#include "t/oracle/workload_generate.h"

/* Each call is first made with too little memory. */
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

static bool play_random(struct apart *apart, const struct judge *judge)
{
    const bool *trace = judge->ctx;
    static struct workload_play play;
    struct workload_generator generator;
    bool same = true;
    uint32_t length;

    apart_begin(apart);
    workload_generator_init(&generator, apart->seed);
    length = 100 + (uint32_t)random_below(&generator.random, APART_STEPS - 100);
    workload_play_init(&play, starve, apart->difference);
    while (same && apart->count < length && apart->steps < judge->steps) {
        struct step *step = &apart->history[apart->count];

        *step = workload_generator_next(&generator, (int)apart->count, &play);
        if (*trace)
            step_print(stdout, step);
        apart->count++;
        apart->steps++;
        same = workload_play_step(&play, step);
    }
    apart->digests += same ? engine_digest(play.engine, true) : 0;
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
    bool trace = false;
    struct judge judge = {"t-workload-oracle", STEPS, 1, play_random, &trace};
    const char *replay = NULL;
    const struct argument arguments[] = {{"--steps", .number = &judge.steps, .least = 1},
                                         {"--seed", .number = &judge.seed},
                                         {"--starve", .is_said = &starve},
                                         {"--trace", .is_said = &trace},
                                         {"--replay", .text = &replay},
                                         {.name = NULL}};

    if (!argument_read(argc, argv, arguments)) {
        fprintf(stderr, "usage: t-workload-oracle [--steps N] [--seed S] "
                        "[--starve] [--trace] [--replay FILE]\n");
        return 2;
    }
    if (replay != NULL)
        return judge_replay(judge.program, replay);
    if (!starve) {
        ok(judge_random(&judge), "engine and model agree after each step");
        judge.steps /= STARVED;
    }
    starve = true;
    ok(judge_random(&judge), "and where each call is first made with too little memory");
    return tap_done();
}
