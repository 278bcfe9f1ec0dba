/* SPDX-License-Identifier: Apache-2.0 */
#include "waits.h"

static const uint32_t bounds[WAIT_BOUNDS] = {1,       10,       60,       5 * 60,
                                             30 * 60, 2 * 3600, 8 * 3600, 24 * 3600}; /* in s */

void waits_add(struct waits *waits, int64_t came, int64_t now)
{
    uint64_t ms = now > came ? (uint64_t)(now - came) / 1000000 : 0;
    unsigned at = 0;

    while (at < WAIT_BOUNDS && ms > bounds[at] * UINT64_C(1000))
        at++;
    waits->counts[at]++;
    waits->sum += ms;
}

uint64_t waits_count(const struct waits *waits)
{
    uint64_t count = 0;

    for (unsigned i = 0; i < WAIT_COUNTS; i++)
        count += waits->counts[i];
    return count;
}
