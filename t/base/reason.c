/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/base/reason.h"

#include "t/kit/tap.h"

#include <string.h>

static void test_names(void)
{
    is_str(reason_name(REASON_NONE), "", "no reason has no name");
    for (int a = 1; a < REASON_COUNT; a++) {
        bool alone = true;

        for (int b = 0; b < a; b++)
            alone = alone && strcmp(reason_name((enum reason)a), reason_name((enum reason)b)) != 0;
        ok(alone, "%s is the name of one reason", reason_name((enum reason)a));
    }
}

int main(void)
{
    test_names();
    return tap_done();
}
