/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/load.h"

#include "t/load_kit.h"
#include "t/tap.h"

int main(void)
{
    struct load_kit kit;
    struct workload_life life;
    uint32_t load;

    load_kit_open(&kit, "");
    load_kit_do(&kit, "flavor f; check k; cluster c check=k group=cpu flavor=f cpu=1; "
                      "local l cluster=c; add a queue=l cpu=1");
    load = load_find(kit.kit.engine, text_of("default"), text_of("a"));
    load_find_life(kit.kit.engine, load, &life);
    ok(life.reserved && !life.admitted, "reserved, not admitted");
    ok(life.checks_listed && !life.checks_ready, "its check is listed, and not ready");
    ok(load_wants_check(kit.kit.engine, load, 0), "its queue wants it");
    load_kit_do(&kit, "cluster c drain check=k group=cpu flavor=f cpu=1");
    is_str(load_kit_state(&kit, "a"), "pending", "a reservation is cancelled");
    load_find_life(kit.kit.engine, load, &life);
    is_int(life.cluster_queue, LIFE_DRAINS, "its queue drains");
    is_int(life.pending_why, LIFE_INADMISSIBLE, "and that is written down");
    load_kit_do(&kit, "cluster c group=cpu flavor=f cpu=1");
    is_str(load_kit_state(&kit, "a"), "admitted f", "and comes back, now without a check");
    load_kit_do(&kit, "deactivate a");
    is_str(load_kit_state(&kit, "a"), "pending evicted", "deactivated it goes");
    load_kit_do(&kit, "activate a");
    is_str(load_kit_state(&kit, "a"), "admitted f", "and comes back");
    load_kit_do(&kit, "follow; remove a; lead");
    load_kit_close(&kit);
    return tap_done();
}
