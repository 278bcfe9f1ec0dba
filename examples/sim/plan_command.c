/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/plan_command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "examples/sim/plan_show.h"
#include "examples/sim/run.h"
#include "examples/sim/text.h"
#include "examples/sim/trace_import.h"
#include "examples/sim/trace_make.h"
#include "examples/sim/trace_recording.h"

const char plan_usage[] =
    "       sluice-sim plan TRACE --with STORY [--or STORY]... [--from TIME] [--until TIME] "
    "[--all]\n"
    "                      [--score] [--html FILE] [--lib PATH] [--removal onBind|onAdmission]\n"
    "                      [--format table|json]\n"
    "       sluice-sim trace sacct|openb|workloads|objects FILE\n"
    "       sluice-sim trace recording FILE [--lib PATH]\n"
    "       sluice-sim trace borg-2019|alibaba-gpu-2020|alibaba-gpu-2023|philly [--pods N]\n"
    "                      [--queues N] [--users N] [--length TIME] [--seed N]\n";

const char plan_commands[] =
    "  plan    plays the arrivals in TRACE (examples/sim/PLAN.md) in the cluster that each STORY\n"
    "          sets up, and says what each queue saw: waits, use, evictions, nodes bought\n"
    "  trace   writes arrivals: of what sacct or kubectl get workloads said, of what a scheduler\n"
    "          recorded, or with the shape of a public trace\n";

const char plan_options[] =
    "  --with STORY        plan: the cluster to begin with: a story, or objects\n"
    "  --or STORY          plan: another one, side by side with the first: a story, or objects\n"
    "                      that take the place of those of the first one\n"
    "  --from TIME         plan: what arrives before is played, and not measured\n"
    "  --until TIME        plan: when to end, as 36h\n"
    "  --all               plan: also of more than 40 queues, all\n"
    "  --score             plan: how good the estimates were that waiting pods got\n"
    "  --pods N            trace: how many arrive; 10000\n"
    "  --queues N          trace: in how many queues; 20\n"
    "  --users N           trace: of how many users; 100\n"
    "  --length TIME       trace: within which time; 24h\n"
    "  --seed N            trace: another one gives other arrivals; 1\n";

enum {
    STORIES_MOST = 8,
    QUEUES_SHOWN = 40,
};

struct arguments {
    const char *trace;
    const char *stories[STORIES_MOST];
    size_t n_stories;
    const char *from;
    const char *until;
    const char *format;
    const char *html;
    const char *lib;
    const char *removal;
    bool all;
    bool score;
};

static int refuse(const char *what, const char *which)
{
    text_say(stderr, "sluice-sim: %s%s%s\nusage:\n%s", what, *which ? " " : "", which, plan_usage);
    return EXIT_INPUT;
}

static int parse(int argc, char **argv, struct arguments *ret)
{
    for (int i = 0; i < argc; i++) {
        const char *story = NULL;
        const struct {
            const char *name;
            const char **slot;
        } options[] = {{"--with", &story},           {"--or", &story},
                       {"--until", &ret->until},     {"--format", &ret->format},
                       {"--from", &ret->from},       {"--lib", &ret->lib},
                       {"--removal", &ret->removal}, {"--html", &ret->html}};
        const char **slot = NULL;
        for (size_t k = 0; k < sizeof(options) / sizeof(*options); k++)
            slot = strcmp(options[k].name, argv[i]) == 0 ? options[k].slot : slot;
        if (slot && i + 1 == argc)
            return refuse("no value after", argv[i]);
        if (slot)
            *slot = argv[++i];
        else if (strcmp(argv[i], "--all") == 0)
            ret->all = true;
        else if (strcmp(argv[i], "--score") == 0)
            ret->score = true;
        else if (argv[i][0] == '-' && argv[i][1])
            return refuse("no such option:", argv[i]);
        else if (ret->trace)
            return refuse("plan takes one trace, and not also", argv[i]);
        else
            ret->trace = argv[i];
        if (story && ret->n_stories == STORIES_MOST)
            return refuse("more than 8 stories, the last one", story);
        if (story)
            ret->stories[ret->n_stories++] = story;
    }
    if (!ret->trace || ret->n_stories == 0)
        return refuse("plan takes a trace and --with STORY", "");
    if (strcmp(ret->format, "json") != 0 && strcmp(ret->format, "table") != 0)
        return refuse("--format is table or json, not", ret->format);
    if (ret->removal && strcmp(ret->removal, "onBind") != 0 &&
        strcmp(ret->removal, "onAdmission") != 0)
        return refuse("--removal is onBind or onAdmission, not", ret->removal);
    return EXIT_HELD;
}

