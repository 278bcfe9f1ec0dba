/* SPDX-License-Identifier: Apache-2.0 */

/* What the condition of a group says, and when it is written. */
#include "plugin/telling/group_status.h"
#include "t/kit/engine_kit_effects.h"
#include "t/kit/engine_kit_words.h"
#include "t/kit/tap.h"

static struct effect effect;

static void expect(struct kit *kit, const char *reason, const char *message, const char *about)
{
    is_int(kit_lease(kit, &effect), EFFECT_SET_GROUP_STATUS, "a status: %s", about);
    is_str(effect.group_status.reason, reason, "its reason");
    is_str(effect.message, message, "its message");
    ok(kit_ack(kit, &effect, EFFECT_DONE), "it is written");
    is_int(kit_lease(kit, &effect), -1, "once");
}

static void test_members(void)
{
    struct kit kit;

    kit_open(&kit, "statuses");
    kit_do(&kit, "queue q cpu=4; group g min=2 queue=q; pod a cpu=1 group=g");
    expect(&kit, "NotEnoughTasks",
           "fewer than the 2 members that it needs are there and ready; its queue keeps room for "
           "them",
           "of one that is not complete");
    kit_do(&kit, "pod b cpu=9 group=g");
    expect(&kit, "NotEnoughResources",
           "queue q has no room yet for all of the 2 members that it needs",
           "of one that waits for room");
    kit_do(&kit, "pod b cpu=8 group=g");
    is_int(kit_lease(&kit, &effect), -1, "what others would change is not in it");
    kit_do(&kit, "lose-pod b; pod b cpu=1 group=g");
    expect(&kit, "tasks in gang are ready to be scheduled", "", "of one that is granted");
    kit_do(&kit, "group g min=-1 queue=q version=2");
    expect(&kit, "GroupInvalid", "the group has a minimum that is not a number above 0",
           "of one that cannot be");
    kit_close(&kit);
}

static void test_each_alone(void)
{
    struct kit kit;

    kit_open(&kit, "statuses");
    kit_do(&kit, "queue q cpu=1; pod x queue=q cpu=1; group g min=1 queue=q;"
                 "pod a cpu=1 group=g foreign=their");
    expect(&kit, "NotEnoughTasks", "something of their own holds all of its members",
           "of one with somebody else's gate");
    kit_do(&kit, "pod a cpu=1 group=g");
    expect(&kit, "NotEnoughResources", "queue q has no room yet for one of its members",
           "of one whose members go alone");
    kit_close(&kit);
}

/* Whose queue grants nothing lacks no resources: more of them would not help. */
static void test_stopped_queue(const char *members)
{
    struct kit kit;

    kit_open(&kit, "statuses");
    kit_do(&kit, "queue q cpu=1; queue r cpu=9; pod x queue=q cpu=1; group g min=2 queue=q");
    kit_do(&kit, members);
    expect(&kit, "NotEnoughResources",
           "queue q has no room yet for all of the 2 members that it needs", "of one that waits");
    kit_do(&kit, "queue q cpu=1 state=Suspended");
    expect(&kit, "QueueSuspended", "queue q is suspended", "in a queue that is suspended");
    kit_do(&kit, "queue q cpu=1 state=Closed");
    expect(&kit, "QueueClosed", "queue q is closed", "that is closed");
    kit_do(&kit, "lose-queue q");
    expect(&kit, "QueueUnknown", "queue q does not exist", "that is gone");
    kit_do(&kit, "queue q cpu=1");
    expect(&kit, "NotEnoughResources",
           "queue q has no room yet for all of the 2 members that it needs", "that is there again");
    kit_do(&kit, "group g min=2 queue=r version=9");
    expect(&kit, "tasks in gang are ready to be scheduled", "", "that it has left");
    kit_close(&kit);
}

/* Pods that did not opt in are counted once they run, and their group is not ours to write into. */
static void test_not_opted_in(void)
{
    struct kit kit;

    kit_open(&kit, "statuses");
    kit_do(&kit, "queue q cpu=4; group g native min=2;"
                 "pod a queue=q cpu=1 native=g node=n bare asksNothing");
    is_int(kit_lease(&kit, &effect), -1, "of pods that obey nobody here no status is written");
    kit_do(&kit, "pod b queue=q cpu=1 native=g");
    is_int(kit_lease(&kit, &effect), EFFECT_SET_GROUP_STATUS, "but as soon as one does");
    ok(kit_ack(&kit, &effect, EFFECT_DONE), "which is written");
    kit_do(&kit, "pod b queue=q cpu=1 native=g node=n bare asksNothing");
    is_int(kit_lease(&kit, &effect), -1, "and none when it does no more");
    kit_close(&kit);
}

int main(void)
{
    test_members();
    test_not_opted_in();
    test_each_alone();
    test_stopped_queue("pod a cpu=1 group=g; pod b cpu=1 group=g");
    test_stopped_queue("pod b cpu=1 group=g; pod a cpu=1 group=g; pod c cpu=1 group=g");
    return tap_done();
}
