/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "abi/host/conform_checks.h"
#include "abi/host/conform_promises.h"
#include "abi/host/conform_vector.h"
#include "abi/version.h"

static const char usage[] =
    "usage: sluice-conform [--timeout SECONDS] [--vectors DIR [--write]] LIB\n"
    "\n"
    "Proves that the shared object LIB keeps the ABI of sluice.h, and prints TAP.\n"
    "\n"
    "  --timeout SECONDS  how long a call may take (10)\n"
    "  --vectors DIR      also replay the golden vectors in DIR\n"
    "  --write            fill in the answers that the vectors lack\n"
    "  --version          says of which version this program is, and ends\n"
    "\n"
    "exit status: 0 it does, 1 it does not, 2 it could not be examined\n";

struct options {
    const char *path;
    const char *vectors;
    bool write;
    int seconds;
};

enum {
    LONGEST = 3600, /* seconds */
};

static bool refuse(const char *why)
{
    fprintf(stderr, "sluice-conform: %s\n", why);
    return false;
}

static bool options_read(struct options *options, int argc, char **argv)
{
    static const struct option known[] = {
        {"help", no_argument, NULL, 'h'},    {"timeout", required_argument, NULL, 't'},
        {"version", no_argument, NULL, 'V'}, {"vectors", required_argument, NULL, 'v'},
        {"write", no_argument, NULL, 'w'},   {0},
    };
    char *end;

    *options = (struct options){.seconds = 10};
    for (int c; (c = getopt_long(argc, argv, "h", known, NULL)) != -1;)
        switch (c) {
        case 'h':
            fputs(usage, stdout);
            exit(0);
        case 'V':
            printf("sluice-conform %s\n", build_version);
            exit(0);
        case 't':
            options->seconds = (int)strtol(optarg, &end, 10);
            if (*end || strlen(optarg) > 4 || options->seconds < 1 || options->seconds > LONGEST)
                return refuse("--timeout wants 1 to 3600 seconds");
            break;
        case 'v':
            options->vectors = optarg;
            break;
        case 'w':
            options->write = true;
            break;
        default:
            return false;
        }
    if (optind != argc - 1)
        return refuse(optind == argc ? "which library?" : "one library is wanted");
    if (options->write && !options->vectors)
        return refuse("--write wants --vectors DIR");
    options->path = argv[optind];
    return true;
}

static void each_hook(struct tally *tally, struct subject *subject, const char *title, bool usable,
                      void (*check)(struct points *points, void *arg))
{
    for (int i = 0; i < LOADER_HOOKS; i++) {
        struct hook_check arg = {.subject = subject, .hook = (enum loader_hook)i};
        char text[64];

        snprintf(text, sizeof(text), "%s of %s", title, loader_hook_name(arg.hook));
        if (!usable || subject->use[i] != USE_NONE)
            points_run(tally, text, check, &arg);
        else
            printf("# %s: not looked at, its sample fails\n", text);
    }
}

static void examine(struct tally *tally, struct subject *subject, const struct options *options)
{
    if (!points_run(tally, "loading it", check_load, subject)) {
        printf("# without that, nothing else can be looked at\n");
        return;
    }
    each_hook(tally, subject, "the sample", false, check_sample);
    points_run(tally, "opening", check_open, subject);
    each_hook(tally, subject, "the buffers", true, check_buffers);
    each_hook(tally, subject, "the messages", true, check_message);
    each_hook(tally, subject, "the keys", true, check_keys);
    points_run(tally, "the handles", check_handles, subject);
    points_run(tally, "the calls", check_calls, subject);
    points_run(tally, "the threads", check_threads, subject);
    promises_run(tally, subject);
    if (options->vectors)
        vectors_run(tally, subject, options->vectors, options->write);
}

int main(int argc, char **argv)
{
    struct options options;
    struct tally tally = {0};
    struct subject *subject;

    if (!options_read(&options, argc, argv)) {
        fputs(usage, stderr);
        return 2;
    }
    tally.seconds = options.seconds;
    subject =
        mmap(NULL, sizeof(*subject), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (subject == MAP_FAILED) {
        perror("sluice-conform");
        return 2;
    }
    /* dlopen searches the system's folders for a name without a slash. */
    char *path = realpath(options.path, NULL);
    if (!path) {
        perror(options.path);
        return 2;
    }
    subject->path = path;
    examine(&tally, subject, &options);
    printf("1..%d\n", tally.run);
    free(path);
    return tally.failed > 0;
}
