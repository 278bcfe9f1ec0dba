/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/claims/promise.h"

#include "t/kit/engine_kit_effects.h"
#include "t/kit/engine_kit_preempt.h"
#include "t/kit/tap.h"

/* q has 4, and low uses 3 of it on a node; high asks for 4. */
static void open_scene(struct kit *kit)
{
    kit_open(kit, "evicts");
    kit_do(kit, "queue q cpu=4 within=lower; pod low queue=q cpu=3 node=n;"
                "pod high queue=q cpu=4 priority=5");
}

static void test_room_is_kept(void)
{
    struct kit kit;

    open_scene(&kit);
    is_str(kit_victims(&kit), "low>high", "who is of less priority goes");
    is_str(kit_promised(&kit), "high", "and its room is promised");
    is_int(kit_usage(&kit, "q", "cpu"), 3, "it is still used");
    is_int(amount_clamp(kit_cell(&kit, "q", "cpu")->later), 4, "and will be, by another one");
    kit_do(&kit, "pod small queue=q cpu=1 priority=2");
    is_str(kit_state(&kit, "small"), "waiting", "nobody takes what is missing to it,");
    is_str(kit_victims(&kit), "low>high", "and nobody goes for it a second time");
    kit_do(&kit, "lose-pod low");
    is_str(kit_granted(&kit), "high", "the room came");
    is_str(kit_promised(&kit), "", "and the promise is kept");
    is_str(kit_state(&kit, "small"), "waiting", "who came later");
    kit_close(&kit);
}

static void test_it_wants_it_no_more(void)
{
    struct kit kit;

    open_scene(&kit);
    kit_do(&kit, "lose-pod high");
    is_str(kit_victims(&kit), "", "who waited is gone, and nobody must go");
    is_int(kit_live_effects(&kit), 0, "nor is asked to");
    kit_do(&kit, "pod high queue=q cpu=4 priority=5 foreign");
    is_str(kit_victims(&kit), "", "nobody goes for who is held");
    kit_do(&kit, "pod high queue=q cpu=4 priority=5");
    is_str(kit_victims(&kit), "low>high", "until it waits");
    kit_do(&kit, "queue q cpu=3 within=lower");
    is_str(kit_victims(&kit), "", "the queue shrinks: it will never fit");
    kit_close(&kit);
}

static void test_evicted(void)
{
    struct kit kit;
    struct effect effect;

    open_scene(&kit);
    kit_evict(&kit, "low", EFFECT_RETRY);
    is_int(kit_lease(&kit, &effect), -1, "later once more");
    kit_do(&kit, "time 2");
    kit_evict(&kit, "low", EFFECT_DONE);
    is_int(kit_live_effects(&kit), 0, "it was told to go");
    kit_do(&kit, "lose-pod high");
    is_str(kit_victims(&kit), "low>", "and is not called back");
    kit_do(&kit, "pod next queue=q cpu=4 priority=2; time 200");
    is_str(kit_promised(&kit), "next", "its room serves another one,");
    is_int(kit_live_effects(&kit), 0, "for whom nobody more is asked to go");
    kit_do(&kit, "pod low queue=q cpu=3 node=n deleted; lose-pod low");
    is_str(kit_granted(&kit), "next", "who has it in the end");
    kit_close(&kit);
}

static void test_asked_while_evicted(void)
{
    struct kit kit;
    struct effect effect;

    kit_open(&kit, "evicts");
    kit_do(&kit, "queue q cpu=4 within=lower; pod low queue=q cpu=3 created=50; reserve low;"
                 "pod high queue=q cpu=4 priority=5");
    is_int(kit_lease(&kit, &effect), EFFECT_EVICT_POD, "who has a node is asked to go");
    kit_pre_enqueue(&kit, "low queue=q cpu=3");
    is_str(kit_victims(&kit), "low>high", "the scheduler asks for it meanwhile,");
    kit_do(&kit, "time 100");
    is_str(kit_victims(&kit), "", "and without an answer its patience ends all the same");
    kit_close(&kit);
}

static void test_deleted_by_others(void)
{
    struct kit kit;

    kit_open(&kit, "evicts");
    kit_do(&kit, "queue q cpu=4 within=lower; pod a queue=q cpu=3 node=n deleted;"
                 "pod b queue=q cpu=1 node=n; pod high queue=q cpu=3 priority=5");
    is_str(kit_promised(&kit), "high", "who is deleted goes anyway");
    is_str(kit_victims(&kit), "", "and nobody else must");
    kit_do(&kit, "pod more queue=q cpu=1 priority=5");
    is_str(kit_victims(&kit), "b>more", "of that room there is not more");
    kit_do(&kit, "lose-pod a");
    is_str(kit_granted(&kit), "b high", "each gets what comes");
    kit_do(&kit, "lose-pod b");
    is_str(kit_granted(&kit), "high more", "for it");
    kit_close(&kit);
}

