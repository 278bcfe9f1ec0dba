/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/queues/admission_check.h"
#include "plugin/records/cluster_queue.h"
#include "t/kit/tap.h"
#include "t/kit/workload_kit.h"

static enum cluster_queue_fault fault(const struct workload_kit *kit, const char *queue)
{
    struct text what;

    return cluster_queue_fault(kit->kit.engine, kit_queue(&kit->kit, queue), &what);
}

int main(void)
{
    struct workload_kit kit;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, "local l cluster=c");
    is_int(fault(&kit, "cluster/c"), CLUSTER_QUEUE_UNKNOWN, "a queue that was only named");
    workload_kit_do(&kit, "cluster c check=k group=cpu flavor=f cpu=4");
    is_int(fault(&kit, "cluster/c"), CLUSTER_QUEUE_FLAVOR_MISSING, "a flavor is not there");
    workload_kit_do(&kit, "flavor f");
    is_int(fault(&kit, "cluster/c"), CLUSTER_QUEUE_CHECK_MISSING, "a check is not there");
    workload_kit_do(&kit, "check k inactive");
    is_int(fault(&kit, "cluster/c"), CLUSTER_QUEUE_CHECK_INACTIVE, "it is not active");
    workload_kit_do(&kit, "check k");
    is_int(fault(&kit, "cluster/c"), CLUSTER_QUEUE_READY, "it is");
    workload_kit_do(&kit, "lose-check k");
    is_int(fault(&kit, "cluster/c"), CLUSTER_QUEUE_CHECK_MISSING, "it is gone");
    workload_kit_do(&kit, "check k; cluster c hold group=cpu flavor=f cpu=4");
    is_int(fault(&kit, "cluster/c"), CLUSTER_QUEUE_STOPPED, "stopped");
    is_int(cluster_queue_stop(kit.kit.engine, kit_queue(&kit.kit, "cluster/c")), LIFE_HOLDS,
           "it holds");
    workload_kit_do(
        &kit, "cohort x parent=y; cohort y parent=x; cluster c parent=x group=cpu flavor=f cpu=4");
    is_int(fault(&kit, "cluster/c"), CLUSTER_QUEUE_CYCLE, "cohorts in a cycle");
    workload_kit_do(&kit, "lose-cluster c; lose-local l");
    is_int(kit_queue(&kit.kit, "cluster/c"), 0, "whoever nobody names is forgotten");
    workload_kit_close(&kit);
    return tap_done();
}
