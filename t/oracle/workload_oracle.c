/* SPDX-License-Identifier: Apache-2.0 */

/* Plays random histories of workloads through the engine and through a model that is too simple to
 * be wrong, and compares them after each step. A history that shows a difference is cut down to
 * what shows it. */
#include "t/kit/tap.h"
#include "t/oracle/apart.h"
#include "t/oracle/argument.h"
#include "t/oracle/play.h"
#include "t/oracle/shrink.h"
#include "t/oracle/workload_generate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

static void play_apart(struct apart *apart, const void *ctx)
{
    const struct history *history = ctx;
    static struct workload_play play;
    bool same = true;

    apart_begin(apart);
    workload_play_init(&play, starve);
    while (same && apart->count < history->count)
        same = workload_play_step(&play, &history->steps[apart->count++]);
    memcpy(apart->difference, play.difference, sizeof(apart->difference));
    if (!workload_play_finish(&play) && same)
        snprintf(apart->difference, sizeof(apart->difference), "the engine leaks");
}

/* For shrink. */
uint32_t play_history(const struct history *history, char ret_difference[1024])
{
    struct apart *apart = apart_get();

    apart_run(apart, play_apart, history);
    memcpy(ret_difference, apart->difference, sizeof(apart->difference));
    if (apart->difference[0] == '\0')
        return history->count;
    return apart->count > 0 ? apart->count - 1 : 0;
}

static void tell(const struct history *history, const char *difference)
{
    tap_diag("%s", difference);
    tap_diag("the history, for --replay:");
    for (uint32_t n = 0; n < history->count; n++) {
        printf("#   ");
        step_print(stdout, &history->steps[n]);
    }
}

static int replay(const struct options *options)
{
    struct history history = {0};
    char line[4096], difference[1024];
    FILE *file = fopen(options->replay, "r");
    uint32_t shown;

    if (file == NULL) {
        fprintf(stderr, "t-workload-oracle: %s cannot be read\n", options->replay);
        return 2;
    }
    while (fgets(line, sizeof(line), file) != NULL) {
        struct step step;
        size_t skip = strspn(line, "# \t");

        if (line[skip] == '\n' || line[skip] == '\0')
            continue;
        if (!step_parse(line + skip, &step)) {
            fprintf(stderr, "t-workload-oracle: no step: %s", line);
            fclose(file);
            return 2;
        }
        history_add(&history, &step);
    }
    fclose(file);
    shown = play_history(&history, difference);
    if (!ok(shown == history.count, "%s: engine and model agree after each step", options->replay))
        tap_diag("step %u: %s", shown + 1, difference);
    history_finish(&history);
    return tap_done();
}

static bool play_random(struct apart *apart, const struct options *options)
{
    static struct workload_play play;
    struct workload_generator generator;
    bool same = true, begins = true;
    uint32_t length;

    apart_begin(apart);
    workload_generator_init(&generator, apart->seed);
    length = 100 + (uint32_t)random_below(&generator.random, APART_STEPS - 100);
    workload_play_init(&play, starve);
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
    memcpy(apart->difference, play.difference, sizeof(apart->difference));
    if (!workload_play_finish(&play) && same) {
        snprintf(apart->difference, sizeof(apart->difference), "the engine leaks");
        same = false;
    }
    return same;
}

static void play_all(struct apart *apart, const void *ctx)
{
    const struct options *options = ctx;
    time_t began = time(NULL), told = began;

    while (apart->steps < options->steps && play_random(apart, options)) {
        apart->seed++;
        apart->histories++;
        if (time(NULL) - told >= 10) {
            told = time(NULL);
            fprintf(stderr, "t-workload-oracle: %" PRIu64 " of %" PRIu64 " steps, %lld s\n",
                    apart->steps, options->steps, (long long)(told - began));
        }
    }
}

static bool agree(const struct options *options)
{
    struct apart *apart = apart_get();
    struct history history = {0};
    char difference[1024];

    apart->seed = options->seed;
    apart->steps = apart->histories = apart->digests = 0;
    apart_run(apart, play_all, options);
    tap_diag("%" PRIu64 " steps in %" PRIu64 " histories, seeds from %" PRIu64
             ", digest %016" PRIx64,
             apart->steps, apart->histories, options->seed, apart->digests);
    if (apart->difference[0] == '\0')
        return true;
    tap_diag("seed %" PRIu64 ", step %u: %s", apart->seed, apart->count, apart->difference);
    for (uint32_t n = 0; n < apart->count; n++)
        history_add(&history, &apart->history[n]);
    shrink(&history, difference);
    if (difference[0] == '\0')
        tap_diag("it does not show again");
    tell(&history, difference);
    history_finish(&history);
    return false;
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

    if (!read_options(argc, argv, &options)) {
        fprintf(stderr, "usage: t-workload-oracle [--steps N] [--seed S] "
                        "[--starve] [--trace] [--replay FILE]\n");
        return 2;
    }
    starve = options.starve;
    if (options.replay != NULL)
        return replay(&options);
    if (!options.starve)
        ok(agree(&options), "engine and model agree after each step");
    if (!options.starve)
        options.steps /= STARVED;
    options.starve = starve = true;
    ok(agree(&options), "and where each call is first made with too little memory");
    return tap_done();
}
