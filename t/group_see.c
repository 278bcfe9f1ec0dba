/* SPDX-License-Identifier: Apache-2.0 */

/* PodGroups as they are seen: what an edit moves, and what without memory it does not. */
#include "plugin/group.h"
#include "t/engine_kit.h"
#include "t/tap.h"

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
    is_int(kit_usage(&kit, "r", "cpu"), 0, "a group that is gone keeps nobody in its queue");
    is_str(name_text(kit.engine,
                     queue_at(kit.engine, claim_queue(kit.engine, kit_claim(&kit, "a")))->name)
               .at,
           "default", "who runs is counted in its own");
    is_str(kit_why(&kit, "b"), "GroupMissing", "who does not is held");
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
    test_no_memory();
    return tap_done();
}
