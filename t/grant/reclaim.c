/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/grant/reclaim.h"

#include "t/kit/engine_kit_preempt.h"
#include "t/kit/tap.h"
#include "t/kit/workload_kit.h"

#include <stdio.h>

/* Who would borrow, against two that each leave their queue something to reclaim, or not. */
static void test_borrower(const char *what, const char *policy, const char *victims,
                          const char *want)
{
    struct kit kit;

    kit_open(&kit, "evicts");
    kit_do(&kit,
           "flavor f; cluster x reclaim=any whileBorrowing parent=o group=cpu,memory flavor=f "
           "cpu=4 memory=4");
    kit_dof(&kit, "cluster z %s parent=o group=cpu,memory flavor=f cpu=4 memory=4", policy);
    kit_do(&kit, victims);
    is_str(kit_victims(&kit), want, "%s", what);
    kit_close(&kit);
}

static void test_borrowers(void)
{
    test_borrower("nobody who would reclaim it at once, of what the queue lives within",
                  "reclaim=any",
                  "pod a cluster=z cpu=0 memory=6 node=n; pod b cluster=z cpu=4 node=n created=2;"
                  "pod w cluster=x cpu=6 memory=4 priority=1",
                  "");
    test_borrower("nor of what it only lived above with another", "reclaim=any",
                  "pod a cluster=z cpu=5 node=n; pod b cluster=z cpu=1 node=n created=2;"
                  "pod w cluster=x cpu=8 priority=1",
                  "");
    test_borrower("that other one may go", "reclaim=any",
                  "pod a cluster=z cpu=5 node=n; pod b cluster=z cpu=1 node=n created=2;"
                  "pod w cluster=x cpu=7 priority=1",
                  "a>w");
    test_borrower("who would not get it back may go", "reclaim=lower",
                  "pod a cluster=z cpu=5 node=n; pod b cluster=z cpu=1 node=n created=2;"
                  "pod w cluster=x cpu=8 priority=1",
                  "a>w b>w");
    test_borrower("a gang comes back as one, so with more than each of it", "reclaim=any",
                  "group g min=2; pod a cluster=z cpu=3 group=g node=n;"
                  "pod b cluster=z cpu=3 group=g node=n; pod w cluster=x cpu=8 priority=1",
                  "a>w b>w");
    test_borrower("also one that could send others away, as long as nobody waits there",
                  "reclaim=any within=lower",
                  "pod a cluster=z cpu=5 node=n; pod b cluster=z cpu=1 node=n created=2;"
                  "pod w cluster=x cpu=7 priority=1",
                  "a>w");
    test_borrower("nor one that would live within it by sending a newer one away",
                  "reclaim=any within=newer",
                  "pod b cluster=z cpu=1 node=n created=9 stamp=1;"
                  "pod a cluster=z cpu=4 node=n created=1 stamp=2;"
                  "pod w cluster=x cpu=7 priority=1",
                  "");
    test_borrower("one that may send no newer one away may go", "reclaim=any within=lower",
                  "pod b cluster=z cpu=1 node=n created=9 stamp=1;"
                  "pod a cluster=z cpu=4 node=n created=1 stamp=2;"
                  "pod w cluster=x cpu=7 priority=1",
                  "a>w");
    test_borrower("a gang's member is not sent away for another of it", "reclaim=any within=newer",
                  "group g min=2; pod c cluster=z cpu=0 node=n group=g;"
                  "pod b cluster=z cpu=1 node=n group=g created=9 stamp=1;"
                  "pod a cluster=z cpu=4 node=n group=g created=1 stamp=2;"
                  "pod w cluster=x cpu=7 priority=1",
                  "a>w");
}

/* One reclaims from the borrower, is sent away within its queue by another, and that one by the
 * borrower: which would go on for ever. */
static void test_round(void)
{
    struct kit kit;

    kit_open(&kit, "evicts");
    kit_do(&kit, "flavor f; cluster x reclaim=any whileBorrowing parent=o group=cpu flavor=f cpu=1;"
                 "cluster z reclaim=any within=lower parent=o group=cpu flavor=f cpu=4;"
                 "pod other cluster=z cpu=5 priority=2 node=n; pod owner cluster=z cpu=2;"
                 "pod borrower cluster=x cpu=4 priority=3");
    is_str(kit_victims(&kit), "", "nobody is sent away while the next one waits to reclaim that");
    kit_do(&kit, "lose-pod owner");
    is_str(kit_victims(&kit), "other>borrower", "once nobody waits there, it is asked again");
    kit_close(&kit);
}

