/* SPDX-License-Identifier: Apache-2.0 */
#include "t/player/stage.h"

#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "t/player/calm.h"

struct stage *stage_get(void)
{
    static struct stage *stage;

    if (stage == NULL) {
        stage =
            mmap(NULL, sizeof *stage, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        assert(stage != MAP_FAILED);
    }
    return stage;
}

void stage_begin(struct stage *stage, int seconds)
{
    /* Its own time, not the clock's: on a machine with much to do it only waits. */
    const struct itimerval patience = {.it_value = {.tv_sec = seconds}};

    stage->wrong[0] = '\0';
    setitimer(ITIMER_PROF, &patience, NULL);
}

/* A trap of the library's own is to be told with its place, as what a sanitizer finds. */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "handle_sigill=1";
}

/* The function of a frame of a stack; NULL: the line is none, or only hands a record out. */
static char *function_of(char *line)
{
    char *in = strstr(line, " in "), *end;

    if (strncmp(line, "    #", 5) != 0 || in == NULL)
        return NULL;
    in += strlen(" in ");
    end = strchr(in, ' ');
    if (end == NULL || strncmp(in, "slab_", 5) == 0 || strncmp(end - 3, "_at", 3) == 0)
        return NULL;
    *end = '\0';
    return in;
}

/* What a sanitizer said in one line, without the places of memory. */
static void take_complaint(FILE *said, struct stage *stage)
{
    char line[1024];
    const char *from, *function;
    bool traps = false;

    rewind(said);
    snprintf(stage->wrong, sizeof stage->wrong, "it ends with a complaint");
    while (fgets(line, sizeof line, said) != NULL) {
        traps = traps || strstr(line, " in slab_trap") != NULL;
        function = traps ? function_of(line) : NULL;
        if (function != NULL) {
            snprintf(stage->wrong, sizeof stage->wrong, "a record that is not there, in %.800s",
                     function);
            break;
        }
        from = strstr(line, "SUMMARY: ");
        if (from == NULL)
            from = strstr(line, "Assertion");
        if (from == NULL)
            continue;
        line[strcspn(line, "\n")] = '\0';
        snprintf(stage->wrong, sizeof stage->wrong, "%.900s", from);
        break;
    }
}

void stage_run(struct stage *stage, void (*run)(struct stage *stage, const void *ctx),
               const void *ctx)
{
    FILE *said = tmpfile();
    int status = 0;
    pid_t child;

    assert(said != NULL);
    fflush(NULL);
    child = fork();
    assert(child >= 0);
    if (child == 0) {
        dup2(fileno(said), STDERR_FILENO);
        run(stage, ctx);
        exit(0);
    }
    while (waitpid(child, &status, 0) < 0)
        ;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF)
        snprintf(stage->wrong, sizeof stage->wrong, "a call does not return");
    else if (WIFSIGNALED(status) && WTERMSIG(status) != SIGABRT)
        snprintf(stage->wrong, sizeof stage->wrong, "it crashes: %s", strsignal(WTERMSIG(status)));
    else if (status != 0)
        take_complaint(said, stage);
    fclose(said);
}

static void play(struct stage *stage, const void *ctx)
{
    const struct history *history = ctx;
    struct witness *witness = malloc(sizeof *witness);

    assert(witness != NULL);
    stage_begin(stage, STAGE_REPLAY_SECONDS);
    if (!witness_open(witness, history->config, history->config_len)) {
        free(witness);
        return;
    }
    for (uint32_t i = 0; i < history->count; i++)
        witness_hear(witness, &history->messages[i], history_bytes(history, &history->messages[i]));
    calm_look(witness);
    witness_close(witness);
    memcpy(stage->wrong, witness->wrong, sizeof witness->wrong);
    free(witness);
}

void stage_replay(struct stage *stage, const struct history *history)
{
    stage_run(stage, play, history);
}
