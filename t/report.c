/* SPDX-License-Identifier: Apache-2.0 */

/* What a person is told about queues and pods. */
#include "t/engine_kit.h"
#include "t/tap.h"

#include <stdio.h>

static struct queue_report queue_of(const struct kit *kit, const char *name)
{
    struct queue_report report;

    engine_report_queue(kit->engine, kit_queue(kit, name), &report);
    return report;
}

static struct pod_report pod_of(const struct kit *kit, const char *uid)
{
    struct pod_report report;

    engine_report_pod(kit->engine, kit_claim(kit, uid), &report);
    return report;
}

static const char *said(struct text text)
{
    static char out[128];

    snprintf(out, sizeof(out), "%.*s", (int)text.len, text.at);
    return out;
}

static void test_list(void)
{
    struct queue_report report;
    char seen[1024] = "";
    uint32_t cursor = 0;
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue b; cohort b; cluster z; queue a; cluster a");
    while (engine_next_queue(kit.engine, &cursor)) {
        engine_report_queue(kit.engine, cursor, &report);
        snprintf(seen + strlen(seen), sizeof(seen) - strlen(seen), "%d%.99s ", report.kind,
                 said(report.name));
    }
    is_str(seen, "0a 0b 0default 0root 1a 1z 2b ", "queues come by kind and name");
    kit_close(&kit);
}

static void test_states(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue p; queue q parent=p strict; queue s suspended; queue c closed;"
                 "queue w state=Closing; pod a queue=u; queue x parent=y; queue y parent=x");
    is_str(said(queue_of(&kit, "q").state), "Open", "a queue is open");
    is_str(said(queue_of(&kit, "q").parent), "p", "below its parent");
    ok(queue_of(&kit, "q").leaf && queue_of(&kit, "q").strict, "a strict leaf");
    ok(!queue_of(&kit, "p").leaf, "its parent is none");
    is_str(said(queue_of(&kit, "root").parent), "", "the root has no parent");
    is_str(said(queue_of(&kit, "s").state), "Suspended", "suspended");
    is_int(queue_of(&kit, "s").reason, REASON_QUEUE_SUSPENDED, "with the reason");
    is_str(said(queue_of(&kit, "c").state), "Closed", "closed");
    is_str(said(queue_of(&kit, "w").state), "Closing", "or what its object says");
    is_str(said(queue_of(&kit, "u").state), "Unknown", "named, but not seen");
    ok(!queue_of(&kit, "u").known, "unknown");
    is_str(said(queue_of(&kit, "x").state), "Inactive", "in a cycle of parents");
    is_str(said(queue_of(&kit, "x").parent), "y", "which is told as it was written");
    kit_close(&kit);
}

static void test_counts(void)
{
    struct queue_report report;
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue p cpu=3; queue l parent=p; queue r parent=p; pod a queue=l cpu=1;"
                 "pod b queue=l cpu=1 node=n; pod c queue=r cpu=1; pod d queue=r cpu=1;"
                 "pod e queue=r cpu=1 foreign");
    report = queue_of(&kit, "p");
    ok(report.waiting == 1 && report.held == 1 && report.reserved == 2 && report.allocated == 1,
       "a queue counts the claims of all below it");
    report = queue_of(&kit, "l");
    ok(report.waiting == 0 && report.held == 0 && report.reserved == 1 && report.allocated == 1,
       "a leaf its own");
    kit_close(&kit);
}

static void test_totals(void)
{
    struct queue_report report;
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=3; pod a queue=q cpu=1; pod b queue=q cpu=1; pod c queue=q cpu=1;"
                 "pod d queue=q cpu=1; lose-pod a; queue q cpu=2; pod e queue=q cpu=1 node=n");
    report = queue_of(&kit, "q");
    is_int((long long)report.granted, 4, "a, b and c were granted, and d after a");
    is_int((long long)report.released, 1, "a gave its place up");
    is_int((long long)report.demoted, 2, "two lost theirs: to the smaller limit, and to e's node");
    report = queue_of(&kit, "root");
    is_int((long long)report.granted, 0, "a queue counts its own claims only");
    kit_close(&kit);
}