/* Who would borrow, against two that each leave their queue something to reclaim, or not. */
static void test_workload(const char *what, const char *policy, const char *victims,
                          const char *add, const char *want)
{
    struct workload_kit kit;
    char steps[400];

    workload_kit_open(&kit, "");
    snprintf(steps, sizeof(steps),
             "flavor f; cluster c reclaim=any whileBorrowing parent=o group=cpu,memory flavor=f "
             "cpu=4 memory=4; cluster d %s parent=o group=cpu,memory flavor=f cpu=4 memory=4; "
             "local l cluster=c; local m cluster=d",
             policy);
    workload_kit_do(&kit, steps);
    workload_kit_do(&kit, victims);
    workload_kit_log(&kit);
    workload_kit_do(&kit, add);
    is_str(workload_kit_log(&kit), want, "%s", what);
    workload_kit_close(&kit);
}

/* One reclaims from the borrower, is sent away within its queue by another, and that one by the
 * borrower: which would go on for ever. */
static void test_round_of_workloads(void)
{
    struct workload_kit kit;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, "flavor f; "
                          "cluster c reclaim=any whileBorrowing parent=o group=cpu flavor=f cpu=1; "
                          "cluster d reclaim=any within=lower parent=o group=cpu flavor=f cpu=4; "
                          "local l cluster=c; local m cluster=d; "
                          "add other queue=m cpu=5 priority=2; add owner queue=m cpu=2");
    workload_kit_log(&kit);
    workload_kit_do(&kit, "add borrower queue=l cpu=4 priority=3");
    is_str(workload_kit_log(&kit), "",
           "nobody is sent away while the next one waits to reclaim that");
    workload_kit_do(&kit, "remove owner");
    is_str(workload_kit_log(&kit), "other:evict other:endEviction borrower:reserve",
           "once nobody waits there, the borrower is asked again");
    workload_kit_close(&kit);
}

/* What signals finds no victims any more. */
static void test_signals(const char *what, const char *owner)
{
    struct workload_kit kit;

    workload_kit_open(&kit, "gates");
    workload_kit_do(&kit,
                    "flavor f; "
                    "cluster c reclaim=any whileBorrowing parent=o group=cpu flavor=f cpu=1; "
                    "cluster d reclaim=any within=lower parent=o group=cpu flavor=f cpu=4; "
                    "local l cluster=c; local m cluster=d; add other queue=m cpu=5 priority=2; "
                    "add borrower queue=l cpu=4 priority=3 gate=g");
    is_str(workload_kit_state(&kit, "borrower"), "pending signal", "what would borrow signals");
    workload_kit_log(&kit);
    workload_kit_do(&kit, owner);
    is_str(workload_kit_log(&kit), "borrower:clearSignal", "%s", what);
    workload_kit_close(&kit);
}

static void test_workloads(void)
{
    test_workload("nobody who would reclaim it at once, of what the queue lives within",
                  "reclaim=any", "add a queue=m memory=6; time 2; add b queue=m cpu=4",
                  "add w queue=l cpu=6 memory=4 priority=1", "");
    test_workload("nor of what it only lived above with another", "reclaim=any",
                  "add a queue=m cpu=5; time 2; add b queue=m cpu=1",
                  "add w queue=l cpu=8 priority=1", "");
    test_workload("nor who would come back for it with fewer pods", "reclaim=any",
                  "add a queue=m count=5 min=4 cpu=1", "add w queue=l cpu=5 priority=1", "");
    test_workload("who takes no fewer than it lived above with may go", "reclaim=any",
                  "add a queue=m count=5 min=5 cpu=1", "add w queue=l cpu=5 priority=1",
                  "a:evict a:endEviction w:reserve");
    test_workload("that other one may go", "reclaim=any",
                  "add a queue=m cpu=5; time 2; add b queue=m cpu=1",
                  "add w queue=l cpu=7 priority=1", "a:evict a:endEviction w:reserve");
    test_workload("who would not get it back may go", "reclaim=lower",
                  "add a queue=m cpu=5; time 2; add b queue=m cpu=1",
                  "add w queue=l cpu=8 priority=1",
                  "a:evict b:evict a:endEviction b:endEviction w:reserve");
    test_workload("also one that could send others away, as long as nobody waits there",
                  "reclaim=any within=lower", "add a queue=m cpu=5; time 2; add b queue=m cpu=1",
                  "add w queue=l cpu=7 priority=1", "a:evict a:endEviction w:reserve");
    test_workload("nor one that would live within it by sending a newer one away",
                  "reclaim=any within=newer",
                  "add b queue=m cpu=1 created=9; time 2; add a queue=m cpu=4 created=1",
                  "add w queue=l cpu=7 priority=1", "");
    test_workload("one that may send no newer one away may go", "reclaim=any within=lower",
                  "add b queue=m cpu=1 created=9; time 2; add a queue=m cpu=4 created=1",
                  "add w queue=l cpu=7 priority=1", "a:evict a:endEviction w:reserve");
}

