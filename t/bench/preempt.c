/* SPDX-License-Identifier: Apache-2.0 */

/* To find victims among 1,000 candidates, by the engine and by a full scan for each step. */
#include "plugin/engine.h"
#include "t/bench/bench.h"
#include "t/bench/pod.h"
#include "t/bench/table.h"
#include "t/bench/world.h"

#include <stdio.h>
#include <string.h>

enum { CANDIDATES = 1000, PRIORITIES = 100, ROUNDS = 51, NAME = 16 };

struct scene {
    struct heap_use use;
    struct engine *engine;
    struct candidate {
        char name[NAME];
        int32_t priority;
        int64_t created, amount;
        bool away;
    } pods[CANDIDATES];
};

static void see_queue(struct scene *scene, const char *name, const char *parent, int64_t capability)
{
    struct queue_facts queue = {.name = text_of(name), .parent = text_of(parent)};

    queue.preempts.within = PREEMPT_LOWER;
    queue.capability.count = capability > 0;
    queue.capability.item[0] = (struct named_amount){text_of("cpu"), capability};
    if (engine_see_queue(scene->engine, &queue) < 0)
        fail("no memory for a queue");
}

static void see_pod(struct scene *scene, const char *name, int32_t priority, int64_t created,
                    int64_t amount, bool bound)
{
    struct pod_facts pod = {
        .uid = text_of(name),
        .space = text_of("default"),
        .name = text_of(name),
        .created = created,
        .priority = priority,
        .opted_in = true,
        .queue = text_of("leaf"),
        .node = text_of(bound ? "n" : ""),
    };

    pod.gates.ours = bound ? 0 : GATE_LONG;
    pod.requests.count = 1;
    pod.requests.item[0] = (struct named_amount){text_of("cpu"), amount};
    if (engine_see_pod(scene->engine, &pod) < 0)
        fail("no memory for a pod");
    while (engine_more(scene->engine))
        engine_tick(scene->engine);
}

static void start(struct scene *scene)
{
    const struct engine_config config = {.effects = 1u << EFFECT_EVICT_POD};

    memset(scene, 0, sizeof(*scene));
    heap_use_init(&scene->use);
    if (engine_create(&config, &scene->use.mem, &scene->engine) < 0)
        fail("no memory for an engine");
    engine_set_time(scene->engine, BENCH_EPOCH);
    engine_set_synced(scene->engine);
    engine_set_leader(scene->engine, true);
    see_queue(scene, "top", "root", CANDIDATES);
    see_queue(scene, "team", "top", 0);
    see_queue(scene, "leaf", "team", 0);
    for (uint32_t i = 0; i < CANDIDATES; i++) {
        struct candidate *pod = &scene->pods[i];

        snprintf(pod->name, sizeof(pod->name), "pod-%04u", i);
        pod->priority = (int32_t)(i * 37 % PRIORITIES);
        pod->created = (int64_t)(i * 7919 % CANDIDATES);
        pod->amount = 1;
        see_pod(scene, pod->name, pod->priority, pod->created, pod->amount, true);
    }
}

/* What a program would do that keeps no order and no sums. */
static int64_t used(const struct scene *scene)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < CANDIDATES; i++)
        sum += scene->pods[i].away ? 0 : scene->pods[i].amount;
    return sum;
}

static bool goes_first(const struct candidate *a, const struct candidate *b)
{
    if (a->priority != b->priority)
        return a->priority < b->priority;
    if (a->created != b->created)
        return a->created > b->created;
    return strcmp(a->name, b->name) < 0;
}

static uint32_t scan(struct scene *scene, int64_t amount)
{
    uint32_t away[CANDIDATES], count = 0, victims = 0;

    while (used(scene) + amount > CANDIDATES) {
        uint32_t first = CANDIDATES;

        for (uint32_t i = 0; i < CANDIDATES; i++) {
            if (!scene->pods[i].away &&
                (first == CANDIDATES || goes_first(&scene->pods[i], &scene->pods[first])))
                first = i;
        }
        scene->pods[first].away = true;
        away[count++] = first;
    }
    for (uint32_t i = count - 1; i-- > 0;) {
        scene->pods[away[i]].away = false;
        scene->pods[away[i]].away = used(scene) + amount > CANDIDATES;
    }
    for (uint32_t i = 0; i < CANDIDATES; i++) {
        victims += scene->pods[i].away;
        scene->pods[i].away = false;
    }
    return victims;
}

static void measure(struct scene *scene, uint32_t victims)
{
    struct samples engine = {0}, naive = {0}, ratio = {0};
    char label[128];

    for (int round = 0; round < ROUNDS; round++) {
        int64_t began = clock_cpu(), between;

        see_pod(scene, "asks", PRIORITIES, CANDIDATES, victims, false);
        between = clock_cpu();
        if (engine_pending(scene->engine) != victims)
            fail("%u effects for %u victims", engine_pending(scene->engine), victims);
        samples_add(&engine, (double)(between - began));
        engine_lose_pod(scene->engine, text_of("asks"));
        while (engine_more(scene->engine))
            engine_tick(scene->engine);
        if (engine_pending(scene->engine) != 0)
            fail("not all victims were given back");
        began = clock_cpu();
        if (scan(scene, victims) != victims)
            fail("the scan finds others");
        between = clock_cpu();
        samples_add(&naive, (double)(between - began));
        samples_add(&ratio, naive.value[round] / engine.value[round]);
    }
    snprintf(label, sizeof(label), "a newcomer takes the room of %u", victims);
    table_row(label, &engine, UNIT_NANOSECONDS, -1);
    table_row("    by a full scan at each step", &naive, UNIT_NANOSECONDS, -1);
    table_row("    times as long", &ratio, UNIT_TIMES, -1);
}

void bench_preempt(const struct effort *effort)
{
    static struct scene scene;

    (void)effort;
    table_head("victims among 1,000 candidates");
    progress("preemption: %d candidates", CANDIDATES);
    start(&scene);
    measure(&scene, 1);
    measure(&scene, 10);
    measure(&scene, 100);
    measure(&scene, 500);
    if (engine_check(scene.engine) != NULL)
        fail("the engine is broken: %s", engine_check(scene.engine));
    engine_destroy(scene.engine);
}
