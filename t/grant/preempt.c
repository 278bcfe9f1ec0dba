/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/grant/preempt.h"

#include "t/kit/engine_kit_effects.h"
#include "t/kit/engine_kit_effects.h"
#include "t/kit/engine_kit_preempt.h"
#include "t/kit/tap.h"

static void test_only_where_the_host_evicts(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=4 within=lower; pod a queue=q cpu=4 node=n;"
                 "pod ask queue=q cpu=4 priority=5");
    is_str(kit_victims(&kit), "", "without a host that evicts, nobody goes");
    is_int(kit.engine->queues.todo[TODO_PREEMPT].first, 0, "nor is anybody looked for");
    kit_close(&kit);

    kit_open(&kit, "evicts observe");
    kit_do(&kit, "queue q cpu=4 within=lower; pod a queue=q cpu=4 node=n;"
                 "pod ask queue=q cpu=4 priority=5");
    is_str(kit_victims(&kit), "", "nor where it is only observed");
    kit_close(&kit);
}

static void test_reserved_goes_at_once(void)
{
    struct kit kit;

    kit_open(&kit, "evicts");
    kit_do(&kit,
           "queue q cpu=4 within=lower; pod a queue=q cpu=4; pod ask queue=q cpu=4 priority=5");
    is_str(kit_granted(&kit), "ask", "who is only reserved gives back at once");
    is_str(kit_state(&kit, "a"), "waiting", "and waits again");
    is_int(kit_live_effects(&kit), 0, "nobody needs to be evicted");
    kit_close(&kit);
}

static void test_highest_first(void)
{
    struct kit kit;

    kit_open(&kit, "evicts standby");
    kit_do(&kit,
           "queue p cpu=4; queue a parent=p deserved.cpu=2 reclaim=any;"
           "queue b parent=p deserved.cpu=2 reclaim=any; queue c parent=p reclaimable;"
           "pod c1 queue=c cpu=4 node=n; pod a1 queue=a cpu=2; pod b1 queue=b cpu=2 priority=5;"
           "lead; synced");
    is_str(kit_victims(&kit), "c1>b1", "the claim of the highest rank asks first");
    is_str(kit_promised(&kit), "a1 b1", "what is left serves the next");
    kit_close(&kit);
}

static void test_strict(void)
{
    struct kit kit;

    kit_open(&kit, "evicts");
    kit_do(&kit, "queue q cpu=4 within=lower strict; pod a queue=q cpu=2 node=n;"
                 "pod b queue=q cpu=2 node=n priority=9; pod big queue=q cpu=4 priority=6;"
                 "pod small queue=q cpu=1 priority=5");
    is_str(kit_victims(&kit), "", "in a strict queue nobody asks but the head");
    kit_do(&kit, "queue q cpu=4 within=lower");
    is_str(kit_victims(&kit), "a>small", "else who comes behind does");
    kit_close(&kit);
}

static void test_who_asks_for_nobodys(void)
{
    struct kit kit;

    kit_open(&kit, "evicts");
    kit_do(&kit, "queue q cpu=4 within=lower; pod a queue=q cpu=4 node=n;"
                 "pod ask queue=q cpu=4 priority=5 yields");
    is_str(kit_victims(&kit), "", "whose policy is never to preempt waits");
    kit_do(&kit, "pod ask queue=q cpu=4 priority=5");
    is_str(kit_victims(&kit), "a>ask", "or not");
    kit_do(&kit,
           "pod a queue=q cpu=4 node=n settled; lose-pod ask; pod ask queue=q cpu=4 priority=5");
    is_str(kit_victims(&kit), "", "who is not preemptable is nobody's victim");
    kit_close(&kit);
}

