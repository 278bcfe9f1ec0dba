/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_BASE_RUN_TIMES_H
#define SLUICE_PLUGIN_BASE_RUN_TIMES_H

#include <stdint.h>

/* How long those held their room that gave it back last, and when they did. The newest one takes
 * the place of the oldest, so what is known follows what people run today. Those that began and
 * ended together, as the members of a gang do, take one place. */
enum { RUN_TIMES = 48 };

/* A run time is kept, and reckoned with, in tenths of a second. */
static const int64_t RUN_TIME_TICK = 100000000;

struct run_times {
    uint32_t noted; /* as many places as were ever taken, but never less than there are */
    struct run_time {
        uint32_t ticks;
        uint32_t ended; /* the second */
        uint32_t count;
    } last[RUN_TIMES];
};

/* One that held its room for so many nanoseconds has given it back now. */
void run_times_note(struct run_times *times, int64_t nanoseconds, int64_t now);

/* How many places are taken. */
static inline uint32_t run_times_count(const struct run_times *times)
{
    return times->noted < RUN_TIMES ? times->noted : RUN_TIMES;
}

/* For how long, in ticks, no one that ended is missing here; INT64_MAX: ever since. */
int64_t run_times_window(const struct run_times *times, int64_t now);

#endif
