/* SPDX-License-Identifier: Apache-2.0 */
#include "say.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <bpf/libbpf.h>

static char *log_text;
static size_t log_length;
static FILE *log_stream;

bool say(const char *format, ...)
{
    va_list args;

    fputs("sluice-trace: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return false;
}

static int keep(enum libbpf_print_level level, const char *format, va_list args)
{
    (void)level;
    return log_stream ? vfprintf(log_stream, format, args) : 0;
}

void say_keep_log(void)
{
    log_stream = open_memstream(&log_text, &log_length);
    libbpf_set_print(keep);
}

void say_log(void)
{
    const char *folder = getenv("TMPDIR");
    char path[4096];
    int fd;

    if (!log_stream || fflush(log_stream) != 0 || log_length == 0)
        return;
    snprintf(path, sizeof(path), "%s/sluice-trace-XXXXXX.log", folder && *folder ? folder : "/tmp");
    fd = mkstemps(path, 4);
    if (fd < 0 || write(fd, log_text, log_length) != (ssize_t)log_length)
        say("the log of loading cannot be written to %s; here it is:\n%s", path, log_text);
    else
        say("what libbpf and the kernel's verifier said is in %s", path);
    if (fd >= 0)
        close(fd);
}

void say_log_free(void)
{
    if (log_stream)
        fclose(log_stream);
    log_stream = NULL;
    free(log_text);
    log_text = NULL;
}
