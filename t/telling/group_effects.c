/* SPDX-License-Identifier: Apache-2.0 */

/* What groups ask of the host: their PodGroup, its name on the pods, its status. */
#include "plugin/telling/group_effects.h"
#include "t/kit/engine_kit_effects.h"
#include "t/kit/engine_kit_words.h"
#include "t/kit/tap.h"

static struct effect effect;

static void ack(struct kit *kit, enum effect_result result)
{
    ok(kit_ack(kit, &effect, result), "an ack that is expected");
}

static void test_creation(void)
{
    struct kit kit;

    kit_open(&kit, "creates names statuses answers");
    kit_do(&kit, "queue q cpu=2; pod a queue=q cpu=1 memory=3 min=2 owner=o version=1;"
                 "pod b queue=q cpu=1 memory=3 min=2 owner=o version=1");
    is_int(kit_lease(&kit, &effect), EFFECT_CREATE_GROUP,
           "the group that is asked for is to be made");
    is_int(effect.object, EFFECT_OF_GROUP, "once for all its pods");
    ok(text_is(effect.name, "podgroup-o") && text_is(effect.space, "default"), "with its name");
    ok(text_is(effect.create.owner_uid, "o") && text_is(effect.create.queue, "q"),
       "owned by the controller, in the queue of its pods");
    is_int(effect.create.minimum, 2, "with its minimum");
    is_int(effect.create.least_count, 2, "and what that needs,");
    is_int(effect.create.least[0].amount + effect.create.least[1].amount, 2 + 6, "times two");
    is_int(kit_lease(&kit, &effect), -1, "and nothing else before it is there");
    ack(&kit, EFFECT_RETRY);
    is_int(kit_lease(&kit, &effect), -1, "what failed waits for a while");
    kit_do(&kit, "time 3");
    is_int(kit_lease(&kit, &effect), EFFECT_CREATE_GROUP, "and is asked for again");
    ack(&kit, EFFECT_DONE);
    is_int(kit_lease(&kit, &effect), -1, "what was made is not made again");
    is_str(kit_why(&kit, "a"), "GroupMissing", "the pods wait until it is seen");
    kit_do(&kit, "group podgroup-o min=2 queue=q");
    is_str(kit_granted(&kit), "a b", "then they are granted");
    is_int(kit_lease(&kit, &effect), EFFECT_SET_GROUP, "and its name is put on each of them");
    ok(text_is(effect.group, "podgroup-o"), "as it is");
    ack(&kit, EFFECT_DONE);
    kit_do(&kit, "lose-group podgroup-o");
    is_int(kit_lease(&kit, &effect), EFFECT_CREATE_GROUP,
           "one that was deleted by hand is made again");
    ack(&kit, EFFECT_DONE);
    is_int(kit_lease(&kit, &effect), -1, "where something holds up its end that is in vain,");
    kit_do(&kit, "lose-group podgroup-o");
    is_int(kit_lease(&kit, &effect), EFFECT_CREATE_GROUP, "until that, too, is gone");
    ack(&kit, EFFECT_GONE);
    is_int(kit_lease(&kit, &effect), -1, "but not for an owner that is gone");
    kit_close(&kit);
}

/* One of Kubernetes' own, of a minimum: where the host makes such, and the pods name it. */
static void test_native_creation(void)
{
    struct kit kit;

    kit_open(&kit, "creates");
    kit_do(&kit, "queue q cpu=3; pod a queue=q cpu=1 min=2 owner=o native=podgroup-o");
    is_int(kit_lease(&kit, &effect), -1, "who makes none is not asked for one");
    kit_close(&kit);

    kit_open(&kit, "creates createsNative names changes");
    kit_do(&kit, "queue q cpu=3; pod x queue=q cpu=1 min=2 owner=o native=other");
    is_int(kit_lease(&kit, &effect), -1, "nor for a group that its pods only name");
    kit_do(&kit, "pod a queue=q cpu=1 min=2 owner=o native=podgroup-o");
    is_int(kit_lease(&kit, &effect), EFFECT_CREATE_NATIVE_GROUP, "but for that of its minimum");
    ok(text_is(effect.name, "podgroup-o") && text_is(effect.create.owner_uid, "o") &&
           effect.create.minimum == 2 && effect.create.kind == GROUP_NATIVE,
       "with its name, owner and minimum");
    is_str(kit_why(&kit, "a"), "GroupMissing", "until it is there nobody is granted");
    ack(&kit, EFFECT_DONE);
    is_int(kit_lease(&kit, &effect), -1, "what was made is not made again");
    kit_do(&kit, "group podgroup-o native ours min=2 version=3");
    is_str(kit_why(&kit, "a"), "GroupIncomplete", "nor before there are so many");
    kit_do(&kit, "pod b queue=q cpu=1 min=2 owner=o native=podgroup-o");
    is_str(kit_granted(&kit), "a b", "then they are");
    is_int(kit_lease(&kit, &effect), -1, "and no name is written into them");
    kit_do(&kit, "lose-native podgroup-o");
    is_int(kit_lease(&kit, &effect), EFFECT_CREATE_NATIVE_GROUP,
           "one that is deleted is made again");
    ack(&kit, EFFECT_GONE);
    is_int(kit_lease(&kit, &effect), -1, "but not for an owner that is gone");
    kit_close(&kit);
}