static void test_flavors(void)
{
    struct kit kit;

    kit_open(&kit, "evicts");
    kit_do(&kit, "flavor f; flavor g; cluster x parent=all group=cpu flavor=f cpu=4 flavor=g cpu=4 "
                 "reclaim=any within=lower preemptsLast;"
                 "cluster z parent=all group=cpu flavor=f cpu=0 flavor=g cpu=0; pod x1 cluster=x "
                 "cpu=4 stamped=cpu=f stamp=1 node=n;"
                 "pod z1 cluster=z cpu=4 stamped=cpu=g stamp=1 node=n;"
                 "pod ask cluster=x cpu=4 priority=5");
    is_str(kit_victims(&kit), "z1>ask", "rather others' in the second flavor than one's own");
    kit_do(&kit, "lose-pod z1");
    is_int(kit_usage(&kit, "cluster/x", "g/cpu"), 4, "it is granted in that flavor");
    kit_close(&kit);
}

static void test_edited_queue(void)
{
    struct kit kit;

    kit_open(&kit, "evicts");
    kit_do(&kit, "flavor f; cluster x group=cpu flavor=f cpu=4 within=lower;"
                 "pod a cluster=x cpu=4 node=n; pod ask cluster=x cpu=4 priority=5");
    is_str(kit_victims(&kit), "a>ask", "of lower priority");
    kit_do(&kit, "cluster x");
    is_str(kit_promised(&kit), "", "nobody is promised what the queue no longer covers,");
    is_str(kit_victims(&kit), "", "and nobody goes for it");
    kit_do(&kit, "lose-pod a");
    is_str(kit_granted(&kit), "", "nor granted it");
    kit_close(&kit);
}

/* However often something has changed below the one root and below the other. */
static void test_moved_queue(void)
{
    for (int changes = 0; changes < 16; changes++) {
        struct kit kit;

        kit_open(&kit, "evicts");
        kit_do(&kit, "flavor f; cluster x group=cpu flavor=f cpu=2 within=lower");
        for (int i = 0; i < changes; i++)
            kit_dof(&kit, "cluster x group=cpu flavor=f cpu=%d within=lower", i + 3);
        kit_do(&kit, "cluster x parent=p group=cpu flavor=f cpu=2 within=lower;"
                     "pod a cluster=x cpu=2 node=n; pod ask cluster=x cpu=4 priority=5");
        is_str(kit_victims(&kit), "", "nobody goes for who could never fit");
        kit_do(&kit, "cluster x group=cpu flavor=f cpu=4 within=lower");
        is_str(kit_victims(&kit), "a>ask", "below another root its queue asks again");
        kit_close(&kit);
    }
}

static void test_nodes(void)
{
    struct kit kit;

    kit_open(&kit, "evicts root=cluster");
    kit_do(&kit, "queue q cpu=4 within=lower; node n cpu=8 pods=9; pod a queue=q cpu=4 node=n;"
                 "pod ask queue=q cpu=4 gpu=1 priority=5");
    is_str(kit_victims(&kit), "", "nobody goes for who needs what no node has");
    kit_do(&kit, "node m gpu=1 pods=9");
    is_str(kit_victims(&kit), "a>ask", "until a node comes that has it");
    kit_do(&kit, "lose-node m");
    is_str(kit_victims(&kit), "", "and no longer when it goes");
    kit_close(&kit);
}

static void test_flavor_comes(void)
{
    struct kit kit;

    kit_open(&kit, "evicts");
    kit_do(&kit, "flavor f; cluster x group=cpu flavor=f cpu=4 within=lower;"
                 "pod a cluster=x cpu=4 stamped=cpu=f stamp=1 node=n; lose-flavor f;"
                 "pod ask cluster=x cpu=4 priority=5");
    is_str(kit_victims(&kit), "", "nobody goes for a flavor without an object");
    kit_do(&kit, "flavor f");
    is_str(kit_victims(&kit), "a>ask", "until it has one");
    kit_close(&kit);
}

static void test_default_queue(void)
{
    struct kit kit;

    kit_open(&kit, "evicts root.cpu=4");
    kit_do(&kit, "queue q deserved.cpu=4 reclaim=any; pod a queue=default cpu=4 node=n;"
                 "pod ask queue=q cpu=4");
    is_str(kit_victims(&kit), "a>ask", "a queue without an object is reclaimable");
    kit_do(&kit, "queue default; lose-pod ask; pod ask queue=q cpu=4");
    is_str(kit_victims(&kit), "", "unless it says that it is not");
    kit_do(&kit, "lose-queue default; lose-pod ask; pod ask queue=q cpu=4");
    is_str(kit_victims(&kit), "a>ask", "and is again when that is gone");
    kit_close(&kit);
}

