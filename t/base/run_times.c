/* SPDX-License-Identifier: Apache-2.0 */

/* Run times: the newest are kept, those that ended together as one, and for how long none is
 * missing. */
#include "plugin/base/run_times.h"
#include "t/kit/tap.h"

static const int64_t SECOND = 1000000000;

static void test_kept(void)
{
    struct run_times times = {0};

    is_int(run_times_count(&times), 0, "nothing is known at first");
    for (int i = 0; i < RUN_TIMES + 3; i++)
        run_times_note(&times, i * 10 * SECOND, (1000 + i) * SECOND);
    is_int(run_times_count(&times), RUN_TIMES, "the newest ones are kept");
    is_int(times.last[0].ticks, RUN_TIMES * 100, "in the place of the oldest");
    is_int(run_times_window(&times, (1000 + RUN_TIMES + 3) * SECOND), RUN_TIMES * 10,
           "since the oldest of them ended none is missing");
}

static void test_together(void)
{
    struct run_times times = {0};

    run_times_note(&times, 60 * SECOND, 100 * SECOND);
    run_times_note(&times, 60 * SECOND + 300, 100 * SECOND + 5);
    is_int(run_times_count(&times), 1, "a gang takes one place");
    is_int(times.last[0].count, 2, "with as many as it has");
    run_times_note(&times, 90 * SECOND, 100 * SECOND);
    run_times_note(&times, 90 * SECOND, 101 * SECOND);
    is_int(run_times_count(&times), 3, "others do not");
    is_int(run_times_window(&times, 200 * SECOND), INT64_MAX, "all are known that ever ended");
}

static void test_extremes(void)
{
    struct run_times times = {0};

    run_times_note(&times, -5 * SECOND, SECOND);
    run_times_note(&times, INT64_MAX, 2 * SECOND);
    is_int(times.last[0].ticks, 0, "a clock that went back");
    ok(times.last[1].ticks == UINT32_MAX, "longer than can be kept");
    times = (struct run_times){.noted = UINT32_MAX};
    run_times_note(&times, SECOND, SECOND);
    is_int(run_times_count(&times), RUN_TIMES, "the count never begins anew");
}

int main(void)
{
    test_kept();
    test_together();
    test_extremes();
    return tap_done();
}
