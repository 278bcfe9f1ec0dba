/* SPDX-License-Identifier: Apache-2.0 */

/* Members that ended. */
#include "plugin/pods/finished.h"
#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

/* Its gang gives back before anybody is granted anything. */
static void test_its_gang_does_without(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "flavor f; flavor g; cluster q group=pods flavor=f pods=2 flavor=g pods=2;"
                 "group g min=3; pod x cluster=q group=g finished; pod a cluster=q group=g;"
                 "pod b cluster=q group=g");
    is_int(kit_usage(&kit, "cluster/q", "f/pods"), 2, "with one that has ended a gang is whole");
    kit_do(&kit, "pod x cluster=q");
    is_str(kit_granted(&kit), "x", "when that one is alive after all, and leaves it, it is not");
    is_int(kit_usage(&kit, "cluster/q", "f/pods"), 1, "what the gang gives back is there at once");
    kit_close(&kit);
}

/* A group of minimum 1 kept room for its first member, and hands it on to the one that comes. */
static void test_another_group_takes_it(void)
{
    struct kit kit;

    kit_open(&kit, "root.gpu=4");
    kit_do(&kit, "queue q strict; group g min=1 queue=q; pod x queue=q group=h finished;"
                 "pod big queue=default gpu=3; pod head queue=q gpu=3");
    is_str(kit_state(&kit, "head"), "waiting", "the head of its queue has no room");
    kit_do(&kit, "pod x group=g");
    is_str(kit_state(&kit, "x"), "reserved", "what was kept for it is not lost on the way");
    kit_close(&kit);
}

int main(void)
{
    const struct group *group;
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q; group g; pod a queue=q group=g finished; pod b queue=q group=g failed;"
                 "pod c queue=q finished; pod a queue=q group=g finished");
    group = group_at(kit.engine, group_find(kit.engine, text_of("default"), text_of("g")));
    is_int(group->succeeded, 1, "who has succeeded counts, once");
    is_int(group->failed, 1, "who has failed, too");
    is_int(finished_group(kit.engine, text_of("c")), 0, "a lone pod is forgotten");
    is_int(engine_count_pods(kit.engine), 0, "none of them claims anything");
    kit_do(&kit, "pod a queue=q group=g");
    is_int(group->succeeded, 0, "who is alive after all has not ended");
    kit_do(&kit, "lose-pod a; lose-pod b");
    is_int(group->failed, 0, "whose object is gone does not count");
    kit_close(&kit);
    test_its_gang_does_without();
    test_another_group_takes_it();
    return tap_done();
}
