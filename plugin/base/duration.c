/* SPDX-License-Identifier: Apache-2.0 */
#include "duration.h"

/* The longest is a century: the sum of a time and a span stays within an int64. */
#define LONGEST (INT64_C(100) * 365 * 24 * 3600 * 1000000000)

static int64_t take_unit(struct text *rest)
{
    static const struct {
        const char *name;
        int64_t length;
    } units[] = {
        {"ns", 1},
        {"us", 1000},
        {"\xc2\xb5s", 1000},
        {"ms", 1000000},
        {"s", 1000000000},
        {"m", INT64_C(60) * 1000000000},
        {"h", INT64_C(3600) * 1000000000},
    };

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        size_t len = strlen(units[i].name);

        if (rest->len >= len && memcmp(rest->at, units[i].name, len) == 0) {
            rest->at += len;
            rest->len -= len;
            return units[i].length;
        }
    }
    return 0;
}

/* Digits, as billionths: none is 0 billionths. The value is at most LONGEST, whatever is there. */
static bool take_number(struct text *rest, int64_t *ret_whole, int64_t *ret_billionths)
{
    int64_t whole = 0, billionths = 0, place = 100000000;
    bool some = false, fraction = false;

    for (; rest->len > 0; rest->at++, rest->len--) {
        char c = *rest->at;

        if (c == '.' && !fraction) {
            fraction = true;
            continue;
        }
        if (c < '0' || c > '9')
            break;
        some = true;
        if (fraction) {
            billionths += place * (c - '0');
            place /= 10;
        } else if (whole <= LONGEST / 10) {
            whole = whole * 10 + (c - '0');
        }
    }
    *ret_whole = whole;
    *ret_billionths = billionths;
    return some;
}

bool duration_parse(struct text text, int64_t *ret)
{
    int64_t sum = 0;

    while (text.len > 0) {
        int64_t whole, billionths, unit;

        if (!take_number(&text, &whole, &billionths))
            return false;
        unit = take_unit(&text);
        if (unit == 0 || whole > (LONGEST - sum) / unit)
            return false;
        sum += whole * unit + (int64_t)((__int128)billionths * unit / 1000000000);
    }
    if (sum <= 0 || sum > LONGEST)
        return false;
    *ret = sum;
    return true;
}
