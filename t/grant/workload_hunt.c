/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/grant/workload_hunt.h"

#include "t/kit/tap.h"
#include "t/kit/workload_kit.h"

#include <stdio.h>

/* Who goes for the newcomer, in a cohort of two queues. */
static void test(const char *what, const char *policy, const char *add, const char *want)
{
    struct workload_kit kit;
    char steps[300];

    workload_kit_open(&kit, "");
    snprintf(steps, sizeof(steps),
             "flavor f; cluster c %s parent=o group=cpu flavor=f cpu=2; "
             "cluster d parent=o group=cpu flavor=f cpu=2; local l cluster=c; local m cluster=d",
             policy);
    workload_kit_do(&kit, steps);
    workload_kit_do(&kit, "add a queue=m cpu=1 priority=1; time 2; add b queue=m cpu=1; time 3; "
                          "add x queue=m cpu=1 priority=1; time 4; add e queue=l cpu=1");
    workload_kit_log(&kit);
    workload_kit_do(&kit, add);
    is_str(workload_kit_log(&kit), want, "%s", what);
    workload_kit_close(&kit);
}

/* Who would borrow, against two that each leave their queue something to reclaim, or not. */
static void test_borrower(const char *what, const char *policy, const char *victims,
                          const char *add, const char *want)
{
    struct workload_kit kit;
    char steps[400];

    workload_kit_open(&kit, "");
    snprintf(steps, sizeof(steps),
             "flavor f; cluster c reclaim=any whileBorrowing parent=o group=cpu,memory flavor=f "
             "cpu=4 memory=4; cluster d %s parent=o group=cpu,memory flavor=f cpu=4 memory=4; "
             "local l cluster=c; local m cluster=d",
             policy);
    workload_kit_do(&kit, steps);
    workload_kit_do(&kit, victims);
    workload_kit_log(&kit);
    workload_kit_do(&kit, add);
    is_str(workload_kit_log(&kit), want, "%s", what);
    workload_kit_close(&kit);
}

/* One reclaims from the borrower, is sent away within its queue by another, and that one by the
 * borrower: which would go on for ever. */
static void test_round(void)
{
    struct workload_kit kit;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, "flavor f; "
                          "cluster c reclaim=any whileBorrowing parent=o group=cpu flavor=f cpu=1; "
                          "cluster d reclaim=any within=lower parent=o group=cpu flavor=f cpu=4; "
                          "local l cluster=c; local m cluster=d; "
                          "add other queue=m cpu=5 priority=2; add owner queue=m cpu=2");
    workload_kit_log(&kit);
    workload_kit_do(&kit, "add borrower queue=l cpu=4 priority=3");
    is_str(workload_kit_log(&kit), "",
           "nobody is sent away while the next one waits to reclaim that");
    workload_kit_do(&kit, "remove owner");
    is_str(workload_kit_log(&kit), "other:evict other:endEviction borrower:reserve",
           "once nobody waits there, the borrower is asked again");
    workload_kit_close(&kit);
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
    test_borrower("nobody who would reclaim it at once, of what the queue lives within",
                  "reclaim=any", "add a queue=m memory=6; time 2; add b queue=m cpu=4",
                  "add w queue=l cpu=6 memory=4 priority=1", "");
    test_borrower("nor of what it only lived above with another", "reclaim=any",
                  "add a queue=m cpu=5; time 2; add b queue=m cpu=1",
                  "add w queue=l cpu=8 priority=1", "");
    test_borrower("nor who would come back for it with fewer pods", "reclaim=any",
                  "add a queue=m count=5 min=4 cpu=1", "add w queue=l cpu=5 priority=1", "");
    test_borrower("who takes no fewer than it lived above with may go", "reclaim=any",
                  "add a queue=m count=5 min=5 cpu=1", "add w queue=l cpu=5 priority=1",
                  "a:evict a:endEviction w:reserve");
    test_borrower("that other one may go", "reclaim=any",
                  "add a queue=m cpu=5; time 2; add b queue=m cpu=1",
                  "add w queue=l cpu=7 priority=1", "a:evict a:endEviction w:reserve");
    test_borrower("who would not get it back may go", "reclaim=lower",
                  "add a queue=m cpu=5; time 2; add b queue=m cpu=1",
                  "add w queue=l cpu=8 priority=1",
                  "a:evict b:evict a:endEviction b:endEviction w:reserve");
    test_borrower("also one that could send others away, as long as nobody waits there",
                  "reclaim=any within=lower", "add a queue=m cpu=5; time 2; add b queue=m cpu=1",
                  "add w queue=l cpu=7 priority=1", "a:evict a:endEviction w:reserve");
    test_round();
    return tap_done();
}
