/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/grant/hunt.h"

#include "t/kit/engine_kit_preempt.h"
#include "t/kit/tap.h"
#include "t/kit/workload_kit.h"

#include <stdio.h>

static void test_as_few_as_needed(void)
{
    struct kit kit;

    kit_open(&kit, "evicts");
    kit_do(&kit, "queue q cpu=9 within=lower; pod a queue=q cpu=1 node=n created=1;"
                 "pod b queue=q cpu=2 node=n created=2; pod c queue=q cpu=6 node=n priority=1;"
                 "pod ask queue=q cpu=6 priority=5");
    is_str(kit_victims(&kit), "c>ask", "those that turn out not to be needed stay");
    kit_do(&kit, "lose-pod c; lose-pod ask; pod d queue=q cpu=6 node=n priority=7;"
                 "pod less queue=q cpu=1 priority=5");
    is_str(kit_victims(&kit), "b>less", "the newest of the lowest priority goes first");
    kit_close(&kit);
}

static void test_not_enough(void)
{
    struct kit kit;

    kit_open(&kit, "evicts");
    kit_do(&kit, "queue q cpu=4 within=lower; pod a queue=q cpu=2 node=n;"
                 "pod b queue=q cpu=2 node=n priority=9; pod ask queue=q cpu=4 priority=5");
    is_str(kit_victims(&kit), "", "nobody goes in vain");
    kit_do(&kit, "pod less queue=q cpu=1 priority=5");
    is_str(kit_victims(&kit), "a>less", "who comes behind may still ask");
    kit_close(&kit);
}

static void test_others_first(void)
{
    struct kit kit;

    kit_open(&kit, "evicts");
    kit_do(&kit, "queue p cpu=8; queue a parent=p deserved.cpu=6 reclaim=any within=lower;"
                 "queue b parent=p deserved.cpu=2 reclaimable;"
                 "pod a1 queue=a cpu=2 node=n priority=-9; pod b1 queue=b cpu=2 node=n;"
                 "pod b2 queue=b cpu=4 node=n; pod ask queue=a cpu=2 priority=5");
    is_str(kit_victims(&kit), "b2>ask", "others before one's own, and none below its share");
    kit_do(&kit, "pod more queue=a cpu=4 priority=5");
    is_str(kit_victims(&kit), "a1>more b2>ask", "after that one's own");
    kit_close(&kit);
}

static void test_what_is_kept(void)
{
    struct kit kit;

    kit_open(&kit, "evicts");
    kit_do(&kit, "queue p cpu=8; queue a parent=p deserved.cpu=6 reclaim=any;"
                 "queue b parent=p deserved.cpu=2 guarantee.cpu=2 reclaimable;"
                 "pod big queue=b cpu=6 node=n; pod a1 queue=a cpu=2 node=n;"
                 "pod ask queue=a cpu=2");
    is_str(kit_victims(&kit), "", "nobody is left with less than is kept for it");
    kit_do(&kit, "queue b parent=p deserved.cpu=2 reclaimable");
    is_str(kit_victims(&kit), "big>ask", "where nothing is, it may have to go");
    kit_close(&kit);
}

static void test_gang(void)
{
    struct kit kit;

    kit_open(&kit, "evicts");
    kit_do(&kit, "queue q cpu=6 within=lower; group g min=2; pod x queue=q cpu=2 group=g node=n;"
                 "pod y queue=q cpu=2 group=g node=n; pod z queue=q cpu=2 group=g node=n;"
                 "pod ask queue=q cpu=2 priority=5");
    is_str(kit_victims(&kit), "z>ask", "who is beyond the minimum goes alone");
    kit_do(&kit, "pod more queue=q cpu=1 priority=5");
    is_str(kit_victims(&kit), "x>more y>more z>ask", "the others together");
    kit_close(&kit);

    kit_open(&kit, "evicts");
    kit_do(&kit, "queue q cpu=4 within=lower; group g min=2; pod x queue=q cpu=2 group=g node=n;"
                 "pod y queue=q cpu=2 group=g node=n settled; pod ask queue=q cpu=2 priority=5");
    is_str(kit_victims(&kit), "", "and only if each of them may");
    kit_close(&kit);
}

static void test_both_ways(void)
{
    struct kit kit;

    /* x may not borrow by taking z's: but it may take its own. */
    kit_open(&kit, "evicts");
    kit_do(&kit, "cluster x parent=all group=cpu flavor=f cpu=4 reclaim=any within=lower; flavor f;"
                 "cluster z parent=all group=cpu flavor=f cpu=4; pod x1 cluster=x cpu=2 node=n;"
                 "pod z1 cluster=z cpu=6 node=n; pod ask cluster=x cpu=4 priority=5");
    is_str(kit_victims(&kit), "x1>ask z1>ask", "within its own quota it takes both");
    kit_close(&kit);

    kit_open(&kit, "evicts");
    kit_do(&kit, "cluster x parent=all group=cpu flavor=f cpu=4 reclaim=any within=lower; flavor f;"
                 "cluster z parent=all group=cpu flavor=f cpu=4; pod x1 cluster=x cpu=2 node=n;"
                 "pod x2 cluster=x cpu=3 priority=9 node=n; pod z1 cluster=z cpu=3 node=n;"
                 "pod ask cluster=x cpu=2 priority=5");
    is_str(kit_victims(&kit), "x1>ask", "one that borrows takes its own");
    kit_close(&kit);
}