/* Another member, in another tree, lets one of them go. */
static void test_gang_in_two_trees(void)
{
    struct kit kit;

    kit_open(&kit, "evicts");
    kit_do(&kit, "flavor f; cluster x group=cpu flavor=f cpu=4 within=lower;"
                 "cluster z group=cpu flavor=f cpu=4; group g min=2;"
                 "pod a cluster=x cpu=4 group=g node=n; pod b cluster=z cpu=1 group=g node=n "
                 "priority=9; pod ask cluster=x cpu=4 priority=5");
    is_str(kit_victims(&kit), "", "who is needed for its gang's minimum stays");
    kit_do(&kit, "pod c cluster=z cpu=1 group=g node=n priority=8");
    is_str(kit_victims(&kit), "a>ask", "until there are enough without it");
    kit_close(&kit);
}

static void test_gang_asks(void)
{
    struct kit kit;

    kit_open(&kit, "evicts");
    kit_do(&kit,
           "queue q cpu=4 within=lower; pod a queue=q cpu=2 node=n; pod b queue=q cpu=2 node=n;"
           "group g min=2 priority=5; pod x queue=q cpu=2 group=g priority=5;"
           "pod y queue=q cpu=2 group=g priority=5");
    is_str(kit_victims(&kit), "a>g b>g", "a gang asks for all that lacks to its minimum");
    kit_do(&kit, "lose-pod a");
    is_str(kit_granted(&kit), "b", "and is granted nothing before all is there");
    kit_do(&kit, "lose-pod b");
    is_str(kit_granted(&kit), "x y", "then all of it");
    kit_close(&kit);

    kit_open(&kit, "evicts");
    kit_do(&kit, "queue q cpu=2 within=lower; pod a queue=q cpu=2 node=n;"
                 "group g min=2 priority=5; pod x queue=q cpu=1 group=g priority=5;"
                 "pod y queue=q cpu=1 group=g priority=5 yields");
    is_str(kit_victims(&kit), "", "unless one of it takes nobody's room");
    kit_close(&kit);
}

/* Who ran without asking was nobody's victim; now it obeys its queue. */
static void test_who_opts_in_while_it_runs(void)
{
    struct kit kit;

    kit_open(&kit, "evicts");
    kit_do(&kit, "queue q cpu=4 within=lower; pod a queue=q cpu=4 node=n bare asksNothing;"
                 "pod ask queue=q cpu=4 priority=5");
    is_str(kit_victims(&kit), "", "who did not ask for its queue is not evicted for it");
    kit_do(&kit, "pod a queue=q cpu=4 node=n bare version=2");
    is_str(kit_victims(&kit), "a>ask", "who does later is");
    kit_close(&kit);
}

static void test_restart(void)
{
    struct kit kit;

    kit_open(&kit, "evicts standby");
    kit_do(&kit, "queue q cpu=4 within=lower; pod a queue=q cpu=2 node=n deleted;"
                 "pod b queue=q cpu=2 node=n; pod ask queue=q cpu=2 priority=5; synced; lead");
    is_str(kit_victims(&kit), "", "a victim of before the restart is on its way");
    is_str(kit_promised(&kit), "ask", "and nobody else must go");
    kit_close(&kit);
}

