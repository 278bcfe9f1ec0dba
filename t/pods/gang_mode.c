/* SPDX-License-Identifier: Apache-2.0 */

/* What a group is at. */
#include "plugin/pods/gang_mode.h"

#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

static const struct group *group_of(const struct kit *kit, const char *name)
{
    return group_at(kit->engine, group_find(kit->engine, text_of("default"), text_of(name)));
}

static enum group_mode mode(const struct kit *kit, const char *name)
{
    struct group copy = *group_of(kit, name);
    struct gang_sum sum;

    return gang_mode_of(kit->engine, &copy, &sum);
}

static void test_modes(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=2; pod full queue=q cpu=2; pod a queue=q cpu=1 group=g");
    is_int(mode(&kit, "g"), GROUP_MISSING, "no object of it was seen");
    kit_do(&kit, "group g min=2");
    is_int(mode(&kit, "g"), GROUP_INCOMPLETE, "one of two");
    ok(gang_is_one(kit.engine, group_of(&kit, "g")), "which are granted as one");
    ok(gang_needs(kit.engine, kit_claim(&kit, "a")), "so that none is alone");
    kit_do(&kit, "pod b queue=q cpu=1 group=g");
    is_int(mode(&kit, "g"), GROUP_WAITS, "two of two");
    is_int(gang_holds(kit.engine, 1), REASON_NONE, "who waits with its gang is not held");
    kit_do(&kit, "lose-pod full");
    is_int(mode(&kit, "g"), GROUP_WHOLE, "granted");
    kit_do(&kit, "pod c queue=q cpu=1 group=g");
    ok(!gang_needs(kit.engine, kit_claim(&kit, "c")), "who is beyond the minimum goes alone");
    kit_do(&kit, "group g min=-1");
    is_int(mode(&kit, "g"), GROUP_INVALID, "no number above 0");
    is_int(gang_fault(kit.engine, group_of(&kit, "g")), GROUP_BAD_MINIMUM, "is what is wrong");
    ok(!gang_is_one(kit.engine, group_of(&kit, "g")), "and nobody is granted as one");
    is_int(gang_holds(kit.engine, 1), REASON_GROUP_INVALID, "but held");
    kit_close(&kit);
}

static void test_faults(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=9; queue r cpu=9; group g min=2; pod a queue=q cpu=1 group=g;"
                 "pod b queue=r cpu=1 group=g");
    is_int(mode(&kit, "g"), GROUP_INVALID, "in two queues");
    is_int(group_of(&kit, "g")->fault, GROUP_TWO_QUEUES, "nobody could grant them as one");
    is_int(gang_fault(kit.engine, group_of(&kit, "g")), GROUP_SOUND, "the group itself is sound");
    kit_close(&kit);
}

int main(void)
{
    test_modes();
    test_faults();
    return tap_done();
}
