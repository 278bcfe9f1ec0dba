/* SPDX-License-Identifier: Apache-2.0 */
#include "amount.h"

#include <stdbool.h>

/* Two fractions with the same whole part compare as their remainders do, and remainder / quota
 * compares as quota / remainder does the other way round: so each turn works on smaller numbers, as
 * Euclid's algorithm does, and none multiplies. */
static int fraction_compare(wide num_a, wide den_a, wide num_b, wide den_b)
{
    int sign = 1;

    for (;;) {
        int whole = wide_compare(num_a / den_a, num_b / den_b);

        if (whole != 0)
            return sign * whole;

        wide rest_a = num_a % den_a;
        wide rest_b = num_b % den_b;

        if (rest_a == 0 || rest_b == 0)
            return sign * wide_compare(rest_a, rest_b);

        num_a = den_a;
        den_a = rest_a;
        num_b = den_b;
        den_b = rest_b;
        sign = -sign;
    }
}

int share_compare(wide used_a, wide quota_a, wide used_b, wide quota_b)
{
    bool endless_a = quota_a == 0 && used_a > 0;
    bool endless_b = quota_b == 0 && used_b > 0;

    if (endless_a || endless_b)
        return endless_a - endless_b;
    if (used_a == 0 || used_b == 0)
        return wide_compare(used_a, used_b);

    if (wide_max(wide_max(used_a, quota_a), wide_max(used_b, quota_b)) <= AMOUNT_MAX)
        return wide_compare(used_a * quota_b, used_b * quota_a);

    return fraction_compare(used_a, quota_a, used_b, quota_b);
}
