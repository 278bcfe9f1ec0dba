/* SPDX-License-Identifier: Apache-2.0 */
#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

#include <stdio.h>

static const struct queue *queue_of(const struct kit *kit, const char *name)
{
    return queue_at(kit->engine, kit_queue(kit, name));
}

static void is_below(const struct kit *kit, const char *queue, const char *parent)
{
    is_int(queue_of(kit, queue)->parent, kit_queue(kit, parent), "%s is below %s", queue, parent);
}

static void test_cycle(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue a parent=b; queue c parent=a; queue b parent=a; pod x queue=c cpu=1;"
                 "queue own parent=own; pod y queue=own cpu=1");
    is_str(kit_why(&kit, "x"), "QueueInactive", "two edits close a cycle: nobody passes below it");
    is_str(kit_why(&kit, "y"), "QueueInactive", "nor below a queue that is its own parent");
    ok(queue_is_misplaced(queue_of(&kit, "a")) && queue_is_misplaced(queue_of(&kit, "b")) &&
           queue_is_misplaced(queue_of(&kit, "own")) && !queue_is_misplaced(queue_of(&kit, "c")),
       "all that are above themselves are out of the tree");
    kit_do(&kit, "queue b");
    is_str(kit_granted(&kit), "x", "a third edit opens it");
    is_below(&kit, "a", "b");
    is_below(&kit, "b", "root");
    kit_do(&kit, "queue own; queue b parent=a; queue a");
    is_str(kit_granted(&kit), "x y", "which may be an edit of either");
    is_below(&kit, "b", "a");
    is_int(kit.engine->queues.todo[TODO_PLACE].first, 0, "everybody is in place");
    kit_do(&kit, "queue a parent=b; lose-queue b");
    is_below(&kit, "a", "b");
    is_below(&kit, "b", "root");
    is_str(kit_why(&kit, "x"), "QueueUnknown", "who is gone closes no cycle");
    kit_close(&kit);
}

/* However the queues of a cycle become known, the tree is the same. */
static void test_order_of_edits(void)
{
    static const char *const edits[] = {"queue a parent=b cpu=9",
                                        "queue b parent=c guarantee.cpu=2", "queue c parent=a",
                                        "queue d parent=a guarantee.cpu=1", "queue c"};
    static const uint8_t orders[][5] = {
        {0, 1, 2, 3, 4}, {2, 1, 0, 3, 4}, {3, 0, 2, 1, 4}, {1, 3, 2, 0, 4}};
    uint64_t digests[4][2];
    int differ = 0;

    for (int i = 0; i < 4; i++) {
        struct kit kit;

        kit_open(&kit, "");
        kit_do(&kit, "pod x queue=d cpu=3 created=5 node=n");
        for (int k = 0; k < 4; k++)
            kit_do(&kit, edits[orders[i][k]]);
        digests[i][0] = engine_digest(kit.engine, false);
        kit_do(&kit, edits[orders[i][4]]);
        digests[i][1] = engine_digest(kit.engine, false);
        differ += digests[i][0] != digests[0][0] || digests[i][1] != digests[0][1];
        engine_destroy(kit.engine);
    }
    is_int(differ, 0, "the order of edits leaves no trace, with a cycle and without");
    ok(digests[0][0] != digests[0][1], "a cycle does");
}

static void test_depth(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue n1");
    for (int i = 2; i <= 9; i++)
        kit_dof(&kit, "queue n%d parent=n%d", i, i - 1);
    kit_do(&kit, "queue side parent=n7; pod deep queue=n9 cpu=1; pod ok queue=side cpu=1");
    is_str(kit_why(&kit, "deep"), "QueueInactive", "the 9th level is too deep");
    is_str(kit_granted(&kit), "ok", "the 8th is not");
    kit_do(&kit, "queue n2");
    is_str(kit_granted(&kit), "deep ok", "a subtree that moves up is deep no more");
    for (int i = 10; i <= 90; i++)
        kit_dof(&kit, "queue n%d parent=n%d cpu=%d", i, i - 1, 200 - i);
    kit_do(&kit, "pod far queue=n90 cpu=1");
    is_str(kit_why(&kit, "far"), "QueueInactive", "and 90 levels are no danger");
    kit_do(&kit, "queue n89");
    is_str(kit_state(&kit, "far"), "reserved", "nor out of reach");
    kit_close(&kit);
}

static void test_lost_under_its_pods(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue p cpu=9; queue q parent=p cpu=2; pod a queue=q cpu=2; pod b queue=q cpu=1;"
                 "pod r queue=q cpu=1 priority=-1; bind a; lose-queue q");
    is_str(kit_granted(&kit), "a", "a queue goes: who was granted keeps it");
    is_str(kit_why(&kit, "b"), "QueueUnknown", "nobody else is");
    is_int(kit_usage(&kit, "p", "cpu"), 0, "its former parent is free of it");
    is_str(kit_waiting(&kit, "q"), "b r", "and the line stays");
    kit_do(&kit, "queue q parent=p cpu=3");
    is_str(kit_granted(&kit), "a b", "it comes back with other quota");
    is_int(kit_usage(&kit, "p", "cpu"), 3, "all that it holds counts again");
    kit_close(&kit);
}

