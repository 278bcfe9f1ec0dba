/* SPDX-License-Identifier: Apache-2.0 */

/* Any text as a quantity: it is refused, or read to an amount within bounds that, written and read
 * again, is the same; and thousandths and whole units agree. */
#include "plugin/base/amount.h"
#include "plugin/base/quantity.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static void expect(bool holds)
{
    if (!holds)
        abort();
}

static void expect_round_trip(int64_t amount, bool milli)
{
    char text[QUANTITY_TEXT_MAX];
    size_t len = quantity_format(amount, milli, text);
    int64_t again;

    expect(len < sizeof(text));
    expect(quantity_parse(text, len, milli, &again));
    expect(again == amount);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    int64_t units = 7, thousandths = 7;
    bool result = quantity_parse(text, size, false, &units);

    expect(quantity_parse(text, size, true, &thousandths) == result);
    if (!result) {
        expect(units == 7 && thousandths == 7);
        return 0;
    }
    expect(units >= -AMOUNT_MAX && units <= AMOUNT_MAX);
    expect(thousandths >= -AMOUNT_MAX && thousandths <= AMOUNT_MAX);

    /* Both are rounded away from 0: a thousandth more is at most a unit more. */
    if (thousandths < AMOUNT_MAX && thousandths > -AMOUNT_MAX) {
        int64_t away = thousandths / 1000 + (thousandths % 1000 > 0) - (thousandths % 1000 < 0);

        expect(units == away);
    }
    expect_round_trip(units, false);
    expect_round_trip(thousandths, true);
    return 0;
}