/* However many there are, only those are looked at who go; and nobody, if all are too few. */
static void test_how_many_are_looked_at(void)
{
    struct hunt hunt;
    struct kit kit;

    kit_open(&kit, "evicts");
    kit_do(&kit, "queue q cpu=1000 within=lower");
    for (int i = 0; i < 500; i++)
        kit_dof(&kit, "pod p%d queue=q cpu=%d node=n priority=%d", i, 1 + i % 2, i % 20);
    kit_do(&kit, "pod rest queue=q cpu=250 node=n priority=50;"
                 "pod ask queue=q cpu=3 priority=30 foreign; pod much queue=q cpu=999 priority=30 "
                 "foreign");
    kit_hunt(&kit, "ask", &hunt);
    ok(hunt_begin(&hunt) && hunt.last != 0, "among 500 some are found");
    ok(hunt.looked <= 10, "without a look at most of them: %u", hunt.looked);
    hunt_end(&hunt);
    kit_hunt(&kit, "much", &hunt);
    ok(!hunt_begin(&hunt), "all of them are not enough");
    ok(hunt.looked <= 501, "which one look at each tells: %u", hunt.looked);
    hunt_end(&hunt);
    kit_close(&kit);
}

/* Who goes for the newcomer, in a cohort of two queues. */
static void test_workloads(const char *what, const char *policy, const char *add, const char *want)
{
    struct workload_kit kit;
    char steps[300];

    workload_kit_open(&kit, "");
    snprintf(steps, sizeof(steps),
             "flavor f; cluster c %s parent=o group=cpu flavor=f cpu=2; "
             "cluster d parent=o group=cpu flavor=f cpu=2; local l cluster=c; local m cluster=d",
             policy);
    workload_kit_do(&kit, steps);
    workload_kit_do(&kit, "add a queue=m cpu=1 priority=1; time 2; add b queue=m cpu=1; time 3; "
                          "add x queue=m cpu=1 priority=1; time 4; add e queue=l cpu=1");
    workload_kit_log(&kit);
    workload_kit_do(&kit, add);
    is_str(workload_kit_log(&kit), want, "%s", what);
    workload_kit_close(&kit);
}

static void test_all_workloads(void)
{
    test_workloads("nobody may be sent away", "", "add w queue=l cpu=1 priority=9", "");
    test_workloads("reclaimed: lower priority first", "reclaim=any", "add w queue=l cpu=1",
                   "b:evict b:endEviction w:reserve");
    test_workloads("reclaimed: only lower priority", "reclaim=lower", "add w queue=l cpu=1", "");
    test_workloads("in the own queue", "within=lower", "add w queue=l cpu=2 priority=1", "");
    test_workloads("in the own queue alone it fits", "within=lower",
                   "add w queue=l cpu=1 priority=1", "e:evict e:endEviction w:reserve");
    test_workloads("others come first, only as many as needed", "within=lower reclaim=any",
                   "add w queue=l cpu=1 priority=1", "b:evict b:endEviction w:reserve");
    test_workloads("both, where one is not enough", "within=lower reclaim=any",
                   "add w queue=l cpu=2 priority=1",
                   "e:evict b:evict e:endEviction b:endEviction w:reserve");
}

/* The queue would exceed its share: then it takes nothing from others. */
static void test_gang_in_two_queues(void)
{
    struct kit kit;

    kit_open(&kit, "evicts");
    kit_do(&kit, "queue q cpu=5 deserved.cpu=4 within=lower reclaim=lower;"
                 "queue o reclaimable; group g min=2;"
                 "pod other queue=q asksNothing bare node=n cpu=2;"
                 "pod here group=g queue=q node=n cpu=1; pod there group=g queue=o node=n cpu=1;"
                 "pod ask queue=q priority=1 cpu=3");
    is_str(kit_victims(&kit), "", "who may not take one of a gang takes none of it");
    kit_do(&kit, "pod there group=g queue=q node=n cpu=1");
    is_str(kit_victims(&kit), "here>ask there>ask", "unless it may have all");
    kit_close(&kit);
}

int main(void)
{
    test_how_many_are_looked_at();
    test_as_few_as_needed();
    test_not_enough();
    test_others_first();
    test_what_is_kept();
    test_gang();
    test_gang_in_two_queues();
    test_both_ways();
    test_all_workloads();
    return tap_done();
}
