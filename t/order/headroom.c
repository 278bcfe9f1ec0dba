/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/order/headroom.h"

#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

static int64_t left(const struct kit *kit, const char *where, const char *leaf)
{
    return amount_clamp(headroom_left(kit->engine, kit_queue(kit, where), kit_queue(kit, leaf), 0,
                                      kit_resource(kit, "cpu"), false));
}

static int64_t ever(const struct kit *kit, const char *queue)
{
    return amount_clamp(
        headroom_ever(kit->engine, kit_queue(kit, queue), 0, kit_resource(kit, "cpu")));
}

static void test_way_to_the_root(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue p cpu=10; queue q parent=p cpu=8; queue r parent=p;"
                 "pod a queue=q cpu=3; pod b queue=r cpu=4");
    is_int(kit_room(&kit, "q", "cpu"), 3, "the least of all ceilings on the way counts");
    is_int(left(&kit, "q", "q"), 5, "of the leaf alone there is more");
    is_int(left(&kit, "p", "q"), 3, "than of its parent");
    is_int(kit_room(&kit, "r", "cpu"), 3, "who has no ceiling has his parent's");
    is_int(kit_room(&kit, "q", "gpu"), AMOUNT_MAX, "what nobody names is not limited");
    is_int(ever(&kit, "q"), 8, "what is used does not count for what could ever be");
    is_int(ever(&kit, "r"), 10, "nor for his parent's");
    kit_close(&kit);
}

static void test_kept(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue p cpu=10; queue k parent=p guarantee.cpu=4; queue r parent=p;"
                 "pod b queue=r cpu=6");
    is_int(kit_room(&kit, "r", "cpu"), 0, "what is kept for one is not there for another");
    is_int(kit_room(&kit, "k", "cpu"), 4, "and there for him");
    is_int(ever(&kit, "r"), 6, "never, however much is released");
    is_int(ever(&kit, "k"), 10, "while he may have all");
    kit_do(&kit, "queue p cpu=8");
    is_int(left(&kit, "p", "k"), 4, "the parent shrinks, and who holds without a bind goes");
    kit_do(&kit, "queue p cpu=10; pod c queue=r cpu=6 node=n; queue p cpu=8");
    is_int(left(&kit, "p", "k"), -2, "what is allocated stays, and the parent is in debt");
    is_int(kit_room(&kit, "k", "cpu"), 2, "which eats what is kept");
    kit_close(&kit);
}

static void test_set_aside(void)
{
    struct kit kit;

    kit_open(&kit, "guard=10");
    kit_do(&kit, "queue p cpu=10; queue a parent=p; queue b parent=p; pod x queue=b cpu=3;"
                 "pod big queue=a cpu=8; pod small queue=a cpu=1; time 11");
    is_int(left(&kit, "p", "b"), 0, "what a guarded head asks for is set aside");
    is_int(left(&kit, "p", "a"), 6, "not for the queue whose head it is");
    kit_do(&kit, "queue p cpu=20");
    is_str(kit_granted(&kit), "big small x", "the head goes");
    is_int(left(&kit, "p", "b"), 8, "and nothing is set aside");
    kit_close(&kit);
}

static void test_cluster(void)
{
    struct kit kit;

    kit_open(&kit, "root=cluster");
    kit_do(&kit, "queue q");
    is_int(kit_room(&kit, "q", "gpu"), 0, "what no node has is not to be had");
    kit_do(&kit, "node n gpu=2");
    is_int(kit_room(&kit, "q", "gpu"), 2, "until one has it");
    kit_close(&kit);
}

int main(void)
{
    test_way_to_the_root();
    test_kept();
    test_set_aside();
    test_cluster();
    return tap_done();
}