static void test_quota(void)
{
    struct quota_row row;
    char seen[1024] = "";
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "flavor b; flavor a; cluster c group=memory,cpu flavor=b memory=8 cpu=4 flavor=a "
                 "memory=2 cpu=1; pod x cluster=c cpu=3 memory=1; pod y cluster=c cpu=1 node=n");
    is_int(queue_of(&kit, "cluster/c").quota_count, 4, "a row for each flavor and resource");
    for (uint32_t n = 0; n < 4; n++) {
        engine_report_quota(kit.engine, kit_queue(&kit, "cluster/c"), n, &row);
        snprintf(seen + strlen(seen), sizeof(seen) - strlen(seen), "%.99s", said(row.flavor));
        snprintf(seen + strlen(seen), sizeof(seen) - strlen(seen), "/%.99s ", said(row.resource));
    }
    is_str(seen, "a/cpu a/memory b/cpu b/memory ", "in order of the names");
    engine_report_quota(kit.engine, kit_queue(&kit, "cluster/c"), 2, &row);
    ok(row.share == 4 && row.bounded && row.ceiling == 4 && row.kept == 0, "what it may use");
    ok(row.usage == 4 && row.reserved == 3 && row.allocated == 1, "and does");
    engine_report_quota(kit.engine, kit_queue(&kit, "cluster/c"), 4, &row);
    ok(row.flavor.len == 0 && row.share == 0, "there is no row behind the last");

    kit_do(&kit, "queue q deserved.cpu=5 guarantee.cpu=2");
    engine_report_quota(kit.engine, kit_queue(&kit, "q"), 0, &row);
    ok(row.share == 5 && row.kept == 2 && !row.bounded && row.ceiling == 0,
       "no ceiling is no number");
    is_str(said(row.flavor), "default", "without flavors there is one");
    kit_close(&kit);
}

static void test_pod(void)
{
    struct pod_report report;
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=4; time 9; pod a uid=u queue=q cpu=3 priority=7 created=5");
    report = pod_of(&kit, "u");
    is_str(said(report.uid), "u", "its uid");
    is_str(said(report.name), "a", "its name");
    is_str(said(report.space), "default", "its namespace");
    is_str(said(report.queue), "q", "its queue");
    ok(report.priority == 7 && report.created == 5, "its rank");
    ok(report.state == CLAIM_RESERVED && report.granted == 9 * SECOND, "when it was granted");
    ok(report.why.pass && report.position == 0 && report.ahead_count == 0, "it waits no more");
    is_int(report.estimate, -1, "and needs no estimate");
    kit_do(&kit, "pod a uid=u queue=q cpu=3 priority=7 created=5 node=n");
    is_str(said(pod_of(&kit, "u").node), "n", "its node");
    kit_close(&kit);

    kit_open(&kit, "");
    kit_do(&kit, "flavor f; cluster c group=cpu flavor=f cpu=4; pod a cluster=c cpu=1 memory=0");
    report = pod_of(&kit, "a");
    is_int(report.flavor_count, 1, "what is counted nowhere has no flavor");
    is_str(said(report.flavors[0].resource), "cpu", "the resource");
    is_str(said(report.flavors[0].flavor), "f", "and the flavor that it was granted");
    kit_close(&kit);
}

static int64_t ahead(const struct pod_report *report, const char *resource)
{
    for (uint32_t i = 0; i < report->ahead_count; i++) {
        if (text_is(report->ahead[i].resource, resource))
            return report->ahead[i].usage;
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
    is_int(pod_of(&kit, "a").position, 1, "the head is next");
    is_int(pod_of(&kit, "a").ahead_count, 0, "with nobody before it");
    report = pod_of(&kit, "d");
    is_int(report.position, 4, "three come before the fourth, in two lines");
    is_int(ahead(&report, "cpu"), 4, "and ask for so much together");
    is_int(ahead(&report, "memory"), 3, "of each resource");
    is_int(ahead(&report, "pods"), 3, "pods too");
    kit_do(&kit, "pod e queue=q cpu=9 priority=1");
    is_int(pod_of(&kit, "e").position, 1, "a priority goes to the front");
    is_int(pod_of(&kit, "d").position, 5, "and moves the others");
    kit_close(&kit);
}

static void test_estimate(void)
{
    struct pod_report report;
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q pods=1; pod a queue=q; pod b queue=q; pod c queue=q; pod d queue=q;"
                 "pod e queue=q");
    report = pod_of(&kit, "d");
    is_int(report.estimate, -1, "one grant tells no pace");
    is_str(report.basis, "too few grants in this queue to tell", "and it is said");
    kit_do(&kit, "time 11; lose-pod a; time 31; lose-pod b");
    is_str(kit_granted(&kit), "c", "granted after 10 and 20 seconds");
    report = pod_of(&kit, "e");
    is_int(report.estimate, 30 * SECOND, "the second in line waits twice the mean of 15 seconds");
    is_str(report.basis, "place 2, at the mean time between the queue's last grants, 15s",
           "and what that is based on");
    kit_close(&kit);
}

int main(void)
{
    test_list();
    test_states();
    test_counts();
    test_totals();
    test_quota();
    test_pod();
    test_position();
    test_estimate();
    return tap_done();
}
