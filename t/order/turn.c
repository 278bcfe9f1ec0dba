/* SPDX-License-Identifier: Apache-2.0 */

/* Pods and workloads of a queue wait in one order. */
#include "plugin/order/turn.h"

#include "t/kit/tap.h"
#include "t/kit/workload_kit.h"

static struct workload_kit kit;

static void open_queue(const char *words)
{
    workload_kit_open(&kit, "");
    workload_kit_do(&kit, "flavor f");
    workload_kit_do(&kit, words);
    workload_kit_do(&kit, "local l cluster=c");
}

static void are(const char *pods, const char *name, const char *state, const char *what)
{
    is_str(kit_granted(&kit.kit), pods, "%s: the pods", what);
    is_str(workload_kit_state(&kit, name), state, "%s: the workload", what);
}

static void test_rank(void)
{
    open_queue("cluster c group=cpu flavor=f cpu=1");
    workload_kit_do(&kit, "pod held cluster=c cpu=1 node=n; add w queue=l cpu=1 priority=1 "
                          "created=5; pod b cluster=c cpu=1 priority=1 second=5; "
                          "pod x cluster=c cpu=1 priority=1 second=5; "
                          "pod a cluster=c cpu=1 second=1; pod old cluster=c cpu=1 priority=1 "
                          "second=4; pod new cluster=c cpu=1 priority=1 second=6");
    const struct engine *e = kit.kit.engine;
    uint32_t w = engine_find_workload(e, text_of("default"), text_of("w"));

    ok(!claim_is_before(e, kit_claim(&kit.kit, "a"), w), "priority comes first");
    ok(claim_is_before(e, kit_claim(&kit.kit, "old"), w), "then the age");
    ok(!claim_is_before(e, kit_claim(&kit.kit, "new"), w), "either way");
    ok(claim_is_before(e, kit_claim(&kit.kit, "b"), w), "then the uid");
    ok(!claim_is_before(e, kit_claim(&kit.kit, "x"), w), "of objects of both kinds");
    workload_kit_close(&kit);
}

static void test_strict(void)
{
    open_queue("cluster c strict group=cpu flavor=f cpu=4");
    workload_kit_do(&kit, "pod runs cluster=c cpu=2 second=1 node=n; "
                          "add big queue=l cpu=4 created=2; pod small cluster=c cpu=1 second=3");
    are("runs", "big", "pending", "the first of both stops the queue");
    is_str(kit_why(&kit.kit, "small"), "QueueOrder", "a pod behind a workload says so");
    workload_kit_do(&kit, "lose-pod runs");
    are("", "big", "admitted f", "it goes first");
    workload_kit_do(&kit, "finish big");
    are("small", "big", "finished f", "then the next");
    workload_kit_do(&kit, "pod first cluster=c cpu=4 second=4; add next queue=l cpu=1 created=5");
    are("small", "next", "pending", "a pod stops a workload behind it");
    workload_kit_do(&kit, "lose-pod first");
    are("small", "next", "admitted f", "until it is gone");
    workload_kit_close(&kit);
}

static uint32_t place_of_pod(const char *uid)
{
    struct pod_report report;

    engine_report_pod(kit.kit.engine, kit_claim(&kit.kit, uid), &report);
    return report.place.position;
}

static uint32_t place_of_workload(const char *name)
{
    struct engine *e = kit.kit.engine;
    struct workload_report report;

    engine_report_workload(e, engine_find_workload(e, text_of("default"), text_of(name)), true,
                           &report);
    return report.place.position;
}

static void test_places(void)
{
    open_queue("cluster c group=cpu flavor=f cpu=1");
    workload_kit_do(&kit, "pod runs cluster=c cpu=1 second=1 node=n; "
                          "add w1 queue=l cpu=1 created=2; pod p1 cluster=c cpu=1 second=3; "
                          "add w2 queue=l cpu=1 created=4; pod p2 cluster=c cpu=1 second=5; "
                          "pod p3 cluster=c cpu=1 second=6; pod big cluster=c cpu=7 second=7; "
                          "add w3 queue=l cpu=1 created=8; add urgent queue=l cpu=1 priority=1 "
                          "created=9");
    is_int(place_of_workload("urgent"), 1, "the most important is the next");
    is_int(place_of_workload("w1"), 2, "then the oldest");
    is_int(place_of_pod("p1"), 3, "a pod has the workloads before it");
    is_int(place_of_workload("w2"), 4, "a workload the pods");
    is_int(place_of_pod("p2"), 5, "all that come before");
    is_int(place_of_pod("p3"), 6, "of one shape");
    is_int(place_of_pod("big"), 7, "and another");
    is_int(place_of_workload("w3"), 8, "to the last");
    workload_kit_close(&kit);
}

