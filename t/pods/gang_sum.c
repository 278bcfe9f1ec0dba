/* SPDX-License-Identifier: Apache-2.0 */

/* What a gang asks for as one. */
#include "plugin/pods/gang_sum.h"
#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

static struct gang_sum sum;

static enum group_fault add_up(const struct kit *kit)
{
    uint32_t group = group_find(kit->engine, text_of("default"), text_of("g"));

    return gang_add_up(kit->engine, group_at(kit->engine, group), &sum);
}

static int64_t asked(const struct kit *kit, const char *resource)
{
    for (uint8_t i = 0; i < sum.shape.count; i++) {
        if (sum.shape.requests[i].resource == kit_resource(kit, resource))
            return sum.shape.requests[i].amount;
    }
    return -1;
}

static void test_sums(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=1; group g min=2; pod a queue=q cpu=2 memory=3 group=g;"
                 "pod b queue=q cpu=5 gpu=1 group=g priority=4; pod c queue=q cpu=9 group=g");
    is_int(add_up(&kit), GROUP_SOUND, "a sum");
    is_int(asked(&kit, "cpu"), 7, "of the first two, by rank");
    is_int(asked(&kit, "memory"), 3, "of all that any of them asks for");
    is_int(asked(&kit, "gpu"), 1, "each with its own");
    is_int(asked(&kit, "pods"), 2, "and they are two pods");
    is_int(sum.priority, 4, "with the priority of the first");
    kit_do(&kit, "group g min=2 cpu=20 memory=1 disk=5 priority=9");
    add_up(&kit);
    is_int(asked(&kit, "cpu"), 20, "the group may say that it needs more,");
    is_int(asked(&kit, "memory"), 3, "not less,");
    is_int(asked(&kit, "disk"), 5, "and what no member says");
    is_int(sum.priority, 9, "and its own priority");
    kit_do(&kit, "pod d queue=q cpu=1 group=g bare node=n");
    add_up(&kit);
    is_int(asked(&kit, "cpu"), 5, "who runs is not asked for again, nor is the group's own least");
    kit_close(&kit);
}

static void test_missing(void)
{
    struct kit kit;
    struct group *group;

    kit_open(&kit, "");
    kit_do(&kit, "queue q; queue r; group g min=3 cpu=6 pods=9 queue=q created=7;"
                 "pod a cpu=1 group=g finished; pod b cpu=4 group=g");
    group = group_at(kit.engine, group_find(kit.engine, text_of("default"), text_of("g")));
    is_int(gang_add_missing(kit.engine, group, &sum), GROUP_SOUND, "before its members are there");
    is_int(asked(&kit, "cpu"), 6, "a group asks for what its object says,");
    is_int(asked(&kit, "pods"), 9, "and is as many pods, or more,");
    is_int(sum.priority, 0, "of no priority, if it says none");
    ok(gang_sum_stands(kit.engine, group, &sum), "for that it stands in its queue");
    kit_do(&kit, "group g min=3 cpu=6 queue=r created=7 priority=3");
    ok(!gang_sum_stands(kit.engine, group, &sum), "not where it asked before");
    gang_add_missing(kit.engine, group, &sum);
    is_int(asked(&kit, "pods"), 2, "who has succeeded is not missing");
    is_int(sum.priority, 3, "its priority is its own");
    kit_close(&kit);
}

static void test_faults(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q; queue r; group g min=2; pod a queue=q group=g; pod b queue=r group=g");
    is_int(add_up(&kit), GROUP_TWO_QUEUES, "two queues have no sum");
    kit_do(&kit, "pod a queue=q cpu=4611686018427387904 group=g; pod b queue=q cpu=1 group=g");
    is_int(add_up(&kit), GROUP_TOO_MUCH, "more than can be counted");
    kit_do(&kit, "queue q suspended; pod a queue=q r0=1 r1=1 r2=1 r3=1 r4=1 r5=1 r6=1 r7=1 r8=1 "
                 "r9=1 r10=1 r11=1 "
                 "r12=1 r13=1 r14=1 r15=1 r16=1 group=g;"
                 "pod b queue=q r17=1 r18=1 r19=1 r20=1 r21=1 r22=1 r23=1 r24=1 r25=1 r26=1 r27=1 "
                 "r28=1 r29=1 r30=1 r31=1 r32=1 group=g");
    is_int(add_up(&kit), GROUP_TOO_MANY, "more resources than a claim can ask for");
    is_str(kit_why(&kit, "a"), "GroupInvalid", "is said");
    kit_close(&kit);
}

int main(void)
{
    test_sums();
    test_missing();
    test_faults();
    return tap_done();
}
