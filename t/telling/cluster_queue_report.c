/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/telling/report.h"

#include "t/kit/tap.h"
#include "t/kit/workload_kit.h"

static const char *const world = "flavor f; cluster c within=lower group=cpu flavor=f cpu=4; "
                                 "local l cluster=c";

/* Of those that hold nothing some wait for no quota, whatever made them so, until that ends. */
static void test_idle(void)
{
    static const struct {
        const char *words, *what;
        uint32_t pending, idle;
    } steps[] = {
        {"local m cluster=c; add a queue=l cpu=4; add b queue=m cpu=1; add d queue=m cpu=2",
         "two wait for quota", 2, 0},
        {"add g queue=m cpu=1 gatedBy=x", "its owner gates one", 3, 1},
        {"deactivate b", "one is deactivated", 3, 2},
        {"local m cluster=c hold", "its LocalQueue is stopped", 3, 3},
        {"cluster c hold within=lower group=cpu flavor=f cpu=4", "and its ClusterQueue", 3, 3},
        {"add e queue=l cpu=1", "of the other LocalQueue one waits for quota", 4, 3},
        {"lose-local m", "its LocalQueue is gone", 4, 3},
        {"local m cluster=c", "it is there again, and runs", 4, 2},
        {"activate b", "it is activated", 4, 1},
        {"remove g; add g queue=m cpu=1", "nobody gates the next one", 4, 0},
        {"local m cluster=d hold", "its LocalQueue moves away", 1, 0},
    };
    struct workload_kit kit;
    struct cluster_queue_report report;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, world);
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        workload_kit_do(&kit, steps[i].words);
        engine_report_cluster_queue(kit.kit.engine, kit_queue(&kit.kit, "cluster/c"), &report);
        is_int(report.pending, steps[i].pending, "%s: so many hold nothing", steps[i].what);
        is_int(report.idle, steps[i].idle, "%s: so many of them wait for no quota", steps[i].what);
    }
    engine_report_local_queue(
        kit.kit.engine, engine_find_local_queue(kit.kit.engine, text_of("default"), text_of("m")),
        &report);
    is_int(report.idle, 3, "all of the LocalQueue that is stopped");
    workload_kit_close(&kit);
}

int main(void)
{
    struct workload_kit kit;
    struct cluster_queue_report report;
    struct workload_usage usage;
    uint32_t cursor = 0, workload, local;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, world);
    workload_kit_do(
        &kit, "local m cluster=c; add a queue=l cpu=3; add b queue=m cpu=1; add d queue=m cpu=2");
    engine_report_cluster_queue(kit.kit.engine, kit_queue(&kit.kit, "cluster/c"), &report);
    is_int(report.pending, 1, "one is pending");
    is_int(report.reserving, 2, "two hold quota");
    is_int(report.admitted, 2, "both are admitted");
    is_str(report.reason, "Ready", "the queue is ready");
    local = engine_find_local_queue(kit.kit.engine, text_of("default"), text_of("m"));
    engine_report_local_queue(kit.kit.engine, local, &report);
    is_int(report.reserving, 1, "of a LocalQueue one");
    ok(engine_next_workload_usage(kit.kit.engine, 0, local, &cursor, &usage), "it uses something");
    is_int(usage.reserved, 1, "so much");
    is_int(usage.admitted, 1, "all of it admitted");
    cursor = 0;
    ok(engine_next_workload(kit.kit.engine, 0, local, false, &cursor, &workload),
       "somebody waits there");
    ok(workload == workload_find(kit.kit.engine, text_of("default"), text_of("d")), "it is d");
    ok(!engine_next_workload(kit.kit.engine, 0, local, false, &cursor, &workload),
       "and nobody else");
    cursor = 0;
    ok(engine_next_local_queue(kit.kit.engine, &cursor), "there is a first LocalQueue");
    ok(engine_next_local_queue(kit.kit.engine, &cursor) && cursor == local, "then m");
    ok(!engine_next_local_queue(kit.kit.engine, &cursor), "and no third");
    workload_kit_do(&kit, "lose-cluster c");
    engine_report_local_queue(kit.kit.engine, local, &report);
    is_str(report.reason, "ClusterQueueDoesNotExist", "its ClusterQueue is gone");
    is_str(report.message, "Can't submit new workloads to clusterQueue", "in Kueue's words");
    workload_kit_do(&kit, "local m cluster=c hold");
    engine_report_local_queue(kit.kit.engine, local, &report);
    is_str(report.message, "LocalQueue is stopped", "what is stopped itself says so");
    workload_kit_do(&kit,
                    "check k; check l inactive; cluster c hold check=j check=k check=l group=cpu "
                    "flavor=f cpu=1 flavor=g cpu=1 flavor=h cpu=1");
    engine_report_cluster_queue(kit.kit.engine, kit_queue(&kit.kit, "cluster/c"), &report);
    is_str(report.reason, "Stopped", "the first reason is the reason");
    is_str(report.message,
           "Can't admit new workloads: is stopped, references missing ResourceFlavor(s): g,h, "
           "references missing AdmissionCheck(s): j, references inactive AdmissionCheck(s): l.",
           "and all are told");
    workload_kit_close(&kit);
    test_idle();
    return tap_done();
}
