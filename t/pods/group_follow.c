/* SPDX-License-Identifier: Apache-2.0 */

/* A PodGroup that we made follows its pods' owner. */
#include "plugin/pods/group_follow.h"

#include "t/kit/engine_kit_effects.h"
#include "t/kit/engine_kit_words.h"
#include "t/kit/tap.h"

static struct effect effect;

static void expect_change(struct kit *kit, const char *queue, int minimum, int64_t cpu,
                          const char *about)
{
    is_int(kit_lease(kit, &effect), EFFECT_CHANGE_GROUP, "a change: %s", about);
    ok(text_is(effect.create.queue, queue), "of its queue");
    is_int(effect.create.minimum, minimum, "its minimum");
    is_int(effect.create.least[0].amount, cpu, "and what that needs");
}

static void done(struct kit *kit)
{
    ok(kit_ack(kit, &effect, EFFECT_DONE), "it is written");
    is_int(kit_lease(kit, &effect), -1, "once");
}

static void test_queue(void)
{
    struct kit kit;

    kit_open(&kit, "changes");
    kit_do(&kit,
           "queue q cpu=1; queue r cpu=9; group podgroup-o min=2 queue=q cpu=2 ours version=3;"
           "pod a queue=q cpu=1 min=2 owner=o; pod b queue=q cpu=1 min=2 owner=o");
    is_int(kit_lease(&kit, &effect), -1, "it says what they ask for");
    kit_do(&kit, "pod c queue=r cpu=1 min=2 owner=o");
    expect_change(&kit, "r", 2, 2, "the newest asks for another queue");
    is_int(effect.resource_version, 3, "under its version");
    is_str(kit_granted(&kit), "", "nobody is granted anything before that is done");
    is_str(kit_why(&kit, "c"), "GroupChanging", "they are held");
    done(&kit);
    kit_do(&kit, "group podgroup-o min=2 queue=r cpu=2 ours version=4");
    is_str(kit_granted(&kit), "a b c", "then they are all there");
    is_int(kit_usage(&kit, "r", "cpu"), 3, "in the new queue");
    kit_close(&kit);
}

static void test_bound(void)
{
    struct kit kit;

    kit_open(&kit, "changes");
    kit_do(&kit,
           "queue q cpu=2; queue r cpu=1; group podgroup-o min=2 queue=q cpu=2 ours version=3;"
           "pod a queue=q cpu=1 min=2 owner=o node=n; pod b queue=q cpu=1 min=2 owner=o node=n;"
           "pod c queue=r cpu=1 min=2 owner=o");
    expect_change(&kit, "r", 2, 2, "while they run");
    done(&kit);
    kit_do(&kit, "group podgroup-o min=2 queue=r cpu=2 ours version=4");
    is_int(kit_usage(&kit, "q", "cpu"), 2, "who runs stays where it was granted");
    is_str(kit_granted(&kit), "a b c", "so there is room for who takes its place");
    kit_do(&kit, "bind c; lose-pod a; lose-pod b; pod d queue=r cpu=1 min=2 owner=o");
    is_int(kit_usage(&kit, "r", "cpu"), 1, "and no more than that");
    kit_do(&kit, "pod c queue=q cpu=1 min=2 owner=o node=n");
    is_int(kit_usage(&kit, "r", "cpu"), 1, "whatever a pod says then");
    kit_close(&kit);
}

static void test_numbers(void)
{
    struct kit kit;

    kit_open(&kit, "changes");
    kit_do(&kit, "queue q cpu=3; group podgroup-o min=3 queue=q cpu=12 ours version=3;"
                 "pod a queue=q cpu=4 min=3 owner=o created=1;"
                 "pod b queue=q cpu=1 min=2 owner=o created=2");
    expect_change(&kit, "q", 2, 2, "the newest asks for less");
    kit_do(&kit, "pod c queue=q cpu=1 min=1 owner=o created=3");
    done(&kit);
    kit_do(&kit, "group podgroup-o min=2 queue=q cpu=2 ours version=4");
    expect_change(&kit, "q", 1, 1, "another one came while that was under way");
    ok(kit_ack(&kit, &effect, EFFECT_RETRY), "it fails");
    kit_do(&kit, "lose-pod c; time 5");
    is_int(kit_lease(&kit, &effect), -1, "the newest is gone");
    kit_do(&kit, "pod b queue=q cpu=1 min=-1 owner=o created=2");
    is_int(kit_lease(&kit, &effect), -1, "what is no number is not written,");
    is_str(kit_why(&kit, "b"), "GroupInvalid", "but said");
    kit_close(&kit);
}

