/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/workloads/local_queue.h"

#include "t/kit/tap.h"
#include "t/kit/workload_kit.h"

static const char *const world = "flavor f; cluster c within=lower group=cpu flavor=f cpu=4; "
                                 "local l cluster=c";

int main(void)
{
    struct workload_kit kit;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, world);
    workload_kit_do(&kit, "cluster d group=cpu flavor=f cpu=1; local m cluster=c; "
                          "add a queue=l cpu=4; add b queue=m cpu=1; add x queue=later cpu=1");
    is_str(workload_kit_state(&kit, "b"), "pending", "no room");
    workload_kit_do(&kit, "local m cluster=d");
    is_str(workload_kit_state(&kit, "b"), "admitted f", "its queue leads elsewhere now");
    is_str(workload_kit_why(&kit, "x"), "QueueUnknown", "one that is not there");
    workload_kit_do(&kit, "remove b; local later cluster=d");
    is_str(workload_kit_state(&kit, "x"), "admitted f", "comes later");
    workload_kit_do(&kit, "lose-local later");
    is_str(workload_kit_state(&kit, "x"), "admitted f", "that it is gone takes nothing away");
    workload_kit_do(&kit, "remove x");
    ok(local_queue_find(kit.kit.engine, text_of("default"), text_of("later")) == 0,
       "nobody names it any more");
    workload_kit_close(&kit);
    return tap_done();
}