static void test_moved(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue p cpu=3; queue o cpu=9; queue q parent=p; queue r parent=p;"
                 "pod a queue=q cpu=3; pod b queue=r cpu=3; pod c queue=q cpu=2");
    is_str(kit_granted(&kit), "a", "a fills p");
    kit_do(&kit, "queue q parent=o");
    is_str(kit_granted(&kit), "a b c", "it moves: there is room for both, here and there");
    is_int(kit_usage(&kit, "p", "cpu"), 3, "p holds b");
    is_int(kit_usage(&kit, "o", "cpu"), 5, "o holds a and c");
    kit_do(&kit, "queue q parent=p");
    is_str(kit_granted(&kit), "a", "back where there is none the newest go first");
    kit_do(&kit, "queue q parent=nowhere");
    is_below(&kit, "q", "nowhere");
    is_str(kit_why(&kit, "a"), "QueueUnknown", "below a parent that nobody knows");
    kit_do(&kit, "queue q parent=o");
    is_str(kit_granted(&kit), "a b c", "and out again");
    is_int(kit_queue(&kit, "nowhere"), 0, "which forgets that parent");
    kit_close(&kit);
}

static void test_shrunk(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit,
           "queue q cpu=10 gpu=9; time 2; pod a queue=q cpu=3; time 3; pod g queue=q gpu=1;"
           "time 4; pod b queue=q cpu=3; time 5; pod c queue=q cpu=3; time 6; pod h queue=q gpu=2;"
           "reserve c; queue q cpu=6 gpu=9");
    is_str(kit_granted(&kit), "a c g h", "the newest that uses cpu goes, but not who is allocated");
    kit_do(&kit, "queue q cpu=1 gpu=9");
    is_str(kit_granted(&kit), "c g h", "as many as there are");
    is_int(kit_room(&kit, "q", "cpu"), -2, "the rest is debt");
    kit_do(&kit, "queue q cpu=10 gpu=9");
    is_str(kit_granted(&kit), "a b c g h", "and they come back");
    kit_do(&kit, "queue p cpu=10; queue q parent=p cpu=10 guarantee.cpu=6; queue z parent=p;"
                 "pod y queue=z cpu=1; queue p cpu=9");
    is_str(kit_granted(&kit), "a b c g h", "a shrunk parent asks back what reaches it");
    kit_close(&kit);
}

static void test_flavors_edited(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "flavor f; flavor g; cluster c group=cpu flavor=f cpu=2 flavor=g cpu=2;"
                 "pod a cluster=c cpu=2; pod b cluster=c cpu=2; bind a");
    is_int(kit_usage(&kit, "cluster/c", "f/cpu"), 2, "a is in f, b in g");
    kit_do(&kit, "cluster c group=cpu flavor=g cpu=4");
    ok(kit_cell(&kit, "cluster/c", "f/cpu") == NULL, "a flavor goes, and with it its cell");
    is_int(kit_usage(&kit, "cluster/c", "g/cpu"), 2, "the other stays");
    kit_do(&kit, "cluster c group=cpu flavor=f cpu=3 flavor=g cpu=4");
    is_int(kit_usage(&kit, "cluster/c", "f/cpu"), 2, "back again it counts who still has it");
    kit_close(&kit);
}

static void test_no_memory(void)
{
    static const char *const steps[] = {
        "queue q parent=p cpu=4 gpu=2 guarantee.cpu=1 deserved.memory=3 state=Open",
        "queue q parent=new cpu=4 gpu=2 disk=9 guarantee.cpu=1 state=Closed closed",
        "queue new parent=root r1=1 r2=2 r3=3 r4=4 r5=5",
        "queue p parent=q cpu=1",
        "queue own parent=own cpu=1",
        "cluster c parent=co group=cpu flavor=f cpu=4 flavor=g lend.cpu=1 group=gpu flavor=h gpu=2",
        "cluster c parent=other group=cpu flavor=g cpu=9 borrow.cpu=3 flavor=i cpu=1",
        "cohort co parent=co group=cpu flavor=f cpu=1",
        "cohort other parent=top group=cpu,gpu flavor=g cpu=1 gpu=1",
        "flavor g label=a:b label=c:d toleration=t",
        "pod late cluster=c cpu=1 gpu=1",
        "lose-cluster c",
        "lose-queue q",
        "lose-queue new",
    };
    struct kit kit;
    long most = 0;

    kit_open(&kit, "");
    kit_do(&kit,
           "queue p cpu=9; pod a queue=q cpu=1 gpu=1; flavor f; pod b cluster=c cpu=1 node=n");
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        long needed = kit_starve(&kit, steps[i]);

        most = needed > most ? needed : most;
    }
    ok(most > 5, "an edit needs up to %ld allocations", most);
    kit_close(&kit);
}

int main(void)
{
    test_cycle();
    test_order_of_edits();
    test_depth();
    test_lost_under_its_pods();
    test_moved();
    test_shrunk();
    test_flavors_edited();
    test_no_memory();
    return tap_done();
}
