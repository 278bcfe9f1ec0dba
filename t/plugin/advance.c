/* SPDX-License-Identifier: Apache-2.0 */

/* What is left to do, in slices: demotions, new grants; and who leads. */
#include "plugin/advance.h"
#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

static int count(struct kit *kit, const char *queue, bool reserved)
{
    const struct queue *q = queue_at(kit->engine, kit_queue(kit, queue));

    return reserved ? (int)tree_size(&claims_by_stamp, kit->engine, q->reserved)
                    : (int)q->waiting_count;
}

static void test_demotes_the_newest(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=9 memory=9; time 2; pod old queue=q cpu=2; time 3;"
                 "pod mem queue=q memory=5; time 4; pod mid queue=q cpu=2; time 5;"
                 "pod new queue=q cpu=2");
    kit_do(&kit, "queue q cpu=4 memory=9");
    is_str(kit_granted(&kit), "mem mid old", "the newest goes, and no more than must");
    kit_do(&kit, "queue q cpu=2 memory=9");
    is_str(kit_granted(&kit), "mem old", "whoever does not use what is short stays");
    kit_do(&kit, "queue q cpu=1 memory=1");
    is_str(kit_granted(&kit), "", "until its own is");
    kit_do(&kit, "queue q cpu=6 memory=9");
    is_str(kit_granted(&kit), "mem mid new old", "room that comes back is given again");
    kit_close(&kit);
}

static void test_demotes_only_reserved(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=9; pod a queue=q cpu=2; pod b queue=q cpu=2; pod c queue=q cpu=2;"
                 "reserve b; pod c queue=q cpu=2 node=n; queue q cpu=1");
    is_str(kit_granted(&kit), "b c", "what is past the reserve hook, or bound, is not touched");
    is_int(kit_usage(&kit, "q", "cpu"), 4, "and goes on counting");
    kit_close(&kit);
}

static void test_demotes_below_an_ancestor(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue p cpu=9; queue l parent=p guarantee.cpu=2; queue r parent=p;"
                 "time 2; pod r1 queue=r cpu=2; time 3; pod l1 queue=l cpu=2; queue p cpu=3");
    is_str(kit_granted(&kit), "l1", "giving back what is kept for a queue would not help above it");
    kit_close(&kit);
}

static void test_demotes_the_newest_of_all_queues(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue p cpu=6; queue l parent=p; queue r parent=p; time 2; pod r1 queue=r cpu=2;"
                 "time 3; pod l1 queue=l cpu=2; time 4; pod r2 queue=r cpu=2; queue p cpu=5");
    is_str(kit_granted(&kit), "l1 r1", "the newest of all below the queue");
    kit_do(&kit, "lose-pod r2; queue p cpu=3");
    is_str(kit_granted(&kit), "r1", "wherever it is");
    kit_close(&kit);
}

static void test_demoted_may_have_another_flavor(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "flavor a; flavor b; cluster c group=cpu flavor=a cpu=2 flavor=b cpu=0;"
                 "pod x cluster=c cpu=2; cluster c group=cpu flavor=a cpu=1 flavor=b cpu=2");
    is_str(kit_state(&kit, "x"), "reserved", "a claim that was demoted in one flavor");
    is_int(kit_usage(&kit, "cluster/c", "b/cpu"), 2, "is granted in another that has room");
    kit_close(&kit);
}

static void test_slices(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q pods=0");
    for (int i = 0; i < 150; i++)
        kit_dof(&kit, "pod p%d queue=q", i);
    kit_try(&kit, "queue q");
    is_int(count(&kit, "q", true), ADVANCE_SLICE, "a step grants so many");
    ok(engine_more(kit.engine), "and says that there is more");
    engine_tick(kit.engine);
    is_int(count(&kit, "q", true), 2 * ADVANCE_SLICE, "the next as many");
    is_int(kit_try(&kit, "pod new queue=q priority=9"), 0, "a newcomer in between");
    ok(!engine_more(kit.engine), "the last one ends it");
    is_int(count(&kit, "q", true), 151, "all have what they wait for");

    kit_try(&kit, "queue q pods=10");
    is_int(count(&kit, "q", true), 151 - ADVANCE_SLICE, "demotions are cut in the same way");
    ok(engine_more(kit.engine), "with more to do");
    kit_work_off(&kit);
    is_int(count(&kit, "q", true), 10, "until the ceiling holds");
    kit_close(&kit);
}

static void test_newcomers_wait_their_turn(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q pods=0");
    for (int i = 0; i < 70; i++)
        kit_dof(&kit, "pod p%d queue=q", i);
    kit_try(&kit, "queue q pods=64");
    is_int(count(&kit, "q", true), 64, "a slice fills the queue");
    kit_try(&kit, "pod p0 queue=q finished");
    is_str(kit_state(&kit, "p64"), "reserved", "what is given back is the next one's");
    kit_close(&kit);
}

static void test_nothing_before_synced_and_leader(void)
{
    struct kit kit;

    kit_open(&kit, "standby");
    kit_do(&kit, "queue q cpu=2; pod a queue=q cpu=1");
    is_str(kit_granted(&kit), "", "nothing is granted before the listing is complete");
    kit_do(&kit, "lead");
    is_str(kit_granted(&kit), "", "nor by leading alone");
    kit_do(&kit, "synced");
    is_str(kit_granted(&kit), "a", "both together begin");
    kit_do(&kit, "follow; pod b queue=q cpu=1");
    is_str(kit_granted(&kit), "", "a standby holds what was not bound");
    ok(!engine_more(kit.engine), "and has nothing left to do");
    kit_do(&kit, "lead");
    is_str(kit_granted(&kit), "a b", "leading again, it grants again");
    kit_close(&kit);

    kit_open(&kit, "standby");
    kit_do(&kit, "pod a; synced");
    is_str(kit_granted(&kit), "", "the listing alone does not begin either");
    kit_close(&kit);
}

int main(void)
{
    test_demotes_the_newest();
    test_demotes_only_reserved();
    test_demotes_below_an_ancestor();
    test_demotes_the_newest_of_all_queues();
    test_demoted_may_have_another_flavor();
    test_slices();
    test_newcomers_wait_their_turn();
    test_nothing_before_synced_and_leader();
    return tap_done();
}
