/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_BENCH_TABLE_H
#define SLUICE_BENCH_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What the benchmarks print. Times are compared within one run, as ratios of turns that alternate,
 * and each value comes with its spread: median [least..most]. Progress goes to stderr.
 */
enum { SAMPLES_MAX = 256 };

struct samples {
    size_t count;
    double value[SAMPLES_MAX];
};

void samples_add(struct samples *samples, double value);
double samples_median(const struct samples *samples);

/* How a row's values are written. */
enum unit { UNIT_TIMES, UNIT_BYTES, UNIT_SECONDS, UNIT_NANOSECONDS, UNIT_COUNT };

/* One row: its median against the budget; a budget below 0: there is none, for information. */
void table_row(const char *what, const struct samples *samples, enum unit unit, double budget);
void table_value(const char *what, double value, enum unit unit, double budget);
void table_head(const char *title);

/* How many rows were over their budget. */
unsigned table_over(void);

/* Nanoseconds; the time of this thread on the processor, and the time on the wall. */
int64_t clock_cpu(void);
int64_t clock_wall(void);

__attribute__((format(printf, 1, 2))) void progress(const char *format, ...);

/* Says what went wrong and ends the program: what cannot be measured is not guessed. */
__attribute__((format(printf, 1, 2), noreturn)) void fail(const char *format, ...);

#endif
