/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_HOST_CONFORM_GUARD_H
#define SLUICE_HOST_CONFORM_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A buffer that ends at a wall: pages that nobody may touch.
 *
 *     ┌───────────── size ─────────────┬─── wall ───┐
 *     │ ... canary │ the bytes handed  │ no access  │
 *     │            │ out, len of them  │            │
 *     └────────────┴───────────────────┴────────────┘
 *
 * Whoever touches the wall is caught by a signal handler, which notes it, opens the wall and lets
 * him go on: so it can be said afterwards how many bytes he wrote there. Only a stride beyond the
 * whole wall is a crash.
 */
struct guard {
    uint8_t *start;
    uint8_t *wall;
    size_t size;
    uint8_t *handed; /* what was handed out last */
    volatile bool touched;
};

struct guard_report {
    bool touched;  /* the wall was read or written */
    size_t beyond; /* how far it was written, in bytes */
    size_t before; /* how far the canary before the buffer was written, counted backward */
};

/* Once for each process, before any guard. */
void guard_catch_faults(void);

/* Room for len bytes at most. False: no memory. */
bool guard_init(struct guard *guard, size_t len);
void guard_finish(struct guard *guard);

/* len bytes that end at the wall, and a fresh canary before them. */
uint8_t *guard_hand_out(struct guard *guard, size_t len);

/* The calling thread's guards that are looked after from now on; NULL ends it. */
void guard_watch(struct guard *one, struct guard *two);

/* What happened since the bytes were handed out; the wall is whole again. */
struct guard_report guard_look(struct guard *guard);

#endif
