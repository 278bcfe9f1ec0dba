/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/grant/review.h"

#include "t/kit/engine_kit_preempt.h"
#include "t/kit/tap.h"

static void test_given_back(void)
{
    struct kit kit;

    kit_open(&kit, "evicts");
    kit_do(&kit,
           "queue q cpu=6 within=lower; pod a queue=q cpu=2 node=n; pod b queue=q cpu=2 node=n;"
           "pod c queue=q cpu=2 priority=7 node=n; pod high queue=q cpu=4 priority=5");
    is_str(kit_victims(&kit), "a>high b>high", "two must go");
    kit_do(&kit, "lose-pod c");
    is_str(kit_victims(&kit), "b>high", "another one went: the last that was chosen stays");
    kit_do(&kit, "lose-pod b");
    is_str(kit_granted(&kit), "a high", "and the claim has its room");
    kit_close(&kit);
}

static void test_granted_earlier(void)
{
    struct kit kit;

    kit_open(&kit, "evicts");
    kit_do(&kit, "queue q cpu=4 within=lower; pod a queue=q cpu=4 node=n;"
                 "pod high queue=q cpu=4 priority=5; queue q cpu=8 within=lower");
    is_str(kit_granted(&kit), "a high", "the queue grows: the claim fits");
    is_str(kit_victims(&kit), "", "and its victim stays");
    kit_close(&kit);
}

static void test_shared(void)
{
    struct kit kit;

    kit_open(&kit, "evicts");
    kit_do(&kit, "queue q cpu=4 within=lower; pod a queue=q cpu=4 node=n;"
                 "pod one queue=q cpu=2 priority=5; pod two queue=q cpu=2 priority=5");
    is_str(kit_victims(&kit), "a>one", "one victim is enough for two");
    is_str(kit_promised(&kit), "one two", "who both have its room");
    kit_do(&kit, "lose-pod one");
    is_str(kit_victims(&kit), "a>", "it goes for the other one as well");
    kit_do(&kit, "lose-pod two");
    is_str(kit_victims(&kit), "", "or for nobody");
    kit_close(&kit);
}

/* Of a queue that is suspended meanwhile, by itself or from above, nobody goes any more. */
static void test_spared(void)
{
    struct kit kit;

    kit_open(&kit, "evicts");
    kit_do(
        &kit,
        "queue p cpu=4; queue a parent=p deserved.cpu=3 reclaim=any; queue g parent=p reclaimable;"
        "queue b parent=g deserved.cpu=1 reclaimable; queue c parent=p deserved.cpu=1 reclaimable;"
        "pod x queue=b cpu=2 node=n; pod y queue=c cpu=2 node=n; pod w queue=a cpu=2");
    is_str(kit_victims(&kit), "y>w", "somebody must go");
    kit_do(&kit, "queue c parent=p deserved.cpu=1 reclaimable state=Suspended");
    is_str(kit_victims(&kit), "x>w", "not he whose queue is suspended: another one does");
    kit_do(&kit, "queue g parent=p state=Suspended");
    is_str(kit_victims(&kit), "", "nor he whose queue is below one that is");
    is_str(kit_promised(&kit), "", "so nobody is promised room");
    kit_do(&kit, "queue g parent=p");
    is_str(kit_victims(&kit), "x>w", "but when it is resumed");
    kit_do(&kit, "queue g parent=p state=Closing");
    is_str(kit_victims(&kit), "x>w", "closing spares nobody");
    kit_close(&kit);
}

/* The status of the queue is written all the time; that must not keep a victim that would not
 * go. */
static void test_queue_seen_again(void)
{
    static const char queue[] = "cluster q group=cpu flavor=f cpu=4 within=lower";
    struct kit kit;

    kit_open(&kit, "evicts");
    kit_do(&kit, "flavor f");
    kit_do(&kit, queue);
    kit_do(&kit, "pod a cluster=q cpu=2 node=n; pod b cluster=q cpu=2 node=n priority=1;"
                 "pod high cluster=q cpu=2 priority=5");
    is_str(kit_victims(&kit), "a>high", "a has a minute to go");
    kit_do(&kit, "time 50");
    kit_do(&kit, queue);
    is_str(kit_victims(&kit), "a>high", "the queue is seen again, and says the same");
    kit_do(&kit, "time 62");
    is_str(kit_victims(&kit), "b>high", "the minute is over all the same");
    kit_do(&kit, "time 70; cluster q group=cpu flavor=f cpu=4");
    is_str(kit_victims(&kit), "", "what it says now lets nobody be taken from");
    kit_close(&kit);
}

static void test_suspended(void)
{
    struct kit kit;

    kit_open(&kit, "evicts");
    kit_do(&kit, "queue q cpu=4 within=lower; pod a queue=q cpu=4 node=n;"
                 "pod high queue=q cpu=4 priority=5; queue q cpu=4 within=lower suspended");
    is_str(kit_promised(&kit), "", "a suspended queue takes nobody's room");
    is_str(kit_victims(&kit), "", "and nobody goes");
    kit_do(&kit, "queue q cpu=4 within=lower");
    is_str(kit_victims(&kit), "a>high", "until it goes on");
    kit_close(&kit);
}

static void test_gang_stays_whole(void)
{
    struct kit kit;

    kit_open(&kit, "evicts");
    kit_do(&kit, "queue q cpu=6 within=lower; group g min=2;"
                 "pod x queue=q cpu=2 group=g node=n; pod y queue=q cpu=2 group=g node=n;"
                 "pod c queue=q cpu=2 priority=7 node=n; pod high queue=q cpu=4 priority=5");
    is_str(kit_victims(&kit), "x>high y>high", "a gang goes as one");
    kit_do(&kit, "lose-pod c");
    is_str(kit_victims(&kit), "x>high y>high", "half of it alone does not stay");
    kit_do(&kit, "queue q cpu=8 within=lower");
    is_str(kit_granted(&kit), "high x y", "there is room for both");
    is_str(kit_victims(&kit), "", "and it stays");
    kit_close(&kit);
}

int main(void)
{
    test_given_back();
    test_granted_earlier();
    test_shared();
    test_spared();
    test_queue_seen_again();
    test_suspended();
    test_gang_stays_whole();
    return tap_done();
}
