/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "t/player/beside.h"
#include "t/player/play.h"
#include "t/player/shrink.h"
#include "t/player/story.h"

static const char usage[] =
    "t-player [OPTION...] [STORY...]\n"
    "\n"
    "A random host plays whole histories at the library, and looks at what PROTOCOL.md promises\n"
    "after each call. What goes wrong is cut down to a few messages and printed. Stories that "
    "were\n"
    "kept are played first.\n"
    "\n"
    "  --profile NAME  pods, groups, workloads, fleet or all (each of them)\n"
    "  --calls N       so many calls in each profile (100000)\n"
    "  --seed N        the first history's seed (one that the clock gives)\n"
    "  --kinds N       goes on until so many different things went wrong (1)\n"
    "  --overlook TEXT goes on where what is wrong has this text in it; may be said again\n"
    "  --keep DIR      writes each as a file there\n"
    "  --seconds N     or as many calls as these seconds allow, for each profile\n"
    "  --beside LIB    another library, which must answer the same\n"
    "  --listed FILE   but for the differences in this list (t/answers/known.h)\n"
    "  --bytes FILE    plays what the fuzzer decided in this file, and no other\n"
    "  --replay        plays the stories, and no others\n";

struct options {
    int profile; /* PROFILES: each of them */
    uint64_t calls, seed;
    unsigned kinds;
    uint64_t seconds; /* 0: as long as it takes */
    const char *keep, *bytes;
    const char *beside, *listed; /* another library, and what may differ there */
    bool replay;
};

enum { KINDS_MAX = 256, TOLD_MESSAGES = 40, MOST_BYTES = 1 << 16 };

/* What a worker plays: histories from the stage's seed on, until there were enough calls, or it is
 * time; or the one that a fuzzer's bytes decide. */
struct run {
    enum profile profile;
    uint64_t calls;
    time_t until;
    const uint8_t *bytes;
    size_t len;
};

static bool run_is_over(const struct run *run, const struct stage *stage)
{
    return stage->calls >= run->calls || time(NULL) >= run->until;
}

static void play_one(struct stage *stage, enum profile profile, struct draws *draws)
{
    static struct witness witness;

    stage_begin(stage, STAGE_SECONDS);
    play_history(profile, draws, &witness, &stage->history);
    stage->calls += witness.calls;
    stage->errors += witness.errors;
    stage->histories++;
    memcpy(stage->wrong, witness.wrong, sizeof witness.wrong);
}

static void play_many(struct stage *stage, const void *ctx)
{
    const struct run *run = ctx;
    struct draws draws;

    while (!run_is_over(run, stage)) {
        draws_from_seed(&draws, stage->seed * PROFILES + (unsigned)run->profile);
        play_one(stage, run->profile, &draws);
        if (stage->wrong[0] != '\0')
            return;
        stage->seed++;
    }
}

static void play_bytes(struct stage *stage, const void *ctx)
{
    const struct run *run = ctx;
    struct draws draws;

    draws_from_bytes(&draws, run->bytes, run->len);
    play_one(stage, (enum profile)draw(&draws, PROFILES), &draws);
}

/* Each line as a comment, as TAP wants it. */
static void print_story(const struct history *history, const char *wrong)
{
    char *text = NULL, *line, *rest;
    size_t len = 0;
    FILE *file = open_memstream(&text, &len);

    if (file == NULL || !story_write(file, history, wrong) || fclose(file) != 0)
        return;
    for (rest = text; (line = strsep(&rest, "\n")) != NULL;)
        if (line[0] != '\0')
            printf("# %s\n", line);
    free(text);
}

static void write_story(const struct options *options, const struct history *history,
                        enum profile profile, unsigned kind, const char *wrong)
{
    char name[512];
    FILE *file;

    if (history->count <= TOLD_MESSAGES)
        print_story(history, wrong);
    if (options->keep == NULL)
        return;
    snprintf(name, sizeof name, "%s/%s-%u.story", options->keep, profile_names[profile], kind);
    file = fopen(name, "w");
    if (file == NULL || !story_write(file, history, wrong) || fclose(file) != 0)
        fprintf(stderr, "t-player: %s cannot be written\n", name);
}

