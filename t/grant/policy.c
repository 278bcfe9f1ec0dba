/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/grant/policy.h"

#include "t/kit/engine_kit_preempt.h"
#include "t/kit/tap.h"

static struct kit kit;

static bool takes(const char *asks, const char *candidate, enum preempt_whom whom)
{
    const struct claim *claim = claim_at(kit.engine, kit_claim(&kit, asks));

    return policy_takes(kit.engine, (struct policy_rank){claim->priority, claim->queued},
                        claim_group(kit.engine, claim), kit_claim(&kit, candidate), whom);
}

static bool takes_nobody_behind(const char *asks, const char *candidate, enum preempt_whom whom)
{
    const struct claim *claim = claim_at(kit.engine, kit_claim(&kit, asks));

    return policy_takes_nobody_behind(kit.engine,
                                      (struct policy_rank){claim->priority, claim->queued},
                                      kit_claim(&kit, candidate), whom);
}

static void test_alone(void)
{
    kit_open(&kit, "evicts");
    kit_do(&kit, "queue q cpu=9; pod low queue=q created=2; pod old queue=q created=1 priority=1;"
                 "pod new queue=q created=3 priority=1");
    ok(!takes("new", "low", PREEMPT_NEVER), "never");
    ok(takes("new", "low", PREEMPT_LOWER), "who is less important");
    ok(!takes("old", "new", PREEMPT_LOWER), "not who is newer only");
    ok(takes("old", "new", PREEMPT_LOWER_OR_NEWER), "but if that is the policy");
    ok(!takes("new", "old", PREEMPT_LOWER_OR_NEWER), "nobody older");
    ok(takes("low", "old", PREEMPT_ANY), "or anybody");

    ok(takes_nobody_behind("old", "new", PREEMPT_LOWER), "behind an equal one are only such");
    ok(!takes_nobody_behind("new", "old", PREEMPT_LOWER_OR_NEWER), "one of them may be newer");
    ok(takes_nobody_behind("low", "old", PREEMPT_LOWER_OR_NEWER), "but not less important");
    kit_close(&kit);
}

static void test_in_a_gang(void)
{
    kit_open(&kit, "evicts");
    kit_do(&kit,
           "queue q cpu=9; group g min=2 created=1; pod x queue=q created=5 group=g;"
           "pod y queue=q created=6 group=g; pod a queue=q created=3; pod b queue=q priority=2");
    ok(!takes("a", "x", PREEMPT_LOWER_OR_NEWER), "a gang is as old as its group");
    kit_do(&kit, "group g min=2 created=4");
    ok(takes("a", "x", PREEMPT_LOWER_OR_NEWER), "it may be newer");
    ok(takes("b", "x", PREEMPT_LOWER), "a member's priority is its own,");
    kit_do(&kit, "group g min=2 created=4 priority=3");
    ok(!takes("b", "x", PREEMPT_LOWER), "or its group's");
    is_int(policy_priority(kit.engine, kit_claim(&kit, "x")), 3, "if that is higher");
    kit_do(&kit, "group g min=2 created=4 priority=-3");
    is_int(policy_priority(kit.engine, kit_claim(&kit, "x")), 0, "and not if it is lower");
    kit_do(&kit, "group g min=2 created=4; pod z queue=q created=7 priority=5 group=g");
    ok(!takes("z", "x", PREEMPT_ANY), "nobody takes the place of another one of its gang");
    kit_do(&kit, "group g min=1 created=1 priority=3");
    ok(takes("z", "x", PREEMPT_ANY), "each that goes alone may");
    ok(takes("b", "x", PREEMPT_LOWER), "a group without a minimum asks for nothing");
    kit_close(&kit);
}

/* All that lack of one of Kubernetes' own groups ask as one, whatever its minimum. */
static void test_in_a_native_group(void)
{
    kit_open(&kit, "evicts");
    kit_do(&kit, "queue q cpu=9; group g native created=2; pod x queue=q created=5 native=g;"
                 "pod y queue=q created=6 priority=1 native=g; pod a queue=q created=3 priority=1;"
                 "pod b queue=q created=1 priority=1; pod c queue=q priority=2");
    ok(!takes("a", "x", PREEMPT_LOWER_OR_NEWER), "its members are as old as it is,");
    ok(!takes("b", "x", PREEMPT_LOWER), "and as important as the first of them");
    ok(takes("b", "x", PREEMPT_LOWER_OR_NEWER), "it may be newer");
    ok(takes("c", "y", PREEMPT_LOWER), "or less important");
    is_int(policy_priority(kit.engine, kit_claim(&kit, "x")), 1, "as it asks, so it goes");
    ok(!takes("y", "x", PREEMPT_ANY), "nobody takes the place of another one of it");
    kit_close(&kit);
}

/* Each of these ends: nobody takes back what was taken from it. */
static void test_nobody_takes_back(void)
{
    kit_open(&kit, "evicts");
    kit_do(&kit, "queue q cpu=8 within=newer; pod a queue=q cpu=8 created=20;"
                 "group g min=2 created=10; pod x queue=q cpu=4 group=g created=30;"
                 "pod y queue=q cpu=4 group=g created=31");
    is_str(kit_granted(&kit), "x y", "an older gang of newer members has its room");
    kit_close(&kit);

    kit_open(&kit, "evicts");
    kit_do(&kit, "queue q cpu=8 within=lower; pod a queue=q cpu=8 priority=3;"
                 "group g min=2 priority=5; pod x queue=q cpu=4 group=g;"
                 "pod y queue=q cpu=4 group=g");
    is_str(kit_granted(&kit), "x y", "and one that is more important than they are");
    kit_close(&kit);

    kit_open(&kit, "evicts");
    kit_do(&kit, "queue q cpu=8 within=newer; group g native created=10; pod a queue=q cpu=8 "
                 "created=20; pod x queue=q cpu=4 native=g created=30;"
                 "pod y queue=q cpu=4 native=g created=31 priority=-1; time 3");
    is_str(kit_granted(&kit), "x y", "so has one of Kubernetes' own, of whatever priorities");
    kit_close(&kit);
}

int main(void)
{
    test_alone();
    test_in_a_gang();
    test_in_a_native_group();
    test_nobody_takes_back();
    return tap_done();
}
