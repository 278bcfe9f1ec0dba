/* SPDX-License-Identifier: Apache-2.0 */

/* What a restart finds granted, and what becomes of it. */
#include "plugin/advance.h"
#include "plugin/pods/restore.h"
#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

static int count(struct kit *kit, const char *queue, bool reserved)
{
    const struct queue *q = queue_at(kit->engine, kit_queue(kit, queue));

    return reserved ? (int)tree_size(&claims_by_stamp, kit->engine, q->reserved)
                    : (int)q->waiting_count;
}

/* What a restart finds: bound, stamped, nominated, ungated by another scheduler, and the rest. */
static void test_restart(void)
{
    struct kit kit;

    kit_open(&kit, "standby");
    kit_do(&kit, "queue q cpu=5; pod gated queue=q cpu=1 created=1; pod plain queue=q cpu=1 bare "
                 "created=2; pod late queue=q cpu=1 bare stamp=300; pod early queue=q cpu=1 bare "
                 "stamp=100; pod nom queue=q cpu=1 nominated created=200;"
                 "pod un queue=q cpu=1 bare unschedulable created=150;"
                 "pod bound queue=q cpu=1 bare stamp=400 node=n");
    is_str(kit_granted(&kit), "bound", "bound is allocated at once");
    is_str(kit_why(&kit, "early"), "NotReady", "the granted wait for the listing to be complete");
    is_str(kit_waiting(&kit, "q"), "gated plain", "the others wait in their line");
    kit_do(&kit, "synced; lead");
    is_str(kit_granted(&kit), "bound early late nom un", "the granted come first");
    kit_do(&kit, "queue q cpu=6");
    is_str(kit_granted(&kit), "bound early gated late nom un", "then the others in order");
    kit_close(&kit);
}

static void test_restart_by_stamp(void)
{
    struct kit kit;

    kit_open(&kit, "standby");
    kit_do(&kit, "queue q cpu=2; pod c queue=q cpu=1 bare stamp=30 priority=9;"
                 "pod a queue=q cpu=1 bare stamp=10; pod b queue=q cpu=1 bare stamp=20;"
                 "synced; lead");
    is_str(kit_granted(&kit), "a b", "the earlier stamps, as many as fit");
    is_str(kit_state(&kit, "c"), "waiting", "the rest asks anew");
    kit_do(&kit, "lose-pod a");
    is_str(kit_granted(&kit), "b c", "so that no two block each other for ever");
    kit_close(&kit);

    kit_open(&kit, "standby");
    kit_do(&kit,
           "queue q cpu=3; pod a queue=q cpu=2 bare stamp=1; pod b queue=q cpu=2 bare stamp=2;"
           "pod c queue=q cpu=1 bare stamp=3; synced; lead");
    is_str(kit_granted(&kit), "a c", "who does not fit stops nobody behind him");
    kit_close(&kit);
}

/* What a pod said once while it held, and says no more, is nobody's who leads next. */
static void test_restart_without_its_stamp(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=4; pod a queue=q cpu=4 bare stamp=5 version=1 created=9;"
                 "pod b queue=q cpu=4 priority=1");
    is_str(kit_granted(&kit), "a", "a pod with a stamp has its reservation");
    kit_do(&kit, "pod a queue=q cpu=4 bare version=2 created=9");
    is_str(kit_granted(&kit), "a", "and keeps it when the stamp is taken away");
    kit_do(&kit, "follow; lead");
    is_str(kit_granted(&kit), "b", "but whoever leads next sees none");
    kit_close(&kit);
}

/* A reserved claim within what is kept for its queue owes nothing to a parent in debt, nor does one
 * of a ClusterQueue within its nominal quota that lends nothing. */