static void test_heads_change(void)
{
    open_queue("cluster c strict group=cpu flavor=f cpu=4");
    workload_kit_do(&kit, "pod runs cluster=c cpu=2 second=1 node=n; "
                          "add big queue=l cpu=4 created=2; pod small cluster=c cpu=1 second=3");
    workload_kit_do(&kit, "remove big");
    is_str(kit_granted(&kit.kit), "runs small", "a workload that goes lets pods pass");
    workload_kit_do(&kit, "add big queue=l cpu=4 created=4; pod late cluster=c cpu=1 second=5");
    are("runs small", "big", "pending", "one that comes does not");
    workload_kit_do(&kit, "deactivate big");
    is_str(kit_granted(&kit.kit), "late runs small", "nor one that is not asked for any more");
    workload_kit_do(&kit, "activate big; pod urgent cluster=c cpu=1 priority=1 second=9");
    are("late runs small", "big", "pending evicted", "while all is in use");
    workload_kit_do(&kit, "lose-pod late");
    is_str(kit_granted(&kit.kit), "runs small urgent", "a newcomer of higher rank is the first");
    workload_kit_do(&kit, "cluster c group=cpu flavor=f cpu=9");
    are("runs small urgent", "big", "admitted f", "an edit of the queue lets all pass");
    workload_kit_close(&kit);
}

static void test_whoever_comes_before(void)
{
    open_queue("cluster c group=cpu flavor=f cpu=2");
    workload_kit_do(&kit, "pod runs cluster=c cpu=2 second=1 node=n; "
                          "add w queue=l cpu=2 priority=1 created=3; pod p cluster=c cpu=2 "
                          "second=2; pod urgent cluster=c cpu=2 priority=2 second=4");
    workload_kit_do(&kit, "lose-pod runs");
    are("urgent", "w", "pending", "the most important has the room, a pod");
    workload_kit_do(&kit, "lose-pod urgent");
    are("", "w", "admitted f", "then the next, a workload");
    workload_kit_do(&kit, "finish w");
    is_str(kit_granted(&kit.kit), "p", "then the last");
    workload_kit_close(&kit);
}

static void test_a_newcomer_waits_its_turn(void)
{
    open_queue("cluster c group=cpu flavor=f cpu=2");
    workload_kit_do(&kit, "pod runs cluster=c cpu=2 second=1 node=n; add w queue=l cpu=2 "
                          "created=2");
    kit_quick(&kit.kit, "lose-pod runs");
    kit_quick(&kit.kit, "pod new cluster=c cpu=2 second=3");
    is_str(kit_state(&kit.kit, "new"), "waiting", "room that came is not a newcomer's");
    workload_kit_do(&kit, "time 2");
    are("", "w", "admitted f", "but the workload's that waits for it");
    workload_kit_close(&kit);
}

static void test_between_queues(void)
{
    open_queue("cohort all; cluster c parent=all group=cpu flavor=f cpu=2");
    workload_kit_do(&kit, "cluster d parent=all group=cpu flavor=f cpu=2; "
                          "pod runs cluster=d cpu=4 second=1 node=n; "
                          "add w queue=l cpu=3 priority=9 created=2; "
                          "pod p cluster=d cpu=2 second=3");
    workload_kit_do(&kit, "lose-pod runs");
    are("p", "w", "pending", "who need not borrow comes before who must");
    workload_kit_do(&kit, "lose-pod p; pod q cluster=d cpu=2 second=4");
    are("", "w", "admitted f", "who borrows has what is left then");
    workload_kit_close(&kit);
}

int main(void)
{
    test_rank();
    test_strict();
    test_places();
    test_heads_change();
    test_whoever_comes_before();
    test_a_newcomer_waits_its_turn();
    test_between_queues();
    return tap_done();
}
