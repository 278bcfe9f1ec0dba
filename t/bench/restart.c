/* SPDX-License-Identifier: Apache-2.0 */
#include "t/bench/bench.h"
#include "t/bench/table.h"
#include "t/bench/world.h"

#include <stdio.h>

enum { RESTART_TURNS = 5, RESTART_PODS = 100000 };

/* Half of the pods run, some are granted and not yet bound, the others wait. */
static void see_all(struct engine *engine, const struct world *names, uint32_t count,
                    int64_t *ret_longest)
{
    struct pod_facts facts = {0};
    struct pod pod;

    *ret_longest = 0;
    for (uint32_t i = 0; i < count; i++) {
        int64_t start = clock_cpu(), took;

        world_pod(names, i, &pod);
        pod.bound = i % 2 == 0;
        pod_tell(&pod, &facts);
        if (i % 10 == 1) {
            facts.gates.ours = 0;
            facts.stamp = pod.created;
        }
        if (engine_see_pod(engine, &facts) < 0)
            fail("no memory for a pod");
        took = clock_cpu() - start;
        *ret_longest = took > *ret_longest ? took : *ret_longest;
    }
}

static void see_leaves(struct engine *engine, bool tree)
{
    struct queue_facts facts = {.kind = QUEUE_VOLCANO, .reclaimable = true};
    char name[QUEUE_BYTES];

    facts.parent = text_of("root");
    for (unsigned i = 0; i < (tree ? LEAVES : 1); i++) {
        snprintf(name, sizeof(name), tree ? "leaf-%03u" : "flat", i);
        facts.name = text_of(name);
        if (engine_see_queue(engine, &facts) < 0)
            fail("no memory for a queue");
    }
}

static void start(struct heap_use *use, int64_t cpu, struct engine **ret_engine)
{
    struct engine_config config = {.root_ceiling = ROOT_AMOUNTS};

    config.root_amounts.count = 1;
    config.root_amounts.item[0] = (struct named_amount){text_of("cpu"), cpu};
    heap_use_init(use);
    if (engine_create(&config, &use->mem, ret_engine) < 0)
        fail("no memory for an engine");
    engine_set_time(*ret_engine, BENCH_EPOCH + INT64_C(1000000000000));
}

static void restart(const struct effort *effort, const struct world *names, uint32_t count)
{
    struct samples whole = {0}, lead = {0};
    char label[128];

    for (unsigned turn = 0; turn < (effort->quick ? 2 : RESTART_TURNS); turn++) {
        struct heap_use use;
        struct engine *engine;
        int64_t began, led, ended, longest;

        start(&use, (int64_t)count * 600, &engine);
        began = clock_cpu();
        see_leaves(engine, names->tree);
        see_all(engine, names, count, &longest);
        engine_set_synced(engine);
        led = clock_cpu();
        engine_set_leader(engine, true);
        samples_add(&lead, (double)(clock_cpu() - led));
        while (engine_more(engine))
            engine_tick(engine);
        ended = clock_cpu();
        samples_add(&whole, (double)(ended - began) / 1e9);
        engine_destroy(engine);
    }
    snprintf(label, sizeof(label), "restart with %u pods, %s, %s", count,
             names->tree ? "tree" : "flat",
             names->shapes == SHAPES_ONE ? "one shape" : "many shapes");
    table_row(label, &whole, UNIT_SECONDS, 2);
    table_row("    of that the longest call: beginning to lead", &lead, UNIT_NANOSECONDS, -1);
}

void bench_restart(const struct effort *effort)
{
    table_head("rebuild after a restart");
    for (int kind = 0; kind < 4; kind++) {
        struct world names = {.tree = kind / 2 == 1,
                              .shapes = kind % 2 == 1 ? SHAPES_MANY : SHAPES_ONE};

        progress("restart %d of 4", kind + 1);
        restart(effort, &names, RESTART_PODS);
    }
}
