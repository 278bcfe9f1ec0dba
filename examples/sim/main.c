/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "abi/version.h"
#include "examples/sim/plan_command.h"
#include "examples/sim/replay.h"
#include "examples/sim/run.h"
#include "examples/sim/why.h"

static const char usage[] =
    "usage: sluice-sim run [--lib PATH] [--removal onBind|onAdmission] [--format table|json]\n"
    "                      [--html FILE] [--frames FILE] [--svg FILE] [--record FILE]\n"
    "                      [--creep] [--quiet] FILE...\n"
    "       sluice-sim why [--lib PATH] FILE POD --at TIME\n"
    "       sluice-sim replay [--lib PATH] [--html FILE] [--frames FILE] FILE\n"
    "       sluice-sim help\n"
    "       sluice-sim --version\n";

static const char command_list[] =
    "\n"
    "Queues in simulated time, decided by the same library as on a cluster.\n"
    "\n"
    "  run     tells the stories in FILE... (examples/scenarios/README.md)\n"
    "  why     tells FILE up to TIME (as 12s), and says why POD is where it is\n"
    "  replay  makes the calls of a recording again, and compares every answer\n";

static const char option_list[] =
    "\n"
    "  --lib PATH          the library; else $SLUICE_LIB, else sluice.so beside this program, "
    "else\n"
    "                      the one that was installed with it\n"
    "  --at TIME           why: at which moment\n"
    "  --removal WHEN      when gates are removed, whatever the story says\n"
    "  --format FORM       json: what happened as one JSON object for each FILE\n"
    "  --html FILE         a page that plays the story or the recording, with a slider (of the\n"
    "                      last story); plan: that compares what the queues saw, too\n"
    "  --frames FILE       what that page shows, as JSON (examples/board/board.schema.json)\n"
    "  --svg FILE          a picture of the queues over time (of the last story)\n"
    "  --record FILE       every call that changed the library's state, for replay\n"
    "  --creep             each call of the library comes a nanosecond after the one before\n"
    "  --quiet             only how it ended\n";

static const char exit_list[] =
    "\n"
    "exit status: 0 all went as it should, 1 it did not, 2 the input is wrong,\n"
    "3 the machine has no memory\n";

struct arguments {
    const char *lib;
    const char *at;
    struct run_options run;
    char **files; /* in argv, over what was read already */
    int n_files;
};

static int refuse(const char *what, const char *which)
{
    fprintf(stderr, "sluice-sim: %s%s%s\n%s", what, *which ? " " : "", which, usage);
    return EXIT_INPUT;
}

/* The option that takes a value; NULL: there is no such option. */
static const char **slot_of(struct arguments *arguments, const char *name, const char **ret_format)
{
    struct {
        const char *name;
        const char **slot;
    } options[] = {
        {"--lib", &arguments->lib},       {"--at", &arguments->at},
        {"--html", &arguments->run.html}, {"--frames", &arguments->run.frames},
        {"--svg", &arguments->run.svg},   {"--record", &arguments->run.record},
        {"--format", ret_format},         {"--removal", &arguments->run.removal},
    };

    for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
        if (strcmp(options[i].name, name) == 0)
            return options[i].slot;
    return NULL;
}

static int parse(int argc, char **argv, struct arguments *ret)
{
    const char *format = "table";

    ret->files = argv + 2;
    for (int i = 2; i < argc; i++) {
        const char **slot = slot_of(ret, argv[i], &format);
        if (strcmp(argv[i], "--quiet") == 0)
            ret->run.quiet = true;
        else if (strcmp(argv[i], "--creep") == 0)
            ret->run.creep = true;
        else if (slot && i + 1 == argc)
            return refuse("no value after", argv[i]);
        else if (slot)
            *slot = argv[++i];
        else if (argv[i][0] == '-' && argv[i][1])
            return refuse("no such option:", argv[i]);
        else
            ret->files[ret->n_files++] = argv[i];
    }
    if (strcmp(format, "json") != 0 && strcmp(format, "table") != 0)
        return refuse("--format is table or json, not", format);
    ret->run.format = strcmp(format, "json") == 0 ? STORY_JSON : STORY_TABLE;
    const char *removal = ret->run.removal;
    if (removal && strcmp(removal, "onBind") != 0 && strcmp(removal, "onAdmission") != 0)
        return refuse("--removal is onBind or onAdmission, not", removal);
    return EXIT_HELD;
}

static int run(const struct arguments *arguments)
{
    int worst = EXIT_HELD;

    if (arguments->n_files == 0)
        return refuse("run what? No file is given", "");
    if (arguments->run.record && arguments->n_files > 1)
        return refuse("--record takes one file", "");
    for (int i = 0; i < arguments->n_files; i++) {
        int code = run_file(&arguments->run, arguments->files[i]);
        worst = code > worst ? code : worst;
    }
    return worst;
}

static int say_help(void)
{
    printf("%s%s%s%s", usage, plan_usage, command_list, plan_commands);
    printf("%s%s%s", option_list, plan_options, exit_list);
    return EXIT_HELD;
}

static int say_version(void)
{
    printf("sluice-sim %s\n", build_version);
    return EXIT_HELD;
}

int main(int argc, char **argv)
{
    struct arguments arguments = {0};
    const char *command = argc > 1 ? argv[1] : "";
    char path[4200];

    if (strcmp(command, "help") == 0 || strcmp(command, "--help") == 0 ||
        strcmp(command, "-h") == 0)
        return say_help();
    if (strcmp(command, "--version") == 0)
        return say_version();
    for (int i = 2; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return say_help();
    if (strcmp(command, "plan") == 0)
        return plan_main(argv[0], argc - 2, argv + 2);
    if (strcmp(command, "trace") == 0)
        return trace_main(argv[0], argc - 2, argv + 2);
    int code = parse(argc, argv, &arguments);
    if (code != EXIT_HELD)
        return code;
    arguments.run.library = library_path(arguments.lib, argv[0], path, sizeof(path));
    if (strcmp(command, "run") == 0)
        return run(&arguments);
    if (strcmp(command, "replay") == 0)
        return arguments.n_files == 1 ? replay_file(&arguments.run, arguments.files[0])
                                      : refuse("replay takes one file", "");
    if (strcmp(command, "why") == 0)
        return arguments.n_files == 2 && arguments.at
                   ? why_file(path, arguments.files[0], arguments.files[1], arguments.at)
                   : refuse("why takes a file, a pod and --at TIME", "");
    return refuse(*command ? "no such command:" : "what shall be done?", command);
}
