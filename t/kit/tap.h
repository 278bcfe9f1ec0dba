/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_TAP_H
#define SLUICE_T_TAP_H

/*
 * A test is a program that prints TAP and returns tap_done() from main:
 *
 *     int main(void)
 *     {
 *         ok(quantity_parses("1.5"), "a fraction parses");
 *         is_int(milli, 1500, "into milli-units");
 *         return tap_done();
 *     }
 *
 * Every point returns whether it passed. A failed one says where it stands and what it saw.
 * Not thread-safe: threads gather results, the main thread reports them.
 */

#include <stdbool.h>

#define ok(cond, ...) tap_ok_at(__FILE__, __LINE__, !!(cond), __VA_ARGS__)
#define is_int(got, want, ...)                                                                     \
    tap_is_int_at(__FILE__, __LINE__, (long long)(got), (long long)(want), __VA_ARGS__)
#define is_str(got, want, ...) tap_is_str_at(__FILE__, __LINE__, (got), (want), __VA_ARGS__)

/* Announces n points. Optional: without it, tap_done() prints the plan. */
void tap_plan(int n);

/* A point without a place in the source, for a test that is driven by a table. */
bool tap_ok(bool pass, const char *name, ...) __attribute__((format(printf, 2, 3)));

bool tap_ok_at(const char *file, int line, bool pass, const char *name, ...)
    __attribute__((format(printf, 4, 5)));
bool tap_is_int_at(const char *file, int line, long long got, long long want, const char *name, ...)
    __attribute__((format(printf, 5, 6)));

/* NULL equals NULL only. */
bool tap_is_str_at(const char *file, int line, const char *got, const char *want, const char *name,
                   ...) __attribute__((format(printf, 5, 6)));

/* Counts n points as skipped. */
void tap_skip(int n, const char *why, ...) __attribute__((format(printf, 2, 3)));

/* Skips the whole program: call it before any point, then return tap_done(). */
void tap_skip_all(const char *why, ...) __attribute__((format(printf, 1, 2)));

/* A line for the reader, each line of it behind a '#'. */
void tap_diag(const char *text, ...) __attribute__((format(printf, 1, 2)));

/* The exit code: 0 iff every point passed, as many came as were announced, and there was one. */
int tap_done(void);

#endif