/* A queue that looks for victims by itself comes to hang beside another one that is before it. */
static void test_root_joins_a_cohort(void)
{
    struct kit kit;
    struct effect effect;

    kit_open(&kit, "evicts");
    kit_do(&kit, "flavor f; cohort b group=cpu,memory flavor=f cpu=2 memory=1;"
                 "cluster q parent=b group=cpu,memory flavor=f cpu=9 memory=2 within=newer "
                 "whileBorrowing; pod first cluster=q cpu=11 memory=11 created=1;"
                 "pod runs cluster=q cpu=2 created=2 node=n");
    kit_do(&kit, "cluster r group=cpu,pods flavor=f cpu=9 pods=1 within=newer;"
                 "pod goes cluster=r memory=2 created=4 node=n; pod second cluster=r cpu=9 "
                 "created=3");
    is_str(kit_victims(&kit), "goes>second", "it has found one");
    is_int(kit_lease(&kit, &effect), EFFECT_EVICT_POD, "who is told to go");
    kit_do(&kit, "cluster r parent=b group=cpu,memory,pods flavor=f cpu=9 memory=8 pods=1 "
                 "within=newer reclaim=any");
    is_str(kit_promised(&kit), "first second", "both are promised room");
    is_str(kit_victims(&kit), "runs>second goes>", "and who is second has to take more of others'");
    kit_close(&kit);
}

/* The victim does not go, so the promise comes to nothing, and its room is for others. */
static void test_who_fits_comes_first(void)
{
    struct kit kit;

    kit_open(&kit, "evicts root.cpu=11");
    kit_do(&kit, "queue q within=lower; queue p; pod v queue=q cpu=4 priority=-1 node=n;"
                 "pod r queue=q cpu=3; pod ask queue=q cpu=7 priority=2; pod small queue=p cpu=4");
    is_str(kit_victims(&kit), "v>ask", "room is promised");
    is_str(kit_granted(&kit), "r v", "and nobody else is granted it");
    kit_do(&kit, "time 61");
    is_str(kit_granted(&kit), "r small v", "who fits comes before who would send others away");
    kit_close(&kit);
}

/* Each looks in vain for somebody to send away in the first flavor before it has the second one. */
static void test_what_fits_costs(void)
{
    struct kit kit;

    kit_open(&kit, "evicts standby");
    kit_do(&kit, "flavor f; flavor g; cluster c group=cpu flavor=f cpu=1 flavor=g cpu=99 "
                 "within=lower; pod runs cluster=c cpu=1 node=n stamp=1 stamped=cpu=f");
    for (int i = 0; i < 50; i++)
        kit_dof(&kit, "pod p%d cluster=c cpu=1", i);
    engine_set_synced(kit.engine);
    engine_set_leader(kit.engine, true);
    ok(kit_usage(&kit, "cluster/c", "g/cpu") < 50, "one call grants only some of many");
    kit_work_off(&kit);
    is_int(kit_usage(&kit, "cluster/c", "g/cpu"), 50, "the others follow");
    kit_close(&kit);
}

/* A group that goes whole has a member where nobody may be taken: once that goes by itself, the
 * others may. */
static void test_member_elsewhere_goes(void)
{
    struct kit kit;

    kit_open(&kit, "evicts");
    kit_do(&kit, "flavor f; cluster a parent=all group=cpu flavor=f cpu=4 reclaim=any;"
                 "cluster b parent=all group=cpu flavor=f cpu=4;"
                 "cluster c group=cpu flavor=f cpu=1; group g native whole min=2;"
                 "pod b1 cluster=b cpu=8 native=g node=n;"
                 "pod c1 cluster=c cpu=1 created=1 native=g node=n; pod ask cluster=a cpu=4");
    is_str(kit_victims(&kit), "", "it would have to go with one that may not be taken");
    kit_do(&kit, "pod c1 cluster=c cpu=1 created=1 native=g node=n deleted");
    is_str(kit_victims(&kit), "b1>ask", "without that one it may go");
    kit_close(&kit);
}

int main(void)
{
    test_only_where_the_host_evicts();
    test_reserved_goes_at_once();
    test_highest_first();
    test_strict();
    test_who_asks_for_nobodys();
    test_flavors();
    test_edited_queue();
    test_moved_queue();
    test_nodes();
    test_flavor_comes();
    test_default_queue();
    test_gang_in_two_trees();
    test_gang_asks();
    test_who_opts_in_while_it_runs();
    test_restart();
    test_root_joins_a_cohort();
    test_who_fits_comes_first();
    test_what_fits_costs();
    test_member_elsewhere_goes();
    return tap_done();
}
