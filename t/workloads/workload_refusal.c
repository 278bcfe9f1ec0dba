/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/workloads/workload_refusal.h"

#include "t/kit/tap.h"
#include "t/kit/workload_kit.h"

#include <stdio.h>

#define LACK(amount)                                                                               \
    "couldn't assign flavors to pod set main: insufficient unused quota for cpu in flavor "        \
    "f, " amount "m more needed"

static void open_world(struct workload_kit *kit, const char *words)
{
    workload_kit_open(kit, words);
    workload_kit_do(kit,
                    "flavor f; cluster c within=lower group=cpu flavor=f cpu=2; local l cluster=c");
}

static void test_once(void)
{
    struct workload_kit kit;

    open_world(&kit, "reasons");
    workload_kit_do(&kit, "add a queue=l cpu=2; add b queue=l cpu=1");
    is_str(workload_kit_log(&kit), "a:reserve b:pending",
           "who fits is told nothing, who waits why");
    is_str(kit.message, LACK("1"), "in Kueue's words");
    workload_kit_do(&kit, "add c queue=l cpu=1; add d queue=l cpu=2");
    is_str(workload_kit_log(&kit), "c:pending d:pending", "also who asks for the same");
    is_str(kit.message, LACK("2"), "each for itself");
    workload_kit_do(&kit, "remove b; finish a");
    is_str(workload_kit_log(&kit), "c:reserve", "who is still refused says nothing new,");
    workload_kit_do(&kit, "time 3600; add e queue=l cpu=1; finish c; finish e");
    is_str(workload_kit_log(&kit), "e:reserve d:reserve", "however long, and with other numbers");
    workload_kit_close(&kit);

    open_world(&kit, "reasons");
    workload_kit_do(&kit, "seenFirst; add a queue=l cpu=2; add b queue=l cpu=1");
    is_str(workload_kit_log(&kit), "a:reserve b:pending", "also where the object is seen first");
    workload_kit_close(&kit);

    open_world(&kit, "");
    workload_kit_do(&kit, "add a queue=l cpu=2; add b queue=l cpu=1");
    is_str(workload_kit_log(&kit), "a:reserve", "hosts that did not ask for it write nothing");
    workload_kit_close(&kit);
}

static void test_kinds(void)
{
    struct workload_kit kit;

    open_world(&kit, "reasons gates");
    workload_kit_do(&kit, "add a queue=l cpu=3");
    is_str(kit.message,
           "couldn't assign flavors to pod set main: insufficient quota for cpu in flavor f, "
           "previously considered podsets requests (0) + current podset request (3m) > maximum "
           "capacity (2m)",
           "what can never be says so");
    workload_kit_do(&kit, "cluster c within=lower group=cpu flavor=f cpu=3; add b queue=l cpu=1");
    is_str(workload_kit_log(&kit), "a:pending a:reserve b:pending", "until it can");
    workload_kit_do(&kit, "cluster c within=lower group=cpu flavor=f cpu=0");
    is_str(workload_kit_log(&kit), "b:pending", "another kind of reason is said,");
    workload_kit_do(&kit, "cluster c within=lower group=cpu flavor=f cpu=3");
    is_str(workload_kit_log(&kit), "b:pending", "and the first one again");
    workload_kit_do(&kit,
                    "check k inactive; cluster c within=lower check=k group=cpu flavor=f cpu=3");
    is_str(kit.message,
           "ClusterQueue c is inactive: an admission check that it names is not active",
           "nobody is asked in an inactive queue");
    workload_kit_log(&kit);
    workload_kit_do(
        &kit, "cluster c within=lower group=cpu flavor=f cpu=3; local l cluster=c unselected");
    is_str(kit.message,
           "workload namespace doesn't match ClusterQueue selector: the namespaceSelector of "
           "cluster queue c does not select namespace default",
           "nor in a namespace that is not wanted");
    workload_kit_log(&kit);
    workload_kit_do(&kit, "local l cluster=c hold");
    is_str(workload_kit_log(&kit), "b:pending", "who is stopped says only that");
    workload_kit_do(&kit, "local l cluster=c; remove b");
    workload_kit_log(&kit);
    workload_kit_do(&kit, "add g queue=l cpu=1 priority=1 gate=g");
    is_str(workload_kit_log(&kit), "g:gates g:signal", "the signal is what a gated one says");
    workload_kit_do(&kit, "add top queue=l cpu=3 priority=5");
    is_str(workload_kit_log(&kit),
           "a:evict top:pending g:clearSignal a:endEviction g:pending top:reserve a:pending",
           "and why it waits when no gate is the reason; so does a victim");
    workload_kit_close(&kit);
}

#define PENDING(amount, count) LACK(amount) ". Pending the preemption of " count " workload(s)"

