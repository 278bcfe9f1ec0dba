/* SPDX-License-Identifier: Apache-2.0 */

/* What one that waits lacks, and where. */
#include "t/kit/tap.h"
#include "t/kit/workload_kit.h"

#include "plugin/telling/lack.h"

#include <stdio.h>

static const char *words(struct lack on)
{
    static char out[256];

    snprintf(out, sizeof(out), "%.*s %.*s: room %lld asked %lld wanted %lld", (int)on.name.len,
             on.name.at, (int)on.resource.len, on.resource.at, (long long)on.room,
             (long long)on.asked, (long long)on.wanted);
    return on.is ? out : "";
}

static struct pod_report pod_of(const struct kit *kit, const char *uid)
{
    struct pod_report report;

    engine_report_pod(kit->engine, kit_claim(kit, uid), &report);
    return report;
}

static const char *lack(const struct kit *kit, const char *uid)
{
    return words(pod_of(kit, uid).place.on);
}

static void test_pods(void)
{
    struct kit kit;

    kit_open(&kit, "answers");
    kit_do(&kit,
           "queue p cpu=5; queue l parent=p cpu=4; queue r parent=p;"
           "pod a queue=l cpu=3 node=n; pod b queue=l cpu=2; pod c queue=r cpu=4; pod d queue=r");
    is_str(lack(&kit, "b"), "l cpu: room 1 asked 2 wanted 2", "its own queue refuses it");
    is_str(lack(&kit, "c"), "p cpu: room 2 asked 4 wanted 6",
           "an ancestor does, where others wait for the same");
    is_str(lack(&kit, "d"), "", "who was granted lacks nothing");
    kit_do(&kit, "queue p cpu=1");
    is_str(lack(&kit, "c"), "p cpu: room 0 asked 4 wanted 6", "room is never below nothing");
    kit_do(&kit, "queue r parent=p suspended");
    is_str(lack(&kit, "c"), "", "who waits for something else lacks nothing");
    kit_do(&kit, "queue p cpu=5; queue r parent=p; group g min=2; pod e queue=r group=g cpu=2;"
                 "pod f queue=r group=g cpu=2");
    is_str(lack(&kit, "f"), "p cpu: room 2 asked 4 wanted 10", "a member what its gang does");
    is_int(pod_of(&kit, "f").ask_count, 2, "and asks itself for its own");
    kit_close(&kit);
}

static const char *workload_lack(struct workload_kit *kit, const char *name)
{
    struct workload_report report;

    engine_report_workload(kit->kit.engine,
                           engine_find_workload(kit->kit.engine, text_of("default"), text_of(name)),
                           false, &report);
    return words(report.place.on);
}

static void test_workloads(void)
{
    struct workload_kit kit;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, "flavor f; cluster c parent=o group=cpu flavor=f cpu=4;"
                          "cluster d parent=o group=cpu flavor=f cpu=2; local l cluster=c;"
                          "local m cluster=d; add a queue=l cpu=5; add b queue=m cpu=2;"
                          "add many queue=m cpu=1 count=6 min=2");
    is_str(workload_lack(&kit, "a"), "", "who has its quota lacks nothing");
    is_str(workload_lack(&kit, "b"), "o cpu: room 1 asked 2 wanted 8",
           "a cohort has no room, where others wait for the same");
    is_str(workload_lack(&kit, "many"), "o cpu: room 1 asked 2 wanted 8",
           "of pods that may be fewer the least is asked for");
    workload_kit_do(&kit, "cluster d hold parent=o group=cpu flavor=f cpu=2");
    is_str(workload_lack(&kit, "b"), "", "who waits for something else lacks nothing");
    workload_kit_close(&kit);
}

/* What there is in a flavor that is not for its pods does not help it. */
static void test_flavors(void)
{
    struct workload_kit kit;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, "flavor f label=kind:f; flavor g label=kind:g;"
                          "cluster c group=cpu flavor=f cpu=4 flavor=g cpu=9; local l cluster=c;"
                          "add a queue=l cpu=3 selects=kind:f; add b queue=l cpu=2 selects=kind:f;"
                          "add some queue=l cpu=4 selects=kind:g; add any queue=l cpu=9");
    is_str(workload_lack(&kit, "b"), "c cpu: room 1 asked 2 wanted 11", "of its own flavor");
    is_str(workload_lack(&kit, "any"), "c cpu: room 5 asked 9 wanted 11",
           "whoever may be in both, in that which has more");
    workload_kit_close(&kit);
}

/* Of all that is missing that which will take longest. */
static void test_several(void)
{
    struct workload_kit kit;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, "flavor f; cluster c group=cpu,memory flavor=f cpu=10 memory=10;"
                          "local l cluster=c; add a queue=l cpu=8 memory=8;"
                          "add b queue=l cpu=3 memory=9");
    is_str(workload_lack(&kit, "b"), "c memory: room 2 asked 9 wanted 9",
           "seven of eight have to go, and not one");
    workload_kit_close(&kit);
}

int main(void)
{
    test_pods();
    test_workloads();
    test_flavors();
    test_several();
    return tap_done();
}
