/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/telling/workload_effects.h"

#include "t/kit/tap.h"
#include "t/kit/workload_kit.h"

#include <stdio.h>

static const char *const world = "flavor f; cluster c within=lower group=cpu flavor=f cpu=4; "
                                 "local l cluster=c";

static struct workload_write_report *write_of(struct workload_kit *kit, struct effect *effect)
{
    static struct workload_write_report write;

    write.write = "";
    if (outbox_next(engine_outbox(kit->kit.engine), effect) > 0)
        engine_workload_write(kit->kit.engine, effect->workload, &write);
    return &write;
}

static struct workload_object *add_silently(struct workload_kit *kit, const char *name)
{
    struct workload_object *object = &kit->objects[10];

    *object = kit->objects[0];
    snprintf(object->name, sizeof(object->name), "%s", name);
    object->facts.name = object->facts.uid = text_of(object->name);
    object->facts.has_admission = false;
    memset(object->facts.conditions, 0, sizeof(object->facts.conditions));
    object->facts.sets = &object->set;
    object->facts.version = ++kit->version;
    engine_see_workload(kit->kit.engine, &object->facts);
    return object;
}

/* A victim whose eviction was not written, and that goes for nobody any more. */
static void test_spared(void)
{
    struct workload_kit kit;
    struct effect effect;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, world);
    workload_kit_do(&kit, "add a queue=l cpu=4");
    add_silently(&kit, "b")->facts.priority = 1;
    kit.objects[10].facts.version = ++kit.version;
    engine_see_workload(kit.kit.engine, &kit.objects[10].facts);
    is_str(write_of(&kit, &effect)->write, "evict", "it is to be evicted");
    outbox_lease(engine_outbox(kit.kit.engine), &effect, 0);
    engine_lose_workload(kit.kit.engine, text_of("default"), text_of("b"), text_of(""));
    outbox_ack(engine_outbox(kit.kit.engine), effect.id, EFFECT_RETRY, 0);
    kit_do(&kit.kit, "time 2");
    is_str(write_of(&kit, &effect)->write, "", "it stays, since nobody needs its room any more");
    workload_kit_close(&kit);
}

static void ask_silently(struct workload_kit *kit, const char *name, int64_t cpu, int32_t priority)
{
    struct workload_object *object = add_silently(kit, name);

    object->facts.priority = priority;
    object->set.requests.item[0].amount = cpu;
    object->facts.version = ++kit->version;
    engine_see_workload(kit->kit.engine, &object->facts);
}

/* A victim is told for whom by UIDs, and by which queues, not by a name of somebody's namespace. */
static void test_told(void)
{
    struct workload_kit kit;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, world);
    workload_kit_do(&kit, "add a queue=l cpu=4; add b queue=l cpu=4 priority=1 job=j");
    is_str(kit.evicted,
           "Preempted to accommodate a workload (UID: b, JobUID: j) due to "
           "prioritization in the ClusterQueue; preemptor path: /c; preemptee path: /c",
           "for one of a Job");
    workload_kit_close(&kit);

    workload_kit_open(&kit, "");
    workload_kit_do(
        &kit, "flavor f; cohort pool; cluster c parent=pool reclaim=any group=cpu flavor=f cpu=2; "
              "cluster d parent=pool reclaim=any group=cpu flavor=f cpu=2; "
              "local l cluster=c; local m cluster=d; add a queue=l cpu=4; "
              "add b queue=m cpu=1");
    is_str(kit.evicted,
           "Preempted to accommodate a workload (UID: b, JobUID: UNKNOWN) due to "
           "reclamation within the cohort; preemptor path: /pool/d; preemptee path: "
           "/pool/c",
           "for one without, of another queue");
    workload_kit_close(&kit);
}

/* There is room for one that waits for its victim: it is the victim's, if that stays. */
static void test_on_its_way(void)
{
    struct workload_kit kit;
    struct effect effect;
    int evictions = 0;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, "flavor f; cluster c within=lower group=cpu flavor=f cpu=5; "
                          "local l cluster=c; add a queue=l cpu=2; time 2; add b queue=l cpu=2");
    ask_silently(&kit, "large", 3, 1);
    ask_silently(&kit, "small", 1, 2);
    for (; strcmp(write_of(&kit, &effect)->write, "evict") == 0; evictions++)
        outbox_lease(engine_outbox(kit.kit.engine), &effect, 0);
    is_int(evictions, 2, "each has a victim");
    while (engine_more(kit.kit.engine))
        engine_tick(kit.kit.engine);
    is_str(write_of(&kit, &effect)->write, "reserve",
           "who fits meanwhile is reserved once its victim's eviction is under way");
    is_str(name_text(kit.kit.engine, workload_at(kit.kit.engine, effect.workload)->name).at,
           "small", "the one that fits");
    workload_kit_close(&kit);
}

int main(void)
{
    struct workload_kit kit;
    struct workload_object *object;
    struct effect effect;
    int64_t id;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, world);
    workload_kit_do(&kit, "add a queue=l cpu=1");
    object = add_silently(&kit, "b");
    is_str(write_of(&kit, &effect)->write, "reserve", "it is to be reserved");
    is_int(effect.resource_version, object->facts.version, "under its version");
    outbox_lease(engine_outbox(kit.kit.engine), &effect, 0);
    id = effect.id;
    ok(outbox_next(engine_outbox(kit.kit.engine), &effect) <= 0, "one write at a time");
    ok(outbox_ack(engine_outbox(kit.kit.engine), id, EFFECT_CONFLICT, 0), "the world moved");
    object->facts.version = ++kit.version;
    engine_see_workload(kit.kit.engine, &object->facts);
    is_int(kit_usage(&kit.kit, "cluster/c", "f/cpu"), 2, "its place is kept meanwhile");
    kit_do(&kit.kit, "time 2");
    is_str(write_of(&kit, &effect)->write, "reserve", "it is tried again");
    is_int(effect.resource_version, object->facts.version, "under the new one");
    outbox_lease(engine_outbox(kit.kit.engine), &effect, 0);
    outbox_ack(engine_outbox(kit.kit.engine), effect.id, EFFECT_DONE, ++kit.version);
    ok(outbox_next(engine_outbox(kit.kit.engine), &effect) <= 0, "written it is to be seen first");
    engine_see_workload(kit.kit.engine, &object->facts);
    is_int(kit_usage(&kit.kit, "cluster/c", "f/cpu"), 2, "an older sight changes nothing");
    object->facts.version = ++kit.version;
    engine_see_workload(kit.kit.engine, &object->facts);
    is_str(write_of(&kit, &effect)->write, "reserve", "a newer one that lost it is written again");
    outbox_lease(engine_outbox(kit.kit.engine), &effect, 0);
    outbox_ack(engine_outbox(kit.kit.engine), effect.id, EFFECT_GONE, 0);
    is_int(kit_usage(&kit.kit, "cluster/c", "f/cpu"), 1, "gone it holds nothing");
    workload_kit_close(&kit);
    test_spared();
    test_told();
    test_on_its_way();
    return tap_done();
}