static void test_restart_in_debt(void)
{
    static const struct {
        const char *queues, *smaller, *holds;
    } worlds[] = {
        {"queue p cpu=4; queue c parent=p guarantee.cpu=2; queue d parent=p", "queue p cpu=3",
         "queue=d"},
        {"flavor f; cohort p; cluster c parent=p group=cpu flavor=f cpu=2 lend.cpu=0;"
         "cluster d parent=p group=cpu flavor=f cpu=2",
         "cluster d parent=p group=cpu flavor=f cpu=1", "cluster=d"},
    };
    struct kit kit;

    for (size_t i = 0; i < sizeof(worlds) / sizeof(worlds[0]); i++) {
        const char *own = i == 0 ? "queue=c" : "cluster=c";

        kit_open(&kit, "");
        kit_do(&kit, worlds[i].queues);
        kit_dof(&kit, "pod held %s cpu=2 node=n", worlds[i].holds);
        kit_dof(&kit, "pod within %s cpu=2", own);
        kit_dof(&kit, "pod new %s cpu=1", own);
        kit_do(&kit, worlds[i].smaller);
        is_str(kit_granted(&kit), "held within", "a shrink leaves who is within its guarantee");
        kit_close(&kit);

        kit_open(&kit, "standby");
        kit_do(&kit, worlds[i].queues);
        kit_do(&kit, worlds[i].smaller);
        kit_dof(&kit, "pod held %s cpu=2 node=n", worlds[i].holds);
        kit_dof(&kit, "pod within %s cpu=2 bare stamp=1", own);
        kit_dof(&kit, "pod beyond %s cpu=1 bare stamp=2", own);
        kit_do(&kit, "synced; lead");
        is_str(kit_granted(&kit), "held within", "so does a restart, and nobody else");
        kit_close(&kit);
    }
}

static void test_restart_in_queues_that_stop(void)
{
    struct kit kit;

    kit_open(&kit, "standby");
    kit_do(&kit, "queue s suspended; queue c closed; pod a queue=s bare stamp=1;"
                 "pod b queue=c bare stamp=1; pod u queue=nowhere bare stamp=1;"
                 "pod f bare stamp=1 foreign; synced; lead");
    is_str(kit_granted(&kit), "a b u", "what was granted is restored, whatever its queue does");
    is_str(kit_why(&kit, "u"), "QueueUnknown",
           "where the queue is gone it waits with its reservation");
    is_str(kit_why(&kit, "f"), "ForeignGate", "nor was a pod with a foreign gate granted");
    kit_close(&kit);
}

static void test_restart_in_slices(void)
{
    struct kit kit;

    kit_open(&kit, "standby");
    kit_do(&kit, "queue q pods=80");
    for (int i = 0; i < 80; i++)
        kit_dof(&kit, "pod p%d queue=q bare stamp=%d created=1", i, i + 1);
    kit_do(&kit, "pod w queue=q priority=99; synced");
    kit_try(&kit, "lead");
    is_int(count(&kit, "q", true), ADVANCE_SLICE, "grants are restored by slices");
    is_str(kit_state(&kit, "w"), "waiting", "and nobody passes before the last");
    kit_try(&kit, "pod p79 queue=q bare stamp=80 created=1 version=2");
    kit_try(&kit, "pod p78 queue=q bare stamp=79 created=1 version=2");
    kit_work_off(&kit);
    is_str(kit_state(&kit, "p79"), "reserved", "also of a pod that is seen again in between");
    is_str(kit_state(&kit, "w"), "waiting", "so that nobody else has its room");
    kit_close(&kit);
}

/* A stamp tells which flavors to charge; one that cannot be read is no stamp. */
static void test_restart_with_flavors(void)
{
    struct kit kit;

    kit_open(&kit, "standby");
    kit_do(&kit, "flavor a; flavor b; cluster c group=cpu flavor=a cpu=2 flavor=b cpu=2;"
                 "pod x cluster=c cpu=1 bare stamp=1 stamped=cpu=b,pods=b;"
                 "pod y cluster=c cpu=2 bare stamp=2 stamped=rubbish; synced; lead");
    is_int(kit_usage(&kit, "cluster/c", "b/cpu"), 1, "the stamped flavor is charged");
    is_int(kit_usage(&kit, "cluster/c", "a/cpu"), 2, "without one, the first that fits");
    kit_close(&kit);
}

int main(void)
{
    test_restart();
    test_restart_by_stamp();
    test_restart_without_its_stamp();
    test_restart_in_debt();
    test_restart_in_queues_that_stop();
    test_restart_in_slices();
    test_restart_with_flavors();
    return tap_done();
}
