/* SPDX-License-Identifier: Apache-2.0 */

/* What a person is told about queues and pods. */
#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

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
    uint32_t order[4];
    char seen[1024] = "";
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "flavor b; flavor a; cluster c group=memory,cpu flavor=b memory=8 cpu=4 flavor=a "
                 "memory=2 cpu=1; pod x cluster=c cpu=3 memory=1; pod y cluster=c cpu=1 node=n");
    is_int(queue_of(&kit, "cluster/c").quota_count, 4, "a row for each flavor and resource");
    engine_order_quota(kit.engine, kit_queue(&kit, "cluster/c"), order);
    for (uint32_t n = 0; n < 4; n++) {
        engine_report_quota(kit.engine, kit_queue(&kit, "cluster/c"), order[n], &row);
        snprintf(seen + strlen(seen), sizeof(seen) - strlen(seen), "%.99s", said(row.flavor));
        snprintf(seen + strlen(seen), sizeof(seen) - strlen(seen), "/%.99s ", said(row.resource));
    }
    is_str(seen, "a/cpu a/memory b/cpu b/memory ", "in order of the names");
    engine_report_quota(kit.engine, kit_queue(&kit, "cluster/c"), order[2], &row);
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
    ok(report.why.pass && report.place.position == 0 && report.place.ahead_count == 0,
       "it waits no more");
    is_int(report.place.estimate, -1, "and needs no estimate");
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

static struct group_report group_of(const struct kit *kit, const char *name)
{
    struct group_report report;

    engine_report_group(kit->engine,
                        engine_find_group(kit->engine, false, text_of("default"), text_of(name)),
                        &report);
    return report;
}

static void test_groups(void)
{
    struct group_report report;
    char seen[256] = "";
    uint32_t cursor = 0;
    struct kit kit;

    kit_open(&kit, "answers");
    kit_do(&kit, "queue q cpu=4; group c min=2 queue=q; group a min=2 priority=3; group b;"
                 "pod x queue=q group=missing; pod y queue=q group=a cpu=3");
    while (engine_next_group(kit.engine, &cursor)) {
        engine_report_group(kit.engine, cursor, &report);
        snprintf(seen + strlen(seen), sizeof(seen) - strlen(seen), "%.99s ", said(report.name));
    }
    is_str(seen, "a b c missing ", "groups come by namespace and name");
    report = group_of(&kit, "missing");
    ok(!report.known && report.stand == GROUP_STANDS_HELD, "one that pods only name is held");
    is_str(reason_name(report.why.reason), "GroupMissing", "with the reason");
    is_str(said(report.queue), "q", "in its members' queue");
    report = group_of(&kit, "c");
    ok(report.known && report.members == 0 && report.minimum == 2, "one without members");
    is_str(said(report.queue), "q", "is in the queue that it names");
    is_str(reason_name(report.why.reason), "GroupIncomplete", "and held, too");
    is_int(group_of(&kit, "b").stand, GROUP_STANDS_APART, "without a minimum each goes alone");
    report = group_of(&kit, "a");
    ok(report.members == 1 && report.ready == 1 && report.priority == 3, "one of two is there");
    is_str(report.why.message, "its group default/a has 1 of the 2 members that it needs",
           "which is said");
    is_int(report.place.position, 0, "it has no place");
    kit_close(&kit);
}

static void test_group_that_waits(void)
{
    struct group_report report;
    uint32_t cursor = 0, id;
    struct kit kit;

    kit_open(&kit, "answers");
    kit_do(&kit, "queue q cpu=4; group a min=2; pod w queue=q cpu=3; pod y queue=q group=a cpu=1;"
                 "pod z queue=q group=a cpu=1");
    report = group_of(&kit, "a");
    is_int(report.stand, GROUP_STANDS_WAITING, "a gang that is complete waits");
    is_str(report.phase, "Pending", "its status says so");
    ok(report.ask_count == 2 && report.place.position == 1, "it asks as one, at a place");
    ok(report.place.on.is && report.place.on.room == 1 && report.place.on.asked == 2,
       "and lacks a cpu");
    id = engine_find_group(kit.engine, false, text_of("default"), text_of("a"));
    ok(engine_next_member(kit.engine, id, &cursor) && cursor == kit_claim(&kit, "y"),
       "its members come by rank");
    is_str(reason_name(engine_member_reason(kit.engine, cursor)), "QueueCapacity",
           "each with its reason");
    ok(engine_next_member(kit.engine, id, &cursor) && !engine_next_member(kit.engine, id, &cursor),
       "both of them");
    kit_do(&kit, "lose-pod w");
    report = group_of(&kit, "a");
    ok(report.stand == GROUP_STANDS_GRANTED && report.reserved == 2, "it is granted");
    ok(report.why.pass && report.ask_count == 0 && !report.place.on.is, "and lacks nothing");
    is_str(report.phase, "Inqueue", "its status says so");
    kit_do(&kit, "queue q cpu=4 suspended");
    is_str(reason_name(group_of(&kit, "a").why.reason), "QueueSuspended",
           "until its queue is suspended");
    kit_do(&kit, "queue q cpu=4; bind y; pod z queue=q group=a cpu=1 node=n finished");
    report = group_of(&kit, "a");
    ok(report.allocated == 1 && report.succeeded == 1 && report.members == 1, "it counts all");
    is_str(report.phase, "Running", "its minimum runs, or has run");
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
    test_groups();
    test_group_that_waits();
    return tap_done();
}
