/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/check.h"
#include "plugin/records/claim_need.h"
#include "plugin/records/workload.h"
#include "t/kit/tap.h"
#include "t/kit/workload_kit.h"

static const char *const world = "flavor f; cluster c within=lower group=cpu flavor=f cpu=4; "
                                 "local l cluster=c";

static void breaks(struct workload_kit *kit, uint32_t *number, uint32_t change, const char *want)
{
    *number += change;
    is_str(workload_check(kit->kit.engine) == NULL ? "" : workload_check(kit->kit.engine), want,
           "%s", want);
    *number -= change;
}

int main(void)
{
    struct workload_kit kit;
    struct engine *e;
    uint32_t workload, local, queue;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, world);
    workload_kit_do(&kit, "add a queue=l cpu=3; add b queue=l cpu=2");
    e = kit.kit.engine;
    workload = workload_find(e, text_of("default"), text_of("a"));
    local = workload_at(e, workload)->local_queue;
    queue = kit_queue(&kit.kit, "cluster/c");
    ok(workload_check(e) == NULL, "all invariants hold");
    breaks(&kit, &local_queue_at(e, local)->counts[LOCAL_PENDING], 1,
           "a LocalQueue counts its workloads");
    breaks(&kit, &queue_at(e, queue)->cluster.below, 1,
           "workloads that hold or are promised something are counted over the subtree");
    breaks(&kit, &claim_at(e, workload)->flags, CLAIM_PROMISED,
           "a workload that is promised room waits");
    breaks(&kit, &workload_at(e, workload)->flags, WORKLOAD_BLOCKED,
           "a signal that is to be given, or to end, is written, and seen");
    breaks(&kit, &workload_at(e, workload)->flags, WORKLOAD_ASSUMED - WORKLOAD_RESERVED,
           "a reservation that was decided is written, and seen");
    breaks(&kit, &claim_at(e, workload)->flags, CLAIM_VICTIM,
           "an eviction that was decided is written, and seen");
    pledge_at(e, workload)->removable = false;
    is_str(workload_check(e), "whose room may be taken, is found in its queue",
           "a workload that may be sent away is found");
    pledge_at(e, workload)->removable = true;
    workload_kit_do(&kit, "jobsStay; add c queue=l cpu=4 priority=1");
    ok(claim_is_victim(claim_at(e, workload)), "one goes for another");
    workload_set(workload_at(e, workload), WORKLOAD_EVICTED, false);
    breaks(&kit, &claim_at(e, workload)->flags, 0U - CLAIM_VICTIM,
           "a workload that is promised room waits for somebody who goes");
    workload_kit_close(&kit);
    return tap_done();
}
