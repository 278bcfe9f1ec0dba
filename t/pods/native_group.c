/* SPDX-License-Identifier: Apache-2.0 */

/* Kubernetes' own PodGroups: all that are there are granted at once, whatever the minimum. */
#include "plugin/pods/group.h"

#include "plugin/pods/gang.h"
#include "t/kit/engine_kit.h"
#include "t/kit/engine_kit_effects.h"
#include "t/kit/engine_kit_preempt.h"
#include "t/kit/tap.h"

static const struct group *native(const struct kit *kit, const char *name)
{
    const struct group_name is = {text_of("default"), text_of(name), GROUP_NATIVE};

    return group_at(kit->engine, group_find_named(kit->engine, &is));
}

static void test_all_or_nothing(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=2; group g native min=3; pod a queue=q cpu=1 native=g;"
                 "pod b queue=q cpu=1 native=g; pod z queue=q cpu=2 created=90");
    is_str(kit_granted(&kit), "z", "fewer than its minimum take no room, and stop nobody");
    is_str(kit_why(&kit, "a"), "GroupIncomplete", "they wait for the others");
    kit_do(&kit, "pod c queue=q cpu=1 native=g; lose-pod z");
    is_str(kit_granted(&kit), "", "of three where two fit none is granted");
    is_str(kit_why(&kit, "c"), "QueueCapacity", "the queue has no room for them");
    kit_do(&kit, "queue q cpu=3");
    is_str(kit_granted(&kit), "a b c", "all three are");
    kit_close(&kit);
}

/* A basic group has no minimum; a gang may have more members than it needs. */
static void test_beyond_the_minimum(const char *minimum)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_dof(&kit, "group g native %s", minimum);
    kit_do(&kit, "queue q cpu=2; pod full queue=q cpu=2 created=1; pod a queue=q cpu=1 native=g;"
                 "pod b queue=q cpu=1 native=g; pod c queue=q cpu=1 native=g; lose-pod full");
    is_str(kit_granted(&kit), "", "with %s, a part of it is worth nothing",
           *minimum == '\0' ? "no minimum" : minimum);
    kit_do(&kit, "queue q cpu=3");
    is_str(kit_granted(&kit), "a b c", "all that are there are granted");
    kit_close(&kit);
}

static void test_members_that_come_late(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=4; group g native min=2; pod a queue=q cpu=1 native=g;"
                 "pod b queue=q cpu=1 native=g; pod c queue=q cpu=1 native=g");
    is_str(kit_granted(&kit), "a b c", "who comes while they are granted joins, if it fits");
    kit_do(&kit, "pod z queue=q cpu=1 created=99; pod d queue=q cpu=1 native=g");
    is_str(kit_granted(&kit), "z", "else all of them wait, with it: it would hold them back");
    is_str(kit_why(&kit, "a"), "QueueCapacity", "for the room that all four need");
    kit_do(&kit, "lose-pod z");
    is_str(kit_granted(&kit), "a b c d", "and are granted together");
    kit_do(&kit, "bind a; bind b; bind c; bind d; pod e queue=q cpu=1 native=g");
    is_str(kit_granted(&kit), "a b c d", "who runs is not touched by one that comes then");
    is_str(kit_why(&kit, "e"), "QueueCapacity", "which waits alone");
    kit_do(&kit, "queue q cpu=5");
    is_str(kit_granted(&kit), "a b c d e", "and is granted alone");
    kit_close(&kit);
}

/* The entry of those that wait is in its line when the member's node is given back. */
static void test_node_given_back_while_others_wait(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=3; group g native min=2; pod a queue=q cpu=1 native=g;"
                 "pod b queue=q cpu=1 native=g; reserve a; pod c queue=q cpu=3 native=g");
    is_str(kit_granted(&kit), "a", "one that is about to have a node keeps it");
    kit_do(&kit, "unreserve a");
    is_str(kit_granted(&kit), "", "without it, it waits with the others");
    is_str(kit_why(&kit, "c"), "QueueCapacity", "for the room that all three need");
    kit_do(&kit, "queue q cpu=5");
    is_str(kit_granted(&kit), "a b c", "and they are granted together");
    kit_do(&kit, "reserve a; pod d queue=q cpu=3 native=g; queue q cpu=8; unreserve a");
    is_str(kit_granted(&kit), "a b c d", "where there is room, one that gave back is beside them");
    kit_close(&kit);
}

