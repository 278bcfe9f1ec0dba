/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/records/workload.h"

#include "t/kit/tap.h"
#include "t/kit/workload_kit.h"

#include <stdio.h>

static const char *const world = "flavor f; cluster c within=lower group=cpu flavor=f cpu=4; "
                                 "local l cluster=c";

/* A sight that fails for lack of memory changes nothing, whatever the object says. */
static void starve(struct workload_kit *kit, struct workload_object *object, const char *what)
{
    uint64_t before = engine_digest(kit->kit.engine, true);
    bool same = true;
    int error = -1;

    object->facts.version = ++kit->version;
    for (long n = 1; error < 0 && n < 200; n++) {
        kit->kit.memory.calls = 0;
        kit->kit.memory.fail_at = n;
        kit->kit.memory.failed = false;
        error = engine_see_workload(kit->kit.engine, &object->facts);
        kit->kit.memory.fail_at = 0;
        same = same && (error == 0 || engine_digest(kit->kit.engine, true) == before) &&
               engine_check(kit->kit.engine) == NULL;
    }
    ok(error == 0 && same, "%s", what);
}

/* Whoever was refused may send away who is less important now. */
static void test_priority_of_a_holder(void)
{
    struct workload_kit kit;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, world);
    workload_kit_do(&kit, "add a queue=l cpu=4 priority=1; add b queue=l cpu=4 priority=1");
    is_str(workload_kit_state(&kit, "b"), "pending", "nobody goes for its equal");
    kit.objects[0].facts.priority = 0;
    kit.objects[0].facts.version = ++kit.version;
    engine_see_workload(kit.kit.engine, &kit.objects[0].facts);
    workload_kit_do(&kit, "time 2");
    is_str(workload_kit_state(&kit, "b"), "admitted f", "but does when its priority is lowered");
    workload_kit_close(&kit);
}

/* Another leader granted it room that was on its way to somebody here. */
static void test_granted_by_others(void)
{
    struct workload_kit kit;
    struct workload_object *object = &kit.objects[2];

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, world);
    workload_kit_do(&kit, "jobsStay; add a queue=l cpu=4; add b queue=l cpu=4 priority=1");
    is_str(workload_kit_why(&kit, "b"), "Preempting", "one waits for its victim");
    *object = kit.objects[0];
    snprintf(object->name, sizeof(object->name), "x");
    object->facts.uid = object->facts.name = text_of(object->name);
    object->facts.sets = &object->set;
    object->facts.granted = &object->granted;
    object->facts.conditions[CONDITION_EVICTED] = (struct condition_facts){0};
    object->facts.version = ++kit.version;
    engine_see_workload(kit.kit.engine, &object->facts);
    workload_kit_do(&kit, "time 2");
    is_str(workload_kit_state(&kit, "x"), "admitted f evicted", "who took its room goes, too");
    workload_kit_close(&kit);
}

/* Others evict it, and think better of it. */
static void test_stays_after_all(void)
{
    struct workload_kit kit;
    struct workload_object *object = &kit.objects[0];

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, world);
    workload_kit_do(&kit, "jobsStay; add a queue=l cpu=4");
    workload_object_say(&kit, object, CONDITION_EVICTED, true, text_of("Preempted"));
    object->facts.version = ++kit.version;
    engine_see_workload(kit.kit.engine, &object->facts);
    workload_kit_do(&kit, "add b queue=l cpu=4");
    is_str(workload_kit_why(&kit, "b"), "Preempting", "one waits for what is on its way");
    workload_object_say(&kit, object, CONDITION_EVICTED, false, text_of(""));
    object->facts.version = ++kit.version;
    engine_see_workload(kit.kit.engine, &object->facts);
    workload_kit_do(&kit, "time 2");
    is_str(workload_kit_why(&kit, "b"), "QueueCapacity", "which does not come any more");
    workload_kit_close(&kit);
}

/* What its object says that it holds is the same, but of another queue. */
static void test_granted_in_another_queue(void)
{
    struct workload_kit kit;
    struct workload_object *object = &kit.objects[2];

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, world);
    workload_kit_do(&kit, "cluster d group=cpu flavor=f cpu=4; local k cluster=d");
    workload_kit_do(&kit, "jobsStay; add a queue=l cpu=4; add b queue=l cpu=4 priority=1");
    workload_kit_do(&kit, "add x queue=k cpu=4; add y queue=k cpu=4");
    is_str(workload_kit_why(&kit, "b"), "Preempting", "one waits for its victim");
    is_str(workload_kit_state(&kit, "x"), "admitted f", "and one holds room of another queue");
    object->facts.granted_queue = text_of("c");
    object->facts.version = ++kit.version;
    engine_see_workload(kit.kit.engine, &object->facts);
    workload_kit_do(&kit, "time 2");
    is_str(workload_kit_state(&kit, "x"), "admitted f evicted",
           "which goes, when it comes to hold its");
    is_str(workload_kit_state(&kit, "y"), "admitted f",
           "and who waited there has the room that it left");
    workload_kit_close(&kit);
}

int main(void)
{
    struct workload_kit kit;
    struct workload_object *object;

    workload_kit_open(&kit, "gates");
    workload_kit_do(&kit, world);
    workload_kit_do(&kit, "add a queue=l cpu=2; add b queue=l cpu=4");
    object = &kit.objects[1];
    starve(&kit, object, "the same again");
    object->set.requests.item[0].amount = 3;
    object->facts.gates[object->facts.gate_count++].name = text_of("g");
    starve(&kit, object, "it asks for something else, and has a gate");
    object->facts.queue = text_of("other");
    starve(&kit, object, "another queue");
    object->facts.uid = text_of("another");
    starve(&kit, object, "another one of its name");
    object = &kit.objects[0];
    object->facts.granted_queue = text_of("else");
    starve(&kit, object, "somebody granted it quota elsewhere");
    is_int(kit_usage(&kit.kit, "cluster/c", "f/cpu"), 0, "where it is counted now");
    workload_kit_close(&kit);
    test_priority_of_a_holder();
    test_granted_by_others();
    test_stays_after_all();
    test_granted_in_another_queue();
    return tap_done();
}
