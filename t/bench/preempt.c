/* SPDX-License-Identifier: Apache-2.0 */

/* To find victims among 1,000 candidates, by the engine and by a full scan for each step; and among
 * ten times as many, by the engine. */
#include "plugin/base/outbox.h"
#include "plugin/engine.h"
#include "t/bench/bench.h"
#include "t/bench/pod.h"
#include "t/bench/table.h"
#include "t/bench/world.h"

#include <stdio.h>
#include <string.h>

enum { QUEUES = 1000, RUNNING = 5, WAITING = 3 };
enum { CANDIDATES = 1000, MANY = 10 * CANDIDATES, PRIORITIES = 100, ROUNDS = 51, NAME = 16 };

struct scene {
    struct heap_use use;
    struct engine *engine;
    struct candidate {
        char name[NAME];
        int32_t priority;
        int64_t created, amount;
        bool away;
    } pods[MANY];
    uint32_t count;
    int64_t longest; /* tick */
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

static void settle(struct scene *scene)
{
    while (engine_more(scene->engine)) {
        int64_t began = clock_cpu(), took;

        engine_tick(scene->engine);
        took = clock_cpu() - began;
        scene->longest = took > scene->longest ? took : scene->longest;
    }
}

static void see_pod_in(struct scene *scene, const char *queue, const char *name, int32_t priority,
                       int64_t created, int64_t amount, bool bound, bool settled)
{
    struct pod_facts pod = {
        .uid = text_of(name),
        .space = text_of("default"),
        .name = text_of(name),
        .created = created,
        .priority = priority,
        .opted_in = true,
        .settled = settled,
        .queue = text_of(queue),
        .node = text_of(bound ? "n" : ""),
    };

    pod.gates.ours = bound ? 0 : GATE_LONG;
    pod.requests.count = 1;
    pod.requests.item[0] = (struct named_amount){text_of("cpu"), amount};
    if (engine_see_pod(scene->engine, &pod) < 0)
        fail("no memory for a pod");
    settle(scene);
}

static void see_pod(struct scene *scene, const char *name, int32_t priority, int64_t created,
                    int64_t amount, bool bound, bool settled)
{
    see_pod_in(scene, "leaf", name, priority, created, amount, bound, settled);
}

static void begin(struct scene *scene)
{
    const struct engine_config config = {.effects = 1u << EFFECT_EVICT_POD};

    memset(scene, 0, sizeof(*scene));
    heap_use_init(&scene->use);
    if (engine_create(&config, &scene->use.mem, &scene->engine) < 0)
        fail("no memory for an engine");
    engine_set_time(scene->engine, BENCH_EPOCH);
    engine_set_synced(scene->engine);
    engine_set_leader(scene->engine, true);
}

/* Nobody takes the room of the last pod. */
static void start(struct scene *scene, uint32_t count)
{
    begin(scene);
    scene->count = count;
    see_queue(scene, "top", "root", count);
    see_queue(scene, "team", "top", 0);
    see_queue(scene, "leaf", "team", 0);
    for (uint32_t i = 0; i < count; i++) {
        struct candidate *pod = &scene->pods[i];

        snprintf(pod->name, sizeof(pod->name), "pod-%05u", i);
        pod->priority = (int32_t)(i * 37 % PRIORITIES);
        pod->created = (int64_t)(i * 7919 % count);
        pod->amount = 1;
        see_pod(scene, pod->name, pod->priority, pod->created, pod->amount, true, i + 1 == count);
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

/* What a newcomer costs that takes the room of so many; 0: that of all would not be enough. */
static double take(struct scene *scene, uint32_t victims)
{
    int64_t began = clock_cpu(), between;

    see_pod(scene, "asks", PRIORITIES, scene->count, victims > 0 ? victims : scene->count, false,
            false);
    between = clock_cpu();
    if (outbox_pending(engine_outbox(scene->engine)) != victims)
        fail("%u effects for %u victims", outbox_pending(engine_outbox(scene->engine)), victims);
    engine_lose_pod(scene->engine, text_of("asks"));
    settle(scene);
    if (outbox_pending(engine_outbox(scene->engine)) != 0)
        fail("not all victims were given back");
    return (double)(between - began);
}

static void measure(struct scene *scene, uint32_t victims)
{
    struct samples engine = {0}, naive = {0}, ratio = {0};
    char label[128];

    for (int round = 0; round < ROUNDS; round++) {
        int64_t began;

        samples_add(&engine, take(scene, victims));
        began = clock_cpu();
        if (scan(scene, victims) != victims)
            fail("the scan finds others");
        samples_add(&naive, (double)(clock_cpu() - began));
        samples_add(&ratio, engine.value[round] / naive.value[round]);
    }
    snprintf(label, sizeof(label), "a newcomer takes the room of %u", victims);
    table_row(label, &engine, UNIT_NANOSECONDS, -1);
    table_row("    by a full scan at each step", &naive, UNIT_NANOSECONDS, -1);
    table_row("    the engine's time by that", &ratio, UNIT_TIMES, 1);
}

static void compare(struct scene *few, struct scene *many, uint32_t victims, double budget)
{
    struct samples ratio = {0}, longest = {0};
    char label[128];

    for (int round = 0; round < ROUNDS; round++) {
        double among_few = take(few, victims), among_many = take(many, victims);

        samples_add(&ratio, among_many / among_few);
        samples_add(&longest, among_many / 1e9);
    }
    if (victims > 0)
        snprintf(label, sizeof(label), "    of %u: among 10 k/1 k", victims);
    else
        snprintf(label, sizeof(label), "    in vain, since all are too few: among 10 k/1 k");
    table_row(label, &ratio, UNIT_TIMES, budget);
    table_row("    the same among 10 k", &longest, UNIT_SECONDS, 0.001);
}

/* Queues below one root, all full: in each pods run and wait, of one priority; so nobody takes
 * anybody's room, and after every change each queue asks whether somebody could. */
static void ask_in_vain(struct scene *scene)
{
    struct samples total = {0}, longest = {0};
    char queue[NAME], name[NAME];

    begin(scene);
    see_queue(scene, "top", "root", QUEUES * RUNNING);
    for (uint32_t i = 0; i < QUEUES; i++) {
        snprintf(queue, sizeof(queue), "q%u", i);
        see_queue(scene, queue, "top", 0);
        for (uint32_t n = 0; n < RUNNING + WAITING; n++) {
            snprintf(name, sizeof(name), "q%u-%u", i, n);
            see_pod_in(scene, queue, name, 1, n, 1, n < RUNNING, false);
        }
    }
    for (uint32_t i = 0; i < ROUNDS; i++) {
        int64_t began = clock_cpu();

        scene->longest = 0;
        snprintf(queue, sizeof(queue), "q%u", i);
        snprintf(name, sizeof(name), "one-more-%u", i);
        see_pod_in(scene, queue, name, 1, WAITING + RUNNING, 1, false, false);
        samples_add(&total, (double)(clock_cpu() - began) / 1e9);
        samples_add(&longest, (double)scene->longest / 1e9);
    }
    table_row("a pod begins to wait in one of 1,000 full queues", &total, UNIT_SECONDS, 0.01);
    table_row("    the longest tick", &longest, UNIT_SECONDS, 0.001);
}

static void finish(struct scene *scene)
{
    if (engine_check(scene->engine) != NULL)
        fail("the engine is broken: %s", engine_check(scene->engine));
    engine_destroy(scene->engine);
}

void bench_preempt(const struct effort *effort)
{
    static struct scene few, many;

    (void)effort;
    table_head("victims among 1,000 candidates");
    progress("preemption: %d candidates", CANDIDATES);
    start(&few, CANDIDATES);
    measure(&few, 1);
    measure(&few, 10);
    measure(&few, 100);
    measure(&few, 500);
    progress("preemption: %d candidates", MANY);
    start(&many, MANY);
    compare(&few, &many, 1, 1.5);
    compare(&few, &many, 100, 1.5);
    compare(&few, &many, 0, -1);
    finish(&few);
    finish(&many);
    progress("preemption: %d queues that ask in vain", QUEUES);
    ask_in_vain(&few);
    finish(&few);
}
