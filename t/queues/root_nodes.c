/* SPDX-License-Identifier: Apache-2.0 */
#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

static void test_unlimited(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q gpu=8; pod a queue=q gpu=8");
    is_str(kit_granted(&kit), "a", "unlimited: granted on a cluster that has no GPU node yet");
    is_int(kit_room(&kit, "q", "gpu"), 0, "up to the queue's own ceiling");
    kit_do(&kit, "node n gpu=4; lose-node n");
    is_str(kit_granted(&kit), "a", "and nodes neither give nor take");
    kit_close(&kit);
}

static void test_cluster(void)
{
    struct kit kit;

    kit_open(&kit, "root=cluster");
    kit_do(&kit, "queue q gpu=8; queue free; pod a queue=q gpu=2; pod c queue=free cpu=1;"
                 "pod d queue=free disk=1");
    is_str(kit_granted(&kit), "", "cluster: without nodes there is nothing to have");
    is_str(kit_why(&kit, "a"), "QueueCapacity", "which is a lack of capacity");
    kit_do(&kit, "node cpus cpu=4 pods=9");
    is_str(kit_granted(&kit), "c", "what a node brings may be granted");
    is_int(kit_room(&kit, "q", "gpu"), 0, "what no node has is not to be had");
    is_int(kit_room(&kit, "free", "disk"), 0, "whether a quota names it or not");
    kit_do(&kit, "node gpus gpu=1 pods=9; node gpus gpu=3 pods=9");
    is_int(kit_room(&kit, "free", "gpu"), 1, "a node that grew counts once");
    is_str(kit_granted(&kit), "a c", "and lets who waited pass");
    kit_do(&kit, "node more gpu=5 pods=9");
    is_int(kit_room(&kit, "free", "gpu"), 6, "nodes add up");
    is_int(kit_room(&kit, "q", "gpu"), 6, "and the queue's own ceiling holds besides");
    kit_close(&kit);
}

static void test_shrink(void)
{
    struct kit kit;

    kit_open(&kit, "root=cluster");
    kit_do(&kit, "queue q; node m cpu=4 pods=9; node n cpu=4 pods=9;"
                 "pod a queue=q cpu=3; pod b queue=q cpu=3; pod c queue=q cpu=2; reserve a");
    is_str(kit_granted(&kit), "a b c", "8 of 8 are granted");
    kit_do(&kit, "lose-node m");
    is_str(kit_granted(&kit), "a", "a node that goes takes back what is only reserved");
    is_str(kit_state(&kit, "a"), "allocated", "and leaves what is past the reserve hook");
    kit_do(&kit, "lose-node n");
    is_int(kit_room(&kit, "q", "cpu"), -3, "even on no node at all");
    kit_do(&kit, "unreserve a");
    is_str(kit_granted(&kit), "", "once it is only reserved again it goes, too");
    kit_do(&kit, "node m cpu=5 pods=9");
    is_str(kit_granted(&kit), "a c", "who went back waits in line");
    kit_close(&kit);
}

static void test_last_node(void)
{
    uint64_t empty;
    struct kit kit;

    kit_open(&kit, "root=cluster");
    kit_do(&kit, "queue q");
    empty = engine_digest(kit.engine, false);
    kit_do(&kit, "node m cpu=4 pods=9; pod a queue=q cpu=3; lose-node m");
    is_str(kit_state(&kit, "a"), "waiting", "what was reserved on the last node goes back");
    kit_do(&kit, "node n gpu=4 pods=9");
    is_str(kit_state(&kit, "a"), "waiting", "and nodes without the resource do not help");
    kit_do(&kit, "lose-node n; lose-pod a");
    ok(engine_digest(kit.engine, false) == empty, "what is gone leaves no trace");
    kit_close(&kit);
}

static void test_amounts(void)
{
    struct kit kit;

    kit_open(&kit, "root.cpu=10 root.gpu=0");
    kit_do(&kit, "queue p guarantee.cpu=4; queue q; pod a queue=q cpu=7; pod b queue=q cpu=6;"
                 "pod c queue=p cpu=4; pod d queue=q gpu=1; pod e queue=q memory=99");
    is_str(kit_granted(&kit), "b c e",
           "amounts: what is kept for p is not q's, other resources are "
           "without limit, and 0 is none");
    kit_do(&kit, "node n cpu=100 gpu=100; queue root cpu=100 gpu=100");
    is_str(kit_granted(&kit), "b c e", "neither nodes nor an object widen what is configured");
    kit_close(&kit);
}

static void test_wide_sum(void)
{
    struct kit kit;

    kit_open(&kit, "root=cluster");
    kit_do(&kit, "queue q; node a gpu=4611686018427387904 pods=1;"
                 "node b gpu=4611686018427387904 pods=1; node c gpu=1 pods=1");
    ok(kit_cell(&kit, "root", "gpu")->ceiling == ((wide)1 << 63) + 1, "nodes add up exactly");
    kit_do(&kit, "lose-node a; lose-node b");
    is_int(kit_room(&kit, "q", "gpu"), 1, "down to the last unit, too");
    kit_close(&kit);
}

static void test_kueue_knows_no_root(void)
{
    struct kit kit;

    kit_open(&kit, "root.cpu=0");
    kit_do(&kit, "flavor f; cluster c group=cpu flavor=f cpu=5; pod a cluster=c cpu=5");
    is_str(kit_granted(&kit), "a", "the ceiling of Volcano's tree is not that of Kueue's");
    kit_close(&kit);
}

static void test_no_memory(void)
{
    struct kit kit;

    kit_open(&kit, "root=cluster");
    kit_do(&kit, "queue q gpu=9; pod a queue=q cpu=1");
    ok(kit_starve(&kit, "node n cpu=4 gpu=2 pods=9 disk=7") > 0, "a node needs memory");
    is_str(kit_granted(&kit), "a", "with which it counts");
    kit_starve(&kit, "node n cpu=1 r1=1 r2=2 r3=3 r4=4 pods=1");
    is_int(kit_room(&kit, "q", "r3"), 3, "so it does when it changes");
    kit_close(&kit);
}

int main(void)
{
    test_unlimited();
    test_cluster();
    test_shrink();
    test_last_node();
    test_amounts();
    test_wide_sum();
    test_kueue_knows_no_root();
    test_no_memory();
    return tap_done();
}
