/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_CLOCK_H
#define SLUICE_SIM_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim;

/*
 * Simulated time, in nanoseconds since the story began, and what is to happen when. What is due at
 * the same moment happens in the order in which it was asked for.
 */

#define MILLISECOND INT64_C(1000000)
#define SECOND INT64_C(1000000000)
#define MINUTE (60 * SECOND)
#define HOUR (60 * MINUTE)

struct clock {
    int64_t now;
    uint64_t tickets;
    struct event {
        int64_t at;
        uint64_t ticket;
        void (*run)(struct sim *sim, void *what);
        void *what;
    } * heap;
    size_t count;
    size_t cap;
    uint64_t ran; /* events so far */
};

void clock_at(struct clock *clock, int64_t at, void (*run)(struct sim *sim, void *what),
              void *what);

/* Lets time pass to the next event, and takes it out. False: there is none until then. */
bool clock_take(struct clock *clock, int64_t until, struct event *ret);

/* The moment of the next event; INT64_MAX: there is none. */
int64_t clock_next(const struct clock *clock);
void clock_finish(struct clock *clock);

/* "12.030s" */
const char *clock_show(int64_t at, char *out, size_t cap);

#endif