/* The scheduler's group cycle reserves, and takes back, without end while there are no nodes. */
static void test_tries(void)
{
    struct kit kit;
    int64_t until;

    kit_open(&kit, "answers");
    kit_do(&kit, "queue q cpu=3; group g native min=3; pod a queue=q cpu=1 native=g;"
                 "pod b queue=q cpu=1 native=g; pod c queue=q cpu=1 native=g; tries a; tries b");
    is_str(kit_state(&kit, "a"), "reserved", "what is only tried changes nothing");
    kit_do(&kit, "reserve a");
    is_str(kit_state(&kit, "a"), "allocated", "what counts does");
    is_str(kit_state(&kit, "b"), "reserved", "and the others need no turn");
    ok(!native(&kit, "g")->in_line && kit.engine->pods.assembling == 0 &&
           engine_permit(kit.engine, text_of("a"), &until),
       "the scheduler assembles them");
    kit_close(&kit);
}

static void test_gone_and_edited(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=2; pod a queue=q cpu=1 native=g; pod b queue=q cpu=1 native=g");
    is_str(kit_why(&kit, "a"), "GroupMissing", "without its object nobody is granted");
    kit_do(&kit, "group g native min=2");
    is_str(kit_granted(&kit), "a b", "with it they are");
    kit_do(&kit, "group g native min=3");
    is_str(kit_granted(&kit), "", "a minimum that is raised is not there");
    kit_do(&kit, "group g native min=1; lose-native g");
    is_str(kit_why(&kit, "b"), "GroupMissing", "a group that is deleted keeps nothing");
    kit_do(&kit, "group g native min=2; lose-pod b");
    is_str(kit_granted(&kit), "", "nor does what is left of a gang when a member is gone");
    kit_close(&kit);
}

/* A host that was wrong about a pod's end: it comes to those that were granted, as any other. */
static void test_not_ended(void)
{
    struct kit kit;
    int64_t since;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=2; group g native; pod e queue=q cpu=1 native=g finished;"
                 "pod a queue=q cpu=1 native=g");
    since = claim_at(kit.engine, kit_claim(&kit, "a"))->since;
    kit_do(&kit, "time 5; pod e queue=q cpu=1 native=g bare");
    is_str(kit_granted(&kit), "a e", "one that has not ended after all joins those granted");
    is_int(claim_at(kit.engine, kit_claim(&kit, "a"))->since, since, "which keep what they have");
    kit_close(&kit);
}

static void test_ranks(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=2; group g native min=2 priority=5; pod a queue=q cpu=1 native=g;"
                 "pod b queue=q cpu=1 native=g priority=5");
    is_str(kit_why(&kit, "b"), "GroupInvalid", "the scheduler takes members of one priority");
    is_int(native(&kit, "g")->fault, GROUP_TWO_RANKS, "so a group with others is told so");
    kit_do(&kit, "pod a queue=q cpu=1 native=g priority=5");
    is_str(kit_granted(&kit), "a b", "and granted when they are the same");
    kit_do(&kit, "queue r cpu=2; pod b queue=r cpu=1 native=g priority=5");
    is_str(kit_why(&kit, "a"), "GroupInvalid", "as are members of two queues");
    kit_close(&kit);
}

/* Two groups of one name are two, and a pod that asks for both is of the native one. */
static void test_two_of_a_name(void)
{
    struct kit kit;

    kit_open(&kit, "writes");
    kit_do(&kit, "queue q cpu=3; group g min=1; group g native min=2; pod a queue=q cpu=1 group=g;"
                 "pod b queue=q cpu=1 native=g group=g min=7");
    is_str(kit_granted(&kit), "a", "a pod of the other one needs no other");
    is_str(kit_why(&kit, "b"), "GroupIncomplete", "and this one's are not those");
    kit_do(&kit, "pod c queue=q cpu=1 native=g; lose-group g");
    is_str(kit_granted(&kit), "b c", "one goes without the other");
    kit_close(&kit);
}

