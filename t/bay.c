/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/bay.h"

#include "t/load_kit.h"
#include "t/tap.h"

static enum bay_fault fault(const struct load_kit *kit, const char *queue)
{
    struct text what;

    return bay_fault(kit->kit.engine, kit_queue(&kit->kit, queue), &what);
}

int main(void)
{
    struct load_kit kit;

    load_kit_open(&kit, "");
    load_kit_do(&kit, "local l cluster=c");
    is_int(fault(&kit, "cluster/c"), BAY_UNKNOWN, "a queue that was only named");
    load_kit_do(&kit, "cluster c check=k group=cpu flavor=f cpu=4");
    is_int(fault(&kit, "cluster/c"), BAY_FLAVOR_MISSING, "a flavor is not there");
    load_kit_do(&kit, "flavor f");
    is_int(fault(&kit, "cluster/c"), BAY_CHECK_MISSING, "a check is not there");
    load_kit_do(&kit, "check k inactive");
    is_int(fault(&kit, "cluster/c"), BAY_CHECK_INACTIVE, "it is not active");
    load_kit_do(&kit, "check k");
    is_int(fault(&kit, "cluster/c"), BAY_READY, "it is");
    load_kit_do(&kit, "lose-check k");
    is_int(fault(&kit, "cluster/c"), BAY_CHECK_MISSING, "it is gone");
    load_kit_do(&kit, "check k; cluster c hold group=cpu flavor=f cpu=4");
    is_int(fault(&kit, "cluster/c"), BAY_STOPPED, "stopped");
    is_int(bay_stop(kit.kit.engine, kit_queue(&kit.kit, "cluster/c")), LIFE_HOLDS, "it holds");
    load_kit_do(
        &kit, "cohort x parent=y; cohort y parent=x; cluster c parent=x group=cpu flavor=f cpu=4");
    is_int(fault(&kit, "cluster/c"), BAY_CYCLE, "cohorts in a cycle");
    load_kit_do(&kit, "lose-cluster c; lose-local l");
    is_int(kit_queue(&kit.kit, "cluster/c"), 0, "whoever nobody names is forgotten");
    load_kit_close(&kit);
    return tap_done();
}
