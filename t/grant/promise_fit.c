/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/grant/promise_fit.h"
#include "plugin/claims/pledge.h"

#include "t/kit/tap.h"
#include "t/kit/workload_kit.h"

#include <stdio.h>

/* Its queue is in debt, and it asks for nothing of what that lacks. */
static void test_nothing_of_a_debt(const char *words)
{
    char step[200];
    struct workload_kit kit;

    workload_kit_open(&kit, "");
    snprintf(step, sizeof(step), "cluster c %s group=cpu flavor=f cpu=", words);
    workload_kit_do(&kit, "flavor f");
    kit_dof(&kit.kit, "%s2", step);
    workload_kit_do(&kit, "local l cluster=c; add a queue=l cpu=2");
    kit_dof(&kit.kit, "%s1", step);
    workload_kit_do(&kit, "add b queue=l cpu=1 count=0 priority=1");
    is_str(workload_kit_state(&kit, "b"), "admitted f", "%s: nothing is to be had of a debt",
           words);
    is_str(workload_kit_state(&kit, "a"), "admitted f", "and nobody goes for it");
    workload_kit_do(&kit, "add w queue=l cpu=1");
    is_str(workload_kit_state(&kit, "w"), "pending", "but something is not");
    ok(!engine_more(kit.kit.engine), "and that is all");
    workload_kit_close(&kit);
}

/* What it could have at once is fewer pods than it is promised: it waits for its victims, which
 * else went for nothing. As many pods of another flavor are as good. */
static void test_fewer_pods(void)
{
    struct workload_kit kit;
    uint32_t new;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit,
                    "flavor f; cluster c within=lower preemptsLast group=cpu flavor=f cpu=20; "
                    "local l cluster=c; jobsStay; add old queue=l cpu=1 count=10; "
                    "add new queue=l cpu=1 count=20 min=10 priority=1");
    is_str(workload_kit_why(&kit, "new"), "Preempting", "who wants all of its pods waits");
    new = workload_find(kit.kit.engine, text_of("default"), text_of("new"));
    is_int(pledge_count_victims(kit.kit.engine, new, true), 1, "for the victim");
    workload_kit_do(&kit, "time 60; halt old");
    is_str(workload_kit_state(&kit, "new"), "admitted f", "until it has gone");
    is_int(kit_usage(&kit.kit, "cluster/c", "f/cpu"), 20, "and gets all that it was promised");
    workload_kit_do(&kit, "finish new; time 120");
    is_str(workload_kit_state(&kit, "old"), "admitted f", "alone");
    workload_kit_do(&kit, "add part queue=l cpu=1 count=30 min=10 priority=1");
    is_str(workload_kit_why(&kit, "part"), "Preempting",
           "so does who can have no more than a part");
    workload_kit_do(&kit, "time 180; halt old");
    is_int(kit_usage(&kit.kit, "cluster/c", "f/cpu"), 20, "of all that there is");
    workload_kit_close(&kit);

    workload_kit_open(&kit, "");
    workload_kit_do(&kit,
                    "flavor f; flavor g; cluster c within=lower preemptsLast group=cpu flavor=f "
                    "cpu=20 flavor=g cpu=4; local l cluster=c; jobsStay; "
                    "add old queue=l cpu=1 count=10; "
                    "add new queue=l cpu=1 count=20 min=4 priority=1");
    is_str(workload_kit_why(&kit, "new"), "Preempting", "fewer pods of another flavor are too few");
    workload_kit_do(&kit, "cluster c within=lower preemptsLast group=cpu flavor=f cpu=20 "
                          "flavor=g cpu=20");
    is_str(workload_kit_state(&kit, "new"), "admitted g", "as many are as good");
    workload_kit_close(&kit);
}

/* Its promise is one within the share: whoever borrowed in its queue meanwhile would make it exceed
 * that, with others' room that it may only take if it does not. */
static void test_within_the_share(void)
{
    struct workload_kit kit;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, "flavor f; cluster x parent=o group=cpu flavor=f cpu=4 reclaim=any "
                          "within=lower; cluster z parent=o group=cpu flavor=f cpu=4; "
                          "local l cluster=x; local m cluster=z; jobsStay; add x1 queue=l cpu=2; "
                          "add z1 queue=m cpu=3; time 2; add z2 queue=m cpu=3; "
                          "add ask queue=l cpu=4 priority=5");
    is_str(workload_kit_state(&kit, "x1"), "admitted f evicted", "one of its own queue goes");
    is_str(workload_kit_state(&kit, "z2"), "admitted f evicted", "and one of another");
    workload_kit_do(&kit, "halt x1; add small queue=l cpu=1");
    is_str(workload_kit_state(&kit, "small"), "pending", "there is room, but beyond the share");
    workload_kit_do(&kit, "halt z2");
    is_str(workload_kit_state(&kit, "ask"), "admitted f", "which holds who is promised it");
    is_str(workload_kit_state(&kit, "small"), "admitted f", "after that others borrow");
    workload_kit_close(&kit);
}

/* It borrows memory either way, from as far up as it would borrow cpu elsewhere. */
static void test_rather_preempts(void)
{
    struct workload_kit kit;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, "flavor a; flavor b; flavor m; local l cluster=q;"
                          "cluster o parent=all group=cpu flavor=a cpu=3 group=memory flavor=m "
                          "memory=6; cluster q parent=all within=lower preemptsLast borrowsLast "
                          "borrowsLeast group=cpu flavor=a cpu=0 flavor=b cpu=3 group=memory "
                          "flavor=m memory=1");
    workload_kit_do(&kit, "jobsStay; add low queue=l cpu=3 memory=2;"
                          "add high queue=l cpu=3 memory=1 priority=1");
    is_str(workload_kit_state(&kit, "low"), "admitted b evicted", "it preempts in its own quota");
    is_str(workload_kit_state(&kit, "high"), "pending", "and does not borrow in the meantime");
    workload_kit_do(&kit, "halt low");
    is_str(workload_kit_state(&kit, "high"), "admitted b", "until it has what it is promised");
    workload_kit_close(&kit);
}

int main(void)
{
    test_nothing_of_a_debt("");
    test_nothing_of_a_debt("strict");
    test_nothing_of_a_debt("strict within=lower");
    test_nothing_of_a_debt("within=lower");
    test_fewer_pods();
    test_within_the_share();
    test_rather_preempts();
    return tap_done();
}
