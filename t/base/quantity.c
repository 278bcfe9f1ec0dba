/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/base/quantity.h"

#include "plugin/base/amount.h"
#include "t/base/quantity_cases.h"
#include "t/kit/tap.h"
#include "t/kit/test_mem.h"

#include <stdlib.h>
#include <string.h>

/* From the heap and without a NUL: a read past the end is an error for the sanitizer. */
static bool parse(const char *text, size_t len, bool milli, int64_t *ret_amount)
{
    char *copy = malloc(len > 0 ? len : 1);

    if (copy == NULL)
        abort();
    memcpy(copy, text, len);

    bool result = quantity_parse(copy, len, milli, ret_amount);

    free(copy);
    return result;
}

static void test_cases(void)
{
    for (size_t i = 0; i < sizeof(quantity_cases) / sizeof(quantity_cases[0]); i++) {
        const char *text = quantity_cases[i].text;
        bool want = quantity_cases[i].valid;
        int64_t milli = 0;
        int64_t units = 0;
        bool got = parse(text, strlen(text), true, &milli);
        bool again = parse(text, strlen(text), false, &units);
        bool pass = got == want && again == want && milli == quantity_cases[i].milli &&
                    units == quantity_cases[i].units;

        if (!tap_ok(pass, "\"%s\"", text))
            tap_diag("result %d, milli %lld, units %lld", got, (long long)milli, (long long)units);
    }
}

static void test_untouched(void)
{
    int64_t amount = 42;

    is_int(quantity_parse("1x", 2, true, &amount), false, "a wrong suffix");
    is_int(amount, 42, "leaves the result alone");
    is_int(quantity_parse("1\0m", 3, true, &amount), false, "so does a NUL inside");
    is_int(quantity_parse("1e3xyz", 3, false, &amount), true, "only len bytes are read");
    is_int(amount, 1000, "and they are worth this");
}

/* '0.' and n digits, of which the last is `last`. */
static int64_t long_fraction(size_t digits, char fill, char last, const char *suffix)
{
    size_t len = 2 + digits + strlen(suffix);
    char *text = malloc(len);
    int64_t amount = -1;

    if (text == NULL)
        abort();
    memset(text, fill, len);
    memcpy(text, "0.", 2);
    text[1 + digits] = last;
    memcpy(text + 2 + digits, suffix, strlen(suffix));
    quantity_parse(text, len, false, &amount);
    free(text);
    return amount;
}

static void test_long(void)
{
    static char digits[10000];
    int64_t amount = 0;

    memset(digits, '9', sizeof(digits));
    quantity_parse(digits, sizeof(digits), true, &amount);
    is_int(amount, AMOUNT_MAX, "10000 nines are the most");
    digits[0] = '-';
    quantity_parse(digits, sizeof(digits), false, &amount);
    is_int(amount, -AMOUNT_MAX, "or the least");
    memset(digits, '0', sizeof(digits));
    digits[sizeof(digits) - 1] = '7';
    quantity_parse(digits, sizeof(digits), false, &amount);
    is_int(amount, 7, "10000 leading zeros are nothing");

    is_int(long_fraction(10000, '0', '0', ""), 0, "a long nothing");
    is_int(long_fraction(10000, '0', '1', ""), 1, "a long trace counts");
    is_int(long_fraction(10000, '0', '1', "Ei"), 1, "with a binary suffix as well");
    is_int(long_fraction(10000, '9', '9', "Ei"), INT64_C(1) << 60, "almost an Ei is one");
    is_int(long_fraction(9, '0', '0', "Ki"), 0, "a group of zeros");
    is_int(long_fraction(10, '5', '5', "Ki"), 569, "568.8...");
    is_int(long_fraction(1, '5', '5', "Ki"), 512, "half a Ki, exactly");
    is_int(long_fraction(20, '0', '0', "e30"), 0, "zero times anything");
}

static void is_format(int64_t amount, bool milli, const char *want)
{
    char text[QUANTITY_TEXT_MAX];
    size_t len = quantity_format(amount, milli, text);

    is_str(text, want, "writes %s", want);
    is_int(len, (long long)strlen(want), "and its length");
}

static void test_format(void)
{
    is_format(1500, true, "1500m");
    is_format(2000, true, "2");
    is_format(0, true, "0");
    is_format(-1, true, "-1m");
    is_format(INT64_C(16) << 30, false, "16Gi");
    is_format(1000, false, "1000");
    is_format(0, false, "0");
    is_format(1023, false, "1023");
    is_format(1024, false, "1Ki");
    is_format(1536, false, "1536");
    is_format(-2048, false, "-2Ki");
    is_format(AMOUNT_MAX, false, "4Ei");
    is_format(-AMOUNT_MAX, true, "-4611686018427387904m");
}

static void test_round_trip(void)
{
    unsigned long long state = 5;
    int wrong = 0;

    for (int i = 0; i < 200000; i++) {
        char text[QUANTITY_TEXT_MAX];
        uint64_t bits = (uint64_t)test_random(&state) << 31 | test_random(&state);
        int64_t amount = (int64_t)(bits >> test_random(&state) % 62);
        bool milli = i % 2 == 0;
        int64_t back = 0;

        if (i % 3 == 0)
            amount = (int64_t)((uint64_t)amount >> 40 << (test_random(&state) % 5 * 10));
        amount = amount_clamp(i % 5 == 0 ? -amount : amount);

        size_t len = quantity_format(amount, milli, text);

        wrong += !quantity_parse(text, len, milli, &back) || back != amount;
    }
    is_int(wrong, 0, "200000 amounts read as they were written");
}

int main(void)
{
    test_cases();
    test_untouched();
    test_long();
    test_format();
    test_round_trip();
    return tap_done();
}
