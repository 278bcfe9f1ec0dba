/* SPDX-License-Identifier: Apache-2.0 */

/* What a webhook is answered about pods, groups and commands. */
#include "plugin/admit.h"

#include "t/kit/engine_kit.h"
#include "t/kit/engine_kit_words.h"
#include "t/kit/tap.h"

static struct kit kit;
static char reason[QUEUE_REFUSAL_MAX];

static void test_queues(void)
{
    struct words_queue facts;

    ok(words_to_queue("q cpu=1 guarantee.cpu=2", QUEUE_VOLCANO, &facts), "a queue in words");
    ok(!engine_admit_queue(kit.engine, &facts.queue, reason) && reason[0] != '\0',
       "that contradicts itself is refused, with the reason");
    ok(!engine_admit_queue_deletion(kit.engine, text_of("root"), reason), "as is the end of root");
}

static void test_pods(void)
{
    struct pod_facts pod;

    kit_do(&kit, "pod x queue=b gpu=1; command 1 p CloseQueue");
    words_to_pod("new queue=b", &pod);
    ok(!engine_admit_to_queue(kit.engine, &pod, reason), "a closing queue takes no new pods");
    is_str(reason, "queue b is Closing: it takes no new pods until it is opened", "it says");
    pod.queue = text_of("");
    pod.group = text_of("gang");
    ok(engine_admit_to_queue(kit.engine, &pod, reason), "a pod of a group that is not known");
    kit_do(&kit, "group gang queue=b ours");
    ok(!engine_admit_to_queue(kit.engine, &pod, reason), "a pod's queue is its group's");
    kit_do(&kit, "group gang queue=b");
    ok(engine_admit_to_queue(kit.engine, &pod, reason),
       "whoever made the group that is there may make its pods");
    kit_do(&kit, "group gang queue=b phase=Completed");
    ok(!engine_admit_to_queue(kit.engine, &pod, reason), "until it is over");
    kit_do(&kit, "lose-group gang; group gang queue=b");
    pod.queue = text_of("b");
    kit_do(&kit, "command 2 p SuspendQueue");
    ok(engine_admit_to_queue(kit.engine, &pod, reason), "a suspended one does");
}

static void test_groups(void)
{
    struct group_facts group = {.queue = text_of("b"), .minimum = 4};

    ok(engine_admit_group(kit.engine, &group, reason), "a group for a queue that is suspended");
    kit_do(&kit, "command 3 p CloseQueue");
    ok(!engine_admit_group(kit.engine, &group, reason), "a closing queue takes no new groups");
    is_str(reason, "queue b is Closing: it takes no new groups until it is opened", "it says");
    group.queue = text_of("");
    ok(engine_admit_group(kit.engine, &group, reason), "one that leaves the queue to its members");
    group.queue = text_of("nowhere");
    ok(engine_admit_group(kit.engine, &group, reason), "one whose queue may come later");
    group.minimum = -2;
    ok(!engine_admit_group(kit.engine, &group, reason), "a minimum that is none");
    is_str(reason,
           "spec.minMember is -2: want how many pods must run together, or 0 where each goes alone",
           "it says");
}

static void commanded(const char *action, const char *queue, const char *why)
{
    struct command_facts facts = {.action = text_of(action), .target = text_of(queue)};

    is_int(engine_admit_command(kit.engine, &facts, reason), why == NULL, "%s %s", action, queue);
    if (why != NULL)
        is_str(reason, why, "says what to do");
}

static void test_commands(void)
{
    commanded("SuspendQueue", "p", NULL);
    commanded("AbortJob", "p",
              "action AbortJob is not known: use OpenQueue, CloseQueue, SuspendQueue or "
              "ResumeQueue");
    commanded("OpenQueue", "nowhere",
              "queue nowhere does not exist: create it, and send the command again");
    commanded("OpenQueue", "default",
              "queue default has no object that its state could be written to: create it, and "
              "send the command again");
}

int main(void)
{
    kit_open(&kit, "writes");
    kit_do(&kit, "queue p; queue a parent=p; queue b parent=a");
    test_queues();
    test_pods();
    test_groups();
    test_commands();
    kit_close(&kit);
    return tap_done();
}
