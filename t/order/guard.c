/* SPDX-License-Identifier: Apache-2.0 */
#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

/* p has 10. x of queue b takes 6; big, the head of queue a, asks for 8; small passes it. */
static const char scene[] = "queue p cpu=10; queue a parent=p; queue b parent=p;"
                            "pod x queue=b cpu=6; pod big queue=a cpu=8; pod small queue=a cpu=1;";

static void open_scene(struct kit *kit, const char *config)
{
    kit_open(kit, config);
    kit_do(kit, scene);
}

static const struct queue *queue_of(const struct kit *kit, const char *name)
{
    return queue_at(kit->engine, kit_queue(kit, name));
}

static void test_off(void)
{
    struct kit kit;

    open_scene(&kit, "");
    kit_do(&kit, "time 250; pod more queue=a cpu=1; pod other queue=b cpu=1");
    is_str(kit_granted(&kit), "more other small x", "off: a head is passed for ever");
    kit_close(&kit);
}

static void test_head_gets_its_room(void)
{
    struct kit kit;

    open_scene(&kit, "guard=10");
    is_str(kit_granted(&kit), "small x", "who fits passes the head");
    is_int(engine_next(kit.engine), 11 * SECOND, "which starts its time");
    kit_do(&kit, "time 10; pod more queue=a cpu=1");
    is_str(kit_granted(&kit), "more small x", "before its end others pass");
    kit_do(&kit, "time 11; pod mine queue=a cpu=1; pod his queue=b cpu=1; pod far cpu=5");
    is_str(kit_why(&kit, "mine"), "QueueOrder", "then the queue stops at its head,");
    is_str(kit_why(&kit, "his"), "QueueOrder", "newcomers stop at the queue that refuses it,");
    is_str(kit_state(&kit, "far"), "reserved", "and elsewhere nobody notices");
    kit_do(&kit, "lose-pod small");
    is_str(kit_granted(&kit), "far more x", "what is released gathers");
    kit_do(&kit, "lose-pod more; lose-pod x");
    is_str(kit_granted(&kit), "big far his mine", "until the head fits, and the others go on");
    ok(!queue_of(&kit, "a")->guarding && queue_of(&kit, "p")->guard == 0 &&
           kit.engine->queues.todo[TODO_GUARD].first == 0,
       "the guard ends with it");
    kit_close(&kit);
}

static void test_queue_moves(void)
{
    struct kit kit;

    open_scene(&kit, "guard=10");
    kit_do(&kit, "queue other cpu=20; time 11; pod his queue=b cpu=1");
    ok(queue_of(&kit, "p")->guard == kit_queue(&kit, "a"), "room is set aside at the parent");
    kit_try(&kit, "queue a parent=other");
    is_int(queue_of(&kit, "p")->guard, 0, "and no longer once the queue hangs elsewhere");
    kit_work_off(&kit);
    is_str(kit_granted(&kit), "big his small x", "where its head finds room");
    kit_close(&kit);
}

static void test_kept_quota_passes(void)
{
    struct kit kit;

    kit_open(&kit, "guard=10");
    kit_do(&kit, "queue p cpu=12; queue a parent=p; queue b parent=p;"
                 "queue k parent=p guarantee.cpu=2; pod x queue=b cpu=6; pod big queue=a cpu=8;"
                 "pod small queue=a cpu=1; time 11");
    kit_do(&kit, "pod k1 queue=k cpu=1; pod k2 queue=k cpu=2; pod k3 queue=k cpu=1");
    is_str(kit_granted(&kit), "k1 k3 small x", "what is kept for a queue is never guarded");
    is_str(kit_why(&kit, "k2"), "QueueOrder", "what it wants beyond is");
    kit_close(&kit);
}

