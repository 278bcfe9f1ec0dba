/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/apart.h"

#include <assert.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

struct apart *apart_get(void)
{
    static struct apart *apart;

    if (apart == NULL) {
        apart =
            mmap(NULL, sizeof *apart, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        assert(apart != MAP_FAILED);
    }
    return apart;
}

void apart_begin(struct apart *apart)
{
    /* Its own time, not the clock's: on a machine with much to do it only waits. */
    const struct itimerval patience = {.it_value = {.tv_sec = APART_SECONDS}};

    apart->count = 0;
    apart->difference[0] = '\0';
    setitimer(ITIMER_PROF, &patience, NULL);
}

void apart_run(struct apart *apart, void (*run)(struct apart *apart, const void *ctx),
               const void *ctx)
{
    int status = 0;
    pid_t child;

    fflush(NULL);
    child = fork();
    assert(child >= 0);
    if (child == 0) {
        run(apart, ctx);
        exit(0);
    }
    while (waitpid(child, &status, 0) < 0)
        ;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF)
        snprintf(apart->difference, sizeof apart->difference, "it hangs");
    else if (WIFSIGNALED(status))
        snprintf(apart->difference, sizeof apart->difference, "it crashes: %s",
                 strsignal(WTERMSIG(status)));
    else if (status != 0)
        snprintf(apart->difference, sizeof apart->difference, "it ends with a complaint");
}
