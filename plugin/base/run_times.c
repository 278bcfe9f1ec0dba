/* SPDX-License-Identifier: Apache-2.0 */
#include "run_times.h"

#include <stdbool.h>

static const int64_t SECOND = 1000000000, TICKS_A_SECOND = 10;

static bool is_together(const struct run_time *a, int64_t ticks, int64_t ended)
{
    int64_t apart = ticks - (int64_t)a->ticks;

    return a->ended == ended && a->count < UINT32_MAX && apart >= -TICKS_A_SECOND &&
           apart <= TICKS_A_SECOND;
}

void run_times_note(struct run_times *times, int64_t nanoseconds, int64_t now)
{
    int64_t ticks = nanoseconds / RUN_TIME_TICK;
    struct run_time *newest = &times->last[(times->noted + RUN_TIMES - 1) % RUN_TIMES];

    if (times->noted > 0 && is_together(newest, ticks, now / SECOND)) {
        newest->count++;
        return;
    }
    times->last[times->noted % RUN_TIMES] = (struct run_time){
        .ticks = ticks < 0            ? 0
                 : ticks > UINT32_MAX ? UINT32_MAX
                                      : (uint32_t)ticks,
        .ended = (uint32_t)(now / SECOND),
        .count = 1,
    };
    times->noted = times->noted == UINT32_MAX ? RUN_TIMES : times->noted + 1;
}

int64_t run_times_window(const struct run_times *times, int64_t now)
{
    int64_t oldest = times->last[times->noted % RUN_TIMES].ended;

    if (times->noted < RUN_TIMES)
        return INT64_MAX;
    return now / SECOND > oldest ? (now / SECOND - oldest) * TICKS_A_SECOND : 0;
}