/* big lacks gpu; of cpu there is more than it asks for. */
static void test_only_what_it_asks_for(void)
{
    struct kit kit;

    kit_open(&kit, "guard=10");
    kit_do(&kit, "queue p cpu=10 gpu=4; queue a parent=p; queue b parent=p; pod x queue=b gpu=3;"
                 "pod big queue=a gpu=2 cpu=4; pod small queue=a cpu=1; time 11");
    kit_do(&kit, "pod c3 queue=b cpu=3; pod c4 queue=b cpu=4; pod c2 queue=b cpu=2;"
                 "pod m queue=b memory=9; pod g queue=b gpu=1");
    is_str(kit_granted(&kit), "c2 c3 m small x", "what its head does not need may be had");
    kit_do(&kit, "lose-pod x");
    is_str(kit_granted(&kit), "big c2 c3 g m small", "so it lacks nothing when its turn comes");
    kit_close(&kit);
}

static void test_head_goes(void)
{
    struct kit kit;

    open_scene(&kit, "guard=10");
    kit_do(&kit, "time 11; pod mine queue=a cpu=1; pod his queue=b cpu=1; lose-pod big");
    is_str(kit_granted(&kit), "his mine small x", "the guard ends when the head goes");
    kit_close(&kit);

    open_scene(&kit, "guard=10");
    kit_do(&kit, "time 11; pod his queue=b cpu=1; pod big queue=a cpu=8 foreign");
    is_str(kit_granted(&kit), "his small x", "or is held");
    kit_close(&kit);

    open_scene(&kit, "guard=10");
    kit_do(&kit, "time 5; pod first queue=a cpu=9 priority=1; time 11; pod his queue=b cpu=1");
    is_str(kit_granted(&kit), "his small x", "a new head was not passed over for so long");
    kit_do(&kit, "pod mine queue=a cpu=1; time 21; pod late queue=b cpu=1");
    is_str(kit_granted(&kit), "his mine small x", "its time begins when it is passed");
    kit_close(&kit);
}

static void test_not_passed_over(void)
{
    struct kit kit;

    kit_open(&kit, "guard=10");
    kit_do(&kit, "queue p cpu=10; queue a parent=p; queue b parent=p; pod urgent queue=a cpu=1 "
                 "priority=9; pod x queue=b cpu=6; pod big queue=a cpu=8; time 99;"
                 "pod next queue=a cpu=1 priority=9; pod his queue=b cpu=1");
    is_str(kit_granted(&kit), "his next urgent x",
           "who comes before the head does not pass it over");
    kit_do(&kit, "time 200; pod again queue=b cpu=1");
    is_str(kit_granted(&kit), "again his next urgent x", "nor does who is in another queue");
    kit_close(&kit);

    kit_open(&kit, "guard=10");
    kit_do(&kit, "queue s cpu=4 strict; pod x queue=s cpu=2; pod big queue=s cpu=3;"
                 "pod small queue=s cpu=1; time 99; pod last queue=s cpu=1");
    is_str(kit_granted(&kit), "x", "a strict queue's head is never passed");
    is_int(kit.engine->queues.todo[TODO_GUARD].first, 0, "so it needs no guard");
    kit_close(&kit);
}

static void test_never_could(void)
{
    struct kit kit;

    kit_open(&kit, "guard=10");
    kit_do(&kit, "queue p cpu=7; queue a parent=p; queue b parent=p; pod big queue=a cpu=8;"
                 "pod small queue=a cpu=1; time 11; pod his queue=b cpu=1; pod mine queue=a cpu=1");
    is_str(kit_granted(&kit), "his mine small", "what could never fit is not guarded");
    kit_do(&kit, "queue p cpu=9; pod again queue=a cpu=1; time 30; pod late queue=b cpu=1");
    is_str(kit_granted(&kit), "again his mine small",
           "once it could, it is, when it is passed again");
    kit_close(&kit);

    open_scene(&kit, "guard=10");
    kit_do(&kit,
           "time 11; queue p cpu=7; lose-pod x; pod his queue=b cpu=1; pod mine queue=a cpu=1");
    is_str(kit_granted(&kit), "his mine small", "nor is what no longer could");
    kit_close(&kit);
}

