/* SPDX-License-Identifier: Apache-2.0 */

/* Which replicas a workload should have, and which it should not. */
#include "plugin/fleet/plan.h"

#include "t/kit/fleet_kit.h"
#include "t/kit/tap.h"

#define TWO "cluster a; cluster b; workload w in=a,b;"

static void test_dispatch(void)
{
    struct fleet_kit f;

    fleet_kit_open(&f, "");
    fleet_kit_do(&f, "cluster a; cluster b off; workload w in=a,b unreserved");
    is_str(fleet_kit_effects(&f), "", "without quota at home nothing goes out");
    fleet_kit_do(&f, "workload w in=a,b unready");
    is_str(fleet_kit_effects(&f), "", "nor while other checks are open");
    fleet_kit_do(&f, "workload w in=a,b");
    is_str(fleet_kit_effects(&f), "create a/w", "then to each cluster that can be reached");
    fleet_kit_do(&f, "cluster b");
    is_str(fleet_kit_effects(&f), "create a/w; create b/w", "and when it can");
    fleet_kit_do(&f, "done create a/w; replica b/w");
    is_str(fleet_kit_effects(&f), "", "once");
    fleet_kit_do(&f, "replica a/w; workload w in=b");
    is_str(fleet_kit_effects(&f), "delete a/w", "not nominated any more");
    fleet_kit_do(&f, "workload w in=a,b unreserved");
    is_str(fleet_kit_effects(&f), "delete a/w; delete b/w", "no reservation, no replicas");
    fleet_kit_do(&f, "done delete a/w; gone delete b/w");
    is_str(fleet_kit_effects(&f), "", "each is deleted once");
    fleet_kit_close(&f);
}

static void test_winner(void)
{
    struct fleet_kit f;

    fleet_kit_open(&f, "");
    fleet_kit_do(&f, TWO "replica a/w signals; replica b/w admitted");
    is_str(fleet_kit_effects(&f), "bind w b", "the first that is admitted");
    fleet_kit_do(&f, "time 1; replica a/w admitted");
    is_str(fleet_kit_effects(&f), "bind w b", "not a later one");
    fleet_kit_do(&f, "done bind w");
    is_str(fleet_kit_effects(&f), "", "nothing is deleted before the workload says so");
    fleet_kit_do(&f, "workload w in=a,b bound=b");
    is_str(fleet_kit_effects(&f), "delete a/w", "then the others");
    fleet_kit_do(&f, "gone delete a/w; replica a/w admitted");
    is_str(fleet_kit_effects(&f), "delete a/w", "who comes back comes too late");
    fleet_kit_close(&f);

    fleet_kit_open(&f, "standby");
    fleet_kit_do(&f, TWO "replica b/w admitted; time 5; replica a/w admitted; synced; lead");
    is_str(fleet_kit_effects(&f), "bind w a", "at a restart nobody was first: by name");
    fleet_kit_close(&f);
}

/* Else the attempt that follows a lost worker would be bound to it, and lost, for ever. */
static void test_lost_winner(void)
{
    struct fleet_kit f;

    fleet_kit_open(&f, "lost=900");
    fleet_kit_do(&f, TWO "replica a/w signals; replica b/w admitted; cluster b off; time 899");
    is_str(fleet_kit_effects(&f), "bind w b", "who cannot be reached for a while has won");
    fleet_kit_do(&f, "time 900");
    is_str(fleet_kit_effects(&f), "write w", "not who is lost: the others have their turn");
    fleet_kit_do(&f, "cluster b");
    is_str(fleet_kit_effects(&f), "bind w b", "unless it is back first");
    fleet_kit_do(&f, "workload w in=a,b bound=a; replica a/w admitted");
    is_str(fleet_kit_effects(&f), "delete b/w", "after that it comes too late");
    fleet_kit_close(&f);
}

static void test_retry(void)
{
    struct fleet_kit f;

    fleet_kit_open(&f, "lost=900");
    fleet_kit_do(&f, TWO "workload w in=a,b bound=b; replica b/w admitted");
    is_str(fleet_kit_effects(&f), "", "it runs where it is");
    fleet_kit_do(&f, "replica b/w evicted");
    is_str(fleet_kit_effects(&f), "retry w", "evicted there: tried again");
    fleet_kit_do(&f, "done retry w");
    is_str(fleet_kit_effects(&f), "", "which is asked for once");
    fleet_kit_do(&f, "workload w unreserved in=a,b bound=b");
    is_str(fleet_kit_effects(&f), "delete b/w", "and the manager's eviction ends it");
    fleet_kit_do(&f, "workload w in=a,b bound=b; lose-replica b/w");
    is_str(fleet_kit_effects(&f), "retry w", "somebody deleted it there");
    fleet_kit_do(&f, "replica b/w admitted; cluster b off; time 899");
    is_str(fleet_kit_effects(&f), "", "its worker is lost");
    fleet_kit_do(&f, "time 900");
    is_str(fleet_kit_effects(&f), "retry w", "for too long");
    fleet_kit_do(&f, "cluster b");
    is_str(fleet_kit_effects(&f), "", "unless it comes back before");
    fleet_kit_do(&f, "lose-cluster b; time 1801");
    is_str(fleet_kit_effects(&f), "retry w", "a cluster that was taken away is lost as well");
    fleet_kit_close(&f);
}

