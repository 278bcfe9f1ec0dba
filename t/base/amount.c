/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/base/amount.h"

#include "t/kit/tap.h"
#include "t/kit/test_mem.h"

static wide power(int n)
{
    return (wide)1 << n;
}

static void test_clamp(void)
{
    is_int(amount_clamp(5), 5, "what is in range stays");
    is_int(amount_clamp(AMOUNT_MAX), AMOUNT_MAX, "so does the largest");
    is_int(amount_clamp((wide)AMOUNT_MAX + 1), AMOUNT_MAX, "more is the largest");
    is_int(amount_clamp(-power(100)), -AMOUNT_MAX, "below 0 as well");
    is_int((long long)wide_min(-1, 2), -1, "min");
    is_int((long long)wide_max(-1, 2), 2, "max");
}

static void test_shares(void)
{
    is_int(share_compare(0, 0, 0, 7), 0, "nothing of no quota is like nothing of some");
    is_int(share_compare(1, 0, power(100), 1), 1, "something of no quota is above any share");
    is_int(share_compare(power(100), 1, 1, 0), -1, "and any share is below it");
    is_int(share_compare(1, 0, power(100), 0), 0, "all infinite shares are equal");
    is_int(share_compare(0, 5, 1, 5), -1, "nothing is below something");
    is_int(share_compare(0, 0, 1, 0), -1, "also of no quota");
    is_int(share_compare(1, 3, 2, 6), 0, "a third is two sixths");
    is_int(share_compare(3, 2, 2, 1), -1, "three halves are below two");

    is_int(share_compare(power(100), power(99), power(62), power(61)), 0, "large equal shares");
    is_int(share_compare(power(100) + 1, power(99), power(62), power(61)), 1,
           "one more of 2^100 is seen");
    is_int(share_compare(power(100), power(99) + 1, power(62), power(61)), -1,
           "one more of the quota is seen");
    is_int(share_compare(power(100), power(100) - 1, power(100) - 1, power(100) - 2), -1,
           "neighbours that no float tells apart");
}

/* Fibonacci's fractions are the slowest for Euclid and alternate around their limit. */
static void test_fibonacci(void)
{
    wide f[145] = {1, 1};
    bool right = true;

    for (int i = 2; i < 145; i++)
        f[i] = f[i - 1] + f[i - 2];
    for (int i = 0; i + 3 < 145; i++) {
        int want = i % 2 == 0 ? -1 : 1;

        right &= share_compare(f[i + 1], f[i], f[i + 2], f[i + 1]) == want;
        right &= share_compare(f[i + 2], f[i + 1], f[i + 1], f[i]) == -want;
        right &= share_compare(f[i + 1], f[i], f[i + 1], f[i]) == 0;
    }
    ok(right, "neighbouring Fibonacci fractions");
}

/* Multiplying both sides of a small fraction takes the slow way; the small one gives the answer. */
static void test_scaled(void)
{
    unsigned long long state = 1;
    int wrong = 0;

    for (int i = 0; i < 100000; i++) {
        wide n[4];
        wide k = power(70) + test_random(&state);
        wide j = power(70) + test_random(&state);

        for (int x = 0; x < 4; x++)
            n[x] = test_random(&state) % 50;
        wrong += share_compare(n[0], n[1], n[2], n[3]) !=
                 share_compare(n[0] * k, n[1] * k, n[2] * j, n[3] * j);
        if (n[1] > 0 && n[3] > 0)
            wrong += share_compare(n[0], n[1], n[2], n[3]) !=
                     (n[0] * n[3] > n[2] * n[1]) - (n[0] * n[3] < n[2] * n[1]);
    }
    is_int(wrong, 0, "100000 fractions compare alike at any size");
}

int main(void)
{
    test_clamp();
    test_shares();
    test_fibonacci();
    test_scaled();
    return tap_done();
}
