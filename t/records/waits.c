/* SPDX-License-Identifier: Apache-2.0 */

/* How long claims waited, counted by bounds. */
#include "plugin/records/waits.h"

#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

static void test_bounds(void)
{
    static const int64_t second[WAIT_BOUNDS] = {1, 10, 60, 300, 1800, 7200, 28800, 86400};
    struct waits waits = {0};

    for (int i = 0; i < WAIT_BOUNDS; i++) {
        waits_add(&waits, 5 * SECOND, (5 + second[i]) * SECOND);
        waits_add(&waits, 5 * SECOND, (5 + second[i]) * SECOND + 1000000);
    }
    is_int((long long)waits.counts[0], 1, "a wait as long as the bound is below it");
    for (int i = 1; i < WAIT_BOUNDS; i++)
        is_int((long long)waits.counts[i], 2, "a millisecond more is below the next, %d", i);
    is_int((long long)waits.counts[WAIT_BOUNDS], 1, "the last has no bound");
    is_int((long long)waits_count(&waits), 2 * WAIT_BOUNDS, "all are counted");
    is_int((long long)waits.sum, 2 * 124571000 + WAIT_BOUNDS, "and summed up in milliseconds");
}

static void test_future(void)
{
    struct waits waits = {0};

    waits_add(&waits, 7 * SECOND, 5 * SECOND);
    ok(waits.counts[0] == 1 && waits.sum == 0, "who came in the future did not wait");
    waits_add(&waits, 0, INT64_MAX);
    ok(waits.counts[WAIT_BOUNDS] == 1 && waits.sum == INT64_MAX / 1000000,
       "nor is the longest wait too long");
}

int main(void)
{
    test_bounds();
    test_future();
    return tap_done();
}
