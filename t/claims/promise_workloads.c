/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of workloads; those of pods are in promise.c. */

#include "plugin/claims/pledge.h"
#include "t/kit/tap.h"
#include "t/kit/workload_kit.h"

#include <stdio.h>

static const char *const world = "flavor f; cluster c within=lower group=cpu flavor=f cpu=4; "
                                 "local l cluster=c";

static uint32_t id(const struct workload_kit *kit, const char *name)
{
    return workload_find(kit->kit.engine, text_of("default"), text_of(name));
}

static uint32_t victims(const struct workload_kit *kit, const char *name)
{
    return pledge_count_victims(kit->kit.engine, id(kit, name), true);
}

/* Like the first one, and nothing is written. */
static void see_in(struct workload_kit *kit, int at, const char *name, const char *queue,
                   int64_t cpu, int32_t priority)
{
    struct workload_object *object = &kit->objects[at];

    *object = kit->objects[0];
    snprintf(object->name, sizeof(object->name), "%s", name);
    snprintf(object->queue, sizeof(object->queue), "%s", queue);
    memset(object->facts.conditions, 0, sizeof(object->facts.conditions));
    object->facts.has_admission = false;
    object->facts.job_stopped = true;
    object->facts.uid = object->facts.name = text_of(object->name);
    object->facts.queue = text_of(object->queue);
    object->facts.sets = &object->set;
    object->facts.granted = &object->granted;
    object->facts.priority = priority;
    object->set.requests.item[0].amount = cpu;
    object->facts.version = ++kit->version;
    engine_see_workload(kit->kit.engine, &object->facts);
}

static void see_silently(struct workload_kit *kit, int at, const char *name, int64_t cpu,
                         int32_t priority)
{
    char queue[16];

    snprintf(queue, sizeof(queue), "%s", kit->objects[0].queue);
    see_in(kit, at, name, queue, cpu, priority);
}

/* One whose reservation nobody has heard of goes at once, and asks again: the room that is there is
 * not its own now. */
static void test_room_of_others(void)
{
    struct workload_kit kit;
    int ticks = 0;

    workload_kit_open(&kit, "");
    workload_kit_do(
        &kit, "flavor f; cluster c within=newer group=cpu flavor=f cpu=10; "
              "local l cluster=c; jobsStay; add v queue=l cpu=4; add n queue=l cpu=2 created=99");
    see_silently(&kit, 2, "a", 2, 0);
    see_silently(&kit, 3, "big", 8, 1);
    while (engine_more(kit.kit.engine) && ticks++ < 100)
        engine_tick(kit.kit.engine);
    ok(ticks < 100, "it comes to rest");
    is_str(workload_kit_why(&kit, "big"), "Preempting",
           "who is more important waits for its victim");
    is_str(workload_kit_why(&kit, "a"), "Preempting", "and who had a place for another one");
    workload_kit_do(&kit, "time 2; halt n; halt v");
    is_str(workload_kit_state(&kit, "big"), "admitted f", "both get what they were promised");
    is_str(workload_kit_state(&kit, "a"), "admitted f", "in the end");
    workload_kit_close(&kit);
}

/* No object says who is promised room: whoever begins anew goes by rank alone. */
static void test_restart(void)
{
    struct workload_kit kit;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, world);
    workload_kit_do(&kit, "jobsStay; add v queue=l cpu=3; add big queue=l cpu=4 priority=1; "
                          "add old queue=l cpu=1 priority=1 created=-1");
    is_int(victims(&kit, "big"), 1, "it is promised all there is");
    is_str(workload_kit_state(&kit, "old"), "pending", "also before one that came earlier");
    workload_kit_do(&kit, "restart");
    is_str(workload_kit_state(&kit, "old"), "admitted f", "after a restart that one comes first");
    workload_kit_do(&kit, "halt v");
    is_str(workload_kit_state(&kit, "big"), "pending", "and leaves too little");
    workload_kit_close(&kit);
}

/* What others take leads the first pod set into another flavor, where it may send others away: then
 * the second one has the flavor that both would have been in. */