/* What went wrong so far, a text for each kind of it, and how often. */
struct findings {
    unsigned count;
    struct {
        char wrong[1024];
        unsigned times;
    } kinds[KINDS_MAX];
};

static bool is_new(struct findings *findings, const char *wrong)
{
    for (unsigned i = 0; i < findings->count; i++)
        if (shrink_alike(findings->kinds[i].wrong, wrong)) {
            findings->kinds[i].times++;
            return false;
        }
    if (findings->count == KINDS_MAX)
        return false;
    snprintf(findings->kinds[findings->count].wrong, 1024, "%s", wrong);
    findings->kinds[findings->count++].times = 1;
    return true;
}

static void tell(const struct options *options, struct stage *stage, enum profile profile,
                 const struct findings *findings)
{
    struct history *history = malloc(sizeof *history);
    uint64_t calls = stage->calls, histories = stage->histories, errors = stage->errors;
    char wrong[1024];

    assert(history != NULL);
    memcpy(history, &stage->history, sizeof *history);
    memcpy(wrong, stage->wrong, sizeof wrong);
    printf("# %s, seed %llu, after %u messages: %s\n", profile_names[profile],
           (unsigned long long)stage->seed, history->count, wrong);
    if (!shrink_history(stage, history, wrong))
        printf("# played again it says: %s\n", stage->wrong);
    write_story(options, history, profile, findings->count, wrong);
    stage->calls = calls;
    stage->histories = histories;
    stage->errors = errors;
    free(history);
    fflush(stdout);
}

/* One profile is one point. */
static bool play_profile(const struct options *options, struct stage *stage, enum profile profile,
                         int point)
{
    static struct findings findings;
    struct run run = {.profile = profile, .calls = options->calls};

    memset(&findings, 0, sizeof findings);
    beside_name(profile_names[profile]);
    stage->seed = options->seed;
    stage->calls = stage->histories = stage->errors = 0;
    run.until = options->seconds == 0 ? INT64_MAX : time(NULL) + (time_t)options->seconds;
    while (!run_is_over(&run, stage)) {
        stage->wrong[0] = '\0';
        stage_run(stage, play_many, &run);
        if (stage->wrong[0] == '\0')
            continue;
        stage->calls += stage->history.count; /* of a history that did not end */
        if (is_new(&findings, stage->wrong))
            tell(options, stage, profile, &findings);
        if (findings.count >= options->kinds)
            break;
        stage->seed++;
    }
    for (unsigned i = 0; i < findings.count; i++)
        printf("# %u times: %s\n", findings.kinds[i].times, findings.kinds[i].wrong);
    printf("%s %d - %s: %llu calls in %llu histories, %llu of them refused, seed %llu\n",
           findings.count == 0 ? "ok" : "not ok", point, profile_names[profile],
           (unsigned long long)stage->calls, (unsigned long long)stage->histories,
           (unsigned long long)stage->errors, (unsigned long long)options->seed);
    fflush(stdout);
    return findings.count == 0;
}

static bool replay_file(struct stage *stage, const char *path, int point)
{
    struct history *history = malloc(sizeof *history);
    FILE *file = fopen(path, "r");
    char why[400] = "it cannot be opened";
    bool good = file != NULL && history != NULL && story_read(file, history, why, sizeof why);

    if (good) {
        stage->wrong[0] = '\0';
        stage_replay(stage, history);
        snprintf(why, sizeof why, "%.380s", stage->wrong);
        good = stage->wrong[0] == '\0';
    }
    printf("%s %d - %s%s%s\n", good ? "ok" : "not ok", point, path, good ? "" : ": ",
           good ? "" : why);
    if (file != NULL)
        fclose(file);
    free(history);
    return good;
}