/* Who is promised the room of others says that they go. */
static void test_victims(void)
{
    struct workload_kit kit;

    open_world(&kit, "reasons");
    workload_kit_do(&kit, "add a queue=l cpu=1; add b queue=l cpu=1; jobsStay");
    workload_kit_log(&kit);
    workload_kit_do(&kit, "add high queue=l cpu=2 priority=1");
    is_str(workload_kit_log(&kit), "b:evict a:evict high:pending", "victims go, and it says so");
    is_str(kit.message, PENDING("2", "2"), "in Kueue's words");
    workload_kit_do(&kit, "halt a");
    is_str(workload_kit_log(&kit), "a:endEviction a:pending", "once, however few are left");
    workload_kit_do(&kit, "cluster c within=lower group=cpu flavor=f cpu=1");
    is_str(workload_kit_log(&kit), "high:pending a:pending",
           "whose promise ended says another reason");
    workload_kit_do(&kit, "cluster c within=lower group=cpu flavor=f cpu=2");
    is_str(workload_kit_log(&kit), "high:pending a:pending", "and the first one again");
    workload_kit_do(&kit, "halt b");
    is_str(workload_kit_log(&kit), "b:endEviction b:pending high:reserve", "until there is room");
    workload_kit_close(&kit);

    open_world(&kit, "reasons");
    workload_kit_do(&kit, "add a queue=l cpu=1; add b queue=l cpu=1; jobsStay; "
                          "add mid queue=l cpu=1 priority=1; add low queue=l cpu=1");
    workload_kit_log(&kit);
    workload_kit_do(&kit, "restart");
    is_str(workload_kit_log(&kit), "", "another leader does not repeat it");
    workload_kit_do(&kit, "finish a");
    is_str(workload_kit_log(&kit), "mid:reserve", "who gets other room is written to once");
    workload_kit_close(&kit);

    open_world(&kit, "reasons");
    workload_kit_do(&kit, "add a queue=l cpu=2; jobsStay; deactivate a; add b queue=l cpu=2");
    is_str(kit.message, LACK("2"), "where nobody goes for it alone, it does not say so");
    workload_kit_close(&kit);

    open_world(&kit, "");
    workload_kit_do(&kit, "add a queue=l cpu=2; jobsStay; add b queue=l cpu=2 priority=1");
    is_str(workload_kit_log(&kit), "a:reserve a:evict",
           "hosts that did not ask for it write nothing");
    workload_kit_close(&kit);
}

static void test_flavors(void)
{
    struct workload_kit kit;

    workload_kit_open(&kit, "reasons");
    workload_kit_do(&kit,
                    "flavor f label=on:a; flavor g label=on:b; cluster c group=cpu flavor=f cpu=1 "
                    "flavor=g cpu=9; local l cluster=c; add a queue=l cpu=2 selects=on:a");
    is_str(kit.message,
           "couldn't assign flavors to pod set main: insufficient quota for cpu in flavor f, "
           "previously considered podsets requests (0) + current podset request (2m) > maximum "
           "capacity (1m), flavor g doesn't match node affinity",
           "every flavor has its reason");
    workload_kit_do(&kit,
                    "cluster d group=gpu flavor=f gpu=1; local m cluster=d; add b queue=m cpu=1");
    is_str(kit.message,
           "couldn't assign flavors to pod set main: resource cpu unavailable in ClusterQueue",
           "and what no group covers");
    workload_kit_close(&kit);
}

static void test_several_sets(void)
{
    struct workload_kit kit;
    struct set_facts sets[2];

    workload_kit_open(&kit, "reasons");
    workload_kit_do(&kit, "flavor f; flavor g; cluster c group=cpu flavor=f cpu=4 flavor=g cpu=3; "
                          "local l cluster=c; add a queue=l cpu=4; add b queue=l cpu=3; "
                          "local l cluster=c hold; add w queue=l cpu=3");
    workload_kit_split(&kit, "w", sets, 3, 3);
    workload_kit_log(&kit);
    workload_kit_do(&kit, "local l cluster=c");
    is_str(workload_kit_log(&kit), "w:pending",
           "pod sets that could be in two flavors wait for quota");
    workload_kit_do(&kit, "cluster c group=cpu flavor=f cpu=5 flavor=g cpu=2");
    is_str(workload_kit_log(&kit), "w:pending", "and say so when they never can be");
    workload_kit_do(&kit, "cluster c group=cpu flavor=f cpu=4 flavor=g cpu=2");
    is_str(workload_kit_log(&kit), "", "once");
    workload_kit_close(&kit);
}