static int fails(const struct fault *fault)
{
    fflush(stdout);
    text_say(stderr, "sluice-sim: %s\n", fault->text);
    return EXIT_INPUT;
}

/* A time that an option says; if it says none, another one. */
static int64_t time_of(const char *text, const char *option, int64_t otherwise, struct fault *fault)
{
    const struct tree when = {.type = TREE_TEXT, .text = text, .key = option};

    if (!text)
        return otherwise;
    int64_t time = tree_as_duration(fault, &when);
    if (!fault->is && time <= 0)
        fault_at(fault, &when, "a time after the beginning, such as 24h");
    return time;
}

/* What a plan is played with. */
struct game {
    struct run_options options;
    const struct trace *trace;
    int64_t from;
    int64_t until;
    bool scored;
};

static void game_read(struct game *game, const struct arguments *arguments, struct fault *fault)
{
    const struct trace *trace = game->trace;

    game->until =
        time_of(arguments->until, "--until", trace->rows[trace->count - 1].at + 24 * HOUR, fault);
    game->from = time_of(arguments->from, "--from", 0, fault);
    if (!fault->is && game->from >= game->until)
        fault_say(fault, NULL, "--from is %s, want a time before the plan ends", arguments->from);
    game->scored = arguments->score;
}

/* What a page plays of the run, if one is wanted. */
static void take_board(struct sim *sim, struct outcome *ret)
{
    struct board_part part;

    if (!sim->board.is)
        return;
    board_part_open(&part);
    board_put(sim, part.json.out, sim->expectations.failures == 0);
    fclose(part.json.out); /* which leaves the text */
    ret->board = part.text;
}

/* In the cluster of the first story with what another file says instead; NULL: as it is. */
static int play(const struct game *game, const char *story, const char *instead,
                struct outcome *ret)
{
    struct score score = {0};
    struct run_options options = game->options;
    struct plan plan = {.trace = game->trace,
                        .from = game->from,
                        .until = game->until,
                        .score = game->scored ? &score : NULL};
    struct sim sim;
    struct scenario scenario;
    int code = EXIT_HELD;

    options.instead = instead;
    if (run_init(&sim, &scenario, &options, story)) {
        plan_start(&sim, &plan);
        if (run_story(&sim, game->until) && plan_finish_story(&sim)) {
            outcome_take(&sim, &plan, ret);
            take_board(&sim, ret);
        }
        ret->story = instead ? instead : story;
    }
    if (sim.fault.is)
        code = fails(&sim.fault);
    else if (sim.expectations.failures > 0)
        code = EXIT_FAILED;
    score_finish(&score);
    plan_finish(&plan);
    run_finish(&sim, &scenario);
    return code;
}

int plan_main(const char *program, int argc, char **argv)
{
    struct arguments arguments = {.format = "table"};
    struct outcome outcomes[STORIES_MOST] = {0};
    struct trace trace;
    struct fault fault = {0};
    char path[4200];
    int code = parse(argc, argv, &arguments);

    if (code != EXIT_HELD)
        return code;
    struct game game = {.trace = &trace};
    if (trace_read(&trace, arguments.trace, &fault))
        game_read(&game, &arguments, &fault);
    game.options = (struct run_options){
        .library = library_path(arguments.lib, program, path, sizeof(path)),
        .removal = arguments.removal,
        .html = arguments.html,
        .quiet = true,
        .composes = true,
        .workloads = trace.n_workloads > 0,
    };
    if (fault.is)
        code = fails(&fault);
    for (size_t i = 0; i < arguments.n_stories && code == EXIT_HELD; i++)
        code = play(&game, arguments.stories[0], i > 0 ? arguments.stories[i] : NULL, &outcomes[i]);
    if (code == EXIT_HELD && strcmp(arguments.format, "json") == 0)
        outcomes_json(outcomes, arguments.n_stories, &trace, arguments.trace, stdout);
    else if (code == EXIT_HELD)
        outcomes_table(outcomes, arguments.n_stories, &trace, arguments.trace,
                       arguments.all ? 0 : QUEUES_SHOWN, stdout);
    if (code == EXIT_HELD && arguments.html &&
        !outcomes_page(outcomes, arguments.n_stories, &trace, arguments.trace, arguments.html)) {
        fault_say(&fault, NULL, "%s: %s", arguments.html, strerror(errno));
        code = fails(&fault);
    }
    for (size_t i = 0; i < arguments.n_stories; i++)
        outcome_finish(&outcomes[i]);
    trace_finish(&trace);
    return code;
}

