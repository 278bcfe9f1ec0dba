/* SPDX-License-Identifier: Apache-2.0 */

/* The states of a claim, and what each of them holds. */
#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

static int64_t counted(const struct kit *kit, bool allocated)
{
    const struct cell *cell = kit_cell(kit, "q", "cpu");

    return amount_clamp(allocated ? cell->allocated : cell->reserved);
}

static void test_states(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=4; pod a queue=q cpu=3 foreign");
    is_str(kit_state(&kit, "a"), "held", "a foreign gate holds");
    is_int(kit_usage(&kit, "q", "cpu"), 0, "and takes no room");
    kit_do(&kit, "pod a queue=q cpu=3");
    is_str(kit_state(&kit, "a"), "reserved", "without it the claim is granted");
    ok(counted(&kit, false) == 3 && counted(&kit, true) == 0, "what it asks for is reserved");
    kit_do(&kit, "reserve a; reserve a");
    is_str(kit_state(&kit, "a"), "allocated", "past the reserve hook");
    ok(counted(&kit, false) == 0 && counted(&kit, true) == 3, "it is allocated, once");
    kit_do(&kit, "unreserve a; unreserve a");
    is_str(kit_state(&kit, "a"), "reserved", "a failed bind goes back to reserved");
    ok(counted(&kit, false) == 3 && counted(&kit, true) == 0, "once, too");
    kit_do(&kit, "reserve a; bind a; unreserve a");
    is_str(kit_state(&kit, "a"), "allocated", "bound is for good");
    kit_do(&kit, "lose-pod a");
    is_int(kit_usage(&kit, "q", "cpu"), 0, "gone, it gives all back");
    kit_close(&kit);
}

static void test_waiting(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=4; pod a queue=q cpu=3; pod b queue=q cpu=3");
    is_str(kit_state(&kit, "b"), "waiting", "who does not fit waits");
    kit_do(&kit, "reserve b; unreserve b");
    is_str(kit_state(&kit, "b"), "waiting",
           "the framework's hooks move nobody who was not granted");
    kit_do(&kit, "unreserve a");
    is_str(kit_state(&kit, "a"), "reserved", "nor is unreserve without reserve anything");
    kit_do(&kit, "bind b");
    is_str(kit_state(&kit, "b"), "allocated", "but what is bound counts, granted or not");
    is_str(kit_state(&kit, "a"), "waiting", "and what is only reserved makes room for it");
    kit_close(&kit);
}

static void test_suspended_queue(void)
{
    struct kit kit;

    kit_open(&kit, "timeout=60");
    kit_do(&kit, "queue q cpu=4; pod a queue=q cpu=3; queue q cpu=4 suspended; time 1000");
    is_str(kit_state(&kit, "a"), "reserved", "a suspended queue takes nothing away");
    kit_do(&kit, "queue q cpu=4; time 1030");
    is_str(kit_state(&kit, "a"), "reserved", "resumed, it has its time to be used");
    kit_do(&kit, "time 1090");
    is_str(kit_why(&kit, "a"), "Backoff", "and no more");
    kit_close(&kit);
}

/* Restored where the queue has not been seen: nobody can use the reservation meanwhile. */
static void test_unknown_queue(void)
{
    struct kit kit;

    kit_open(&kit, "standby timeout=60");
    kit_do(&kit, "pod a queue=q cpu=3 bare stamp=5; synced; lead; time 1000");
    is_str(kit_state(&kit, "a"), "reserved", "a queue that comes late takes nothing away");
    kit_do(&kit, "queue q cpu=4; time 1059");
    is_str(kit_state(&kit, "a"), "reserved", "when it is there, the pod has its time");
    kit_do(&kit, "time 1060");
    is_str(kit_why(&kit, "a"), "Backoff", "and no more");
    kit_close(&kit);
}

static void test_head_that_goes(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=4 strict; pod a queue=q cpu=9; pod b queue=q cpu=1");
    is_str(kit_state(&kit, "b"), "waiting", "a head that does not fit stops a strict queue");
    kit_do(&kit, "lose-pod a");
    is_str(kit_state(&kit, "b"), "reserved", "the next one is tried when it goes");
    kit_close(&kit);
}

/* One step takes the head away and brings a newcomer: whoever was behind the head comes first, also
 * from another queue of the tree. */
static void test_newcomer_in_the_place_of_a_head(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "flavor f; cluster a parent=o group=pods flavor=f pods=1;"
                 "cluster b parent=o strict group=pods flavor=f pods=2");
    kit_do(&kit, "pod a1 cluster=a; pod a2 cluster=a; pod h cluster=b cpu=1; pod n cluster=b");
    is_str(kit_granted(&kit), "a1 a2", "the head of a strict queue fits nowhere");
    kit_do(&kit, "pod h uid=h2 cluster=a");
    is_str(kit_granted(&kit), "a1 a2 n", "who was behind it comes before who takes its name");
    kit_do(&kit, "lose-pod a1");
    is_str(kit_granted(&kit), "a2 h n", "that one waits, and is not forgotten");
    kit_close(&kit);
}

int main(void)
{
    test_states();
    test_waiting();
    test_suspended_queue();
    test_unknown_queue();
    test_head_that_goes();
    test_newcomer_in_the_place_of_a_head();
    return tap_done();
}
