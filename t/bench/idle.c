/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/base/outbox.h"
#include "t/bench/bench.h"
#include "t/bench/table.h"
#include "t/bench/world.h"

enum { IDLE_PODS = 5000 };

/* The host calls when the engine said that it must, and not else. */
static void wait_a_minute(struct world *world)
{
    int64_t end = world->now + 60 * INT64_C(1000000000), next, began = clock_cpu();
    uint32_t ticks = 0, effects = outbox_pending(engine_outbox(world->engine));

    for (next = engine_next(world->engine); next != 0 && next <= end;
         next = engine_next(world->engine)) {
        engine_set_time(world->engine, next);
        do {
            engine_tick(world->engine);
            ticks++;
        } while (engine_more(world->engine));
    }
    engine_set_time(world->engine, end);
    table_value("a minute behind a full queue, 5,000 pods: time of the processor",
                (double)(clock_cpu() - began) / 1e9, UNIT_SECONDS, 0.05);
    table_value("    calls", ticks, UNIT_COUNT, -1);
    table_value("    effects, so writes", outbox_pending(engine_outbox(world->engine)) - effects,
                UNIT_COUNT, 0);
}

/* The same with the scheduler asking for each of them again every ten seconds. */
static void wait_and_ask(struct world *world)
{
    struct delivery delivery;
    uint32_t effects = outbox_pending(engine_outbox(world->engine));
    int64_t spent = 0;

    for (int second = 10; second <= 60; second += 10) {
        int64_t began;

        world->now += 10 * INT64_C(1000000000);
        engine_set_time(world->engine, world->now);
        began = clock_cpu();
        for (uint32_t i = 0; i < world->count; i++) {
            world_pod(world, i, &delivery.pod);
            world_deliver(world, ERRAND_ASK, &delivery);
        }
        spent += clock_cpu() - began;
    }
    table_value("    with each pod asked again every 10 s", (double)spent / 1e9, UNIT_SECONDS,
                0.05);
    table_value("    effects, so writes", outbox_pending(engine_outbox(world->engine)) - effects,
                UNIT_COUNT, 0);
}

void bench_idle(const struct effort *effort)
{
    (void)effort;
    struct world_plan plan = {NULL, true, SHAPES_MANY, IDLE_PODS};
    struct world *world;

    table_head("waiting");
    world = world_build(&plan, NULL, NULL);
    world_settle(world);
    wait_a_minute(world);
    wait_and_ask(world);
    world_free(world);
}