static bool is_number(const char *text, int64_t least, int64_t most, int64_t *ret)
{
    char *end;

    errno = 0;
    *ret = strtoll(text, &end, 10);
    return errno == 0 && end > text && *end == '\0' && *ret >= least && *ret <= most;
}

/* Writes what others said as a trace. */
static int import(int argc, char **argv)
{
    struct trace trace = {0};
    struct fault fault = {0};
    int64_t left_out = 0;
    int code = EXIT_HELD;

    if (argc != 2)
        return refuse("trace takes one file behind", argv[0]);
    if (strcmp(argv[0], "sacct") == 0)
        trace_from_sacct(&trace, argv[1], &fault, &left_out);
    else if (strcmp(argv[0], "openb") == 0)
        trace_from_openb(&trace, argv[1], &fault, &left_out);
    else if (strcmp(argv[0], "objects") == 0)
        trace_from_objects(&trace, argv[1], &fault);
    else
        trace_from_workloads(&trace, argv[1], &fault, &left_out);
    if (fault.is)
        code = fails(&fault);
    else
        trace_write(&trace, stdout);
    if (left_out > 0)
        text_say(stderr, "sluice-sim: %lld did not run to an end, and are left out\n",
                 (long long)left_out);
    trace_finish(&trace);
    return code;
}

/* Writes what a scheduler recorded as a trace. */
static int import_recording(const char *program, int argc, char **argv)
{
    const char *lib = argc == 4 && strcmp(argv[2], "--lib") == 0 ? argv[3] : NULL;
    struct trace trace;
    struct fault fault = {0};
    char path[4200];

    if (argc != 2 && !lib)
        return refuse("trace takes one file, and perhaps --lib PATH, behind", argv[0]);
    int code = trace_from_recording(&trace, library_path(lib, program, path, sizeof(path)), argv[1],
                                    &fault);
    if (fault.is)
        code = fails(&fault);
    else if (code == EXIT_HELD)
        trace_write(&trace, stdout);
    trace_finish(&trace);
    return code;
}

static const char *const imports[] = {"sacct", "openb", "workloads", "objects", NULL};

int trace_main(const char *program, int argc, char **argv)
{
    struct trace_wish wish = {.kind = argc > 0 ? argv[0] : "",
                              .pods = 10000,
                              .queues = 20,
                              .users = 100,
                              .length = 24 * HOUR,
                              .seed = 1};
    struct fault fault = {0};
    struct trace trace;
    int64_t seed = 1;

    if (text_is_one_of(wish.kind, imports))
        return import(argc, argv);
    if (strcmp(wish.kind, "recording") == 0)
        return import_recording(program, argc, argv);
    if (!text_is_one_of(wish.kind, trace_kinds))
        return refuse(
            "trace takes sacct, openb, workloads, objects, recording, borg-2019, alibaba-gpu-2020, "
            "alibaba-gpu-2023 or philly, not",
            wish.kind);
    for (int i = 1; i < argc; i += 2) {
        const struct {
            const char *name;
            int64_t *slot;
            int64_t least, most;
        } options[] = {{"--pods", &wish.pods, 1, 10000000},
                       {"--queues", &wish.queues, 1, 1000000},
                       {"--users", &wish.users, 1, 1000000},
                       {"--seed", &seed, 0, INT64_MAX}};
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        const struct tree length = {.type = TREE_TEXT, .text = value, .key = "--length"};
        bool is_known = strcmp(argv[i], "--length") == 0;
        if (is_known) {
            wish.length = tree_as_duration(&fault, &length);
            if (!fault.is && wish.length < MINUTE)
                fault_at(&fault, &length, "at least 1m");
        }
        for (size_t k = 0; k < sizeof(options) / sizeof(*options); k++)
            if (strcmp(options[k].name, argv[i]) == 0) {
                is_known = true;
                if (!is_number(value, options[k].least, options[k].most, options[k].slot))
                    fault_say(&fault, NULL, "%s is \"%s\", want a number from %lld to %lld",
                              argv[i], value, (long long)options[k].least,
                              (long long)options[k].most);
            }
        if (!is_known)
            return refuse("no such option:", argv[i]);
        if (fault.is)
            return fails(&fault);
    }
    wish.seed = (uint64_t)seed;
    trace_make(&trace, &wish);
    trace_write(&trace, stdout);
    trace_finish(&trace);
    return EXIT_HELD;
}
