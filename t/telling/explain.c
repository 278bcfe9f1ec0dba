/* SPDX-License-Identifier: Apache-2.0 */

/* Why a pod does not pass: each reason, and its words. */
#include "plugin/telling/explain.h"
#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

static struct verdict why(const struct kit *kit, const char *uid)
{
    struct verdict verdict = {0};

    explain_claim(kit->engine, kit_claim(kit, uid), true, &verdict);
    return verdict;
}

static void says(const struct kit *kit, const char *uid, const char *reason, const char *message)
{
    struct verdict verdict = why(kit, uid), quiet = {0};

    explain_claim(kit->engine, kit_claim(kit, uid), false, &quiet);
    is_str(reason_name(verdict.reason), reason, "%s: %s", uid, reason);
    is_str(verdict.message, message, "%s: in words", uid);
    ok(quiet.reason == verdict.reason && quiet.message[0] == '\0', "%s: without words", uid);
    ok(verdict.pass == (reason[0] == '\0'), "%s: passes if nothing is against it", uid);
}

static void test_names(void)
{
    bool all = true;

    for (enum reason a = REASON_NONE; a < REASON_COUNT; a++) {
        for (enum reason b = REASON_NONE; b < a; b++)
            all = all && strcmp(reason_name(a), reason_name(b)) != 0;
    }
    ok(all, "each reason has a name of its own");
    is_str(reason_name(REASON_NONE), "", "and none has none");
}

static void test_held(void)
{
    struct kit kit;

    kit_open(&kit, "timeout=60");
    kit_do(&kit, "cluster c group=cpu flavor=default cpu=1; pod o cluster=c outside");
    says(&kit, "o", "NamespaceNotSelected",
         "the namespaceSelector of cluster queue c does not select namespace default");
    kit_do(&kit, "queue q cpu=4000; pod f queue=q foreign; pod g queue=q group=team;"
                 "pod s queue=q unschedulable; pod t queue=q cpu=1000");
    says(&kit, "t", "", "");
    kit_do(&kit, "pod m queue=q missing=resourceclaim/c");
    says(&kit, "m", "ClaimMissing", "it needs resourceclaim/c, which is not there");
    says(&kit, "f", "ForeignGate", "scheduling gate example.com/gate is for others to remove");
    says(&kit, "g", "GroupMissing", "its group default/team does not exist");
    says(&kit, "s", "ConditionStale",
         "its condition still says Unschedulable, and is being overwritten");
    kit_do(&kit, "time 61");
    says(&kit, "t", "Backoff", "its reservation ran out unused; it may try again in 10s");
    kit_close(&kit);
}

static void test_not_ready(void)
{
    struct kit kit;

    kit_open(&kit, "standby");
    kit_do(&kit, "pod a");
    says(&kit, "a", "NotReady", "the first listing of the cluster is not complete");
    kit_do(&kit, "synced");
    says(&kit, "a", "NotReady", "this scheduler does not lead");
    kit_do(&kit, "pod b bare stamp=5");
    says(&kit, "b", "NotReady", "earlier grants are being restored");
    kit_do(&kit, "lead");
    says(&kit, "a", "", "");
    kit_close(&kit);
}

static void test_capacity(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue p cpu=2000 memory=1073741824; queue q parent=p cpu=9000;"
                 "pod a queue=q cpu=500; pod b queue=q cpu=2000; pod c queue=q cpu=3000;"
                 "pod d queue=q memory=2147483648");
    says(&kit, "b", "QueueCapacity", "queue p has room for 1500m more cpu, the pod asks for 2");
    says(&kit, "c", "QueueCapacity",
         "the pod asks for 3 cpu, and queue p may never have more than 2");
    says(&kit, "d", "QueueCapacity",
         "the pod asks for 2Gi memory, and queue p may never have more than 1Gi");
    kit_do(&kit, "pod a queue=q cpu=500 node=n; queue p cpu=100");
    says(&kit, "b", "QueueCapacity",
         "the pod asks for 2 cpu, and queue p may never have more than 100m");
    kit_close(&kit);
}

static void test_flavored_capacity(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "flavor a; flavor b; cohort all;"
                 "cluster c parent=all group=cpu,memory flavor=a cpu=1000 memory=0 borrow.memory=0 "
                 "flavor=b cpu=0 borrow.cpu=0 memory=4096");
    kit_do(&kit, "pod p cluster=c cpu=2000; pod g cluster=c gpu=1");
    says(&kit, "p", "QueueCapacity",
         "the pod asks for 2 cpu, and cohort all may never have more than 1");
    says(&kit, "g", "QueueCapacity",
         "the pod asks for 1 gpu, and cluster queue c may never have more than 0");
    kit_do(&kit, "pod both cluster=c cpu=1000 memory=4096");
    is_str(kit_why(&kit, "both"), "QueueCapacity", "each fits in a flavor, but not in the same");
    kit_close(&kit);
}

