/* SPDX-License-Identifier: Apache-2.0 */
#include "t/bench/workload_world.h"

#include "plugin/base/outbox.h"
#include "t/bench/pod.h"
#include "t/bench/table.h"

#include <string.h>

void workload_world_open(struct workload_world *world)
{
    const struct engine_config config = {.effects = 1u << EFFECT_WRITE_WORKLOAD,
                                         .waiting_reasons = true};
    struct flavor_facts flavor = {.name = text_of("plain")};

    memset(world, 0, sizeof(*world));
    heap_use_init(&world->use);
    if (engine_create(&config, &world->use.mem, &world->engine) < 0)
        fail("no memory for an engine");
    engine_set_time(world->engine, BENCH_EPOCH);
    engine_see_flavor(world->engine, &flavor);
}

void workload_world_settle(struct workload_world *world)
{
    while (engine_more(world->engine))
        engine_tick(world->engine);
}

/* Who waits says why, once: that is over before anything is measured. */
static void write_reasons(struct workload_world *world)
{
    struct effect effect;

    while (outbox_next(engine_outbox(world->engine), &effect) > 0) {
        outbox_lease(engine_outbox(world->engine), &effect, 0);
        outbox_ack(engine_outbox(world->engine), effect.id, EFFECT_DONE, effect.resource_version);
    }
}

void workload_world_lead(struct workload_world *world)
{
    engine_set_synced(world->engine);
    engine_set_leader(world->engine, true);
    workload_world_settle(world);
    write_reasons(world);
    workload_world_settle(world);
    if (outbox_pending(engine_outbox(world->engine)) != 0)
        fail("%u writes where nobody fits", outbox_pending(engine_outbox(world->engine)));
}

void workload_world_close(struct workload_world *world)
{
    if (engine_check(world->engine) != NULL)
        fail("the engine is broken: %s", engine_check(world->engine));
    engine_destroy(world->engine);
}

void workload_world_queue(struct workload_world *world, const char *name, const char *cohort,
                          struct workload_quota amounts, struct preempt_policy preempts)
{
    struct flavor_quota quotas[2] = {{.resource = text_of("cpu"), .nominal = amounts.cpu},
                                     {.resource = text_of("memory"), .nominal = amounts.memory}};
    uint8_t count = amounts.memory > 0 ? 2 : 1;
    struct group_flavor flavor = {text_of("plain"), count, quotas};
    struct resource_group group = {.resource_count = count, .flavor_count = 1, .flavors = &flavor};
    struct queue_facts queue = {.kind = QUEUE_CLUSTER,
                                .name = text_of(name),
                                .parent = text_of(cohort),
                                .group_count = 1,
                                .groups = &group,
                                .preempts = preempts};
    struct local_queue_facts local = {.space = text_of("default"),
                                      .name = text_of(name),
                                      .queue = text_of(name),
                                      .selected = true};

    group.resources[0] = text_of("cpu");
    group.resources[1] = text_of("memory");
    if (engine_see_queue(world->engine, &queue) < 0 ||
        engine_see_local_queue(world->engine, &local) < 0)
        fail("no memory for a queue");
}

void workload_world_see(struct workload_world *world, const struct workload *workload,
                        const char *queue)
{
    struct set_facts set = {.name = text_of("main"), .count = 1, .minimum = 1};
    struct granted_facts granted = {.name = text_of("main"), .count = 1};
    struct workload_facts facts = {.uid = text_of(workload->name),
                                   .space = text_of("default"),
                                   .name = text_of(workload->name),
                                   .created = workload->created,
                                   .version = ++world->version,
                                   .queue = text_of(queue),
                                   .priority = workload->priority,
                                   .active = true,
                                   .job_stopped = !workload->holds,
                                   .set_count = 1,
                                   .sets = &set,
                                   .granted_count = 1,
                                   .granted = &granted};

    set.requests.count = granted.flavor_count = workload->memory > 0 ? 2 : 1;
    set.requests.item[0] = (struct named_amount){text_of("cpu"), workload->cpu};
    set.requests.item[1] = (struct named_amount){text_of("memory"), workload->memory};
    granted.flavors[0].resource = text_of("cpu");
    granted.flavors[1].resource = text_of("memory");
    granted.flavors[0].flavor = granted.flavors[1].flavor = text_of("plain");
    facts.has_admission = workload->holds;
    facts.granted_queue = text_of(queue);
    facts.conditions[CONDITION_RESERVED].is_true = workload->holds;
    facts.conditions[CONDITION_RESERVED].since = workload->created;
    facts.conditions[CONDITION_ADMITTED].is_true = workload->holds;
    if (engine_see_workload(world->engine, &facts) < 0)
        fail("no memory for a workload");
}

void workload_world_lose(struct workload_world *world, const struct workload *workload)
{
    engine_lose_workload(world->engine, text_of("default"), text_of(workload->name), text_of(""));
}