/* The newest pod says how many: of a group that others made nothing is changed. */
static void test_native_minimum(void)
{
    struct kit kit;

    kit_open(&kit, "createsNative changes");
    kit_do(&kit, "queue q cpu=1; group podgroup-o native ours min=2 version=3;"
                 "pod a queue=q cpu=1 min=2 owner=o native=podgroup-o;"
                 "pod b queue=q cpu=1 min=3 owner=o native=podgroup-o");
    is_int(kit_lease(&kit, &effect), EFFECT_CHANGE_GROUP, "a pod that asks for another minimum");
    ok(effect.create.minimum == 3 && effect.create.kind == GROUP_NATIVE &&
           effect.resource_version == 3,
       "changes that, under the version of its group");
    ack(&kit, EFFECT_DONE);
    is_int(kit_lease(&kit, &effect), -1, "once");
    kit_do(&kit, "group podgroup-o native ours min=3 version=4 priority=0 class=other");
    is_int(kit_lease(&kit, &effect), -1, "all else of it stays as it was made");
    kit_do(&kit, "group podgroup-o native min=2 version=5");
    is_int(kit_lease(&kit, &effect), -1, "nor is one changed that others made");
    is_str(kit_why(&kit, "a"), "GroupInvalid", "its pods wait, and are told");
    kit_do(&kit, "group podgroup-o native min=3 version=6");
    is_str(kit_why(&kit, "a"), "GroupIncomplete", "unless it says what they ask for");
    kit_close(&kit);
}

/* A minimum that falls to 1, and rises again. */
static void test_native_of_one(void)
{
    struct kit kit;

    kit_open(&kit, "createsNative changes");
    kit_do(&kit, "queue q cpu=1; group podgroup-o native ours min=1 version=3;"
                 "pod a queue=q cpu=1 min=1 owner=o native=podgroup-o;"
                 "pod b queue=q cpu=1 min=1 owner=o native=podgroup-o; lose-pod a");
    is_str(kit_granted(&kit), "b", "all that are there are granted as one");
    kit_close(&kit);
}

static void test_names(void)
{
    struct kit kit;

    kit_open(&kit, "names");
    kit_do(&kit, "queue q cpu=9; group podgroup-o min=1 queue=q;"
                 "pod a queue=q cpu=1 min=1 owner=o version=3");
    is_int(kit_lease(&kit, &effect), EFFECT_SET_GROUP, "the pod does not name its group");
    ack(&kit, EFFECT_DONE);
    kit_do(&kit, "pod a queue=q cpu=1 min=1 owner=o version=3");
    is_int(kit_lease(&kit, &effect), -1, "an older sight says nothing");
    kit_do(&kit, "pod a queue=q cpu=1 min=1 owner=o version=4 group=podgroup-o");
    is_int(kit_lease(&kit, &effect), -1, "then it does");
    kit_do(&kit, "pod a queue=q cpu=1 min=1 owner=o version=5");
    is_int(kit_lease(&kit, &effect), EFFECT_SET_GROUP, "who takes it off has it back");
    outbox_ack(engine_outbox(kit.engine), effect.id, EFFECT_DONE, 8);
    kit_do(&kit, "pod a queue=q cpu=1 min=1 owner=o version=7");
    is_int(kit_lease(&kit, &effect), -1, "a version before that write says nothing");
    kit_do(&kit, "pod a queue=q cpu=1 min=1 owner=o version=9");
    is_int(kit_lease(&kit, &effect), EFFECT_SET_GROUP, "one after it does");
    kit_do(&kit, "pod b queue=q cpu=1");
    is_int(kit_lease(&kit, &effect), -1, "a lone pod names nothing");
    kit_close(&kit);
}

