/* SPDX-License-Identifier: Apache-2.0 */

/* A group's minimum: all at once or not at all. */
#include "plugin/pods/gang.h"
#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

static const char *message_of(const struct kit *kit, const char *uid)
{
    static struct pod_report report;

    engine_report_pod(kit->engine, kit_claim(kit, uid), &report);
    return report.why.message;
}

static void test_all_or_nothing(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=6; group g min=4 queue=q");
    kit_do(&kit, "pod a queue=q cpu=2 group=g; pod b queue=q cpu=2 group=g");
    is_str(kit_why(&kit, "a"), "GroupIncomplete", "two of four wait for the others");
    is_str(message_of(&kit, "a"), "its group default/g has 2 of the 4 members that it needs",
           "and say so");
    kit_do(&kit, "pod c queue=q cpu=1 group=g; pod d queue=q cpu=2 group=g");
    is_str(kit_granted(&kit), "", "7 of 6 do not fit: nobody is granted anything");
    is_str(kit_why(&kit, "a"), "QueueCapacity", "they wait for their queue");
    is_str(message_of(&kit, "a"),
           "its group default/g waits for 4 of its 4 members as one: the group asks for 7m cpu, "
           "and queue q may never have more than 6m",
           "as one");
    is_str(kit_waiting(&kit, "q"), "g", "one entry waits in the queue");
    kit_do(&kit, "pod d queue=q cpu=1 group=g");
    is_str(kit_granted(&kit), "a b c d", "6 of 6 fit: all are granted");
    is_int(kit_usage(&kit, "q", "cpu"), 6, "each holds its own");
    is_str(kit_waiting(&kit, "q"), "", "and nothing waits");
    kit_close(&kit);
}

static void test_never_half(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=6; group g min=4; group h min=4");
    kit_do(&kit, "pod a0 queue=q cpu=1 group=g; pod b0 queue=q cpu=1 group=h;"
                 "pod a1 queue=q cpu=1 group=g; pod b1 queue=q cpu=1 group=h;"
                 "pod a2 queue=q cpu=1 group=g; pod b2 queue=q cpu=1 group=h;"
                 "pod b3 queue=q cpu=1 group=h; pod a3 queue=q cpu=1 group=g");
    is_str(kit_granted(&kit), "b0 b1 b2 b3", "who is complete first is granted as a whole");
    is_str(kit_waiting(&kit, "q"), "g", "the other one waits as a whole");
    kit_do(&kit, "lose-pod b1");
    is_str(kit_granted(&kit), "a0 a1 a2 a3", "a gang that lost one gives back: the other has it");
    is_str(kit_why(&kit, "b0"), "GroupIncomplete", "and waits to be complete again");
    kit_do(&kit, "pod b4 queue=q cpu=1 group=h; lose-pod a0; lose-pod a1; lose-pod a2;"
                 "lose-pod a3");
    is_str(kit_granted(&kit), "b0 b2 b3 b4", "then it has its turn");
    kit_close(&kit);
}

static void test_beyond_the_minimum(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=3; group g min=2");
    kit_do(&kit, "pod a queue=q cpu=1 group=g; pod b queue=q cpu=1 group=g;"
                 "pod c queue=q cpu=1 group=g; pod d queue=q cpu=1 group=g");
    is_str(kit_granted(&kit), "a b c", "who is beyond the minimum comes one by one");
    is_str(kit_waiting(&kit, "q"), "d", "in its own name");
    kit_do(&kit, "bind a; bind b; bind c; lose-pod a");
    is_str(kit_granted(&kit), "b c d", "and takes the room of one that went");
    kit_close(&kit);
}

static void test_finished_count(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=2; group g min=2");
    kit_do(&kit, "pod a queue=q cpu=1 group=g; pod b queue=q cpu=1 group=g; bind a; bind b;"
                 "pod a queue=q cpu=1 group=g finished; pod c queue=q cpu=1 group=g");
    is_str(kit_granted(&kit), "b c", "who has succeeded counts for the minimum");
    kit_do(&kit,
           "bind c; pod c queue=q cpu=1 group=g failed; lose-pod b; pod d queue=q cpu=1 group=g");
    is_str(kit_state(&kit, "d"), "reserved", "one has succeeded, one comes: two");
    kit_do(&kit, "lose-pod a");
    is_str(kit_why(&kit, "d"), "GroupIncomplete", "whose object is gone counts no longer");
    kit_close(&kit);
}