static void test_several_sets(void)
{
    struct workload_kit kit;
    struct workload_object *big = &kit.objects[1];
    struct set_facts sets[2];
    int ticks = 0;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit,
                    "flavor a; flavor b; cluster c within=lower preemptsLast group=cpu,memory "
                    "flavor=a cpu=12 flavor=b cpu=6 memory=12; local l cluster=c; "
                    "jobsStay; add v queue=l cpu=9; add big queue=l cpu=99 priority=2");
    for (int i = 0; i < 2; i++)
        sets[i] = big->set;
    sets[0].requests.item[0].amount = 6;
    sets[1].name = text_of("second");
    sets[1].requests.item[0].amount = 1;
    sets[1].requests.item[1].resource = text_of("memory");
    sets[1].requests.item[1].amount = 3;
    sets[1].requests.count = 2;
    big->facts.sets = sets;
    big->facts.set_count = 2;
    big->facts.version = ++kit.version;
    engine_see_workload(kit.kit.engine, &big->facts);
    workload_kit_do(&kit, "time 1");
    is_int(victims(&kit, "big"), 0, "both want one flavor");
    see_silently(&kit, 2, "s", 4, 0);
    while (engine_more(kit.kit.engine) && ticks++ < 100)
        engine_tick(kit.kit.engine);
    is_int(victims(&kit, "big"), 1,
           "when somebody else takes some of it, one of them takes another");
    workload_kit_close(&kit);
}

/* Of one flavor it could get each resource by sending others away, but not both: what others take
 * leads it into the other one. */
static void test_several_resources(void)
{
    struct workload_kit kit;
    int ticks = 0;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit,
                    "flavor f; flavor g; cohort all; cohort p parent=all;"
                    "cluster x parent=p within=lower reclaim=lower preemptsLast group=cpu,memory "
                    "flavor=f cpu=2 memory=4 flavor=g cpu=4 memory=4;"
                    "cluster y parent=p group=cpu flavor=f cpu=3;"
                    "cluster z parent=all group=cpu flavor=f cpu=2;"
                    "local x cluster=x; local y cluster=y; local z cluster=z; jobsStay;"
                    "add y1 queue=y cpu=1; add z1 queue=z cpu=4; add x1 queue=x memory=4;"
                    "add x2 queue=x cpu=4 memory=4");
    is_str(workload_kit_state(&kit, "x2"), "admitted g", "both flavors are used");
    workload_kit_do(&kit, "add big queue=x cpu=4 memory=4 priority=5");
    is_int(victims(&kit, "big"), 0, "it wants the first");
    see_silently(&kit, 5, "y2", 2, 0);
    while (engine_more(kit.kit.engine) && ticks++ < 100)
        engine_tick(kit.kit.engine);
    is_int(kit_usage(&kit.kit, "cluster/y", "f/cpu"), 3, "when another takes some of that,");
    is_int(victims(&kit, "big"), 1, "it takes the other one");
    workload_kit_close(&kit);
}

/* Its queue moves while it goes for one who stays behind; where it is now another relies on it. */
static void test_victim_in_another_tree(void)
{
    struct workload_kit kit;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, "flavor f; cluster a parent=o within=lower group=cpu flavor=f cpu=0;"
                          "cluster b parent=o reclaim=any group=cpu flavor=f cpu=2;"
                          "local a cluster=a; local b cluster=b; jobsStay;"
                          "add v queue=a cpu=1; cluster c parent=o group=cpu flavor=f cpu=0;"
                          "local c cluster=c; add u queue=c cpu=1");
    see_in(&kit, 2, "w", "b", 2, 0);
    kit_work_off(&kit.kit);
    is_int(victims(&kit, "w"), 2, "two are to give back");
    kit_do(&kit.kit, "cluster a parent=p within=lower group=cpu flavor=f cpu=1");
    see_in(&kit, 3, "x", "a", 1, 1);
    kit_work_off(&kit.kit);
    is_int(victims(&kit, "x"), 0,
           "one of them is elsewhere, and another one there relies on its room");
    ok(claim_is_promised(claim_at(kit.kit.engine, id(&kit, "x"))), "which it is promised");
    kit_do(&kit.kit, "cluster b parent=o group=cpu flavor=f cpu=2");
    is_int(victims(&kit, "x"), 1, "when the first needs that no more, it goes for the other one");
    workload_kit_close(&kit);
}