static void expect_status(struct kit *kit, const char *phase, const char *type, const char *about)
{
    is_int(kit_lease(kit, &effect), EFFECT_SET_GROUP_STATUS, "a status: %s", about);
    is_str(effect.group_status.phase, phase, "is %s", phase);
    is_str(effect.group_status.type, type, "with the condition %s", type);
    ack(kit, EFFECT_DONE);
    is_int(kit_lease(kit, &effect), -1, "written once");
}

static void test_status(void)
{
    struct kit kit;

    kit_open(&kit, "statuses");
    kit_do(&kit, "queue q cpu=2; pod x queue=q cpu=1; group g min=2 queue=q;"
                 "pod a cpu=1 group=g");
    expect_status(&kit, "Inqueue", "Unschedulable", "of one whose members are still to be made");
    is_str(effect.group_status.reason, "NotEnoughTasks", "for lack of members");
    kit_do(&kit, "pod b cpu=1 group=g");
    expect_status(&kit, "Pending", "Unschedulable", "of one that waits for its queue");
    is_str(effect.group_status.reason, "NotEnoughResources", "for lack of room");
    kit_do(&kit, "lose-pod x");
    expect_status(&kit, "Inqueue", "Scheduled", "of one that is granted");
    kit_do(&kit, "bind a");
    expect_status(&kit, "Inqueue", "Scheduled", "of one that starts");
    kit_do(&kit, "bind b");
    expect_status(&kit, "Running", "Scheduled", "of one that runs");
    kit_do(&kit, "lose-pod b; pod y queue=q cpu=1");
    expect_status(&kit, "Unknown", "Unschedulable", "of one that runs in part and lacks the rest");
    kit_do(&kit, "pod b cpu=1 group=g");
    expect_status(&kit, "Unknown", "Unschedulable", "of one whose rest waits for its queue");
    kit_do(&kit, "lose-pod y");
    expect_status(&kit, "Inqueue", "Scheduled", "of one whose rest is granted");
    kit_do(&kit, "bind b");
    expect_status(&kit, "Running", "Scheduled", "of one that runs again");
    kit_do(&kit, "pod a cpu=1 group=g finished");
    expect_status(&kit, "Running", "Scheduled", "who has succeeded counts");
    is_int(effect.group_status.succeeded, 1, "as such");
    kit_do(&kit, "pod b cpu=1 group=g failed");
    expect_status(&kit, "Completed", "", "of one that has ended");
    kit_do(&kit, "follow; lead");
    is_int(kit_lease(&kit, &effect), -1, "with the lease it comes back as it is");
    kit_close(&kit);
}

static void test_changed_under_way(void)
{
    struct kit kit;

    kit_open(&kit, "statuses");
    kit_do(&kit, "queue q cpu=2; group g min=1 queue=q; pod a cpu=1 group=g");
    is_int(kit_lease(&kit, &effect), EFFECT_SET_GROUP_STATUS, "a write is under way");
    kit_do(&kit, "bind a");
    ack(&kit, EFFECT_DONE);
    expect_status(&kit, "Running", "Scheduled", "what changed meanwhile is written, too");
    kit_do(&kit, "group g min=1 queue=q version=2");
    is_int(kit_lease(&kit, &effect), EFFECT_SET_GROUP_STATUS, "another write is under way");
    kit_do(&kit, "pod a cpu=1 group=g finished; group g min=1 queue=q version=3");
    is_int(kit_lease(&kit, &effect), -1, "and is seen before it is acknowledged");
    ack(&kit, EFFECT_DONE);
    expect_status(&kit, "Completed", "", "what changed meanwhile is written after it");
    kit_do(&kit, "group g min=1 queue=q version=4");
    is_int(kit_lease(&kit, &effect), EFFECT_SET_GROUP_STATUS, "a third one is under way");
    kit_do(&kit, "group g min=1 queue=q version=1 uid=other");
    ack(&kit, EFFECT_DONE);
    expect_status(&kit, "Completed", "", "what was written into another group is written anew");
    kit_close(&kit);
}

int main(void)
{
    test_creation();
    test_native_creation();
    test_native_minimum();
    test_native_of_one();
    test_names();
    test_status();
    test_changed_under_way();
    return tap_done();
}
