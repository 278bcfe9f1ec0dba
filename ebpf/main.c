/* SPDX-License-Identifier: Apache-2.0 */
#include "abi/version.h"
#include "able.h"
#include "picture.h"
#include "say.h"
#include "serve.h"
#include "session.h"
#include "show.h"
#include "target.h"
#include "watch.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const char usage[] =
    "usage: sluice-trace [OPTION]... (--library FILE | --pid PID | --pin DIR) [COMMAND]\n"
    "\n"
    "Where a gated pod's time went, on a scheduler that runs.\n"
    "\n"
    "  top                 a table, anew every --interval seconds\n"
    "  hist [QUEUE]        histograms of all queues together, or of one, at the end\n"
    "  pod NAMESPACE/NAME  what becomes of a pod, as it happens\n"
    "  (none)              with --pin: attaches, and leaves; with --prometheus: only that\n"
    "\n"
    "  --library FILE      the probes of this sluice.so, in every process that loads it\n"
    "  --pid PID           the probes of the library that this process has, in it alone\n"
    "  --pin DIR           keeps the tracing in DIR, on a BPF file system, when this program "
    "ends.\n"
    "                      Without --library and --pid: reads what is pinned there\n"
    "  --detach            ends what is pinned in DIR\n"
    "  -o json             for programs: one object (top: one each time; pod: one a line)\n"
    "  --prometheus WHERE  answers GET /metrics at HOST:PORT or :PORT (of this machine alone), or\n"
    "                      writes a file anew every --interval seconds, if WHERE has a slash\n"
    "  --queues N          room for the times of so many queues; 1000\n"
    "  --interval SECONDS  how often; 1\n"
    "  --for SECONDS       ends after that; else on Ctrl-C\n"
    "  --version           says of which version this program is, and ends\n"
    "\n"
    "exit status: 0, 1 if it could not be done (and why is on stderr), 2 if the usage was wrong\n";

struct request {
    const char *library, *pin, *prometheus, *command, *argument;
    pid_t pid;
    bool detach, json;
    uint32_t queues;
    double interval, seconds;
    char space[256];
};

static volatile sig_atomic_t stop;

static void on_signal(int signal)
{
    (void)signal;
    stop = 1;
}

static int refuse(const char *why, const char *what)
{
    say("%s%s%s; see sluice-trace --help", why, *what ? " " : "", what);
    return 2;
}

static bool number(const char *option, double least, double most, double *ret)
{
    char *end;
    double value = strtod(optarg, &end);

    if (end == optarg || *end || !(value >= least && value <= most))
        return say("%s is %s, want a number from %.10g to %.10g", option, optarg, least, most);
    *ret = value;
    return true;
}

static bool whole(const char *option, long most, long *ret)
{
    char *end;

    errno = 0;
    *ret = strtol(optarg, &end, 10);
    if (end == optarg || *end || errno || *ret < 1 || *ret > most)
        return say("%s is %s, want a whole number from 1 to %ld", option, optarg, most);
    return true;
}

static int parse_command(struct request *ret, int argc, char **argv)
{
    const char *command = argc > 0 ? argv[0] : NULL;
    bool takes = command && (strcmp(command, "hist") == 0 || strcmp(command, "pod") == 0);

    ret->command = command;
    ret->argument = argc > 1 ? argv[1] : NULL;
    if (command && !takes && strcmp(command, "top") != 0)
        return refuse("no such command:", command);
    if (argc > 1 + takes)
        return refuse("too many words:", argv[1 + takes]);
    if (command && strcmp(command, "pod") == 0) {
        const char *slash = ret->argument ? strchr(ret->argument, '/') : NULL;

        if (!slash || slash == ret->argument || !slash[1])
            return refuse("pod takes NAMESPACE/NAME", "");
        snprintf(ret->space, sizeof(ret->space), "%.*s", (int)(slash - ret->argument),
                 ret->argument);
        ret->argument = slash + 1;
        if (ret->pin)
            return refuse("pod watches by itself: leave --pin out", "");
    }
    if (ret->detach && (!ret->pin || command))
        return refuse("--detach takes --pin DIR and no command", "");
    if (!ret->library && ret->pid < 0 && !ret->pin)
        return refuse("whom to trace? --library FILE, --pid PID, or --pin DIR", "");
    if (ret->library && ret->pid >= 0)
        return refuse("--library or --pid, not both", "");
    if (!command && !ret->pin && !ret->prometheus)
        return refuse("what to do? top, hist, pod, --pin DIR or --prometheus WHERE", "");
    return 0;
}