/* Somebody waits in a third queue, and would reclaim what the borrower has then. Who asks for more
 * than that queue's share could not. */
static void test_third_queue(void)
{
    struct kit kit;

    kit_open(&kit, "evicts");
    kit_do(&kit, "flavor f; cluster x parent=o reclaim=any whileBorrowing group=cpu flavor=f cpu=1;"
                 "cluster y parent=o reclaim=any group=cpu flavor=f cpu=2;"
                 "cluster z parent=o within=lower group=cpu flavor=f cpu=1;"
                 "pod strong cluster=z cpu=4 priority=2 node=n settled;"
                 "pod third cluster=y cpu=2; pod weak cluster=z cpu=0");
    is_str(kit_victims(&kit), "", "who is not preemptable stays");
    kit_do(&kit, "pod strong cluster=z cpu=4 priority=2 node=n; pod third cluster=y cpu=3;"
                 "pod borrower cluster=x cpu=4 priority=3");
    is_str(kit_victims(&kit), "strong>borrower", "one that wants more than its share is no threat");
    kit_close(&kit);

    kit_open(&kit, "evicts");
    kit_do(&kit, "flavor f; cluster x parent=o reclaim=any whileBorrowing group=cpu flavor=f cpu=1;"
                 "cluster y parent=o group=cpu flavor=f cpu=2;"
                 "cluster z parent=o within=lower group=cpu flavor=f cpu=1;"
                 "pod strong cluster=z cpu=4 priority=2 node=n; pod third cluster=y cpu=2;"
                 "pod borrower cluster=x cpu=4 priority=3 foreign");
    kit_do(&kit, "pod strong cluster=z cpu=4 priority=2 node=n settled;"
                 "cluster y parent=o reclaim=any group=cpu flavor=f cpu=2;"
                 "pod borrower cluster=x cpu=4 priority=3");
    is_str(kit_victims(&kit), "", "nobody may go yet");
    kit_do(&kit, "lose-pod third; pod strong cluster=z cpu=4 priority=2 node=n");
    is_str(kit_victims(&kit), "strong>borrower", "and the borrower has its turn when nobody waits");
    kit_close(&kit);
}

/* Who asks besides for what its queue has nothing of takes nothing back. */
static void test_in_vain(void)
{
    struct kit kit;

    kit_open(&kit, "evicts");
    kit_do(&kit, "flavor f; cluster x parent=o reclaim=any whileBorrowing group=cpu flavor=f cpu=1;"
                 "cluster y parent=o reclaim=any group=cpu,memory flavor=f cpu=2 memory=0;"
                 "cluster z parent=o within=lower group=cpu flavor=f cpu=1;"
                 "pod strong cluster=z cpu=4 priority=2 node=n; pod third cluster=y cpu=2 memory=1;"
                 "pod borrower cluster=x cpu=4 priority=3");
    is_str(kit_victims(&kit), "strong>borrower", "a pod that could never be granted is no threat");
    kit_close(&kit);
}

static void test_workload_in_vain(const char *queueing, const char *what)
{
    struct workload_kit kit;
    char steps[400];

    workload_kit_open(&kit, "");
    snprintf(steps, sizeof(steps),
             "flavor f; cluster c reclaim=any whileBorrowing parent=o group=cpu flavor=f cpu=1; "
             "cluster d reclaim=any %s parent=o group=cpu,memory flavor=f cpu=2 memory=0; "
             "cluster s within=lower parent=o group=cpu flavor=f cpu=1; "
             "local l cluster=c; local m cluster=d; local n cluster=s; "
             "add strong queue=n cpu=4 priority=2; add third queue=m cpu=2 memory=1",
             queueing);
    workload_kit_do(&kit, steps);
    workload_kit_log(&kit);
    workload_kit_do(&kit, "add borrower queue=l cpu=4 priority=3");
    is_str(workload_kit_log(&kit), "strong:evict strong:endEviction borrower:reserve", "%s", what);
    workload_kit_close(&kit);
}

int main(void)
{
    test_borrowers();
    test_round();
    test_third_queue();
    test_workloads();
    test_round_of_workloads();
    test_signals("no more once a workload waits to reclaim that", "add owner queue=m cpu=2");
    test_signals("nor once a pod does", "pod owner cluster=d cpu=2");
    test_in_vain();
    test_workload_in_vain("", "nor is a workload that could never be admitted");
    test_workload_in_vain("strict", "nor one that is the first of its queue for ever");
    return tap_done();
}
