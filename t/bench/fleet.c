/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/base/outbox.h"
#include "plugin/fleet/fleet.h"
#include "t/bench/bench.h"
#include "t/bench/table.h"
#include "t/bench/world.h"

#include <stdio.h>

/* A manager of 100 workers in simulated time: each workload is dispatched to some of them, signals
 * in all at once, and is opened in one after the other, a timeout apart. Nobody is admitted. */
enum { FLEET_WORKERS = 100, FLEET_ROUNDS = 3, FLEET_NAME = 16 };

#define FLEET_SECOND INT64_C(1000000000)

struct managed {
    struct heap_use use;
    struct outbox outbox;
    struct fleet *fleet;
    int64_t now, version;
    uint32_t workloads, nominated;
    uint64_t dispatched, written, opened, seen;
    char worker[FLEET_WORKERS][FLEET_NAME];
};

static void work_off(struct managed *fleet)
{
    while (fleet_more(fleet->fleet))
        fleet_tick(fleet->fleet);
}

static void see_workload(struct managed *fleet, uint32_t number)
{
    struct dispatch_facts facts = {
        .space = text_of("a-namespace"), .reserved = true, .ready = true};
    char uid[40], name[32];

    snprintf(uid, sizeof(uid), "00000000-0000-4000-8000-%012u", number);
    snprintf(name, sizeof(name), "workload-of-a-team-%08u", number);
    facts.uid = text_of(uid);
    facts.name = text_of(name);
    facts.resource_version = ++fleet->version;
    facts.nominated_count = fleet->nominated;
    for (uint32_t i = 0; i < fleet->nominated; i++)
        facts.nominated[i] = text_of(fleet->worker[(number + i) % FLEET_WORKERS]);
    if (fleet_see_dispatch(fleet->fleet, &facts) < 0)
        fail("no memory for a workload");
}

/* What the worker's informer shows after an effect was carried out there. */
static void see_replica(struct managed *fleet, const struct effect *effect, bool open)
{
    struct replica_facts facts = {.worker = effect->cluster,
                                  .space = effect->space,
                                  .name = effect->name,
                                  .origin = effect->origin,
                                  .gated = true,
                                  .open = open,
                                  .signals = !open};
    char uid[40], texts[4][64];
    struct text *const copied[] = {&facts.worker, &facts.space, &facts.name, &facts.origin};

    for (int i = 0; i < 4; i++) { /* they are the engine's own */
        snprintf(texts[i], sizeof(texts[i]), "%.*s", (int)copied[i]->len, copied[i]->at);
        *copied[i] = text_of(texts[i]);
    }
    if (open)
        snprintf(uid, sizeof(uid), "%.*s", (int)effect->uid.len, effect->uid.at);
    else
        snprintf(uid, sizeof(uid), "11111111-0000-4000-8000-%012u", (unsigned)fleet->version);
    facts.uid = text_of(uid);
    facts.resource_version = ++fleet->version;
    if (fleet_see_replica(fleet->fleet, &facts) < 0)
        fail("no memory for a replica");
    fleet->seen++;
}

static void carry_out(struct managed *fleet)
{
    struct effect effect;

    work_off(fleet);
    while (outbox_next(&fleet->outbox, &effect) > 0) {
        char memory[FLEET_WORKERS * 128];

        outbox_lease(&fleet->outbox, &effect, 0);
        if (effect.kind == EFFECT_WRITE_MEMORY) {
            fleet_memory_text(fleet->fleet, effect.dispatch, memory, sizeof(memory));
            fleet->written++;
        } else if (effect.kind == EFFECT_OPEN_GATE) {
            see_replica(fleet, &effect, true);
            fleet->opened++;
        } else {
            see_replica(fleet, &effect, false);
            fleet->dispatched++;
        }
        outbox_ack(&fleet->outbox, effect.id, EFFECT_DONE, 0);
        work_off(fleet);
    }
}

static void start(struct managed *fleet)
{
    const struct fleet_config config = {.orchestrated = true};

    heap_use_init(&fleet->use);
    fleet->now = BENCH_EPOCH;
    outbox_init(&fleet->outbox, &fleet->use.mem);
    if (fleet_create(&config, &fleet->use.mem, &fleet->outbox, &fleet->fleet) < 0)
        fail("no memory for a fleet");
    fleet_set_time(fleet->fleet, fleet->now);
    fleet_set_synced(fleet->fleet);
    fleet_set_leader(fleet->fleet, true);
    for (uint32_t i = 0; i < FLEET_WORKERS; i++) {
        struct cluster_facts facts = {.connected = true};

        snprintf(fleet->worker[i], FLEET_NAME, "worker-%02u", i);
        facts.name = text_of(fleet->worker[i]);
        if (fleet_see_cluster(fleet->fleet, &facts) < 0)
            fail("no memory for a cluster");
    }
}

static double measure(uint32_t workloads, uint32_t nominated, double base)
{
    struct managed fleet = {.workloads = workloads, .nominated = nominated};
    struct samples rounds = {0}, times = {0};
    int64_t began;
    char label[128];
    double replicas = (double)workloads * nominated;

    progress("fleet: %u workloads in %u of %d workers each", workloads, nominated, FLEET_WORKERS);
    start(&fleet);
    began = clock_cpu();
    for (uint32_t i = 0; i < workloads; i++)
        see_workload(&fleet, i);
    carry_out(&fleet);
    snprintf(label, sizeof(label),
             "%u workloads, each in %u of %d workers: to dispatch one replica", workloads,
             nominated, FLEET_WORKERS);
    table_value(label, (double)(clock_cpu() - began) / replicas, UNIT_NANOSECONDS, -1);
    for (int round = 0; round < FLEET_ROUNDS; round++) {
        uint64_t before = fleet.opened;

        fleet.now += 301 * FLEET_SECOND;
        fleet_set_time(fleet.fleet, fleet.now);
        began = clock_cpu();
        carry_out(&fleet);
        if (fleet.opened - before != workloads)
            fail("%u workloads, and %u gates opened", workloads, (unsigned)(fleet.opened - before));
        samples_add(&rounds, (double)(clock_cpu() - began) / workloads);
    }
    if (fleet.written != fleet.opened || fleet_check(fleet.fleet) != NULL)
        fail("the fleet is broken: %s", fleet_check(fleet.fleet));
    table_row("    to decide, write down and open one gate", &rounds, UNIT_NANOSECONDS, -1);
    table_value("    such decisions in a second", 1e9 / samples_median(&rounds), UNIT_COUNT, -1);
    table_value("    memory for a replica, its part of the workload with it",
                (double)fleet.use.bytes / replicas, UNIT_BYTES, -1);
    if (base > 0) {
        samples_add(&times, samples_median(&rounds) / base);
        table_row("    times as long as among 1,000 workloads", &times, UNIT_TIMES, -1);
    }
    fleet_destroy(fleet.fleet);
    outbox_finish(&fleet.outbox);
    return samples_median(&rounds);
}

void bench_fleet(const struct effort *effort)
{
    double few, many;

    table_head("one workload in many clusters");
    few = measure(1000, 10, 0);
    many = effort->quick ? 0 : measure(1000, FLEET_WORKERS, 0);
    measure(10000, 10, few);
    if (!effort->quick)
        measure(10000, FLEET_WORKERS, many);
}