static int parse(int argc, char **argv, struct request *ret)
{
    static const struct option options[] = {
        {"library", required_argument, NULL, 'l'}, {"pid", required_argument, NULL, 'p'},
        {"pin", required_argument, NULL, 'P'},     {"detach", no_argument, NULL, 'd'},
        {"output", required_argument, NULL, 'o'},  {"prometheus", required_argument, NULL, 'm'},
        {"queues", required_argument, NULL, 'q'},  {"interval", required_argument, NULL, 'i'},
        {"for", required_argument, NULL, 'f'},     {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'V'},       {NULL, 0, NULL, 0}};
    long value;
    int option;

    *ret = (struct request){.pid = -1, .interval = 1};
    while ((option = getopt_long(argc, argv, "o:h", options, NULL)) != -1) {
        bool fine = true;

        switch (option) {
        case 'l':
            ret->library = optarg;
            break;
        case 'p':
            fine = whole("--pid", 1 << 30, &value);
            ret->pid = fine ? (pid_t)value : -1;
            break;
        case 'P':
            ret->pin = optarg;
            break;
        case 'd':
            ret->detach = true;
            break;
        case 'o':
            fine = strcmp(optarg, "json") == 0 || say("-o %s: json is the only one", optarg);
            ret->json = true;
            break;
        case 'm':
            ret->prometheus = optarg;
            break;
        case 'q':
            fine = whole("--queues", 1000000, &value);
            ret->queues = fine ? (uint32_t)value : 0;
            break;
        case 'i':
            fine = number("--interval", 0.01, 1e6, &ret->interval);
            break;
        case 'f':
            fine = number("--for", 0.01, 1e9, &ret->seconds);
            break;
        case 'h':
            fputs(usage, stdout);
            exit(0);
        case 'V':
            printf("sluice-trace %s\n", build_version);
            exit(0);
        default:
            fine = say("see sluice-trace --help");
        }
        if (!fine)
            return 2;
    }
    return parse_command(ret, argc - optind, argv + optind);
}

static bool is_command(const struct request *request, const char *name)
{
    return request->command && strcmp(request->command, name) == 0;
}

static bool begin(const struct request *request, struct session *ret)
{
    struct session_plan plan = {.queues = request->queues};
    struct target target;

    if (!able_to_trace(request->pid >= 0))
        return false;
    if (request->pin && !able_to_pin(request->pin))
        return false;
    if (!request->library && request->pid < 0)
        return session_is_pinned(request->pin)
                   ? session_open(request->pin, ret)
                   : say("nothing is pinned in %s: --library FILE or --pid PID pins there",
                         request->pin);
    if (request->pin && session_is_pinned(request->pin))
        return say("%s is in use: read it without --library and --pid, or --detach it",
                   request->pin);
    if (is_command(request, "pod")) {
        plan.space = request->space;
        plan.pod = request->argument;
    }
    if (!(request->library ? target_library(request->library, &target)
                           : target_process(request->pid, &target)) ||
        !session_attach(&target, &plan, ret))
        return false;
    if (request->pin && !session_pin(ret, request->pin)) {
        session_close(ret);
        return false;
    }
    fprintf(stderr, "sluice-trace: attached to %s%s\n", target.name,
            target.pid < 0 ? ", in every process" : "");
    return true;
}

/* For so long, or until it is time to stop. */
static void pause_for(double seconds)
{
    struct timespec pause = {.tv_sec = (time_t)seconds};

    pause.tv_nsec = (long)((seconds - (double)pause.tv_sec) * 1e9);
    if (!stop)
        nanosleep(&pause, NULL);
}

static void stop_after(double seconds)
{
    struct itimerval timer = {.it_value.tv_sec = (time_t)seconds};

    timer.it_value.tv_usec = (suseconds_t)((seconds - (double)timer.it_value.tv_sec) * 1e6);
    if (seconds > 0)
        setitimer(ITIMER_REAL, &timer, NULL);
}

static bool show(const struct request *request, const struct session *session)
{
    struct picture picture;

    if (!picture_take(session, &picture))
        return false;
    if (request->json)
        show_json(stdout, &picture);
    else if (is_command(request, "hist"))
        show_histograms(stdout, &picture, request->argument);
    else
        show_table(stdout, &picture);
    fflush(stdout);
    picture_release(&picture);
    return true;
}

/* What is pinned has gathered already; what was just attached has not. */
static bool gather_and_show(const struct request *request, const struct session *session)
{
    bool live = is_command(request, "top"), screen = live && !request->json && isatty(1);

    if (!live && !session->skeleton && request->seconds <= 0)
        return show(request, session);
    do {
        pause_for(request->interval);
        if (screen)
            fputs("\033[H\033[J", stdout);
        if ((live || stop) && !show(request, session))
            return false;
    } while (!stop);
    return true;
}

static bool run(const struct request *request)
{
    struct session session;
    bool fine;

    if (!begin(request, &session))
        return false;
    stop_after(request->seconds);
    if (is_command(request, "pod"))
        fine = watch_pod(&session, request->json, &stop);
    else if (request->prometheus)
        fine = serve_metrics(&session, request->prometheus, request->interval, &stop);
    else if (request->command)
        fine = gather_and_show(request, &session);
    else
        fine = session.skeleton || show(request, &session);
    session_close(&session);
    return fine;
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = on_signal};
    struct request request;
    int wrong = parse(argc, argv, &request);
    bool fine;

    if (wrong)
        return wrong;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGALRM, &action, NULL);
    say_keep_log();
    fine = request.detach ? session_unpin(request.pin) : run(&request);
    say_log_free();
    return fine ? 0 : 1;
}
