/* SPDX-License-Identifier: Apache-2.0 */

/* Commands: carried out once, in their order, and remembered until the host lets go of them. */
#include "plugin/queues/command.h"

#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

#include <stdio.h>

static struct kit kit;

static const char *state(const char *queue)
{
    return queue_state_name((enum queue_state)queue_at(kit.engine, kit_queue(&kit, queue))->state);
}

static void refused(const char *step, const char *reason)
{
    kit_do(&kit, step);
    ok(!kit.report.changed, "%s changes nothing", step);
    is_str(kit.report.reason, reason, "and says why");
}

static void test_answers(void)
{
    kit_open(&kit, "writes");
    kit_do(&kit, "queue p; queue a parent=p; command 1 p SuspendQueue");
    ok(kit.report.changed && !kit.report.waits, "a command is obeyed");
    is_str(kit.report.state, "Suspended", "the queue's new state");
    is_str(kit.report.reason, "", "needs no reason");
    refused("command 2 p SuspendQueue", "queue p is Suspended: there is nothing to change");
    refused("command 3 a ResumeQueue",
            "queue a is below queue p, which is Suspended: resume that first");
    kit_do(&kit, "command 4 p CloseQueue");
    refused("command 5 a OpenQueue", "queue a is below queue p, which is Closed: open that first");
    refused("command 6 p ResumeQueue", "queue p is Closed: only OpenQueue changes that");
    refused("command 7 nowhere OpenQueue",
            "queue nowhere does not exist: create it, and send the command again");
    ok(kit.report.state == NULL, "what does not exist has no state");
    refused("command 8 p AbortJob", "action AbortJob is not known: use OpenQueue, CloseQueue, "
                                    "SuspendQueue or ResumeQueue");
    refused("command 9 default SuspendQueue",
            "queue default has no object that its state could be written to: create it, and send "
            "the command again");
    kit_do(&kit, "queue u uid=now; command 10 u/now SuspendQueue");
    ok(kit.report.changed, "a command may say which queue of that name it is for");
    refused("command 11 u/before ResumeQueue",
            "queue u is another one than that of uid before, for which it was meant: send the "
            "command again");
    is_str(state("u"), "Suspended", "which another one of that name is not");
    kit_close(&kit);
}

static void test_once(void)
{
    kit_open(&kit, "writes");
    kit_do(&kit, "queue p; command 1 p SuspendQueue; command 2 p ResumeQueue;"
                 "command 1 p SuspendQueue");
    is_str(state("p"), "Open", "shown again it changes nothing");
    ok(kit.report.changed, "and gets its answer again");
    is_str(kit.report.state, "Suspended", "the same one");
    kit_do(&kit, "lose-command 1; lose-command 1; lose-command 3; command 1 p SuspendQueue");
    is_str(state("p"), "Suspended", "another one of that uid is another one");
    kit_close(&kit);
}

static void test_order(void)
{
    kit_open(&kit, "writes standby");
    kit_do(&kit, "queue p; queue a parent=p; command b p SuspendQueue; command a p ResumeQueue");
    ok(kit.report.waits, "a standby only remembers");
    is_str(state("p"), "Open", "and changes nothing");
    kit_do(&kit, "command c a CloseQueue; lose-command c; synced; lead");
    is_str(state("p"), "Open", "then all are carried out, the older first");
    is_str(state("a"), "Open", "but those that are gone");
    kit_do(&kit,
           "follow; command e p SuspendQueue; command f b ResumeQueue; queue b parent=a; lead;"
           "command f b ResumeQueue");
    is_str(kit.report.reason, "queue b is below queue a, which is Suspended: resume that first",
           "each sees what the one before it did to the queues above");
    kit_do(&kit, "lose-command f; command g p ResumeQueue");
    kit_do(&kit, "command d p SuspendQueue; follow; queue p state=Open; lead");
    is_str(state("p"), "Suspended", "what was not seen written is carried out again");
    kit_close(&kit);
}

static void test_thousand(void)
{
    kit_open(&kit, "writes");
    kit_do(&kit, "queue p");
    for (int i = 0; i < 1000; i++)
        kit_dof(&kit, "command c%d p %s", i, i % 2 == 0 ? "SuspendQueue" : "ResumeQueue");
    is_str(state("p"), "Open", "the last one counts");
    for (int i = 0; i < 1000; i++)
        kit_dof(&kit, "lose-command c%d", i);
    is_int(slab_count(&kit.engine->queues.commands.records), 0, "none is kept");
    kit_close(&kit);
}

static void test_memory(void)
{
    kit_open(&kit, "writes maxQueues=4");
    kit_do(&kit, "queue p");
    for (int i = 0; i < 3; i++) {
        char step[64];

        snprintf(step, sizeof(step), "command uid%d q%d SuspendQueue", i, i);
        kit_starve(&kit, step);
    }
    kit_do(&kit, "command more p SuspendQueue");
    is_int(kit_try(&kit, "command most p ResumeQueue"), ENGINE_FULL_QUEUES, "there is a limit");
    kit_close(&kit);
}

int main(void)
{
    test_answers();
    test_once();
    test_order();
    test_thousand();
    test_memory();
    return tap_done();
}
