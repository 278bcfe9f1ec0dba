/* SPDX-License-Identifier: Apache-2.0 */

/* A PodGroup that we made follows its pods' owner. */
#include "plugin/follow.h"

#include "t/engine_kit_effects.h"
#include "t/engine_kit_words.h"
#include "t/tap.h"

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
    is_str(kit_why(&kit, "c"), "GroupMissing", "they are held");
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

int main(void)
{
    test_queue();
    test_bound();
    test_numbers();
    test_not_ours();
    test_least();
    return tap_done();
}
