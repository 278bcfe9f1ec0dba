/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/claims/rest.h"

#include "t/kit/engine_kit_preempt.h"
#include "t/kit/tap.h"

/* What gave back at once is granted something anew, and the next one would take that too. */
static void open_with_a_rest(struct kit *kit, const char *low)
{
    kit_open(kit, "evicts");
    kit_do(kit, "queue q within=lower cpu=3; pod runs queue=q cpu=1 priority=9 node=n");
    kit_do(kit, low);
    kit_do(kit, "pod first queue=q cpu=2 priority=1");
}

static void test_second(void)
{
    struct kit kit;

    open_with_a_rest(&kit, "pod low queue=q cpu=1");
    is_str(kit_granted(&kit), "first runs", "what is reserved gives back at once");
    kit_do(&kit, "lose-pod runs");
    is_str(kit_granted(&kit), "first low", "and is granted something anew");
    kit_do(&kit, "pod next queue=q cpu=1 priority=1");
    is_str(kit_granted(&kit), "first low", "which nobody takes in the same second");
    is_int(engine_next(kit.engine), 2 * SECOND, "the engine asks to be called when it is over");
    kit_do(&kit, "time 2");
    is_str(kit_granted(&kit), "first next", "then the next one takes it");
    kit_close(&kit);
}

/* In the place of the least important one, which rests, a more important one would go. */
static void test_others(void)
{
    struct kit kit;

    kit_open(&kit, "evicts");
    kit_do(&kit, "queue q within=lower cpu=2; pod other queue=q cpu=1;"
                 "pod low queue=q cpu=1 priority=-1; pod first queue=q cpu=1 priority=1;"
                 "queue q within=lower cpu=3; pod next queue=q cpu=1 priority=1");
    is_str(kit_granted(&kit), "first low other", "nobody goes in the place of one that rests");
    kit_do(&kit, "lose-pod low; pod last queue=q cpu=1 priority=1");
    is_str(kit_granted(&kit), "first last next", "whoever has not given back does not rest");
    kit_close(&kit);
}

static void test_pods_on_nodes(void)
{
    struct kit kit;

    open_with_a_rest(&kit, "pod low queue=q cpu=1 node=n");
    is_str(kit_victims(&kit), "low>first", "what is on a node goes, and does not rest");
    is_int(kit.engine->claims.promises.rest, 0, "so nothing is to end");
    kit_close(&kit);
}

static void test_another_life(void)
{
    struct kit kit;

    open_with_a_rest(&kit, "pod low queue=q cpu=1");
    kit_do(&kit, "lose-pod low; lose-pod runs; pod low queue=q cpu=1 uid=anew;"
                 "pod next queue=q cpu=1 priority=1");
    is_str(kit_granted(&kit), "first next", "another pod in its record does not rest");
    kit_close(&kit);
}

int main(void)
{
    test_second();
    test_others();
    test_pods_on_nodes();
    test_another_life();
    return tap_done();
}
