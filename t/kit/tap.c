/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static struct {
    int planned; /* -1: not announced */
    int run;
    int failed;
} tap = {.planned = -1};

/* A '#' would begin a directive and a newline a new line, so neither may stand in a name. */
static void print_name(const char *name, va_list args)
{
    char text[1024];

    vsnprintf(text, sizeof(text), name, args);
    for (const char *p = text; *p; p++)
        putchar(*p == '#' || *p == '\n' ? ' ' : *p);
    putchar('\n');
    fflush(stdout);
}

static bool point(const char *file, int line, bool pass, const char *name, va_list args)
{
    tap.run++;
    tap.failed += !pass;
    printf("%sok %d - ", pass ? "" : "not ", tap.run);
    print_name(name, args);
    if (!pass && file)
        tap_diag("at %s:%d", file, line);
    return pass;
}

void tap_plan(int n)
{
    tap.planned = n;
    printf("1..%d\n", n);
    fflush(stdout);
}

bool tap_ok(bool pass, const char *name, ...)
{
    va_list args;

    va_start(args, name);
    point(NULL, 0, pass, name, args);
    va_end(args);
    return pass;
}

bool tap_ok_at(const char *file, int line, bool pass, const char *name, ...)
{
    va_list args;

    va_start(args, name);
    point(file, line, pass, name, args);
    va_end(args);
    return pass;
}

bool tap_is_int_at(const char *file, int line, long long got, long long want, const char *name, ...)
{
    va_list args;

    va_start(args, name);
    point(file, line, got == want, name, args);
    va_end(args);
    if (got != want)
        tap_diag("got:  %lld\nwant: %lld", got, want);
    return got == want;
}

bool tap_is_str_at(const char *file, int line, const char *got, const char *want, const char *name,
                   ...)
{
    bool same = got && want ? strcmp(got, want) == 0 : got == want;
    va_list args;

    va_start(args, name);
    point(file, line, same, name, args);
    va_end(args);
    if (!same)
        tap_diag("got:  %s\nwant: %s", got ? got : "(null)", want ? want : "(null)");
    return same;
}

void tap_skip(int n, const char *why, ...)
{
    for (int i = 0; i < n; i++) {
        va_list args;

        printf("ok %d # SKIP ", ++tap.run);
        va_start(args, why);
        print_name(why, args);
        va_end(args);
    }
}

void tap_skip_all(const char *why, ...)
{
    va_list args;

    tap.planned = 0;
    printf("1..0 # SKIP ");
    va_start(args, why);
    print_name(why, args);
    va_end(args);
}

void tap_diag(const char *text, ...)
{
    char lines[4096];
    va_list args;

    va_start(args, text);
    vsnprintf(lines, sizeof(lines), text, args);
    va_end(args);
    for (char *line = lines, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        printf("# %s\n", line);
    }
    fflush(stdout);
}

int tap_done(void)
{
    bool nothing = tap.planned < 0 && tap.run == 0;

    if (tap.planned < 0)
        tap_plan(tap.run);
    if (nothing)
        tap_diag("no point came");
    if (tap.planned != tap.run)
        tap_diag("%d points were announced, %d came", tap.planned, tap.run);
    return nothing || tap.failed > 0 || tap.planned != tap.run;
}
