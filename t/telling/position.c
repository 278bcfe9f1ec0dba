/* SPDX-License-Identifier: Apache-2.0 */

/* Where a pod stands, and what it lacks. */
#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

#include "plugin/telling/position.h"

#include <stdio.h>

static struct pod_report pod_of(const struct kit *kit, const char *uid)
{
    struct pod_report report;

    engine_report_pod(kit->engine, kit_claim(kit, uid), &report);
    return report;
}

static int64_t ahead(const struct pod_report *report, const char *resource)
{
    for (uint32_t i = 0; i < report->place.ahead_count; i++) {
        if (text_is(report->place.ahead[i].resource, resource))
            return report->place.ahead[i].usage;
    }
    return -1;
}

static void test_position(void)
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
    is_int(ahead(&report, "cpu"), 4, "and ask for so much together");
    is_int(ahead(&report, "memory"), 3, "of each resource");
    is_int(ahead(&report, "pods"), 3, "pods too");
    kit_do(&kit, "pod e queue=q cpu=9 priority=1");
    is_int(pod_of(&kit, "e").place.position, 1, "a priority goes to the front");
    is_int(pod_of(&kit, "d").place.position, 5, "and moves the others");
    kit_close(&kit);
}

static const char *lack(const struct kit *kit, const char *uid)
{
    static char out[256];
    struct lack on = pod_of(kit, uid).place.on;

    snprintf(out, sizeof(out), "%.*s %.*s: room %lld asked %lld wanted %lld", (int)on.name.len,
             on.name.at, (int)on.resource.len, on.resource.at, (long long)on.room,
             (long long)on.asked, (long long)on.wanted);
    return on.is ? out : "";
}

static void test_lack(void)
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
    is_int(pod_of(&kit, "f").backlog_count, 2, "and asks itself for its own");
    kit_close(&kit);
}

/* More different requests than anybody may look at while others are to be scheduled. */
static void test_at_least(void)
{
    struct pod_report report;
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q pods=0");
    for (int i = 1; i <= POSITION_LINES; i++) {
        char step[64];

        snprintf(step, sizeof(step), "pod p%d queue=q cpu=%d", i, i);
        kit_quick(&kit, step);
    }
    report = pod_of(&kit, "p2048");
    ok(report.place.position == POSITION_LINES && !report.place.at_least, "all can be counted");
    kit_quick(&kit, "pod last queue=q gpu=1");
    kit_quick(&kit, "pod behind queue=q gpu=1");
    report = pod_of(&kit, "behind");
    ok(report.place.at_least, "one more is too many");
    ok(report.place.position > 1 && report.place.position <= POSITION_LINES + 1,
       "what was counted so far is told");
    kit_close(&kit);
}

int main(void)
{
    test_position();
    test_lack();
    test_at_least();
    return tap_done();
}
