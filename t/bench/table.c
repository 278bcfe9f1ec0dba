/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "t/bench/table.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static unsigned over;

void samples_add(struct samples *samples, double value)
{
    if (samples->count < SAMPLES_MAX)
        samples->value[samples->count++] = value;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static struct samples sorted(const struct samples *samples)
{
    struct samples copy = *samples;

    qsort(copy.value, copy.count, sizeof(copy.value[0]), compare);
    return copy;
}

double samples_median(const struct samples *samples)
{
    struct samples copy = sorted(samples);
    size_t half = copy.count / 2;

    if (copy.count == 0)
        fail("a row without a measurement");
    return copy.count % 2 == 1 ? copy.value[half] : (copy.value[half - 1] + copy.value[half]) / 2;
}

static void write_value(char *out, size_t cap, double value, enum unit unit)
{
    if (unit == UNIT_TIMES)
        snprintf(out, cap, "%.2fx", value);
    else if (unit == UNIT_BYTES)
        snprintf(out, cap, "%.0f B", value);
    else if (unit == UNIT_SECONDS)
        snprintf(out, cap, "%.4f s", value);
    else if (unit == UNIT_NANOSECONDS && value < 10000)
        snprintf(out, cap, "%.0f ns", value);
    else if (unit == UNIT_NANOSECONDS)
        snprintf(out, cap, "%.1f us", value / 1000);
    else
        snprintf(out, cap, "%.0f", value);
}

void table_head(const char *title)
{
    printf("\n%-66s %10s  %-20s %9s\n", title, "median", "least..most", "budget");
}

void table_row(const char *what, const struct samples *samples, enum unit unit, double budget)
{
    double median = samples_median(samples);
    struct samples all = sorted(samples);
    char value[32], least[32], most[32], spread[72] = "", limit[32] = "-";

    write_value(value, sizeof(value), median, unit);
    write_value(least, sizeof(least), all.value[0], unit);
    write_value(most, sizeof(most), all.value[all.count - 1], unit);
    if (all.count > 1)
        snprintf(spread, sizeof(spread), "[%s..%s]", least, most);
    if (budget >= 0)
        write_value(limit, sizeof(limit), budget, unit);
    printf("%-66s %10s  %-20s %9s  %s\n", what, value, spread, limit,
           budget < 0         ? ""
           : median <= budget ? "ok"
                              : "OVER");
    fflush(stdout);
    over += budget >= 0 && median > budget;
}

void table_value(const char *what, double value, enum unit unit, double budget)
{
    struct samples one = {1, {value}};

    table_row(what, &one, unit, budget);
}

unsigned table_over(void)
{
    return over;
}

static int64_t read_clock(clockid_t id)
{
    struct timespec t;

    clock_gettime(id, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t clock_cpu(void)
{
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

int64_t clock_wall(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

void progress(const char *format, ...)
{
    static int64_t start;
    va_list args;

    if (start == 0)
        start = clock_wall();
    fprintf(stderr, "[%3lld s] ", (long long)((clock_wall() - start) / 1000000000));
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

void fail(const char *format, ...)
{
    va_list args;

    fflush(stdout);
    fputs("sluice-bench: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(2);
}
