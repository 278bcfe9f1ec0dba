/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_RECORDS_WAITS_H
#define SLUICE_PLUGIN_RECORDS_WAITS_H

#include <stdint.h>

/*
 * How long those waited that were granted something: how many of them up to each bound, and not up
 * to the one before it.
 *
 *     1 s   10 s   1 min   5 min   30 min   2 h   8 h   1 d
 *    ──┴─────┴──────┴───────┴────────┴───────┴─────┴─────┴──── longer
 *
 * A wait is from when a claim came into its queue, by which it is ranked there, to its grant. Who
 * is granted a place again after it was taken back waited from the same moment on.
 */
enum { WAIT_BOUNDS = 8, WAIT_COUNTS = WAIT_BOUNDS + 1 };

struct waits {
    uint64_t counts[WAIT_COUNTS];
    uint64_t sum; /* in ms: in ns a million waits of a day would be too many */
};

/* One more that came at this time and is granted now. Clocks differ: it may come in the future. */
void waits_add(struct waits *waits, int64_t came, int64_t now);

/* Of all bounds together. */
uint64_t waits_count(const struct waits *waits);

#endif