static void test_left_behind(void)
{
    struct fleet_kit f;

    fleet_kit_open(&f, "");
    fleet_kit_do(&f, "cluster a; replica a/w; time 59");
    is_str(fleet_kit_effects(&f), "", "its workload may only be late");
    fleet_kit_do(&f, "time 60");
    is_str(fleet_kit_effects(&f), "delete a/w", "not for ever");
    fleet_kit_do(&f, "workload w in=a");
    is_str(fleet_kit_effects(&f), "", "it came");
    fleet_kit_do(&f, "lose-workload w");
    is_str(fleet_kit_effects(&f), "delete a/w", "and is gone for sure");
    fleet_kit_do(&f, "workload w in=a uid=again; replica a/w origin=w");
    is_str(fleet_kit_effects(&f), "delete a/w",
           "what was made for another one of its name is not its");
    fleet_kit_do(&f, "gone delete a/w");
    is_str(fleet_kit_effects(&f), "create a/w", "it gets its own");
    fleet_kit_close(&f);
}

/* The workload says otherwise when a timer of its former plan is due. */
static void change_when_due(const char *change, const char *state, const char *effects)
{
    struct fleet_kit f;

    fleet_kit_open(&f, "lost=100");
    fleet_kit_do(&f,
                 "cluster a; cluster b; workload w in=a,b bound=a; replica b/w; lease delete b/w");
    fleet_kit_do(&f, "cluster a off; time 100; lease retry w");
    fleet_set_time(f.fleet, f.fleet->now + INT64_C(1000000) * OUTBOX_LEASE_MS);
    fleet_kit_do(&f, change);
    is_str(fleet_kit_state(&f, "w"), state, "%s: the plan is another one", change);
    is_str(fleet_kit_effects(&f), effects, "and all is done for it");
    fleet_kit_close(&f);
}

static void test_change_when_due(void)
{
    change_when_due("workload w in=a,b", "Dispatched", "");
    change_when_due("workload w in=a,b uid=x", "Dispatched", "");
    change_when_due("workload w in=a,b unreserved", "Held", "delete b/w");
    change_when_due("workload w in=a,b bound=b", "Bound", "");
    change_when_due("lose-workload w", "LeftBehind", "delete b/w");
}

/* Nobody decides on a standby, and whom it was kept for may have gone. */
static void test_kept_for_nobody(void)
{
    struct fleet_kit f;

    fleet_kit_open(&f, "");
    fleet_kit_do(&f, TWO "replica a/w admitted");
    is_str(fleet_kit_state(&f, "w"), "Admitted", "it is kept");
    fleet_kit_do(&f, "follow; lose-replica a/w");
    is_str(fleet_kit_state(&f, "w"), "NotReady", "for nobody: that is to be seen again");
    is_str(fleet_kit_message(&f, "w"), "", "and nothing is said of it");
    fleet_kit_do(&f, "lead");
    is_str(fleet_kit_state(&f, "w"), "Dispatched", "by who leads");
    fleet_kit_close(&f);
}

static void test_gates(void)
{
    struct fleet_kit f;

    fleet_kit_open(&f, "");
    fleet_kit_do(&f, "cluster a; workload w in=a gate=x gate=kueue.x-k8s.io/multikueue gate=y");
    is_str(fleet_kit_effects(&f), "create a/w", "our gate on the manager's own is nothing special");
    fleet_kit_do(&f, "replica a/w ungated");
    is_str(fleet_kit_effects(&f), "", "a worker that drops the gate does not make us try for ever");
    fleet_kit_do(&f, "lose-replica a/w; workload w in=a gate=1 gate=2 gate=3 gate=4 gate=5 gate=6 "
                     "gate=7 gate=8");
    is_str(fleet_kit_effects(&f), "", "nine gates are too many");
    is_str(fleet_kit_message(&f, "w"),
           "it has so many preemption gates that ours cannot be added: take one away",
           "it says so");
    fleet_kit_close(&f);
}

int main(void)
{
    test_dispatch();
    test_winner();
    test_lost_winner();
    test_retry();
    test_left_behind();
    test_change_when_due();
    test_kept_for_nobody();
    test_gates();
    return tap_done();
}
