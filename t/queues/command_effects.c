/* SPDX-License-Identifier: Apache-2.0 */

/* A command is deleted when what it changed is written, and not before. */
#include "plugin/queues/command_effects.h"

#include "t/kit/engine_kit_effects.h"
#include "t/kit/tap.h"

static struct kit kit;
static struct effect effect;

static void ack(enum effect_result result)
{
    ok(kit_ack(&kit, &effect, result), "was under way");
}

static void test_deleted_after_the_write(void)
{
    kit_open(&kit, "writes");
    kit_do(&kit, "queue q state=Open");
    is_int(kit_lease(&kit, &effect), EFFECT_QUEUE_STATUS, "what it holds is written");
    ack(EFFECT_DONE);
    kit_do(&kit, "command 1 q SuspendQueue");
    is_int(kit_lease(&kit, &effect), -1, "nothing goes out within the second");
    kit_do(&kit, "time 3");
    is_int(kit_lease(&kit, &effect), EFFECT_QUEUE_STATUS, "the state is written first");
    is_int(kit_lease(&kit, &effect), -1, "the command stays");
    ack(EFFECT_CONFLICT);
    kit_do(&kit, "time 4");
    is_int(kit_lease(&kit, &effect), EFFECT_QUEUE_STATUS, "until the write");
    ack(EFFECT_DONE);
    is_int(kit_lease(&kit, &effect), EFFECT_DELETE_COMMAND, "is acknowledged");
    ok(text_is(effect.uid, "1") && text_is(effect.space, "default") && text_is(effect.name, "1"),
       "then it goes");
    ack(EFFECT_DONE);
    kit_do(&kit, "command 1 q SuspendQueue; time 5");
    is_int(kit_lease(&kit, &effect), -1, "a late message about it means nothing");
    kit_do(&kit, "time 65");
    is_int(slab_count(&kit.engine->queues.commands.records), 0, "in the end it is forgotten");
    kit_close(&kit);
}

/* The message that shows it again is the first that says that it is forgotten. */
static void test_shown_when_forgotten(void)
{
    kit_open(&kit, "writes");
    kit_do(&kit,
           "queue p; queue q parent=p; command 0 p CloseQueue; command 1 q OpenQueue; time 3");
    for (int round = 0; round < 2; round++) {
        while (kit_lease(&kit, &effect) >= 0)
            kit_ack(&kit, &effect, EFFECT_DONE);
        kit_do(&kit, "queue p state=Closed; queue q parent=p state=Closed");
    }
    ok(command_at(kit.engine, 2)->deleted_at != 0, "both are deleted");
    kit.engine->now += COMMAND_FORGET_SECONDS * SECOND;
    kit_do(&kit, "command 1 q OpenQueue");
    is_str(kit.report.reason, "queue q is below queue p, which is Closed: open that first",
           "it is carried out as a new one");
    is_int(slab_count(&kit.engine->queues.commands.records), 1, "the other one is forgotten");
    kit_close(&kit);
}

static void test_changed_nothing(void)
{
    kit_open(&kit, "writes");
    kit_do(&kit, "queue q state=Open; command 1 q ResumeQueue");
    is_int(kit_lease(&kit, &effect), EFFECT_QUEUE_STATUS, "the queue's own");
    ack(EFFECT_DONE);
    is_int(kit_lease(&kit, &effect), EFFECT_DELETE_COMMAND,
           "one that changes nothing goes as well");
    ack(EFFECT_GONE);
    kit_do(&kit, "lose-command 1");
    is_int(slab_count(&kit.engine->queues.commands.records), 0, "and is forgotten when it is gone");
    kit_close(&kit);
}

static int deletions(void)
{
    int count = 0;

    for (int kind = kit_lease(&kit, &effect); kind >= 0; kind = kit_lease(&kit, &effect)) {
        count += kind == EFFECT_DELETE_COMMAND;
        ack(EFFECT_DONE);
    }
    return count;
}

/* What a command did may be written without a write: it was undone, or somebody else did it. */
static void test_written_by_the_way(void)
{
    kit_open(&kit, "writes");
    kit_do(&kit, "queue q state=Open version=1");
    is_int(deletions(), 0, "the queue's status");
    kit_do(&kit, "command 1 q SuspendQueue; command 2 q OpenQueue");
    is_int(deletions(), 2, "one is undone by the other: both go");
    kit_do(&kit, "command 3 q OpenQueue; command 4 q SuspendQueue");
    is_int(deletions(), 1, "one that changed nothing does not wait for what the next one changes");
    kit_do(&kit, "queue q state=Closed version=2");
    is_int(deletions(), 1, "somebody else's word takes the place of what was to be written");
    kit_close(&kit);
}

static void test_refused(void)
{
    kit_open(&kit, "writes");
    kit_do(&kit, "command 1 nowhere OpenQueue");
    is_int(kit_lease(&kit, &effect), EFFECT_EVENT, "who is refused is told");
    is_str(effect.message, "queue nowhere does not exist: create it, and send the command again",
           "why");
    ok(!effect.about_queue, "of itself, where there is no queue");
    ack(EFFECT_DONE);
    is_int(kit_lease(&kit, &effect), EFFECT_DELETE_COMMAND, "and then deleted");
    ack(EFFECT_DONE);
    kit_do(&kit, "queue q state=Open uid=u; command 2 q Fly");
    while (kit_lease(&kit, &effect) == EFFECT_QUEUE_STATUS)
        ack(EFFECT_DONE);
    is_int(effect.kind, EFFECT_EVENT, "the same for an action that nobody knows");
    ok(effect.about_queue && text_is(effect.queue_name, "q") && text_is(effect.queue_uid, "u"),
       "told of the queue");
    kit_close(&kit);
}

static void test_queue_goes(void)
{
    kit_open(&kit, "writes");
    kit_do(&kit, "queue q state=Open; command 1 q SuspendQueue; lose-queue q");
    is_int(kit_lease(&kit, &effect), EFFECT_DELETE_COMMAND,
           "a queue deleted while suspended lets its command go");
    ack(EFFECT_DONE);
    kit_close(&kit);
}

/* Those that wait for a leader are carried out at once, and the queues below settle afterwards:
 * what their states would be half-way is no state of theirs. */
static void test_not_written_half_way(void)
{
    bool early = false;

    kit_open(&kit, "writes standby");
    kit_do(&kit, "pod p queue=d cpu=1; queue d parent=c state=Closing closedBy=true;"
                 "queue c state=Open; queue root state=Open; command 1 c SuspendQueue; command 2 d "
                 "CloseQueue;"
                 "command 3 root CloseQueue; command 4 c OpenQueue; command 5 root OpenQueue;"
                 "synced; lead");
    while (kit_lease(&kit, &effect) >= 0)
        early = early || (effect.kind == EFFECT_DELETE_COMMAND && text_is(effect.uid, "2"));
    ok(!early, "a queue that closes by itself now, and says by its parent, is not written");
    kit_close(&kit);
}

int main(void)
{
    test_deleted_after_the_write();
    test_shown_when_forgotten();
    test_changed_nothing();
    test_written_by_the_way();
    test_refused();
    test_queue_goes();
    test_not_written_half_way();
    return tap_done();
}
