/* SPDX-License-Identifier: Apache-2.0 */

/* Which cells a queue has, and what is counted in them when they come. */
#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

/* A bound pod counts wherever it is, whether it fits or not. */
static void use(struct kit *kit, const char *pod, const char *queue, long long cpu)
{
    kit_dof(kit, "pod %s queue=%s cpu=%lld node=n", pod, queue, cpu);
}

static void test_cells(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue p; queue m parent=p; queue a parent=m; pod x queue=a cpu=3 gpu=1");
    ok(kit_cell(&kit, "a", "cpu") == NULL, "nobody names cpu, nobody counts it");
    kit_do(&kit, "queue p cpu=9");
    is_int(kit_usage(&kit, "p", "cpu"), 3, "who names it counts what is held below");
    is_int(kit_usage(&kit, "root", "cpu"), 3, "as do all above it");
    ok(kit_cell(&kit, "m", "cpu") == NULL, "through a queue without a cell usage passes unchanged");
    kit_do(&kit, "queue a parent=m guarantee.cpu=2");
    ok(kit_usage(&kit, "a", "cpu") == 3 && kit_usage(&kit, "m", "cpu") == 1 &&
           kit_usage(&kit, "p", "cpu") == 1 && kit_usage(&kit, "root", "cpu") == 1,
       "a name gives a cell to the queue and to all above it");
    is_int(kit_cell(&kit, "root", "cpu")->reserved, 3, "for people all that is held counts");
    kit_do(&kit, "queue a parent=m");
    ok(kit_cell(&kit, "a", "cpu") == NULL && kit_cell(&kit, "m", "cpu") == NULL,
       "which go with the name");
    is_int(kit_usage(&kit, "p", "cpu"), 3, "but where another names it");
    kit_do(&kit, "queue p");
    ok(kit_cell(&kit, "p", "cpu") == NULL && kit_cell(&kit, "root", "cpu") == NULL,
       "the last name takes the last cell");
    kit_do(&kit, "queue a parent=m cpu=5; queue b parent=m cpu=5; lose-queue b");
    is_int(kit_cell(&kit, "m", "cpu")->carriers, 1, "each child with the cell carries it");
    kit_close(&kit);
}

static void test_move(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue p cpu=20; queue q guarantee.cpu=2; queue s parent=p guarantee.cpu=3;"
                 "queue a parent=s cpu=9; queue b parent=s guarantee.cpu=1");
    use(&kit, "x", "a", 4);
    use(&kit, "y", "b", 2);
    is_int(kit_usage(&kit, "p", "cpu"), 3, "before: 4 of a, 1 of b, less 2 that s keeps itself");
    kit_do(&kit, "queue s parent=q guarantee.cpu=3");
    is_int(kit_usage(&kit, "p", "cpu"), 0, "a subtree takes its usage away");
    is_int(kit_usage(&kit, "q", "cpu"), 3, "and brings it where it goes");
    is_int(kit_usage(&kit, "root", "cpu"), 3, "q keeps nothing beyond what s was promised");
    is_int(kit_cell(&kit, "q", "cpu")->given, 3, "what is kept within it is given up to q");
    is_int(kit_cell(&kit, "p", "cpu")->given, 0, "and not to p");
    is_int(kit_cell(&kit, "q", "cpu")->allocated, 6, "6 are allocated below q");
    is_int(kit_cell(&kit, "root", "cpu")->allocated, 6, "as below the root, all the time");
    kit_do(&kit, "queue s parent=p guarantee.cpu=3");
    ok(kit_usage(&kit, "p", "cpu") == 3 && kit_usage(&kit, "q", "cpu") == 0, "there and back");
    kit_close(&kit);
}

static void test_unset(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=0 memory=0 gpu=0; queue k guarantee.cpu=3 parent=q");
    is_int(kit_room(&kit, "k", "cpu"), AMOUNT_MAX, "cpu 0 in capability is no ceiling");
    is_int(kit_room(&kit, "k", "memory"), AMOUNT_MAX, "nor is memory 0");
    is_int(kit_room(&kit, "k", "gpu"), 0, "gpu 0 is a ceiling of 0");
    ok(!kit_cell(&kit, "q", "cpu")->bounded, "no ceiling, less what the children keep, is none");
    kit_close(&kit);
}

int main(void)
{
    test_cells();
    test_move();
    test_unset();
    return tap_done();
}
