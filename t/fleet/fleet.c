/* SPDX-License-Identifier: Apache-2.0 */

/* A fleet begins, leads, goes on in time and ends, beside an engine or alone. */
#include "plugin/fleet/fleet.h"

#include "plugin/engine.h"
#include "t/kit/fleet_kit.h"
#include "t/kit/tap.h"

static void test_starved(void)
{
    const struct fleet_config config = {.orchestrated = true};
    struct test_mem memory;
    struct outbox outbox;
    struct fleet *fleet = NULL;

    test_mem_init(&memory);
    outbox_init(&outbox, &memory.mem);
    memory.fail_at = 1;
    ok(fleet_create(&config, &memory.mem, &outbox, &fleet) == ENGINE_NO_MEMORY && fleet == NULL,
       "without memory there is none");
    fleet_destroy(fleet);
    outbox_finish(&outbox);
    ok(test_mem_clean(&memory), "and nothing is left of it");
}

static void test_time(void)
{
    struct fleet_kit f;
    int64_t before;

    fleet_kit_open(&f, "");
    before = fleet_set_time(f.fleet, 2000 * FLEET_SECOND);
    ok(before == 1000 * FLEET_SECOND && f.fleet->now == 2000 * FLEET_SECOND, "time goes on");
    fleet_set_time(f.fleet, before);
    ok(f.fleet->now == 2000 * FLEET_SECOND, "and never back,");
    fleet_take_back_time(f.fleet, before);
    ok(f.fleet->now == before && f.outbox.now == before, "but for a call that failed");
    fleet_kit_close(&f);
}

static void test_leads(void)
{
    struct fleet_kit f;

    fleet_kit_open(&f, "standby");
    fleet_kit_do(&f, "cluster a; workload w in=a");
    is_str(fleet_kit_effects(&f), "", "who does not lead asks for nothing");
    fleet_kit_do(&f, "synced; lead");
    is_str(fleet_kit_effects(&f), "create a/w", "who leads does");
    fleet_kit_do(&f, "follow");
    is_str(fleet_kit_effects(&f), "", "and no longer");
    fleet_kit_close(&f);
}

/* Each opens the outbox for its own objects alone. */
static void test_beside_an_engine(void)
{
    const struct fleet_config config = {0};
    const struct engine_config engine_config = {0};
    struct test_mem memory;
    struct engine *engine;
    struct fleet *fleet = NULL;

    test_mem_init(&memory);
    ok(engine_create(&engine_config, &memory.mem, &engine) == 0 &&
           fleet_create(&config, &memory.mem, engine_outbox(engine), &fleet) == 0,
       "an engine, and a fleet that shares its outbox");
    engine_set_synced(engine);
    engine_set_leader(engine, true);
    ok(fleet_see_cluster(fleet, &(struct cluster_facts){.name = text_of("a"), .connected = true}) ==
               0 &&
           fleet_see_dispatch(fleet, &(struct dispatch_facts){.uid = text_of("u"),
                                                              .space = text_of("ns"),
                                                              .name = text_of("w"),
                                                              .reserved = true,
                                                              .ready = true,
                                                              .nominated_count = 1,
                                                              .nominated = {text_of("a")}}) == 0,
       "a workload for a cluster");
    ok(outbox_pending(engine_outbox(engine)) == 0, "an engine that leads gives out no copies");
    fleet_set_synced(fleet);
    fleet_set_leader(fleet, true);
    is_int(outbox_pending(engine_outbox(engine)), 1, "the fleet does, when it leads");
    fleet_destroy(fleet);
    engine_destroy(engine);
    ok(test_mem_clean(&memory), "all memory was given back");
}

int main(void)
{
    test_starved();
    test_time();
    test_leads();
    test_beside_an_engine();
    return tap_done();
}
