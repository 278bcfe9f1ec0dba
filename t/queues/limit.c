/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/queues/limit.h"

#include "t/kit/tap.h"
#include "t/kit/workload_kit.h"

static const struct engine *engine_of(const struct workload_kit *kit)
{
    return kit->kit.engine;
}

/* root and default are two of four. */
static void test_queues(void)
{
    struct kit kit;

    kit_open(&kit, "maxQueues=4");
    for (int i = 0; i < 60; i++)
        kit_dof(&kit, "pod p%d queue=made-up-%d", i, i);
    is_int(engine_count_queues(kit.engine), 2, "a queue that pods name has no place");
    kit_do(&kit, "cluster a parent=somewhere; group g queue=made-up-g");
    is_int(engine_count_queues(kit.engine), 3, "nor one that a queue or a group names");
    is_int(kit_try(&kit, "queue made-up-7"), 0, "until its object is there");
    is_int(kit_try(&kit, "queue made-up-8"), ENGINE_FULL_QUEUES, "which needs one");
    is_int(kit_try(&kit, "cluster b"), ENGINE_FULL_QUEUES, "as others do");
    is_int(kit_try(&kit, "cohort somewhere"), ENGINE_FULL_QUEUES, "of each kind");
    is_int(kit_try(&kit, "queue made-up-7 cpu=1"), 0, "who has one keeps it");
    is_str(kit_why(&kit, "p8"), "QueueUnknown", "the queue that was refused is not there");
    kit_do(&kit, "lose-queue made-up-7; queue made-up-8");
    is_str(kit_state(&kit, "p8"), "reserved", "what goes makes room, named or not");
    is_str(kit_state(&kit, "p7"), "reserved", "and takes nothing away");
    kit_do(&kit, "lose-queue default");
    is_int(engine_count_queues(kit.engine), 4, "default has its own for ever");
    kit_close(&kit);
}

/* What is named goes with the last that names it. */
static void test_names_go(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "pod a queue=x group=g; pod b queue=y");
    is_int(slab_count(&kit.engine->queues.records), 4, "two that are named");
    is_int(slab_count(&kit.engine->pods.groups), 1, "and a group");
    kit_do(&kit, "lose-pod a; lose-pod b");
    is_int(slab_count(&kit.engine->queues.records), 2, "nobody names them");
    is_int(slab_count(&kit.engine->pods.groups), 0, "nor the group");
    kit_close(&kit);
}

static void test_groups(void)
{
    struct kit kit;

    kit_open(&kit, "maxPods=2");
    kit_do(&kit, "pod a group=made-up-a; pod b group=made-up-b; group g; group h");
    is_int(kit_try(&kit, "group made-up-a"), ENGINE_FULL_PODS, "two groups are there");
    is_int(kit_try(&kit, "group h min=2"), 0, "and may be edited");
    kit_do(&kit, "lose-group g; group made-up-a");
    is_int(kit.engine->queues.counted[LIMITED_GROUPS], 2, "what goes makes room");
    kit_close(&kit);
}

static void test_local_queues(void)
{
    struct workload_kit kit;

    workload_kit_open(&kit, "maxQueues=4");
    workload_kit_do(&kit, "flavor f; cluster c group=cpu flavor=f cpu=9; local l cluster=c");
    workload_kit_do(&kit, "add a queue=w cpu=1; add b queue=x cpu=1; add d queue=y cpu=1; "
                          "add e queue=z cpu=1; local m cluster=c; local n cluster=c");
    is_int(engine_of(&kit)->queues.counted[LIMITED_LOCAL_QUEUES], 3,
           "workloads take no places by names");
    workload_kit_do(&kit, "local w cluster=c");
    is_str(workload_kit_state(&kit, "a"), "admitted f", "so the queue that they name may come");
    workload_kit_do(&kit, "lose-local m; local x cluster=c");
    is_str(workload_kit_state(&kit, "b"), "admitted f", "and one for another");
    workload_kit_close(&kit);
}

int main(void)
{
    test_queues();
    test_names_go();
    test_groups();
    test_local_queues();
    return tap_done();
}
