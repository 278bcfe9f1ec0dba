/* SPDX-License-Identifier: Apache-2.0 */

/* How states spread in the tree, and what comes back from what was written. */
#include "plugin/queues/queue_effects.h"
#include "plugin/queues/queue_life.h"
#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

#include <stdio.h>

static struct kit kit;

static const char *state(const char *queue)
{
    return queue_state_name((enum queue_state)queue_at(kit.engine, kit_queue(&kit, queue))->state);
}

static const char *own(const char *queue)
{
    return queue_state_name((enum queue_state)queue_at(kit.engine, kit_queue(&kit, queue))->own);
}

static void are(const char *p, const char *a, const char *b, const char *what)
{
    is_str(state("p"), p, "%s: p", what);
    is_str(state("a"), a, "%s: a", what);
    is_str(state("b"), b, "%s: b", what);
}

static void test_subtree(void)
{
    kit_open(&kit, "writes");
    kit_do(&kit, "queue root; queue p; queue a parent=p; queue b parent=a;"
                 "command 1 p SuspendQueue");
    are("Suspended", "Suspended", "Suspended", "suspend reaches all below");
    kit_do(&kit, "command 2 p ResumeQueue");
    are("Open", "Open", "Open", "and so does resume");
    kit_do(&kit, "command 3 a SuspendQueue; command 4 p SuspendQueue; command 5 p ResumeQueue");
    are("Open", "Suspended", "Suspended", "what was so by itself stays so");
    kit_do(&kit, "command 6 p CloseQueue");
    are("Closed", "Closed", "Closed", "close takes that along");
    kit_do(&kit, "command 7 p OpenQueue");
    are("Open", "Suspended", "Suspended", "and gives it back");
    kit_do(&kit, "command 8 a ResumeQueue; command 9 p SuspendQueue; command 10 b SuspendQueue;"
                 "command 11 p ResumeQueue");
    are("Open", "Open", "Suspended", "a command of its own takes over what the parent's had made");
    kit_do(&kit, "command 12 root SuspendQueue; command 13 b ResumeQueue");
    are("Suspended", "Suspended", "Suspended", "the root's children are all");
    kit_do(&kit, "command 14 root ResumeQueue");
    are("Open", "Open", "Suspended", "and come back");
    kit_close(&kit);
}

static void test_closing_ends(void)
{
    kit_open(&kit, "writes");
    kit_do(&kit, "queue p; queue a parent=p cpu=1; queue b parent=p; pod x queue=a cpu=1;"
                 "pod y queue=a cpu=1; command 1 p CloseQueue");
    are("Closing", "Closing", "Closed", "with groups it is Closing");
    is_str(kit_state(&kit, "y"), "waiting", "those go on");
    kit_do(&kit, "lose-pod x");
    is_str(kit_granted(&kit), "y", "to their end");
    kit_do(&kit, "pod y queue=a cpu=1 node=n finished");
    are("Closed", "Closed", "Closed", "the last completes, and it is Closed");
    kit_do(&kit, "pod z queue=a cpu=1");
    are("Closed", "Closed", "Closed", "and stays it, whoever comes late");
    is_str(kit_why(&kit, "z"), "QueueClosed", "who is told so");
    kit_do(&kit, "command 2 p OpenQueue");
    are("Open", "Open", "Open", "open again");
    is_str(kit_granted(&kit), "z", "and who waits passes");
    kit_do(&kit, "command 3 a CloseQueue; command 4 p SuspendQueue; lose-pod z; "
                 "command 5 p ResumeQueue");
    are("Open", "Closed", "Open", "one that was closing by itself ends meanwhile");
    kit_close(&kit);
}

