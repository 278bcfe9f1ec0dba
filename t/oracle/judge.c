/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/judge.h"

#include "t/kit/tap.h"
#include "t/oracle/shrink.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

uint32_t judge_history(const struct history *history, char ret_difference[DIFFERENCE_MAX])
{
    struct apart *apart = apart_get();

    apart_run(apart, judge_play, history);
    memcpy(ret_difference, apart->difference, sizeof(apart->difference));
    if (apart->difference[0] == '\0')
        return history->count;
    return apart->count > 0 ? apart->count - 1 : 0;
}

static void play_all(struct apart *apart, const void *ctx)
{
    const struct judge *judge = ctx;
    time_t began = time(NULL), told = began;

    while (apart->steps < judge->steps && judge->play_random(apart, judge)) {
        apart->seed++;
        apart->histories++;
        if (time(NULL) - told >= 10) {
            told = time(NULL);
            fprintf(stderr, "%s: %" PRIu64 " of %" PRIu64 " steps, %lld s\n", judge->program,
                    apart->steps, judge->steps, (long long)(told - began));
        }
    }
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

bool judge_random(const struct judge *judge)
{
    struct apart *apart = apart_get();
    struct history history = {0};
    char difference[DIFFERENCE_MAX];

    apart->seed = judge->seed;
    apart->steps = apart->histories = apart->digests = 0;
    apart_run(apart, play_all, judge);
    tap_diag("%" PRIu64 " steps in %" PRIu64 " histories, seeds from %" PRIu64
             ", digest %016" PRIx64,
             apart->steps, apart->histories, judge->seed, apart->digests);
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

static bool read_history(const char *program, FILE *file, struct history *history)
{
    char line[4096];

    while (fgets(line, sizeof(line), file) != NULL) {
        struct step step;
        size_t skip = strspn(line, "# \t");

        if (line[skip] == '\n' || line[skip] == '\0')
            continue;
        if (!step_parse(line + skip, &step)) {
            fprintf(stderr, "%s: no step: %s", program, line);
            return false;
        }
        history_add(history, &step);
    }
    return true;
}

int judge_replay(const char *program, const char *path)
{
    struct history history = {0};
    char difference[DIFFERENCE_MAX];
    FILE *file = fopen(path, "r");
    uint32_t shown;
    bool good;

    if (file == NULL) {
        fprintf(stderr, "%s: %s cannot be read\n", program, path);
        return 2;
    }
    good = read_history(program, file, &history);
    fclose(file);
    if (!good) {
        history_finish(&history);
        return 2;
    }
    shown = judge_history(&history, difference);
    if (!ok(shown == history.count, "%s: engine and model agree after each step", path))
        tap_diag("step %u: %s", shown + 1, difference);
    history_finish(&history);
    return tap_done();
}
