/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_HOST_CONFORM_POINT_H
#define SLUICE_HOST_CONFORM_POINT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Each check runs in a process of its own, because the library that it looks at may crash or hang:
 *
 *     main process                      worker
 *     points_run(&tally, check) ──fork──▶ check(points, arg)
 *        prints what comes    ◀──pipe───    point_begin, point_wrong, point_end
 *        watches the steps    ◀─shared──    points_doing
 *
 * A worker that dies, or makes no step for too long, is one failed point that names what it was
 * doing. The rest of its check is lost, the other checks go on: but after HUNG_MOST calls that did
 * not return no further check is begun, it would wait for nothing.
 */
enum { HUNG_MOST = 3 };

struct tally {
    int run;
    int failed;
    int seconds; /* the longest time that a call may take */
    int hung;    /* calls that took longer */
};

struct points;

/* Runs check(points, arg) in a worker; false if a point failed, or nothing is run any more. title
 * names it when it dies. */
bool points_run(struct tally *tally, const char *title,
                void (*check)(struct points *points, void *arg), void *arg);

/*
 * One point of the check, from its name to its verdict. The first thing that is wrong is told,
 * later ones are not. point_wrong may come from any thread, the others only from the check's own.
 */
void point_begin(struct points *points, const char *name, ...)
    __attribute__((format(printf, 2, 3)));
void point_wrong(struct points *points, const char *what, ...)
    __attribute__((format(printf, 2, 3)));
bool point_end(struct points *points);
void point_skip(struct points *points, const char *why, ...) __attribute__((format(printf, 2, 3)));

/* What is being done now: a step, told if it is the last one. Any thread. */
void points_doing(struct points *points, const char *what, ...)
    __attribute__((format(printf, 2, 3)));

/* A line for the reader between the points. */
void points_note(struct points *points, const char *text, ...)
    __attribute__((format(printf, 2, 3)));

#endif