static void test_spared(void)
{
    struct kit kit;

    open_scene(&kit);
    kit_do(&kit, "time 60");
    is_str(kit_victims(&kit), "low>high", "a budget may hold a victim for a while");
    kit_do(&kit, "time 61");
    is_str(kit_victims(&kit), "", "but not for ever: it stays,");
    is_str(kit_promised(&kit), "", "and nothing is promised");
    kit_do(&kit, "time 100; pod soft queue=q cpu=1 node=n");
    is_str(kit_victims(&kit), "", "others alone are not enough");
    kit_do(&kit, "time 361");
    is_str(kit_victims(&kit), "low>high soft>high", "later it is asked again");
    kit_close(&kit);
}

static void test_standby(void)
{
    struct kit kit;

    open_scene(&kit);
    kit_do(&kit, "follow");
    is_str(kit_victims(&kit), "", "who does not lead promises nothing");
    is_str(kit_promised(&kit), "", "to nobody");
    kit_do(&kit, "lead");
    is_str(kit_victims(&kit), "low>high", "who leads finds the same again");
    kit_close(&kit);
}

/* Its promise is one within the share: a victim that came back by borrowing would end it, and be a
 * victim again, and so on. */
static void test_within_the_share(void)
{
    struct kit kit;

    kit_open(&kit, "evicts");
    kit_do(&kit, "flavor f; cluster x parent=o group=cpu flavor=f cpu=4 reclaim=any within=lower;"
                 "cluster z parent=o group=cpu flavor=f cpu=4; pod x1 cluster=x cpu=2 node=n;"
                 "pod z1 cluster=z cpu=3 node=n; pod z2 cluster=z cpu=3 node=n;"
                 "pod ask cluster=x cpu=4 priority=5");
    is_str(kit_victims(&kit), "x1>ask z2>ask", "its own queue's share holds it without x1");
    kit_do(&kit, "lose-pod x1; pod x1again cluster=x cpu=1");
    is_str(kit_state(&kit, "x1again"), "waiting", "there is room for it, but beyond the share");
    is_str(kit_promised(&kit), "ask", "which holds for who is promised it");
    kit_do(&kit, "lose-pod z2");
    is_str(kit_granted(&kit), "ask x1again z1", "who is first; after that others borrow");
    kit_close(&kit);
}

static void test_memory(void)
{
    struct kit kit;

    kit_open(&kit, "evicts");
    kit_do(&kit, "queue q cpu=1 within=lower");
    ok(kit_starve(&kit, "pod a queue=q cpu=1 node=n") > 0, "what a promise needs is there before");
    kit_do(&kit, "pod b queue=q cpu=1 priority=1");
    is_str(kit_victims(&kit), "a>b", "it is made");
    kit_close(&kit);
}

/* In a queue that takes nobody's room. */
static void test_who_fits_in_what_is(void)
{
    struct kit kit;

    kit_open(&kit, "evicts root.cpu=12");
    kit_do(&kit, "queue q within=lower; queue o; pod a queue=q cpu=7 node=n; pod b queue=o cpu=1 "
                 "node=n; pod ask queue=q cpu=10 priority=1; pod small queue=o cpu=2");
    is_str(kit_victims(&kit), "a>ask", "room that is promised to one");
    is_str(kit_state(&kit, "small"), "waiting", "is not for another who fits in what is");
    kit_do(&kit, "pod b queue=o cpu=1 node=n deleted");
    is_str(kit_state(&kit, "small"), "reserved", "until somebody else goes");
    kit_do(&kit, "pod more queue=o cpu=2");
    is_str(kit_state(&kit, "more"), "waiting", "again it is not");
    kit_do(&kit, "lose-pod ask");
    is_str(kit_state(&kit, "more"), "reserved", "until nobody is promised it");
    kit_close(&kit);
}

/* What z uses stays within what it keeps for itself; with what is promised there it would not. */
static void test_less_is_borrowed_later(void)
{
    struct kit kit;

    kit_open(&kit, "evicts");
    kit_do(&kit, "flavor f; cluster x parent=o group=cpu flavor=f cpu=2;"
                 "cluster z parent=o group=cpu flavor=f cpu=6 lend.cpu=0 within=lower;"
                 "pod low cluster=z cpu=3 node=n; pod other cluster=z cpu=1 node=n priority=9;"
                 "pod ask cluster=z cpu=6 priority=5; pod small cluster=x cpu=2");
    is_str(kit_victims(&kit), "low>ask", "who is promised room will borrow");
    is_str(kit_state(&kit, "small"), "waiting", "which is not there for others then");
    kit_do(&kit, "lose-pod other");
    is_str(kit_promised(&kit), "ask", "when it need not borrow any more");
    is_str(kit_state(&kit, "small"), "reserved", "it is theirs at once");
    kit_close(&kit);
}

int main(void)
{
    test_room_is_kept();
    test_it_wants_it_no_more();
    test_evicted();
    test_asked_while_evicted();
    test_deleted_by_others();
    test_spared();
    test_standby();
    test_within_the_share();
    test_memory();
    test_who_fits_in_what_is();
    test_less_is_borrowed_later();
    return tap_done();
}