static void test_demoted_as_a_whole(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=6; pod x queue=q cpu=1; group g min=4;"
                 "pod a queue=q cpu=1 group=g; pod b queue=q cpu=1 group=g;"
                 "pod c queue=q cpu=1 group=g; pod d queue=q cpu=1 group=g;"
                 "time 5; pod e queue=q cpu=1 group=g");
    is_str(kit_granted(&kit), "a b c d e x", "6 of 6");
    kit_do(&kit, "queue q cpu=5");
    is_str(kit_granted(&kit), "a b c d x", "the newest is beyond the minimum, and goes alone");
    kit_do(&kit, "queue q cpu=4");
    is_str(kit_granted(&kit), "x", "then the gang goes as a whole");
    is_str(kit_why(&kit, "a"), "QueueCapacity", "and waits");
    kit_do(&kit, "queue q cpu=5");
    is_str(kit_granted(&kit), "a b c d x", "until it fits as a whole");
    kit_close(&kit);
}

static void test_rank_and_fifo(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=2 strict; pod x queue=q cpu=2; group g min=2 created=5;"
                 "pod s queue=q cpu=1 created=9; pod a queue=q cpu=1 created=20 group=g;"
                 "pod b queue=q cpu=1 created=21 group=g");
    is_str(kit_waiting(&kit, "q"), "g s", "a gang's age is its group's");
    kit_do(&kit, "group g min=2 created=5 priority=-1");
    is_str(kit_waiting(&kit, "q"), "s g", "its priority, too");
    kit_do(&kit, "group g min=2 created=5; pod x queue=q cpu=1");
    is_str(kit_granted(&kit), "x", "a gang at the head stops a fifo queue");
    kit_do(&kit, "pod b queue=q cpu=1 created=21 group=g foreign");
    is_str(kit_granted(&kit), "s x", "one that is not complete stops nobody");
    kit_close(&kit);
}

static void test_queue_of_the_group(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=2; queue r cpu=2; pod a queue=q cpu=1 group=g;"
                 "pod b queue=r cpu=1 group=g");
    is_str(kit_why(&kit, "a"), "GroupMissing", "a named group that does not exist");
    kit_do(&kit, "group g min=2");
    is_str(kit_why(&kit, "a"), "GroupInvalid", "members in two queues");
    kit_do(&kit, "group g min=2 queue=r");
    is_str(kit_granted(&kit), "a b", "the group's queue is its members'");
    is_int(kit_usage(&kit, "r", "cpu"), 2, "and bears them");
    kit_do(&kit, "group g min=2 queue=q");
    is_int(kit_usage(&kit, "r", "cpu"), 0, "they go where it goes");
    is_int(kit_usage(&kit, "q", "cpu"), 2, "all at once");
    kit_do(&kit, "queue q cpu=2 suspended; lose-pod a; pod c cpu=1 group=g");
    is_str(kit_why(&kit, "c"), "QueueSuspended", "a suspended queue grants no gang");
    kit_do(&kit, "queue q cpu=2");
    is_str(kit_granted(&kit), "b c", "one that is resumed does");
    kit_close(&kit);
}

static void test_asked_minimum(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=4; pod a queue=q cpu=1 min=-1 owner=o");
    is_str(kit_why(&kit, "a"), "GroupInvalid", "a minimum that is no number");
    kit_do(&kit, "pod b queue=q cpu=1 min=2 owner=s ordered");
    is_str(kit_why(&kit, "b"), "GroupInvalid", "the next pod comes when this one runs");
    kit_do(&kit, "pod c queue=q cpu=1 min=3 owner=d replicas=2;"
                 "pod d queue=q cpu=1 min=3 owner=d replicas=2");
    is_str(kit_why(&kit, "c"), "GroupMissing", "the group is still to be made");
    kit_do(&kit, "group podgroup-d min=3");
    is_str(
        message_of(&kit, "c"),
        "its group default/podgroup-d has 2 of the 3 members that it needs; its owner makes only "
        "2",
        "more than the owner makes");
    kit_do(&kit, "group podgroup-d min=2");
    is_str(kit_granted(&kit), "c d", "the group's own minimum counts");
    kit_do(&kit, "lose-group podgroup-d");
    is_str(kit_granted(&kit), "", "without their group they are held");
    kit_do(&kit, "group podgroup-d min=2 uid=again");
    is_str(kit_granted(&kit), "c d", "until it is there again");
    kit_close(&kit);
}

static void test_least_resources(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=4; pod x queue=q cpu=1; group g min=2 cpu=4;"
                 "pod a queue=q cpu=1 group=g; pod b queue=q cpu=1 group=g");
    is_str(kit_granted(&kit), "x", "minResources is more than the members ask for");
    kit_do(&kit, "lose-pod x");
    is_str(kit_granted(&kit), "a b", "there is room for it");
    is_int(kit_usage(&kit, "q", "cpu"), 2, "they hold what they ask for");
    kit_close(&kit);
}