/* There is room for it, but for one that it sends away and that could stay yet. */
static void test_victim_that_another_evicts(void)
{
    struct workload_kit kit;
    struct workload_object *victim = &kit.objects[1];
    int ticks = 0;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, "flavor f; cluster c within=lower parent=o group=cpu flavor=f cpu=8; "
                          "cluster d within=lower parent=o group=cpu flavor=f cpu=4; "
                          "local l cluster=c; local m cluster=d; jobsStay;"
                          "add old queue=m cpu=4 priority=2; add v queue=m cpu=2;"
                          "add small queue=l cpu=2; add large queue=l cpu=3;"
                          "add big queue=l cpu=4 priority=2");
    is_int(victims(&kit, "big"), 1, "all room is given away");
    see_silently(&kit, 9, "w", 1, 2);
    while (engine_more(kit.kit.engine) && ticks++ < 100)
        engine_tick(kit.kit.engine);
    is_int(victims(&kit, "w"), 1, "it sends somebody away");
    workload_object_say(&kit, victim, CONDITION_EVICTED, true, text_of("Preempted"));
    victim->facts.version = ++kit.version;
    engine_see_workload(kit.kit.engine, &victim->facts);
    while (engine_more(kit.kit.engine) && ticks++ < 100)
        engine_tick(kit.kit.engine);
    is_int(kit_usage(&kit.kit, "cluster/d", "f/cpu"), 7,
           "who goes by another's hand is counted on");
    workload_kit_close(&kit);
}

/* The reservation of a victim is under way, and comes to nothing, or its object is seen without it:
 * the room is the other one's at once, and the victim waits again. */
static void test_victim_whose_reservation_fails(enum effect_result result, bool seen_first,
                                                const char *what)
{
    struct workload_kit kit;
    struct effect reserve;
    int ticks = 0;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, world);
    workload_kit_do(&kit, "add first queue=l cpu=9");
    see_silently(&kit, 1, "v", 4, 0);
    ok(outbox_next(engine_outbox(kit.kit.engine), &reserve) == 1, "a reservation is to be written");
    outbox_lease(engine_outbox(kit.kit.engine), &reserve, 0);
    see_silently(&kit, 2, "big", 4, 1);
    while (engine_more(kit.kit.engine) && ticks++ < 100)
        engine_tick(kit.kit.engine);
    is_int(victims(&kit, "big"), 1, "and is being written when its workload becomes a victim");
    if (result == EFFECT_DONE)
        kit.objects[1].facts.version = ++kit.version;
    if (seen_first)
        engine_see_workload(kit.kit.engine, &kit.objects[1].facts);
    outbox_ack(engine_outbox(kit.kit.engine), reserve.id, result, kit.objects[1].facts.version);
    if (!seen_first)
        engine_see_workload(kit.kit.engine, &kit.objects[1].facts);
    workload_kit_do(&kit, "time 61");
    is_str(workload_kit_state(&kit, "big"), "admitted f", "%s: the room is for the other one",
           what);
    is_str(workload_kit_state(&kit, "v"), "pending", "and it waits");
    workload_kit_do(&kit, "finish big");
    is_str(workload_kit_state(&kit, "v"), "admitted f", "as long as it must");
    workload_kit_close(&kit);
}

int main(void)
{
    struct workload_kit kit;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, world);
    workload_kit_do(&kit, "jobsStay; add a queue=l cpu=2; time 2; add b queue=l cpu=2");
    workload_kit_do(&kit, "add w queue=l cpu=2 priority=1");
    is_int(victims(&kit, "w"), 1, "it is promised one's room");
    workload_kit_do(&kit, "add x queue=l cpu=2 priority=2");
    is_int(victims(&kit, "x"), 1, "another one another's");
    workload_kit_log(&kit);
    workload_kit_do(&kit, "halt a");
    is_str(workload_kit_log(&kit), "a:endEviction w:reserve", "the first promised comes first");
    workload_kit_do(&kit, "remove x");
    is_str(workload_kit_state(&kit, "b"), "admitted f evicted", "who was written to still goes");
    workload_kit_do(&kit, "halt b");
    is_str(workload_kit_state(&kit, "a"), "admitted f", "and makes room for who came before it");
    workload_kit_do(&kit, "follow; lead");
    is_int(kit_usage(&kit.kit, "cluster/c", "f/cpu"), 4, "who leads again counts the same");
    workload_kit_close(&kit);
    test_room_of_others();
    test_restart();
    test_several_sets();
    test_victim_in_another_tree();
    test_several_resources();
    test_victim_that_another_evicts();
    test_victim_whose_reservation_fails(EFFECT_RETRY, false, "refused");
    test_victim_whose_reservation_fails(EFFECT_CONFLICT, true, "overtaken");
    test_victim_whose_reservation_fails(EFFECT_DONE, false, "taken back meanwhile");
    test_victim_whose_reservation_fails(EFFECT_DONE, true, "taken back before it was heard");
    return tap_done();
}