static void test_not_ours(void)
{
    struct kit kit;

    kit_open(&kit, "changes");
    kit_do(&kit, "queue q cpu=9; queue r cpu=9; group podgroup-o min=1 queue=q version=3;"
                 "pod a queue=r cpu=1 min=2 owner=o");
    is_int(kit_lease(&kit, &effect), -1, "what others made is theirs");
    is_int(kit_usage(&kit, "q", "cpu"), 1, "and says where its pods are");
    kit_close(&kit);

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=9; queue r cpu=9; group podgroup-o min=1 queue=q ours version=3;"
                 "pod a queue=r cpu=1 min=2 owner=o");
    is_int(kit_usage(&kit, "q", "cpu"), 1,
           "where the host cannot change it, nobody waits for that");
    kit_close(&kit);
}

static void test_least(void)
{
    struct kit kit;

    kit_open(&kit, "changes");
    kit_do(&kit, "queue q cpu=2; group podgroup-o min=2 queue=q cpu=8 ours version=3;"
                 "pod a queue=q cpu=1 min=2 owner=o; pod b queue=q cpu=1 min=2 owner=o");
    is_str(kit_granted(&kit), "a b", "what we wrote once does not hold its members");
    expect_change(&kit, "q", 2, 2, "and is put right");
    kit_close(&kit);
}

/* Three of the new template are there, four of the old one; the owner goes on when those run. */
#define ROLLOUT                                                                                    \
    "queue q cpu=10; group podgroup-o min=5 queue=q cpu=20 ours version=3;"                        \
    "pod a queue=q cpu=4 min=5 owner=o created=1; pod b queue=q cpu=4 min=5 owner=o created=2;"    \
    "pod c queue=q cpu=4 min=5 owner=o created=3; pod d queue=q cpu=4 min=5 owner=o created=4;"
#define OLD_ONES(more)                                                                             \
    "pod a queue=q cpu=4 min=5 owner=o created=1 superseded" more                                  \
    ";pod b queue=q cpu=4 min=5 owner=o created=2 superseded" more                                 \
    ";pod c queue=q cpu=4 min=5 owner=o created=3 superseded" more                                 \
    ";pod d queue=q cpu=4 min=5 owner=o created=4 superseded" more ";"
#define NEW_ONES(more)                                                                             \
    "pod f queue=q cpu=1 min=5 owner=o created=6" more                                             \
    ";pod g queue=q cpu=1 min=5 owner=o created=7" more                                            \
    ";pod h queue=q cpu=1 min=5 owner=o created=8" more ";"

static void test_rollout(void)
{
    struct kit kit;

    kit_open(&kit, "changes");
    kit_do(&kit, ROLLOUT NEW_ONES(""));
    expect_change(&kit, "q", 5, 5, "what the new template asks for");
    is_str(kit_granted(&kit), "", "five would be more than there is room for");
    kit_do(&kit, OLD_ONES(""));
    is_str(kit_granted(&kit), "f g h", "of the new template they are not");
    is_str(kit_why(&kit, "a"), "Superseded", "who is of the old one is held");
    is_int(kit_usage(&kit, "q", "cpu"), 3, "and has nothing");
    kit_do(&kit, "bind f; bind g; bind h; lose-pod d; pod i queue=q cpu=1 min=5 owner=o created=9");
    is_str(kit_granted(&kit), "f g h i", "who takes its place comes after it");
    kit_do(&kit, "bind i; lose-pod c; lose-pod b; lose-pod a;"
                 "pod j queue=q cpu=1 min=5 owner=o created=10");
    is_str(kit_granted(&kit), "f g h i j", "until all of them have");
    kit_close(&kit);
}

static void test_rollout_lacks_room(void)
{
    struct kit kit;

    kit_open(&kit, "changes");
    kit_do(&kit, "queue s; pod x queue=q cpu=6 created=0; " ROLLOUT NEW_ONES("") OLD_ONES(""));
    is_str(kit_granted(&kit), "x", "three have room, but five have not");
    is_str(kit_why(&kit, "f"), "QueueCapacity", "so they wait");
    kit_do(&kit, "lose-pod a");
    is_str(kit_why(&kit, "f"), "QueueCapacity", "whoever stands for the rest");
    kit_do(&kit, "lose-pod b; lose-pod c");
    is_str(kit_why(&kit, "f"), "GroupIncomplete", "if that is enough");
    kit_do(&kit, OLD_ONES("") "lose-pod x");
    is_str(kit_granted(&kit), "f g h", "there is room for five");
    kit_do(&kit, "lose-pod a; lose-pod b; lose-pod c");
    is_str(kit_granted(&kit), "", "nobody sits on a part of a gang that does not become whole");
    kit_close(&kit);
}

