/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/records/workload.h"
#include "plugin/workloads/workload_settle.h"
#include "t/kit/tap.h"
#include "t/kit/workload_kit.h"

int main(void)
{
    struct workload_kit kit;
    struct workload_life life;
    uint32_t workload;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, "flavor f; check k; cluster c check=k group=cpu flavor=f cpu=1; "
                          "local l cluster=c; add a queue=l cpu=1");
    workload = workload_find(kit.kit.engine, text_of("default"), text_of("a"));
    workload_find_life(kit.kit.engine, workload, &life);
    ok(life.reserved && !life.admitted, "reserved, not admitted");
    ok(life.checks_listed && !life.checks_ready, "its check is listed, and not ready");
    ok(workload_wants_check(kit.kit.engine, workload, 0), "its queue wants it");
    workload_kit_do(&kit, "cluster c drain check=k group=cpu flavor=f cpu=1");
    is_str(workload_kit_state(&kit, "a"), "pending", "a reservation is cancelled");
    workload_find_life(kit.kit.engine, workload, &life);
    is_int(life.cluster_queue, LIFE_DRAINS, "its queue drains");
    is_int(life.pending_why, LIFE_INADMISSIBLE, "and that is written down");
    workload_kit_do(&kit, "cluster c group=cpu flavor=f cpu=1");
    is_str(workload_kit_state(&kit, "a"), "admitted f", "and comes back, now without a check");
    workload_kit_do(&kit, "deactivate a");
    is_str(workload_kit_state(&kit, "a"), "pending evicted", "deactivated it goes");
    workload_kit_do(&kit, "activate a");
    is_str(workload_kit_state(&kit, "a"), "admitted f", "and comes back");
    workload_kit_do(&kit, "follow; remove a; lead");
    workload_kit_close(&kit);
    return tap_done();
}