static void test_no_flavor_has_all(void)
{
    struct kit kit;

    kit_open(&kit, "guard=10");
    kit_do(&kit, "flavor f; flavor g; cluster c group=cpu,memory flavor=f cpu=10 memory=1"
                 " flavor=g cpu=1 memory=10; pod big cluster=c cpu=5 memory=5;"
                 "pod small cluster=c cpu=1 memory=1; time 11; pod last cluster=c cpu=1");
    is_str(kit_granted(&kit), "last small", "a head that fits no single flavor is not guarded");
    kit_close(&kit);
}

static void test_two_heads(void)
{
    struct kit kit;

    open_scene(&kit, "guard=10");
    kit_do(&kit, "queue c parent=p; pod huge queue=c cpu=9; pod tiny queue=c cpu=1; time 11");
    ok(queue_of(&kit, "a")->guarding && queue_of(&kit, "c")->guarding, "two heads are guarded");
    kit_do(&kit, "pod his queue=b cpu=1; lose-pod big; pod late queue=b cpu=1");
    is_str(kit_granted(&kit), "small tiny x", "when one goes the other one's guard stands alone");
    kit_do(&kit, "lose-pod huge");
    is_str(kit_granted(&kit), "his late small tiny x", "and ends with it");
    kit_close(&kit);

    open_scene(&kit, "guard=10");
    kit_do(&kit, "queue c parent=p; pod huge queue=c cpu=9; pod tiny queue=c cpu=1; time 11;"
                 "lose-pod x; lose-pod small; lose-pod tiny");
    is_str(kit_granted(&kit), "big",
           "one of them gets the room, the other does not keep it from him");
    kit_do(&kit, "lose-pod big");
    is_str(kit_granted(&kit), "huge", "then the other");
    kit_close(&kit);
}

static void test_stopped_queue_guards_nothing(void)
{
    struct kit kit;

    open_scene(&kit, "guard=10");
    kit_do(&kit, "queue a parent=p suspended; time 11; pod his queue=b cpu=1");
    is_str(kit_granted(&kit), "his small x", "a suspended queue blocks nobody");
    kit_do(&kit, "queue a parent=p; pod mine queue=a cpu=1; time 60; pod late queue=b cpu=1");
    ok(queue_of(&kit, "a")->guarding, "after it is resumed the guard comes back");
    is_str(kit_state(&kit, "late"), "waiting", "for others, too");
    kit_close(&kit);

    open_scene(&kit, "guard=10");
    kit_do(&kit, "time 11; queue a parent=p suspended; pod his queue=b cpu=1");
    is_str(kit_granted(&kit), "his small x", "nor does one that was guarded when it was suspended");
    kit_do(&kit, "queue a parent=p; pod late queue=b cpu=1");
    is_str(kit_state(&kit, "late"), "waiting", "until it is resumed");
    kit_close(&kit);
}

static void test_pointing(void)
{
    struct kit kit;

    open_scene(&kit, "guard=10");
    kit_do(&kit, "time 11");
    is_int(queue_of(&kit, "a")->guard_at, kit_queue(&kit, "p"),
           "the guard stands where it is refused");
    kit_do(&kit, "queue a parent=p cpu=8; pod there queue=b cpu=1");
    is_str(kit_state(&kit, "there"), "reserved", "which may be its own queue");
    kit_do(&kit, "queue a parent=p cpu=9; queue b parent=p cpu=9; pod his queue=b cpu=1");
    is_str(kit_state(&kit, "his"), "waiting", "also after edits");
    kit_do(&kit, "queue a; pod late queue=b cpu=1");
    is_str(kit_granted(&kit), "big his late small there x",
           "a queue that moves away takes its guard along");
    kit_close(&kit);
}

int main(void)
{
    test_off();
    test_head_gets_its_room();
    test_queue_moves();
    test_kept_quota_passes();
    test_only_what_it_asks_for();
    test_head_goes();
    test_not_passed_over();
    test_never_could();
    test_no_flavor_has_all();
    test_two_heads();
    test_stopped_queue_guards_nothing();
    test_pointing();
    return tap_done();
}
