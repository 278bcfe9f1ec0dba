/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/grant/hunt_share.h"

#include "t/kit/tap.h"
#include "t/kit/workload_kit.h"

/* A queue whose object names a flavor no more, while its workloads are in it. */
static void test_unnamed(const char *what, const char *world, const char *edit)
{
    struct workload_kit kit;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, world);
    workload_kit_do(&kit, "local l cluster=c; local m cluster=d; add a queue=m cpu=3");
    is_str(workload_kit_state(&kit, "a"), "admitted f", "%s: it has a place", what);
    workload_kit_do(&kit, edit);
    workload_kit_do(&kit, "add w queue=l cpu=2");
    is_str(workload_kit_state(&kit, "a"), "pending evicted", "%s: it lives above its share", what);
    is_str(workload_kit_state(&kit, "w"), "admitted f", "%s: who has quota takes it back", what);
    workload_kit_close(&kit);
}

/* It lives above its share only in what it names no more: when that has gone, the others are left
 * alone, who are within theirs. */
static void test_unnamed_has_gone(void)
{
    struct workload_kit kit;

    workload_kit_open(&kit, "");
    workload_kit_do(
        &kit,
        "flavor f; cluster c parent=o reclaim=any whileBorrowing group=cpu,memory flavor=f cpu=8 "
        "memory=2; cluster d parent=o group=cpu,memory flavor=f cpu=4 memory=0; "
        "local l cluster=c; local m cluster=d; add b queue=m cpu=4; time 2; "
        "add a queue=m memory=2; time 3; add e queue=l cpu=1");
    workload_kit_do(&kit, "cluster d parent=o group=cpu flavor=f cpu=4");
    is_str(workload_kit_state(&kit, "a"), "admitted f", "it uses what its queue names no more");
    workload_kit_do(&kit, "add w queue=l cpu=8 memory=1 priority=1");
    is_str(workload_kit_state(&kit, "b"), "admitted f", "who is within the share stays");
    is_str(workload_kit_state(&kit, "a"), "admitted f", "so nobody goes in vain");
    workload_kit_close(&kit);
}

int main(void)
{
    test_unnamed_has_gone();
    test_unnamed("beside it",
                 "flavor f; cohort o; cluster c parent=o reclaim=any group=cpu flavor=f cpu=2; "
                 "cluster d parent=o group=cpu flavor=f cpu=1",
                 "cluster d parent=o");
    test_unnamed("in a cohort of its own",
                 "flavor f; cohort o; cohort n parent=o; cluster c parent=o reclaim=any group=cpu "
                 "flavor=f cpu=2; cluster d parent=n group=cpu flavor=f cpu=1",
                 "cluster d parent=n");
    return tap_done();
}
