/* SPDX-License-Identifier: Apache-2.0 */

/* PodGroups as they are seen: what an edit moves, and what without memory it does not. */
#include "plugin/pods/group.h"
#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

static void test_edits(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=4; queue r cpu=2; group g min=2 queue=q;"
                 "pod a cpu=1 group=g; pod b cpu=1 group=g; bind a");
    is_str(kit_granted(&kit), "a b", "granted in the group's queue");
    kit_do(&kit, "group g min=2 queue=r");
    is_int(kit_usage(&kit, "r", "cpu"), 2, "who runs is counted where the group is now");
    is_int(kit_usage(&kit, "q", "cpu"), 0, "and where it was no more");
    kit_do(&kit, "group g min=3 queue=r");
    is_str(kit_granted(&kit), "a", "a minimum that was raised is not reached");
    is_str(kit_why(&kit, "b"), "GroupIncomplete", "the others wait for more");
    kit_do(&kit, "group g min=0 queue=r");
    is_str(kit_granted(&kit), "a b", "without a minimum each goes alone");
    kit_do(&kit, "lose-group g");
    is_int(kit_usage(&kit, "r", "cpu"), 1, "when it is gone, who runs is counted in its queue");
    is_str(kit_why(&kit, "b"), "GroupMissing", "who does not is held");
    kit_close(&kit);
}

/* Who waits for its group's minimum is in no order of its queue; who waits alone is. */
static void test_another_group(const char *words)
{
    struct kit kit;

    kit_open(&kit, words);
    kit_do(&kit, "queue q cpu=2; group g min=2 queue=q; group h queue=q; group i min=2 queue=q;"
                 "pod a queue=q cpu=1 group=g; pod full queue=q cpu=2");
    kit_do(&kit, "pod b queue=q cpu=1 group=g");
    is_str(kit_why(&kit, "b"), "QueueCapacity", "a gang waits");
    kit_do(&kit, "pod b queue=q cpu=1 group=h");
    is_str(kit_why(&kit, "b"), "QueueCapacity", "who leaves it waits alone");
    is_str(kit_why(&kit, "a"), "GroupIncomplete", "and the others for more");
    kit_do(&kit, "pod b queue=q cpu=1 group=g");
    is_str(kit_why(&kit, "a"), "QueueCapacity", "it may come back");
    kit_do(&kit, "pod b queue=q cpu=1");
    is_str(kit_why(&kit, "b"), "QueueCapacity", "leave for no group");
    kit_do(&kit, "pod b queue=q cpu=1 min=2 owner=o");
    is_str(kit_why(&kit, "b"), "GroupMissing", "or for one that it asks for");
    kit_do(&kit, "pod c queue=q cpu=1 min=2 owner=o; group podgroup-o min=2 queue=q");
    is_str(kit_why(&kit, "b"), "QueueCapacity", "which waits when it is whole");
    kit_do(&kit, "pod b queue=q cpu=1; pod c queue=q cpu=1 min=0 owner=o");
    is_str(kit_why(&kit, "b"), "QueueCapacity", "its minimum is edited away");
    kit_do(&kit, "pod b queue=q cpu=1 group=i; pod d queue=q cpu=1 group=i");
    kit_do(&kit, "pod d queue=q cpu=1 group=h; lose-pod full");
    is_str(kit_why(&kit, "b"), "GroupIncomplete", "who is left behind waits");
    kit_close(&kit);
}

static void test_no_memory(void)
{
    struct kit kit;

    kit_open(&kit, "standby");
    kit_do(&kit, "queue q cpu=4; pod a queue=q cpu=1 group=g bare stamp=5;"
                 "pod b queue=q cpu=1 group=g bare stamp=6; pod c queue=q cpu=1 group=g");
    kit_starve(&kit, "group g min=2 queue=r cpu=1 memory=2 priority=3 uid=one");
    kit_do(&kit, "queue r cpu=2; synced; lead");
    is_str(kit_granted(&kit), "a b", "what was granted is so again in the queue that it went to");
    kit_starve(&kit, "group g min=2 queue=q uid=two");
    kit_starve(&kit, "group h min=2 queue=never");
    kit_close(&kit);
}

int main(void)
{
    test_edits();
    test_another_group("");
    test_another_group("creates names answers");
    test_no_memory();
    return tap_done();
}
