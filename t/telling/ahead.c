/* SPDX-License-Identifier: Apache-2.0 */

/* Who is before one that waits, and what they ask for. */
#include "t/kit/tap.h"
#include "t/kit/workload_kit.h"

#include "plugin/telling/ahead.h"

#include <stdio.h>

static struct pod_report pod_of(const struct kit *kit, const char *uid)
{
    struct pod_report report;

    engine_report_pod(kit->engine, kit_claim(kit, uid), &report);
    return report;
}

static int64_t of(const struct position *place, const char *resource)
{
    for (uint32_t i = 0; i < place->ahead_count; i++) {
        if (text_is(place->ahead[i].resource, resource))
            return place->ahead[i].usage;
    }
    return -1;
}

static void test_pods(void)
{
    struct pod_report report;
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q pods=0; pod a queue=q cpu=1; pod b queue=q cpu=2 memory=3;"
                 "pod c queue=q cpu=1; pod d queue=q cpu=1; pod e queue=q cpu=9");
    is_int(pod_of(&kit, "a").place.position, 1, "the head is next");
    is_int(pod_of(&kit, "a").place.ahead_count, 0, "with nobody before it");
    report = pod_of(&kit, "d");
    is_int(report.place.position, 4, "three come before the fourth, in two lines");
    is_int(of(&report.place, "cpu"), 4, "and ask for so much together");
    is_int(of(&report.place, "memory"), 3, "of each resource");
    is_int(of(&report.place, "pods"), 3, "pods too");
    kit_do(&kit, "pod e queue=q cpu=9 priority=1");
    is_int(pod_of(&kit, "e").place.position, 1, "a priority goes to the front");
    is_int(pod_of(&kit, "d").place.position, 5, "and moves the others");
    kit_close(&kit);
}

/* More different requests than anybody may look at while others are to be scheduled. */
static void test_at_least(void)
{
    struct pod_report report;
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q pods=0");
    for (int i = 1; i <= AHEAD_LINES; i++) {
        char step[64];

        snprintf(step, sizeof(step), "pod p%d queue=q cpu=%d", i, i);
        kit_quick(&kit, step);
    }
    report = pod_of(&kit, "p2048");
    ok(report.place.position == AHEAD_LINES && !report.place.at_least, "all can be counted");
    kit_quick(&kit, "pod last queue=q gpu=1");
    kit_quick(&kit, "pod behind queue=q gpu=1");
    report = pod_of(&kit, "behind");
    ok(report.place.at_least, "one more is too many");
    ok(report.place.position > 1 && report.place.position <= AHEAD_LINES + 1,
       "what was counted so far is told");
    kit_close(&kit);
}

static struct workload_report *workload_of(struct workload_kit *kit, const char *name)
{
    static struct workload_report report;

    engine_report_workload(kit->kit.engine,
                           engine_find_workload(kit->kit.engine, text_of("default"), text_of(name)),
                           false, &report);
    return &report;
}

/* Pods and workloads wait in one order, and each counts for the other. */
static void test_workloads(void)
{
    struct workload_report *report;
    struct pod_report pod;
    struct workload_kit kit;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, "flavor f; cluster c group=cpu flavor=f cpu=4; local l cluster=c;"
                          "add all queue=l cpu=4; add one queue=l cpu=2 created=10;"
                          "add two queue=l cpu=1 count=3 created=20;"
                          "add like queue=l cpu=1 count=3 created=30;"
                          "pod p cluster=c cpu=1 second=25; add last queue=l cpu=2 created=40");
    report = workload_of(&kit, "one");
    is_int(report->place.position, 1, "the first workload is next");
    is_int(report->place.ahead_count, 0, "with nobody before it");
    report = workload_of(&kit, "last");
    is_int(report->place.position, 5, "behind three others, and a pod");
    is_int(of(&report->place, "cpu"), 9, "who ask for so much together, with all their pods");
    is_int(report->ask_count, 2, "its own pods ask for cpu and their number");
    is_int(workload_of(&kit, "two")->place.position, 2, "those that ask for the same stand apart");
    is_int(of(&workload_of(&kit, "like")->place, "cpu"), 6, "and the first of them is before");
    pod = pod_of(&kit.kit, "p");
    is_int(pod.place.position, 3, "two workloads are before the pod");
    is_int(of(&pod.place, "cpu"), 5, "and what they ask for is");
    workload_kit_close(&kit);
}

int main(void)
{
    test_pods();
    test_workloads();
    test_at_least();
    return tap_done();
}
