/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/records/workload.h"

#include "t/kit/tap.h"
#include "t/kit/workload_kit.h"

static const char *const world = "flavor f; cluster c within=lower group=cpu flavor=f cpu=4; "
                                 "local l cluster=c";

static void test_place(void)
{
    struct workload_kit kit;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, world);
    workload_kit_do(&kit, "add a queue=l cpu=3; add b queue=l cpu=2; add d queue=l cpu=1");
    is_str(workload_kit_log(&kit), "a:reserve d:reserve", "what fits is reserved, in one write");
    is_str(workload_kit_why(&kit, "b"), "QueueCapacity", "what does not waits");
    is_int(kit_usage(&kit.kit, "cluster/c", "f/cpu"), 4, "what is held counts");
    workload_kit_do(&kit, "restart");
    is_str(workload_kit_log(&kit), "", "another engine finds it so");
    is_int(kit_usage(&kit.kit, "cluster/c", "f/cpu"), 4, "and counts the same");
    workload_kit_do(&kit, "finish a");
    is_str(workload_kit_state(&kit, "b"), "admitted f", "room that is given back is taken");
    workload_kit_do(&kit, "remove b; remove d");
    is_int(kit_usage(&kit.kit, "cluster/c", "f/cpu"), 0, "nothing is left");
    workload_kit_close(&kit);
}

static void test_parts(void)
{
    struct workload_kit kit;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, world);
    workload_kit_do(&kit, "add a queue=l cpu=1 count=6 min=2");
    is_int(kit_usage(&kit.kit, "cluster/c", "f/cpu"), 4, "as many pods as there is room for");
    workload_kit_do(&kit, "add b queue=l cpu=1 count=6; restart");
    is_int(kit_usage(&kit.kit, "cluster/c", "f/cpu"), 4, "which its object says");
    is_str(workload_kit_why(&kit, "b"), "NoFlavor", "what can never be has its reason");
    workload_kit_close(&kit);
}

static void test_checks(void)
{
    struct workload_kit kit;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, "flavor f; check k; cluster c check=k group=cpu flavor=f cpu=1; "
                          "local l cluster=c; add a queue=l cpu=1");
    is_str(workload_kit_log(&kit), "a:reserve", "its checks are listed with its quota");
    is_str(workload_kit_state(&kit, "a"), "reserved f", "it waits for them with its quota");
    is_str(workload_kit_why(&kit, "a"), "AdmissionChecks", "and says so");
    workload_kit_do(&kit, "answer a k=Ready");
    is_str(workload_kit_state(&kit, "a"), "admitted f", "ready it is admitted");
    workload_kit_log(&kit);
    workload_kit_do(&kit, "answer a k=Retry");
    is_str(workload_kit_log(&kit), "a:evict a:endEviction a:requeued a:reserve",
           "asked to come again it goes, and comes back");
    workload_kit_do(&kit, "answer a k=Rejected");
    is_str(workload_kit_state(&kit, "a"), "pending evicted", "rejected it is deactivated");
    is_str(workload_kit_why(&kit, "a"), "Inactive", "for good");
    workload_kit_do(&kit, "activate a; answer a k=Ready");
    is_str(workload_kit_state(&kit, "a"), "admitted f", "until somebody wants it back");
    workload_kit_do(&kit, "check k inactive; add b queue=l cpu=0");
    is_str(workload_kit_why(&kit, "b"), "QueueInactive",
           "a check that is not active stops the queue");
    workload_kit_close(&kit);
}

static void test_stops(void)
{
    struct workload_kit kit;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, world);
    workload_kit_do(&kit, "add a queue=l cpu=1; local l cluster=c hold; add b queue=l cpu=1");
    is_str(workload_kit_state(&kit, "a"), "admitted f", "Hold: who is admitted stays");
    is_str(workload_kit_state(&kit, "b"), "pending", "nobody else is");
    is_str(workload_kit_why(&kit, "b"), "QueueSuspended", "and says why");
    workload_kit_do(&kit, "local l cluster=c drain");
    is_str(workload_kit_state(&kit, "a"), "pending evicted", "HoldAndDrain: all go");
    workload_kit_do(&kit, "local l cluster=c");
    is_str(workload_kit_state(&kit, "a"), "admitted f", "and come back");
    is_str(workload_kit_state(&kit, "b"), "admitted f", "who waited comes, too");
    workload_kit_do(&kit, "local l cluster=c unselected; add d queue=l cpu=1");
    is_str(workload_kit_why(&kit, "d"), "NamespaceNotSelected", "a namespace that is not selected");
    workload_kit_do(&kit, "add e queue=none cpu=1; add g queue=l cpu=1 unsupported=topology");
    is_str(workload_kit_why(&kit, "e"), "QueueUnknown", "a LocalQueue that is not there");
    is_str(workload_kit_why(&kit, "g"), "Unsupported", "what is not done here");
    workload_kit_do(&kit, "lose-flavor f; local l cluster=c; add h queue=l cpu=1");
    is_str(workload_kit_why(&kit, "h"), "QueueInactive", "a flavor that is in use and gone");
    is_str(workload_kit_state(&kit, "a"), "admitted f", "takes nothing away");
    workload_kit_close(&kit);
}

/* Evicted it keeps its quota until its job has stopped, and nobody is evicted twice for it. */
static void test_eviction(void)
{
    struct workload_kit kit;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, world);
    workload_kit_do(&kit, "jobsStay; add a queue=l cpu=2; time 2; add b queue=l cpu=2");
    workload_kit_log(&kit);
    workload_kit_do(&kit, "add w queue=l cpu=2 priority=1");
    is_str(workload_kit_log(&kit), "b:evict", "the newest of them goes");
    is_str(workload_kit_why(&kit, "w"), "Preempting", "and is waited for");
    is_int(kit_usage(&kit.kit, "cluster/c", "f/cpu"), 4, "it holds its quota so long");
    workload_kit_do(&kit, "add x queue=l cpu=1");
    is_str(workload_kit_state(&kit, "x"), "pending", "which is promised");
    workload_kit_do(&kit, "restart");
    is_str(workload_kit_log(&kit), "", "after a restart nobody else is evicted");
    workload_kit_do(&kit, "halt b");
    is_str(workload_kit_log(&kit), "b:endEviction w:reserve", "its job has stopped");
    is_str(workload_kit_state(&kit, "a"), "admitted f", "the other one stays");
    workload_kit_close(&kit);
}

int main(void)
{
    test_place();
    test_parts();
    test_checks();
    test_stops();
    test_eviction();
    return tap_done();
}
