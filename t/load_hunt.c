/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/load_hunt.h"

#include "t/load_kit.h"
#include "t/tap.h"

#include <stdio.h>

/* Who goes for the newcomer, in a cohort of two queues. */
static void test(const char *what, const char *policy, const char *add, const char *want)
{
    struct load_kit kit;
    char steps[300];

    load_kit_open(&kit, "");
    snprintf(steps, sizeof(steps),
             "flavor f; cluster c %s parent=o group=cpu flavor=f cpu=2; "
             "cluster d parent=o group=cpu flavor=f cpu=2; local l cluster=c; local m cluster=d",
             policy);
    load_kit_do(&kit, steps);
    load_kit_do(&kit, "add a queue=m cpu=1 priority=1; time 2; add b queue=m cpu=1; time 3; "
                      "add x queue=m cpu=1 priority=1; time 4; add e queue=l cpu=1");
    load_kit_log(&kit);
    load_kit_do(&kit, add);
    is_str(load_kit_log(&kit), want, "%s", what);
    load_kit_close(&kit);
}

int main(void)
{
    test("nobody may be sent away", "", "add w queue=l cpu=1 priority=9", "");
    test("reclaimed: lower priority first", "reclaim=any", "add w queue=l cpu=1",
         "b:evict b:endEviction w:reserve");
    test("reclaimed: only lower priority", "reclaim=lower", "add w queue=l cpu=1", "");
    test("in the own queue", "within=lower", "add w queue=l cpu=2 priority=1", "");
    test("in the own queue alone it fits", "within=lower", "add w queue=l cpu=1 priority=1",
         "e:evict e:endEviction w:reserve");
    test("others come first, only as many as needed", "within=lower reclaim=any",
         "add w queue=l cpu=1 priority=1", "b:evict b:endEviction w:reserve");
    test("both, where one is not enough", "within=lower reclaim=any",
         "add w queue=l cpu=2 priority=1", "e:evict b:evict e:endEviction b:endEviction w:reserve");
    return tap_done();
}
