/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/base/duration.h"

#include "t/kit/tap.h"

static int64_t parsed(const char *s)
{
    int64_t span = -1;

    return duration_parse(text_of(s), &span) ? span : -1;
}

int main(void)
{
    const int64_t second = 1000000000;

    is_int(parsed("5m"), 300 * second, "minutes");
    is_int(parsed("1h30m"), 5400 * second, "a sum");
    is_int(parsed("2.5s"), 5 * second / 2, "a fraction");
    is_int(parsed(".5s"), second / 2, "without a whole part");
    is_int(parsed("100ms"), second / 10, "milliseconds");
    is_int(parsed("3us") + parsed("2ns"), 3002, "the small ones");
    is_int(parsed("3\xc2\xb5s"), 3000, "as Go writes it");
    is_int(parsed("1.0000000001s"), second, "what is below a nanosecond does not count");
    is_int(parsed("876000h"), INT64_C(876000) * 3600 * second, "a century");
    is_int(parsed("876001h"), -1, "and no longer");
    is_int(parsed("99999999999999999999h"), -1, "nothing overflows");
    is_int(parsed("9999999h9999999h"), -1, "nor does a sum");

    const char *const none[] = {"",    "5",      "m",    "-5m", "0s", "5 m",
                                "5m ", "1.2.3s", "five", "5d",  "."};

    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
        is_int(parsed(none[i]), -1, "no span: \"%s\"", none[i]);
    return tap_done();
}
