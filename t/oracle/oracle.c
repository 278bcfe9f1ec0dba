/* SPDX-License-Identifier: Apache-2.0 */

/* Plays random histories through the engine and through a model that is too simple to be wrong, and
 * compares them after each step. A history that shows a difference is cut down to what shows it. */
#include "t/kit/tap.h"
#include "t/oracle/apart.h"
#include "t/oracle/argument.h"
#include "t/oracle/compare.h"
#include "t/oracle/generate.h"
#include "t/oracle/play.h"
#include "t/oracle/shrink.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

static void tell(struct history *history, const char *difference)
{
    tap_diag("%s", difference);
    tap_diag("the history, for --replay:");
    for (uint32_t n = 0; n < history->count; n++) {
        printf("#   ");
        step_print(stdout, &history->steps[n]);
    }
}

static int replay(const char *path)
{
    struct history history = {0};
    char line[4096], difference[1024];
    FILE *file = fopen(path, "r");
    uint32_t shown;

    if (file == NULL) {
        fprintf(stderr, "t-oracle: %s cannot be read\n", path);
        return 2;
    }
    while (fgets(line, sizeof line, file) != NULL) {
        struct step step;
        size_t skip = strspn(line, "# \t");

        if (line[skip] == '\n' || line[skip] == '\0')
            continue;
        if (!step_parse(line + skip, &step)) {
            fprintf(stderr, "t-oracle: no step: %s", line);
            fclose(file);
            return 2;
        }
        history_add(&history, &step);
    }
    fclose(file);
    shown = play_history(&history, difference);
    if (!ok(shown == history.count, "%s: engine and model agree after each step", path))
        tap_diag("step %u: %s", shown + 1, difference);
    history_finish(&history);
    return tap_done();
}

static bool play_random(struct apart *apart, const struct options *options)
{
    struct generator generator;
    struct play play;
    bool same = true, begins = true;
    uint32_t length;

    apart_begin(apart);
    generator_init(&generator, apart->seed, options->dialect);
    length = 200 + (uint32_t)random_below(&generator.random, APART_STEPS - 200);
    play_init(&play);
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
    if (!play_finish(&play) && same)
        same = differ(&play, "the engine leaks %zu bytes", play.bytes);
    memcpy(apart->difference, play.difference, sizeof apart->difference);
    return same;
}

static void play_all(struct apart *apart, const void *ctx)
{
    const struct options *options = ctx;
    time_t began = time(NULL), told = began;

    while (apart->steps < options->steps && play_random(apart, options)) {
        apart->seed++;
        apart->histories++;
        if (time(NULL) - told >= 2) {
            told = time(NULL);
            fprintf(stderr, "t-oracle: %" PRIu64 " of %" PRIu64 " steps, %lld s\n", apart->steps,
                    options->steps, (long long)(told - began));
        }
    }
}

static bool agree(const struct options *options)
{
    struct apart *apart = apart_get();
    struct history history = {0};
    char difference[1024];

    apart->seed = options->seed;
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
enum { STEPS = 10000 };
#else
enum { STEPS = 100000 };
#endif

int main(int argc, char **argv)
{
    struct options options = {.steps = STEPS, .seed = 1, .dialect = DIALECT_BOTH};

    if (!read_options(argc, argv, &options)) {
        fprintf(stderr, "usage: t-oracle [--steps N] [--seed S] [--dialect volcano|kueue|both] "
                        "[--replay FILE]\n");
        return 2;
    }
    if (options.replay != NULL)
        return replay(options.replay);
    ok(agree(&options), "engine and model agree after each step");
    return tap_done();
}