static void test_order(void)
{
    struct kit kit;

    kit_open(&kit, "guard=10");
    kit_do(&kit, "queue s strict cpu=1; pod a queue=s cpu=2; pod b queue=s cpu=1");
    says(&kit, "b", "QueueOrder", "its turn comes after default/a, the head of queue s");

    kit_do(&kit, "queue p cpu=4; queue q parent=p; queue o parent=p; pod u queue=q cpu=1;"
                 "pod big queue=q cpu=4; pod w queue=q cpu=1; time 11; pod n queue=o cpu=1");
    is_str(kit_state(&kit, "w"), "reserved", "a head is passed over");
    says(&kit, "n", "QueueOrder", "its turn comes after default/big, the head of queue q");
    kit_close(&kit);
}

static void test_stops(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue p suspended; queue q parent=p; pod a queue=q; pod r queue=root;"
                 "queue c closed; pod b queue=c; pod u queue=nowhere; pod i queue=p;"
                 "queue low parent=lost; pod l queue=low");
    says(&kit, "a", "QueueSuspended", "queue p is suspended");
    says(&kit, "b", "QueueClosed", "queue c is closed");
    says(&kit, "u", "QueueUnknown", "queue nowhere does not exist");
    says(&kit, "l", "QueueUnknown", "queue lost does not exist");
    says(&kit, "i", "QueueInactive", "queue p has queues below it: only leaves hold pods");
    says(&kit, "r", "QueueInactive", "queue root has queues below it: only leaves hold pods");
    kit_close(&kit);
}

static void test_depth(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue d1");
    for (int i = 2; i <= 9; i++)
        kit_dof(&kit, "queue d%d parent=d%d", i, i - 1);
    kit_do(&kit, "pod a queue=d9");
    says(&kit, "a", "QueueInactive", "queue d9 is too deep in the tree");
    kit_do(&kit, "lose-queue d9; pod a queue=d8");
    says(&kit, "a", "", "");
    kit_close(&kit);
}

static void test_cycle(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue x parent=x; pod a queue=x");
    says(&kit, "a", "QueueInactive",
         "queue x is in a cycle of parents, or too deep: queue x cannot be below queue x");
    kit_close(&kit);
}

static void test_granted(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q; pod a queue=q; queue q suspended");
    says(&kit, "a", "QueueSuspended", "queue q is suspended");
    kit_do(&kit, "queue q closed");
    says(&kit, "a", "", "");
    kit_do(&kit, "reserve a; queue q suspended");
    says(&kit, "a", "", "");
    kit_close(&kit);
}

/* What a stale condition is overwritten with is what the pod will wait for. */
static void test_conditions(void)
{
    char message[VERDICT_MESSAGE_MAX];
    enum reason reason;
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue s strict cpu=1; pod n queue=s node=n cpu=1;"
                 "pod a queue=s cpu=1 unschedulable");
    explain_condition(kit.engine, kit_claim(&kit, "a"), &reason, message);
    is_str(reason_name(reason), "QueueCapacity", "alone in a strict queue it waits for room");
    is_str(message, "queue s has room for 0 more cpu, the pod asks for 1m", "and says so");
    kit_do(&kit, "pod b queue=s cpu=1");
    explain_condition(kit.engine, kit_claim(&kit, "a"), &reason, message);
    is_str(reason_name(reason), "QueueCapacity", "whoever comes after it does not matter");
    kit_do(&kit, "pod first queue=s cpu=1 priority=9");
    explain_condition(kit.engine, kit_claim(&kit, "a"), &reason, message);
    is_str(message, "its turn comes after default/first, the head of queue s",
           "who is before does");
    kit_close(&kit);
}

static void test_time_that_is_over(void)
{
    struct kit kit;

    kit_open(&kit, "timeout=60");
    kit_do(&kit, "pod a; time 61");
    engine_set_time(kit.engine, 100 * SECOND);
    is_str(why(&kit, "a").message, "its reservation ran out unused; it may try again in 0s",
           "a backoff that is over, and was not yet looked at");
    kit_close(&kit);
}

int main(void)
{
    test_names();
    test_held();
    test_not_ready();
    test_capacity();
    test_flavored_capacity();
    test_order();
    test_stops();
    test_depth();
    test_cycle();
    test_granted();
    test_conditions();
    test_time_that_is_over();
    return tap_done();
}
