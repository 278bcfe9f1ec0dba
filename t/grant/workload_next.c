/* SPDX-License-Identifier: Apache-2.0 */

/* Which workload is next, and what becomes of those that are not. */
#include "plugin/grant/workload_next.h"

#include "t/kit/tap.h"
#include "t/kit/workload_kit.h"

/* One that signals comes to wait behind another one of the same demand, which was refused. */
static void test_signal_behind_the_refused(void)
{
    struct workload_kit kit;
    struct workload_object *object = &kit.objects[2];

    workload_kit_open(&kit, "gates");
    workload_kit_do(&kit, "flavor f; cluster c within=newer group=cpu flavor=f cpu=2; "
                          "local l cluster=c; add b queue=l cpu=2 priority=1; add a queue=l cpu=2; "
                          "add w queue=l cpu=2 gate=g");
    workload_object_say(&kit, object, CONDITION_SIGNAL, true, text_of("PreemptionGated"));
    object->facts.gates[0].said = object->facts.gates[0].open = true;
    object->facts.uid = text_of("w-of-before");
    object->facts.version = ++kit.version;
    engine_see_workload(kit.kit.engine, &object->facts);
    workload_kit_do(&kit, "time 2");
    is_str(workload_kit_state(&kit, "w"), "pending", "it does not signal any more");
    workload_kit_close(&kit);
}

/* Who does not wait for room any more. */
static void test_held_signals_nothing(void)
{
    struct workload_kit kit;
    struct workload_object *object = &kit.objects[1];

    workload_kit_open(&kit, "gates");
    workload_kit_do(&kit, "flavor f; cluster c within=lower group=cpu flavor=f cpu=2; "
                          "local l cluster=c; add low queue=l cpu=2; add w queue=l cpu=1 gate=g");
    workload_kit_log(&kit);
    object->facts.priority = 1;
    object->facts.version = ++kit.version;
    engine_see_workload(kit.kit.engine, &object->facts);
    workload_kit_do(&kit, "local l cluster=c hold");
    is_str(workload_kit_log(&kit), "w:pending", "whoever is held before it signals does not");
    workload_kit_close(&kit);
}

/* A head that goes without having been granted anything. */
static void test_strict_head_goes(void)
{
    struct workload_kit kit;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, "flavor f; cluster c strict group=cpu flavor=f cpu=2; local l cluster=c; "
                          "add big queue=l cpu=5; add b queue=l cpu=1");
    is_str(workload_kit_state(&kit, "b"), "pending", "nobody passes the head");
    workload_kit_do(&kit, "remove big");
    is_str(workload_kit_state(&kit, "b"), "admitted f",
           "the next one is the head when it has gone");
    workload_kit_close(&kit);
}

/* One that signals, and behind it one that asks for the same. */
static void test_strict_head_that_signals_goes(void)
{
    struct workload_kit kit;

    workload_kit_open(&kit, "gates");
    workload_kit_do(&kit, "flavor f; cluster c strict within=lower group=cpu flavor=f cpu=2; "
                          "local l cluster=c; add low queue=l cpu=2; "
                          "add head queue=l cpu=2 priority=3 gate=g; "
                          "add next queue=l cpu=2 priority=2 gate=g");
    is_str(workload_kit_state(&kit, "head"), "pending signal", "the head would preempt");
    is_str(workload_kit_state(&kit, "next"), "pending", "the next one is not asked");
    workload_kit_do(&kit, "remove head");
    is_str(workload_kit_state(&kit, "next"), "pending signal", "before it is the head");
    workload_kit_close(&kit);
}

/* Victims hold more than it takes for whom they go. */
static void test_victims_leave_more(void)
{
    struct workload_kit kit;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit,
                    "flavor f; cluster c within=lower group=cpu flavor=f cpu=6; "
                    "local l cluster=c; jobsStay; add low queue=l cpu=6; add n queue=l cpu=3; "
                    "add w queue=l cpu=1 priority=1; add z queue=l cpu=3");
    is_str(workload_kit_why(&kit, "n"), "Preempting",
           "what is left of them is promised to the first");
    is_str(workload_kit_why(&kit, "z"), "QueueCapacity", "and not to a newcomer");
    workload_kit_close(&kit);
}

/* It asks for the same as one that signals, but has no victims: so it looks at the next flavor. */
static void test_fits_behind_a_signal(void)
{
    struct workload_kit kit;

    workload_kit_open(&kit, "gates");
    workload_kit_do(&kit, "flavor f; flavor g; cluster c within=lower group=cpu flavor=f cpu=4 "
                          "flavor=g cpu=6; local l cluster=c; add low queue=l cpu=4; "
                          "add high queue=l cpu=4 priority=1 gate=x");
    is_str(workload_kit_state(&kit, "high"), "pending signal",
           "it would preempt in the first flavor");
    workload_kit_do(&kit, "add other queue=l cpu=4 gate=x");
    is_str(workload_kit_state(&kit, "other"), "admitted g",
           "who can preempt nobody takes the second");
    workload_kit_close(&kit);
}

int main(void)
{
    test_signal_behind_the_refused();
    test_held_signals_nothing();
    test_strict_head_goes();
    test_strict_head_that_signals_goes();
    test_victims_leave_more();
    test_fits_behind_a_signal();
    return tap_done();
}
