/* SPDX-License-Identifier: Apache-2.0 */

/* Pods that go for workloads, and workloads that go for pods; each for its own kind: preempt.c and
 * promise_workloads.c. */
#include "plugin/claims/pledge.h"
#include "plugin/grant/victims.h"

#include "t/kit/engine_kit_preempt.h"
#include "t/kit/tap.h"
#include "t/kit/workload_kit.h"

static struct workload_kit kit;

/* A queue of 4, in which who is more important takes the room of others. */
static void open_queue(void)
{
    workload_kit_open(&kit, "evicts");
    workload_kit_do(&kit, "flavor f; cluster c within=lower group=cpu flavor=f cpu=4; "
                          "local l cluster=c; jobsStay");
}

static uint32_t id(const char *name)
{
    return workload_find(kit.kit.engine, text_of("default"), text_of(name));
}

static uint32_t count_of(const char *workload)
{
    return pledge_count_victims(kit.kit.engine, id(workload), false);
}

static void test_pods_of_a_workload(void)
{
    open_queue();
    workload_kit_do(&kit, "pod bound cluster=c cpu=2 node=n; pod reserved cluster=c cpu=2");
    is_str(kit_state(&kit.kit, "reserved"), "reserved", "the queue is full");
    workload_kit_do(&kit, "add w queue=l cpu=4 priority=1");
    is_str(kit_state(&kit.kit, "reserved"), "waiting", "who is only reserved gives back at once");
    is_str(workload_kit_why(&kit, "w"), "Preempting", "for who waits for the other");
    is_int(count_of("w"), 1, "who is still there");
    is_str(kit.evicted,
           "preempted to make room for workload default/w of priority 1 in cluster queue c",
           "and is told whom it goes for");
    workload_kit_do(&kit, "lose-pod bound");
    is_str(workload_kit_state(&kit, "w"), "admitted f", "and gets the room of both");
    is_str(kit_state(&kit.kit, "reserved"), "waiting", "which nobody else has taken");
    workload_kit_close(&kit);
}

static void test_workload_of_a_pod(void)
{
    open_queue();
    workload_kit_do(&kit, "add w queue=l cpu=4");
    workload_kit_do(&kit, "pod p cluster=c cpu=3 priority=1");
    is_str(workload_kit_state(&kit, "w"), "admitted f evicted", "a workload goes for a pod");
    ok(strstr(kit.evicted, "to accommodate a pod (UID: p)") != NULL, "and is told: %s",
       kit.evicted);
    is_str(kit_promised(&kit.kit), "p", "which is promised its room");
    is_int(pledge_count_victims(kit.kit.engine, kit_claim(&kit.kit, "p"), true), 1,
           "it is its only victim");
    workload_kit_do(&kit, "pod late cluster=c cpu=1 priority=1");
    is_str(kit_promised(&kit.kit), "p late", "what is left of it another one is promised");
    workload_kit_do(&kit, "halt w");
    is_str(kit_state(&kit.kit, "p"), "reserved", "its job has stopped: the pod has its place");
    is_str(kit_state(&kit.kit, "late"), "reserved", "so has the other");
    is_str(workload_kit_state(&kit, "w"), "pending evicted", "and the workload waits again");
    workload_kit_close(&kit);
}

/* Whom it went for asks no more. */
static void test_who_is_not_needed_stays(void)
{
    open_queue();
    workload_kit_do(&kit, "budgetHolds; pod p cluster=c cpu=3 node=n");
    workload_kit_do(&kit, "add w queue=l cpu=3 priority=1");
    is_int(count_of("w"), 1, "a pod is to go");
    workload_kit_do(&kit, "remove w");
    is_str(kit_victims(&kit.kit), "", "and need not");
    workload_kit_do(&kit, "add v queue=l cpu=3 priority=1");
    workload_kit_do(&kit, "pod other cluster=c cpu=1 priority=2 node=n; lose-pod other");
    is_int(count_of("v"), 1, "for another one it goes,");
    workload_kit_do(&kit, "cluster c group=cpu flavor=f cpu=4");
    is_str(kit_victims(&kit.kit), "", "until its queue takes nobody's room any more");
    workload_kit_close(&kit);
}

/* A disruption budget holds the pod. */
static void test_pod_that_stays(void)
{
    open_queue();
    workload_kit_do(&kit, "budgetHolds; pod p cluster=c cpu=3 node=n");
    workload_kit_do(&kit, "add w queue=l cpu=3 priority=1; time 62");
    is_str(kit_victims(&kit.kit), "", "after its time it stays");
    is_str(workload_kit_why(&kit, "w"), "QueueCapacity", "and nothing is promised any more");
    workload_kit_do(&kit, "time 362");
    is_str(workload_kit_why(&kit, "w"), "Preempting", "later it is asked again");
    workload_kit_close(&kit);
}

/* Each kind only as its host lets it. */
static void test_who_may(void)
{
    workload_kit_open(&kit, "");
    workload_kit_do(&kit, "flavor f; cluster c within=lower group=cpu flavor=f cpu=4; "
                          "local l cluster=c");
    workload_kit_do(&kit, "pod p cluster=c cpu=4 node=n");
    workload_kit_do(&kit, "add w queue=l cpu=1 priority=1");
    is_str(workload_kit_why(&kit, "w"), "QueueCapacity", "where no pod is evicted none goes");
    workload_kit_close(&kit);

    open_queue();
    workload_kit_do(&kit, "pod p cluster=c cpu=4 node=n settled");
    workload_kit_do(&kit, "add w queue=l cpu=1 priority=1");
    is_str(workload_kit_why(&kit, "w"), "QueueCapacity", "nor one that is not preemptable");
    workload_kit_close(&kit);
}

/* The fewest, and the newest of the lowest priority, whatever they are. */
static void test_one_order(void)
{
    open_queue();
    workload_kit_do(&kit, "add a queue=l cpu=1; time 2");
    workload_kit_do(&kit, "pod b cluster=c cpu=1 created=3; bind b; time 4");
    workload_kit_do(&kit, "add c queue=l cpu=1 priority=1; time 5");
    workload_kit_do(&kit, "pod d cluster=c cpu=1 priority=1 created=6; bind d; time 7");
    workload_kit_do(&kit, "pod ask cluster=c cpu=3 priority=2");
    is_str(kit_victims(&kit.kit), "b>ask d>ask", "of four the first three go: two are pods,");
    is_str(workload_kit_state(&kit, "a"), "admitted f evicted", "one is a workload");
    is_str(workload_kit_state(&kit, "c"), "admitted f", "who is older and more important stays");
    workload_kit_close(&kit);
}

int main(void)
{
    test_pods_of_a_workload();
    test_workload_of_a_pod();
    test_who_is_not_needed_stays();
    test_pod_that_stays();
    test_who_may();
    test_one_order();
    return tap_done();
}