/* What keeps it from being asked at all is inadmissible, and each kind of that is told once. */
static void test_inadmissible(void)
{
    struct workload_kit kit;

    workload_kit_open(&kit, "reasons");
    workload_kit_do(&kit, "add a queue=l cpu=1");
    is_str(workload_kit_log(&kit), "a:pending", "no LocalQueue");
    is_str(kit.message, "LocalQueue l doesn't exist", "it says which");
    workload_kit_do(&kit, "flavor f; local l cluster=c");
    is_str(workload_kit_log(&kit), "a:pending", "no ClusterQueue");
    is_str(kit.message, "ClusterQueue c doesn't exist", "it says which");
    workload_kit_do(&kit, "cluster c hold group=cpu flavor=f cpu=1");
    is_str(workload_kit_log(&kit), "a:pending", "a stopped one");
    is_str(kit.message, "ClusterQueue c is inactive: it is stopped", "it says which");
    workload_kit_do(&kit, "check k inactive; cluster c check=k group=cpu flavor=f cpu=1");
    is_str(workload_kit_log(&kit), "a:checks a:pending",
           "of one that is not stopped any more that is not said,");
    is_str(kit.message,
           "ClusterQueue c is inactive: an admission check that it names is not active",
           "though it grants nothing");
    workload_kit_do(&kit, "cluster c check=m group=cpu flavor=f cpu=1");
    is_str(workload_kit_log(&kit), "a:checks a:pending", "another fault is another kind,");
    is_str(kit.message, "ClusterQueue c is inactive: an admission check that it names is not there",
           "of a check");
    workload_kit_do(&kit, "cluster c group=cpu flavor=g cpu=1");
    is_str(workload_kit_log(&kit), "a:checks a:pending", "or");
    is_str(kit.message, "ClusterQueue c is inactive: a flavor that it names is not there",
           "of a flavor");
    workload_kit_do(&kit, "local l cluster=c hold");
    is_str(workload_kit_log(&kit), "a:pending", "a LocalQueue that is stopped, too");
    is_str(kit.message, "LocalQueue l is inactive: it is stopped", "is the nearer reason");
    workload_kit_do(&kit, "restart");
    is_str(workload_kit_log(&kit), "", "another leader does not repeat it");
    workload_kit_do(&kit, "local l cluster=c; cluster c group=cpu flavor=f cpu=1");
    is_str(workload_kit_state(&kit, "a"), "admitted f", "until nothing is wrong");
    workload_kit_log(&kit);
    workload_kit_do(&kit, "add b queue=l cpu=1 unsupported=topology");
    is_str(kit.message, "topology", "what it asks for may be the reason,");
    workload_kit_do(&kit, "add g queue=l cpu=1 gatedBy=budget");
    is_str(workload_kit_log(&kit), "b:pending g:pending", "or its owner");
    is_str(kit.message, "budget", "who says so");
    is_str(kit.reason, "AdmissionGated", "by a reason of its own");
    workload_kit_do(&kit, "cluster c hold group=cpu flavor=f cpu=1");
    is_str(workload_kit_log(&kit), "g:pending", "a queue that is stopped comes first");
    is_str(kit.reason, "Inadmissible", "and is told so");
    workload_kit_do(&kit, "cluster c group=cpu flavor=f cpu=1");
    is_str(workload_kit_log(&kit), "g:pending", "then it is gated again");
    workload_kit_do(&kit, "restart");
    is_str(workload_kit_log(&kit), "", "which another leader does not repeat");
    workload_kit_close(&kit);

    workload_kit_open(&kit, "reasons");
    workload_kit_do(&kit, "flavor f; check k; cluster c check=k group=cpu flavor=f cpu=1; "
                          "local l cluster=c; add a queue=l cpu=1; local l cluster=c hold");
    is_str(workload_kit_log(&kit), "a:reserve a:unreserve", "a reservation that is cancelled says");
    is_str(kit.message, "LocalQueue l is inactive: it is stopped", "why, and says it once");
    workload_kit_close(&kit);
}

/* More than are looked at at once; and another engine. */
static void test_many(void)
{
    struct workload_kit kit;
    char step[64];

    open_world(&kit, "reasons");
    workload_kit_do(&kit, "cluster c hold group=cpu flavor=f cpu=2");
    for (int i = 0; i < 20; i++) {
        snprintf(step, sizeof(step), "add w%d queue=l cpu=2", i);
        workload_kit_do(&kit, step);
    }
    workload_kit_log(&kit);
    workload_kit_do(&kit, "cluster c group=cpu flavor=f cpu=1");
    for (int i = 0; i < 20; i++) {
        snprintf(step, sizeof(step), "w%d", i);
        is_str(workload_kit_state(&kit, step), "pending", "all of them wait");
    }
    is_int((int64_t)strlen(workload_kit_log(&kit)),
           10 * (int64_t)strlen("w0:pending ") + 10 * (int64_t)strlen("w10:pending ") - 1,
           "and each says so once");
    workload_kit_do(&kit, "restart");
    is_str(workload_kit_log(&kit), "", "another leader does not repeat it");
    workload_kit_do(&kit, "cluster c group=cpu flavor=f cpu=2");
    is_int(strstr(workload_kit_log(&kit), "w0:reserve") != NULL, 1, "and goes on from there");
    workload_kit_close(&kit);
}

int main(void)
{
    test_once();
    test_kinds();
    test_victims();
    test_flavors();
    test_several_sets();
    test_inadmissible();
    test_many();
    return tap_done();
}
