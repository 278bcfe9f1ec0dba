/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/telling/report.h"

#include "t/kit/tap.h"
#include "t/kit/workload_kit.h"

#include <stdio.h>
#include <string.h>

static const char *const world = "flavor f; cluster c within=lower group=cpu flavor=f cpu=4; "
                                 "local l cluster=c";

static struct workload_report *report(struct workload_kit *kit, const char *name)
{
    static struct workload_report report;

    engine_report_workload(kit->kit.engine,
                           engine_find_workload(kit->kit.engine, text_of("default"), text_of(name)),
                           false, &report);
    return &report;
}

/* Two pod sets that both want so much; another workload has all there is. */
static const char *why_both(struct workload_kit *kit, int64_t cpu)
{
    static struct set_facts sets[2];

    workload_kit_do(kit, "lose-local m; add both queue=m cpu=1");
    workload_kit_split(kit, "both", sets, cpu, cpu);
    workload_kit_do(kit, "local m cluster=c");
    return report(kit, "both")->reason;
}

static void test_several_sets(void)
{
    struct workload_kit kit;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, world);
    workload_kit_do(&kit, "add a queue=l cpu=4");
    is_str(why_both(&kit, 2), "QueueCapacity", "two pod sets that could be there together wait");
    workload_kit_do(&kit, "remove both");
    is_str(why_both(&kit, 3), "NoFlavor", "each alone could, but not both");
    workload_kit_do(&kit,
                    "flavor g; cluster c within=lower group=cpu flavor=f cpu=4 flavor=g cpu=3; "
                    "add b queue=l cpu=3");
    is_str(report(&kit, "both")->reason, "QueueCapacity", "unless they are in two flavors");
    workload_kit_close(&kit);
}

static struct queue_report *queue(struct workload_kit *kit, enum queue_kind kind, const char *name)
{
    static struct queue_report report;

    engine_report_queue(kit->kit.engine, engine_find_queue(kit->kit.engine, kind, text_of(name)),
                        &report);
    return &report;
}

static const char *counts(struct workload_kit *kit, enum queue_kind kind, const char *name)
{
    const struct queue_report *is = queue(kit, kind, name);
    static char text[128];

    snprintf(text, sizeof(text), "%u waiting %u held %u reserved %u allocated", is->waiting,
             is->held, is->reserved, is->allocated);
    return text;
}

static const char *asks(struct workload_kit *kit, enum queue_kind kind, const char *name)
{
    uint32_t id = engine_find_queue(kit->kit.engine, kind, text_of(name)), cursor = 0;
    static char text[128];
    struct quota_row row;

    *text = 0;
    while (engine_next_ask(kit->kit.engine, id, &cursor, &row))
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "%.*s %lld ",
                 (int)row.resource.len, row.resource.at, (long long)row.usage);
    return text;
}

/* The views of queues are of all that is in them, and below them: pods and workloads. */
static void test_queues(void)
{
    struct workload_kit kit;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, "flavor f; cluster c parent=all group=cpu flavor=f cpu=4; "
                          "cluster d parent=all group=cpu flavor=f cpu=0; "
                          "local l cluster=c; local m cluster=d");
    workload_kit_do(&kit, "add a queue=l cpu=3; add b queue=l cpu=2 count=2; add x queue=m cpu=5");
    is_str(counts(&kit, QUEUE_CLUSTER, "c"), "1 waiting 0 held 0 reserved 1 allocated",
           "one has its quota, one waits");
    is_str(asks(&kit, QUEUE_CLUSTER, "c"), "cpu 4 pods 2 ", "for so much, all its pods together");
    is_str(counts(&kit, QUEUE_COHORT, "all"), "2 waiting 0 held 0 reserved 1 allocated",
           "those of all queues below");
    is_str(asks(&kit, QUEUE_COHORT, "all"), "cpu 9 pods 3 ", "and what they ask for");
    is_int((int64_t)queue(&kit, QUEUE_CLUSTER, "c")->granted, 1, "one was granted its quota");
    workload_kit_do(&kit, "finish a");
    is_int((int64_t)queue(&kit, QUEUE_CLUSTER, "c")->released, 1, "and gives it back");
    is_int((int64_t)queue(&kit, QUEUE_CLUSTER, "c")->granted, 2, "for the next one");
    is_str(asks(&kit, QUEUE_CLUSTER, "c"), "", "then nobody asks there");
    workload_kit_do(&kit, "remove b; remove x");
    is_str(counts(&kit, QUEUE_COHORT, "all"), "0 waiting 0 held 0 reserved 0 allocated",
           "nobody is left");
    is_int((int64_t)queue(&kit, QUEUE_CLUSTER, "c")->released, 2, "all was given back");
    workload_kit_close(&kit);
}

int main(void)
{
    struct workload_kit kit;
    uint64_t digest;

    workload_kit_open(&kit, "gates");
    workload_kit_do(&kit, world);
    workload_kit_do(&kit, "add a queue=l cpu=4; add w queue=l cpu=2 priority=1 gate=g");
    digest = engine_digest(kit.kit.engine, true);
    is_str(report(&kit, "w")->reason, "PreemptionGated", "gated");
    is_int(report(&kit, "w")->victim_count, 1, "who would go is named");
    ok(text_is(report(&kit, "w")->victims[0].name, "a"), "it is a");
    ok(text_is(report(&kit, "w")->closed, "g"), "the gate that is closed, too");
    is_int(report(&kit, "w")->place.position, 1, "it is the next one");
    workload_kit_do(&kit, "add b queue=l cpu=2");
    is_str(report(&kit, "b")->message,
           "cluster queue c has room for 0 more cpu in flavor f, pod set main asks for 2m",
           "what is missing");
    workload_kit_do(&kit, "remove b");
    ok(engine_digest(kit.kit.engine, false) != 0 && digest != 0, "asking changes nothing");
    workload_kit_do(&kit, "jobsStay; open w g");
    is_str(report(&kit, "w")->reason, "Preempting", "on its way");
    ok(report(&kit, "a")->is_victim && text_is(report(&kit, "a")->of.name, "w"), "for whom a goes");
    workload_kit_close(&kit);

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, "flavor f; cluster c parent=o group=cpu flavor=f cpu=1; "
                          "cluster d parent=o reclaim=lower group=cpu flavor=f cpu=1; "
                          "local l cluster=c; local m cluster=d; add a queue=l cpu=2");
    workload_kit_do(&kit,
                    "add b queue=m cpu=2; add x queue=m cpu=3; add p queue=m cpu=1 count=5 min=2");
    is_str(report(&kit, "b")->reason, "QueueCapacity", "it waits for what it would borrow");
    is_str(report(&kit, "x")->reason, "NoFlavor", "so much there never is");
    is_str(report(&kit, "p")->reason, "QueueCapacity", "its minimum there is");
    workload_kit_close(&kit);
    test_several_sets();
    test_queues();
    return tap_done();
}