static void test_edits(void)
{
    kit_open(&kit, "writes");
    kit_do(&kit, "queue p; queue q; queue a parent=q; queue b parent=q;"
                 "command 1 p SuspendQueue; queue a parent=p");
    are("Suspended", "Suspended", "Open", "moved below a suspended parent");
    kit_do(&kit, "queue a parent=q");
    are("Suspended", "Open", "Open", "and away again");
    kit_do(&kit, "queue b parent=a; queue a parent=p");
    are("Suspended", "Suspended", "Suspended", "with those below it");
    kit_do(&kit, "queue new parent=b; pod x queue=new cpu=1");
    is_str(state("new"), "Suspended", "created below a suspended one");
    is_str(kit_why(&kit, "x"), "QueueSuspended", "nothing is granted there");
    kit_do(&kit, "queue p cpu=3; command 2 p ResumeQueue");
    is_str(kit_granted(&kit), "x", "resumed");
    kit_do(&kit, "queue root; command 9 root SuspendQueue; pod y queue=late cpu=1");
    is_str(state("late"), "Suspended", "one that is only named as well");
    kit_do(&kit, "lose-pod y; command 10 root ResumeQueue");
    kit_do(&kit, "queue p parent=b; queue c createSuspended; queue d state=Open createSuspended");
    is_str(state("c"), "Suspended", "a queue can be created suspended");
    is_str(state("d"), "Open", "which is meant for the first state alone");
    kit_do(&kit, "command 3 c ResumeQueue; queue c createSuspended");
    is_str(state("c"), "Open", "a late message about what it was changes nothing");
    kit_do(&kit, "lose-queue c; queue c");
    is_str(state("c"), "Open", "another queue of the name is another queue");
    kit_close(&kit);
}

/* In whichever order they come: a suspended queue takes what is new, one that closes does not. */
static void test_close_below_suspended(void)
{
    kit_open(&kit, "writes");
    kit_do(&kit, "queue p; queue a parent=p; queue b parent=a cpu=1; pod x queue=b cpu=1;"
                 "command 1 p SuspendQueue; command 2 a CloseQueue");
    are("Suspended", "Closing", "Closing", "closed when its parent was suspended");
    is_str(own("b"), "Open", "those below by that");
    kit_do(&kit, "pod y queue=b cpu=1");
    is_str(kit_why(&kit, "y"), "QueueSuspended", "nothing is granted there");
    kit_do(&kit, "command 3 p ResumeQueue; command 4 p SuspendQueue");
    are("Suspended", "Closing", "Closing", "or before that");
    kit_do(&kit, "command 5 a SuspendQueue");
    are("Suspended", "Suspended", "Suspended", "a command of its own is obeyed as ever");
    kit_do(&kit, "command 6 a CloseQueue; lose-pod x; lose-pod y");
    are("Suspended", "Closed", "Closed", "empty, it is Closed");
    kit_do(&kit, "command 7 p ResumeQueue");
    are("Open", "Closed", "Closed", "and stays it");
    kit_close(&kit);
}

/* Whoever comes next reads what was written, in whatever order. */
static void test_restart(void)
{
    kit_open(&kit, "writes standby");
    kit_do(&kit, "queue b parent=a state=Suspended suspendedBy=Closing; pod x queue=b cpu=1;"
                 "queue a parent=p state=Suspended; queue p state=Suspended;");
    is_str(state("b"), "Suspended", "a standby takes the objects' word");
    kit_do(&kit, "synced; lead");
    are("Suspended", "Suspended", "Closing",
        "who was being closed is, though a mark says otherwise");
    is_str(own("a"), "Suspended", "a by itself");
    is_str(own("b"), "Closing", "b by itself");
    kit_do(&kit, "command 1 p ResumeQueue; command 2 a ResumeQueue");
    are("Open", "Open", "Closing", "goes on where it was");
    kit_do(&kit, "lose-pod x");
    are("Open", "Open", "Closed", "and ends");
    kit_do(&kit, "follow");
    are("Suspended", "Suspended", "Suspended", "who leads no longer goes by the objects again");
    kit_close(&kit);
    kit_open(&kit, "writes standby");
    kit_do(&kit, "queue p state=Suspended; queue a parent=p; queue b parent=a state=Open;"
                 "synced; lead");
    are("Suspended", "Suspended", "Suspended", "what a crash left half done is done");
    kit_do(&kit, "command 1 p ResumeQueue");
    are("Open", "Open", "Open", "with the marks that it lacked");
    kit_close(&kit);
}

static void test_words_of_others(void)
{
    kit_open(&kit, "writes");
    kit_do(&kit, "queue p state=Open version=1; queue p state=Suspended version=2");
    is_str(state("p"), "Suspended", "who writes a state by hand is obeyed");
    kit_do(&kit, "command 1 p ResumeQueue; queue p state=Closed version=3");
    is_str(state("p"), "Closed", "the last word counts");
    kit_do(&kit, "command 2 p OpenQueue");
    for (struct effect effect; outbox_next(engine_outbox(kit.engine), &effect) > 0;)
        outbox_lease(engine_outbox(kit.engine), &effect, 0);
    kit_do(&kit, "command 3 p SuspendQueue; queue p state=Open version=4");
    is_str(state("p"), "Suspended", "the echo of a write is nobody's word");
    kit_do(&kit, "command 4 p ResumeQueue; queue p state=Closed version=3");
    is_str(state("p"), "Open", "an old message says nothing");
    kit_do(&kit, "queue p state=Closed version=1 uid=other");
    is_str(state("p"), "Closed", "another object of the name says all");
    kit_close(&kit);
}