/* Granted before the edit, and no node is large enough. */
static void test_rollout_of_granted(void)
{
    struct kit kit;

    kit_open(&kit, "changes");
    kit_do(&kit, "queue q cpu=8; group podgroup-o min=2 queue=q cpu=8 ours version=3;"
                 "pod a queue=q cpu=4 min=2 owner=o created=1;"
                 "pod b queue=q cpu=4 min=2 owner=o created=2");
    is_str(kit_granted(&kit), "a b", "they have the whole queue");
    kit_do(&kit, "pod c queue=q cpu=1 min=2 owner=o created=3;"
                 "pod a queue=q cpu=4 min=2 owner=o created=1 superseded;"
                 "pod b queue=q cpu=4 min=2 owner=o created=2 superseded");
    is_str(kit_granted(&kit), "c", "and give it back for who takes their place");
    kit_do(&kit, "bind c; lose-pod a; pod d queue=q cpu=1 min=2 owner=o created=4");
    is_str(kit_granted(&kit), "c d", "one after the other");
    kit_close(&kit);

    kit_open(&kit, "changes");
    kit_do(&kit, "queue q cpu=9; group podgroup-o min=2 queue=q cpu=8 ours version=3;"
                 "pod a queue=q cpu=4 min=2 owner=o created=1 node=n;"
                 "pod b queue=q cpu=4 min=2 owner=o created=2 node=n;"
                 "pod c queue=q cpu=1 min=2 owner=o created=3;"
                 "pod a queue=q cpu=4 min=2 owner=o created=1 node=n superseded;"
                 "pod b queue=q cpu=4 min=2 owner=o created=2 node=n superseded");
    is_int(kit_usage(&kit, "q", "cpu"), 9, "who has its node keeps what it has");
    is_str(kit_granted(&kit), "a b c", "and counts for the minimum");
    kit_close(&kit);
}

static void test_rollout_back(void)
{
    struct kit kit;

    kit_open(&kit, "changes");
    kit_do(&kit, ROLLOUT NEW_ONES("") OLD_ONES(""));
    is_str(kit_granted(&kit), "f g h", "of the new template");
    kit_do(&kit, "pod a queue=q cpu=4 min=5 owner=o created=1;"
                 "pod b queue=q cpu=4 min=5 owner=o created=2;"
                 "pod c queue=q cpu=4 min=5 owner=o created=3;"
                 "pod d queue=q cpu=4 min=5 owner=o created=4;" NEW_ONES(" superseded"));
    is_str(kit_granted(&kit), "", "until their owner goes back to the old one");
    is_str(kit_why(&kit, "f"), "Superseded", "whoever came later");
    is_int(kit_lease(&kit, &effect), -1, "the group still says what that asks for");
    kit_do(&kit, "queue q cpu=20");
    is_str(kit_granted(&kit), "a b c d", "which has room now");
    kit_close(&kit);
}

static void test_rollout_alike(void)
{
    struct kit kit;

    kit_open(&kit, "changes");
    kit_do(&kit, "queue q cpu=3; group podgroup-o min=3 queue=q cpu=3 ours version=3;"
                 "pod a queue=q cpu=1 min=3 owner=o created=1 superseded;"
                 "pod b queue=q cpu=1 min=3 owner=o created=2 superseded;"
                 "pod c queue=q cpu=1 min=3 owner=o created=3");
    is_str(kit_granted(&kit), "a b c", "who asks for the same is as good");
    kit_close(&kit);
}

static void test_rollout_at_a_restart(void)
{
    struct kit kit;

    kit_open(&kit, "changes");
    kit_do(&kit,
           "follow; queue q cpu=10; group podgroup-o min=5 queue=q cpu=5 ours version=3;" OLD_ONES(
               " bare stamp=1") NEW_ONES(" bare stamp=2") "lead");
    is_str(kit_granted(&kit), "f g h", "who was granted has it still");
    is_str(kit_why(&kit, "a"), "Superseded", "but for who was superseded meanwhile");
    kit_close(&kit);
}

int main(void)
{
    test_rollout();
    test_rollout_lacks_room();
    test_rollout_of_granted();
    test_rollout_back();
    test_rollout_alike();
    test_rollout_at_a_restart();
    test_queue();
    test_bound();
    test_numbers();
    test_not_ours();
    test_least();
    return tap_done();
}