/* Two groups, each half of which was granted before a restart, do not hold each other back. */
static void test_restart(void)
{
    struct kit kit;

    kit_open(&kit, "standby");
    kit_do(&kit, "queue q cpu=4; group g native min=3; group h native min=3;"
                 "pod a queue=q cpu=1 native=g bare stamp=5; pod b queue=q cpu=1 native=g bare "
                 "stamp=6; pod c queue=q cpu=1 native=g;"
                 "pod d queue=q cpu=1 native=h bare stamp=7; pod e queue=q cpu=1 native=h bare "
                 "stamp=8; pod f queue=q cpu=1 native=h; synced; lead");
    is_str(kit_granted(&kit), "a b c", "what fits as a whole is granted as a whole");
    is_str(kit_why(&kit, "d"), "QueueCapacity", "the others give back what they had");
    kit_close(&kit);

    kit_open(&kit, "standby");
    kit_do(&kit,
           "queue q cpu=4; queue r cpu=4; group g native; pod a queue=q cpu=1 native=g node=n;"
           "pod b queue=q cpu=1 native=g; pod c queue=r cpu=1 native=g; synced; lead");
    is_str(kit_granted(&kit), "a", "a part that runs makes no group whole that is none");
    is_str(kit_why(&kit, "b"), "GroupInvalid", "as one with members in two queues");
    kit_close(&kit);

    kit_open(&kit, "standby");
    kit_do(&kit, "queue q cpu=4; queue r cpu=4; group g native; pod a queue=q cpu=1 native=g bare "
                 "stamp=5; pod c queue=r cpu=1 native=g; synced; lead");
    is_str(kit_granted(&kit), "", "nor does one that was granted before the other came");
    kit_close(&kit);
}

/* Whose scheduler takes them one by one may be granted the minimum alone. */
static void test_partial(void)
{
    struct kit kit;

    kit_open(&kit, "partial");
    kit_do(&kit, "queue q cpu=2; group g native min=2; group h native; pod full queue=q cpu=2;"
                 "pod a queue=q cpu=1 native=g; pod b queue=q cpu=1 native=g;"
                 "pod c queue=q cpu=1 native=g; lose-pod full");
    is_str(kit_granted(&kit), "a b", "two of three are enough");
    kit_do(&kit, "lose-pod a; lose-pod b; lose-pod c; pod d queue=q cpu=1 native=h;"
                 "pod e queue=q cpu=1 native=h; pod f queue=q cpu=1 native=h");
    is_str(kit_granted(&kit), "d e", "and without a minimum each is");
    kit_close(&kit);
}

/* A group that goes whole is no pod's victim but as a whole, whatever its minimum. */
static void test_goes_whole(const char *whole, const char *want)
{
    struct kit kit;

    kit_open(&kit, "evicts");
    kit_do(&kit, "flavor f; cluster c within=lower group=cpu flavor=f cpu=3");
    kit_dof(&kit, "group g native min=1 %s", whole);
    kit_do(&kit, "pod a cluster=c cpu=1 native=g; pod b cluster=c cpu=1 native=g;"
                 "pod z cluster=c cpu=1; bind a; bind b; bind z; pod y cluster=c cpu=1 priority=5");
    is_str(kit_victims(&kit), want, "%s", *whole == '\0' ? "as few as it takes" : "or all of it");
    kit_close(&kit);
}

static void test_condition(void)
{
    struct effect effect;
    struct kit kit;
    int kind;

    kit_open(&kit, "statuses");
    kit_do(&kit, "queue q cpu=1; group g native min=2 version=3");
    is_int(kit_lease(&kit, &effect), -1, "of a group without members nothing is said");
    kit_do(&kit, "pod a queue=q cpu=1 native=g; pod b queue=q cpu=1 native=g");
    kind = kit_lease(&kit, &effect);
    ok(kind == EFFECT_SET_GROUP_STATUS && effect.group_status.kind == GROUP_NATIVE &&
           strcmp(effect.group_status.type, "sluice.sh/QuotaReserved") == 0 &&
           strcmp(effect.group_status.status, "False") == 0,
       "that it waits is said in a condition of ours");
    is_str(effect.group_status.reason, "QueueCapacity", "with the reason that its members have");
    is_str(effect.message, "queue q has no room yet for all of the 2 members that are there",
           "and what it waits for");
    kit_ack(&kit, &effect, EFFECT_DONE);
    is_int(kit_lease(&kit, &effect), -1, "once");
    kit_do(&kit, "queue q cpu=2");
    while ((kind = kit_lease(&kit, &effect)) >= 0 && kind != EFFECT_SET_GROUP_STATUS)
        kit_ack(&kit, &effect, EFFECT_DONE);
    ok(kind == EFFECT_SET_GROUP_STATUS && strcmp(effect.group_status.status, "True") == 0,
       "that it was granted, too");
    kit_close(&kit);
}

int main(void)
{
    test_all_or_nothing();
    test_beyond_the_minimum("");
    test_beyond_the_minimum("min=2");
    test_members_that_come_late();
    test_node_given_back_while_others_wait();
    test_tries();
    test_gone_and_edited();
    test_not_ended();
    test_ranks();
    test_two_of_a_name();
    test_restart();
    test_partial();
    test_goes_whole("", "a>y");
    test_goes_whole("whole", "a>y b>y");
    test_condition();
    return tap_done();
}