/* Takes and does all that is asked for; the writes are versions from this one on. */
static void write_all(int64_t version)
{
    struct effect effect;

    while (outbox_next(engine_outbox(kit.engine), &effect) > 0) {
        outbox_lease(engine_outbox(kit.engine), &effect, 0);
        outbox_ack(engine_outbox(kit.engine), effect.id, EFFECT_DONE, version++);
    }
    kit_work_off(&kit);
}

static void test_words_between_ours(void)
{
    kit_open(&kit, "writes");
    kit_do(&kit, "queue p state=Suspended version=1; command 1 p OpenQueue");
    write_all(2);
    kit_do(&kit, "queue p state=Suspended version=3");
    is_str(state("p"), "Suspended", "a word that was ours once may be somebody else's now");
    kit_do(&kit, "time 9; command 2 p OpenQueue");
    write_all(4);
    kit_do(&kit, "time 19; queue p state=Closed version=5; queue p state=Open version=6");
    is_str(state("p"), "Open", "also the one that we wrote last");
    kit_close(&kit);
    kit_open(&kit, "writes standby");
    kit_do(&kit, "queue p state=Suspended version=1; synced; lead; queue p state=Open version=2");
    is_str(state("p"), "Open", "who has written nothing hears no echo");
    kit_close(&kit);
    kit_open(&kit, "writes");
    kit_do(&kit, "queue c createSuspended version=1; follow");
    is_str(state("c"), "Suspended", "created suspended, for a standby as well");
    kit_do(&kit, "lead");
    write_all(2);
    kit_do(&kit, "follow; queue c state=Suspended createSuspended version=2");
    ok(queue_is_written(queue_at(kit.engine, kit_queue(&kit, "c"))), "our own write, heard late");
    kit_close(&kit);
}

static void test_without_writing(void)
{
    kit_open(&kit, "");
    kit_do(&kit, "queue p state=Suspended; queue a parent=p; queue b parent=a state=Closed");
    are("Suspended", "Open", "Closed", "who writes no states goes by the objects");
    kit_do(&kit, "flavor f; cluster c group=cpu flavor=f cpu=2; pod k cluster=c cpu=1;"
                 "cluster c hold group=cpu flavor=f cpu=2");
    is_str(state("cluster/c"), "Hold", "Kueue's hold is a state of its own");
    is_str(kit_state(&kit, "k"), "waiting", "which cancels reservations");
    kit_do(&kit, "cluster c group=cpu flavor=f cpu=2");
    is_str(kit_granted(&kit), "k", "until it is over");
    kit_close(&kit);
}

/* No hook is long: the root's command is carried to 10,000 queues in slices. */
static void test_ten_thousand(void)
{
    int slices = 0, suspended = 0;

    kit_open(&kit, "writes maxQueues=20000");
    kit_do(&kit, "queue root; pod x queue=q0.0 cpu=1");
    for (int i = 0; i < 100; i++) {
        kit_dof(&kit, "queue q%d", i);
        for (int k = 0; k < 99; k++) {
            char step[64];

            snprintf(step, sizeof(step), "queue q%d.%d parent=q%d", i, k, i);
            kit_quick(&kit, step);
        }
    }
    kit_work_off(&kit);
    kit_quick(&kit, "command 1 root SuspendQueue");
    is_str(kit_why(&kit, "x"), "QueueSuspended", "all stop at once");
    for (; engine_more(kit.engine) && slices < 10000; slices++)
        engine_tick(kit.engine);
    for (uint32_t id = 1; id < slab_end(&kit.engine->queues.records); id++)
        suspended += queue_at(kit.engine, id)->state == QUEUE_SUSPENDED;
    is_int(suspended, 10002, "and all are told");
    ok(slices >= 10000 / 64 && slices < 1000, "in slices of at most 64 queues: %d", slices);
    is_str(engine_check(kit.engine), NULL, "sound");
    kit_close(&kit);
}

int main(void)
{
    test_subtree();
    test_closing_ends();
    test_edits();
    test_close_below_suspended();
    test_restart();
    test_words_of_others();
    test_words_between_ours();
    test_without_writing();
    test_ten_thousand();
    return tap_done();
}