static bool play_file_of_bytes(const struct options *options, struct stage *stage)
{
    static uint8_t bytes[MOST_BYTES];
    static struct findings findings;
    FILE *file = fopen(options->bytes, "rb");
    struct run run = {.bytes = bytes};

    if (file == NULL) {
        printf("not ok 1 - %s cannot be opened\n", options->bytes);
        return false;
    }
    run.len = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    stage->wrong[0] = '\0';
    stage_run(stage, play_bytes, &run);
    if (stage->wrong[0] != '\0' && is_new(&findings, stage->wrong))
        tell(options, stage, PROFILE_ALL, &findings);
    printf("%s 1 - %s\n", findings.count == 0 ? "ok" : "not ok", options->bytes);
    return findings.count == 0;
}

static bool number(const char *text, uint64_t *ret)
{
    char *end;

    *ret = strtoull(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0';
}

static bool profile_named(const char *name, int *ret)
{
    for (*ret = 0; *ret < PROFILES; ++*ret)
        if (strcmp(profile_names[*ret], name) == 0)
            return true;
    return false;
}

static bool options_read(struct options *options, int argc, char **argv)
{
    static const struct option known[] = {
        {"help", no_argument, NULL, 'h'},
        {"profile", required_argument, NULL, 'p'},
        {"calls", required_argument, NULL, 'c'},
        {"seed", required_argument, NULL, 's'},
        {"kinds", required_argument, NULL, 'k'},
        {"keep", required_argument, NULL, 'd'},
        {"replay", no_argument, NULL, 'r'},
        {"seconds", required_argument, NULL, 't'},
        {"bytes", required_argument, NULL, 'b'},
        {"beside", required_argument, NULL, 'l'},
        {"listed", required_argument, NULL, 'i'},
        {"overlook", required_argument, NULL, 'o'},
        {0},
    };
    uint64_t kinds = 1;
    bool good = true;

    *options = (struct options){
        .profile = PROFILES, .calls = 100000, .seed = (uint64_t)time(NULL) * 1000, .kinds = 1};
    for (int c; good && (c = getopt_long(argc, argv, "h", known, NULL)) != -1;)
        switch (c) {
        case 'h':
            fputs(usage, stdout);
            exit(0);
        case 'p':
            good = profile_named(optarg, &options->profile);
            break;
        case 'c':
            good = number(optarg, &options->calls);
            break;
        case 's':
            good = number(optarg, &options->seed);
            break;
        case 'k':
            good = number(optarg, &kinds) && kinds >= 1 && kinds <= KINDS_MAX;
            break;
        case 'd':
            options->keep = optarg;
            break;
        case 'o':
            good = witness_overlook(optarg);
            break;
        case 'r':
            options->replay = true;
            break;
        case 't':
            good = number(optarg, &options->seconds);
            options->calls = UINT64_MAX;
            break;
        case 'b':
            options->bytes = optarg;
            break;
        case 'l':
            options->beside = optarg;
            break;
        case 'i':
            options->listed = optarg;
            break;
        default:
            good = false;
        }
    options->kinds = (unsigned)kinds;
    return good;
}

int main(int argc, char **argv)
{
    struct stage *stage = stage_get();
    struct options options;
    int failed = 0, points = 0, profiles;

    if (!options_read(&options, argc, argv)) {
        fputs(usage, stderr);
        return 2;
    }
    if (options.beside != NULL && !beside_load(options.beside, options.listed))
        return 2;
    if (options.bytes != NULL) {
        printf("1..1\n");
        return !play_file_of_bytes(&options, stage);
    }
    profiles = options.replay ? 0 : options.profile == PROFILES ? PROFILES : 1;
    printf("1..%d\n", argc - optind + profiles);
    for (int i = optind; i < argc; i++)
        failed += !replay_file(stage, argv[i], ++points);
    for (int profile = 0; profile < PROFILES && profiles > 0; profile++)
        if (options.profile == PROFILES || options.profile == profile)
            failed += !play_profile(&options, stage, (enum profile)profile, ++points);
    if (profiles == PROFILES && beside_unused() > 0) {
        printf("# these entries of %s do not occur\n", options.listed);
        failed++;
    }
    return failed > 0;
}