static void test_flavors(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "flavor spot; flavor big;"
                 "cluster q group=cpu,memory flavor=spot cpu=3 memory=9 flavor=big cpu=4 memory=9;"
                 "group g min=2; pod a cluster=q cpu=2 memory=1 group=g;"
                 "pod b cluster=q cpu=2 group=g");
    is_str(kit_granted(&kit), "a b", "a gang fits");
    is_int(kit_usage(&kit, "cluster/q", "big/cpu"), 4, "in one flavor for all");
    is_int(kit_usage(&kit, "cluster/q", "spot/cpu"), 0, "not here and there");
    kit_close(&kit);
}

static void test_restart(void)
{
    struct kit kit;

    kit_open(&kit, "standby");
    kit_do(&kit,
           "queue q cpu=6; group g min=4; group h min=4; group i min=3;"
           "pod a queue=q cpu=1 group=g bare stamp=9; pod b queue=q cpu=1 group=g bare stamp=9;"
           "pod c queue=q cpu=1 group=g; pod d queue=q cpu=1 group=g;"
           "pod e queue=q cpu=1 group=h bare stamp=10; pod f queue=q cpu=1 group=h;"
           "pod g queue=q cpu=1 group=h; pod h queue=q cpu=1 group=h; synced; lead");
    is_str(kit_granted(&kit), "a b c d", "one that was granted in part becomes whole, or nothing");
    kit_close(&kit);
    kit_open(&kit, "standby");
    kit_do(&kit, "queue q cpu=4; group g min=4; pod x queue=q cpu=1 created=1;"
                 "pod a queue=q cpu=1 group=g bare node=n; pod b queue=q cpu=1 group=g;"
                 "pod c queue=q cpu=1 group=g; pod d queue=q cpu=1 group=g; synced; lead");
    is_str(kit_granted(&kit), "a b c d", "what has its nodes in part comes before who waits");
    kit_do(&kit, "follow; lead");
    is_str(kit_granted(&kit), "a b c d", "also when the lease comes back");
    kit_close(&kit);
    kit_open(&kit, "standby");
    kit_do(&kit, "queue q cpu=4; group g min=3; pod a queue=q cpu=1 group=g bare stamp=9;"
                 "pod b queue=q cpu=1 group=g bare stamp=9; synced; lead");
    is_str(kit_granted(&kit), "", "two stamps do not make three");
    kit_close(&kit);
    kit_open(&kit, "standby");
    kit_do(&kit, "queue q cpu=4; group g min=2; pod a queue=q cpu=1 group=g bare stamp=9 node=n;"
                 "pod b queue=q cpu=1 group=g bare stamp=9 unschedulable; synced; lead; time 900");
    is_str(kit_granted(&kit), "a b", "who was in a cycle before has not waited for one");
    kit_close(&kit);
}

/* Whoever has heard that its queue is suspended need not hear it again because its group has got a
 * minimum. */
static void test_told_once(void)
{
    const struct claim *claim;
    struct kit kit;

    kit_open(&kit, "writes");
    kit_do(&kit, "queue q; group g; command 1 q SuspendQueue; pod a queue=q group=g;"
                 "pod b queue=q group=g");
    claim = claim_at(kit.engine, kit_claim(&kit, "a"));
    claim_set_flag(claim_at(kit.engine, kit_claim(&kit, "a")), CLAIM_TOLD, true);
    kit_do(&kit, "group g min=2");
    ok((claim->flags & CLAIM_TOLD) != 0, "who waits on was told");
    kit_do(&kit, "group g min=3");
    ok((claim->flags & CLAIM_TOLD) == 0, "who is held waits for something else");
    kit_close(&kit);
}

static void test_no_memory(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=9; queue r cpu=9; pod z queue=q cpu=1");
    kit_starve(&kit, "pod a queue=q cpu=1 group=g uid=a-uid-that-is-longer-than-others-are-by-far");
    kit_do(&kit, "pod b queue=q cpu=2 group=g");
    kit_starve(&kit, "group g min=2 queue=r cpu=3 memory=1");
    is_int(kit_usage(&kit, "r", "cpu"), 3, "granted there");
    kit_starve(&kit, "group g min=3 queue=q uid=other");
    kit_starve(&kit, "pod c queue=r cpu=1 group=g");
    is_str(kit_granted(&kit), "a b c z", "all of them");
    kit_starve(&kit, "pod b queue=q cpu=1 group=g finished");
    kit_starve(&kit, "pod d queue=q cpu=1 min=2 owner=o");
    kit_close(&kit);
}

int main(void)
{
    test_all_or_nothing();
    test_never_half();
    test_beyond_the_minimum();
    test_finished_count();
    test_demoted_as_a_whole();
    test_rank_and_fifo();
    test_queue_of_the_group();
    test_asked_minimum();
    test_least_resources();
    test_flavors();
    test_restart();
    test_told_once();
    test_no_memory();
    return tap_done();
}
