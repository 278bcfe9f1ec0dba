/* SPDX-License-Identifier: Apache-2.0 */

/* 1,000 ClusterQueues in 100 cohorts, 10,000 workloads that are admitted there and 50,000 that
 * wait: what it costs to admit the next one when one has ended, and to find victims among 1,000
 * candidates; beside a program that looks at all of them each time. */
#include "plugin/base/outbox.h"
#include "t/bench/bench.h"
#include "t/bench/table.h"
#include "t/bench/workload_world.h"

#include <stdio.h>
#include <string.h>

enum {
    QUEUES = 1000,
    COHORTS = 100,
    HOLD = 10, /* of each queue */
    WAIT = 50,
    CANDIDATES = 1000,
    PRIORITIES = 100,
    ROUNDS = 51,
    UNIT = 1000000, /* of cpu: what one holds */
};

struct scene {
    struct workload_world world;
    bool alike; /* each shape is that of many */
    struct workload workloads[QUEUES * (HOLD + WAIT)];
    struct workload candidates[CANDIDATES];
};

static void name_queue(char *name, uint32_t queue)
{
    snprintf(name, WORKLOAD_NAME, "queue-%04u", queue);
}

static void fill(struct scene *scene)
{
    const struct preempt_policy never = {0}, within = {.within = PREEMPT_LOWER};
    char queue[WORKLOAD_NAME], cohort[WORKLOAD_NAME];

    for (uint32_t q = 0; q < QUEUES; q++) {
        name_queue(queue, q);
        snprintf(cohort, sizeof(cohort), "cohort-%02u", q % COHORTS);
        workload_world_queue(&scene->world, queue, cohort, (struct workload_quota){HOLD * UNIT, 0},
                             never);
        for (uint32_t i = 0; i < HOLD + WAIT; i++) {
            struct workload *workload = &scene->workloads[q * (HOLD + WAIT) + i];

            snprintf(workload->name, sizeof(workload->name), "workload-%04u-%02u", q, i);
            workload->queue = q;
            workload->holds = i < HOLD;
            workload->waits = !workload->holds;
            workload->priority = (int32_t)(i % 3);
            workload->created = 1 + (int64_t)((i * 7919 + q) % 100000);
            workload->cpu = workload->holds ? UNIT : (1 + i % 4) * UNIT;
            if (workload->waits &&
                !scene->alike) /* room that is left over is too little for anybody */
                workload->cpu -= q * (HOLD + WAIT) + i;
            workload_world_see(&scene->world, workload, queue);
        }
    }
    workload_world_queue(&scene->world, "contested", "", (struct workload_quota){CANDIDATES, 0},
                         within);
    for (uint32_t i = 0; i < CANDIDATES; i++) {
        struct workload *workload = &scene->candidates[i];

        snprintf(workload->name, sizeof(workload->name), "candidate-%04u", i);
        workload->holds = true;
        workload->priority = (int32_t)(i * 37 % PRIORITIES);
        workload->created = 1 + (int64_t)(i * 7919 % CANDIDATES);
        workload->cpu = 1;
        workload_world_see(&scene->world, workload, "contested");
    }
}

static void start(struct scene *scene, bool alike)
{
    memset(scene, 0, sizeof(*scene));
    scene->alike = alike;
    workload_world_open(&scene->world);
    fill(scene);
    workload_world_lead(&scene->world);
}

/* What is reserved is written, and seen so. */
static struct workload *take_effect(struct scene *scene)
{
    struct effect effect;

    if (outbox_next(engine_outbox(scene->world.engine), &effect) <= 0)
        fail("nobody was admitted");
    outbox_lease(engine_outbox(scene->world.engine), &effect, 0);
    for (uint32_t i = 0; i < QUEUES * (HOLD + WAIT); i++) {
        struct workload *workload = &scene->workloads[i];

        if (!text_is(effect.name, workload->name))
            continue;
        outbox_ack(engine_outbox(scene->world.engine), effect.id, EFFECT_DONE,
                   scene->world.version + 1);
        return workload;
    }
    fail("an effect of a stranger");
}

/* What a program would do that keeps no order and no sums: the first by rank that has room. */
static const struct workload *scan(const struct scene *scene)
{
    static int64_t used[QUEUES], of_cohort[COHORTS];
    const struct workload *best = NULL;

    memset(used, 0, sizeof(used));
    memset(of_cohort, 0, sizeof(of_cohort));
    for (uint32_t i = 0; i < QUEUES * (HOLD + WAIT); i++) {
        const struct workload *workload = &scene->workloads[i];

        used[workload->queue] += workload->holds ? workload->cpu : 0;
        of_cohort[workload->queue % COHORTS] += workload->holds ? workload->cpu : 0;
    }
    for (uint32_t i = 0; i < QUEUES * (HOLD + WAIT); i++) {
        const struct workload *workload = &scene->workloads[i];
        bool borrows, best_borrows;

        if (!workload->waits ||
            of_cohort[workload->queue % COHORTS] + workload->cpu > QUEUES / COHORTS * HOLD * UNIT)
            continue;
        borrows = used[workload->queue] + workload->cpu > HOLD * UNIT;
        best_borrows = best != NULL && used[best->queue] + best->cpu > HOLD * UNIT;
        if (best == NULL ||
            (borrows != best_borrows                ? best_borrows
             : workload->priority != best->priority ? workload->priority > best->priority
                                                    : workload->created < best->created))
            best = workload;
    }
    return best;
}

static void measure_admission(struct scene *scene)
{
    struct samples engine = {0}, naive = {0}, ratio = {0};
    char queue[WORKLOAD_NAME];

    for (uint32_t round = 0; round < ROUNDS; round++) {
        struct workload *ends = &scene->workloads[round * 17 * (HOLD + WAIT)], *next;
        const struct workload *expected;
        int64_t began = clock_cpu();

        engine_lose_workload(scene->world.engine, text_of("default"), text_of(ends->name),
                             text_of(""));
        workload_world_settle(&scene->world);
        samples_add(&engine, (double)(clock_cpu() - began));
        ends->holds = false;
        began = clock_cpu();
        expected = scan(scene);
        samples_add(&naive, (double)(clock_cpu() - began));
        samples_add(&ratio, engine.value[round] / naive.value[round]);
        next = take_effect(scene);
        if (expected == NULL || next->priority != expected->priority || next->cpu != expected->cpu)
            fail("%s was admitted, and %s should be", next->name, expected ? expected->name : "");
        next->holds = true;
        next->waits = false;
        name_queue(queue, next->queue);
        workload_world_see(&scene->world, next, queue);
        workload_world_settle(&scene->world);
        if (outbox_pending(engine_outbox(scene->world.engine)) != 0)
            fail("more than one was admitted");
    }
    table_row(scene->alike ? "one ends, and the next is admitted, few shapes"
                           : "one ends, and the next is admitted, 50,000 shapes",
              &engine, UNIT_NANOSECONDS, -1);
    table_row("    by a full scan", &naive, UNIT_NANOSECONDS, -1);
    table_row("    the engine's time by that", &ratio, UNIT_TIMES, 1);
}

static int64_t used(const struct scene *scene)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < CANDIDATES; i++)
        sum += scene->candidates[i].away ? 0 : scene->candidates[i].cpu;
    return sum;
}

static bool goes_first(const struct workload *a, const struct workload *b)
{
    if (a->priority != b->priority)
        return a->priority < b->priority;
    return a->created != b->created ? a->created > b->created : strcmp(a->name, b->name) < 0;
}

static uint32_t scan_victims(struct scene *scene, int64_t cpu)
{
    uint32_t away[CANDIDATES], count = 0, victims = 0;

    while (used(scene) + cpu > CANDIDATES) {
        uint32_t first = CANDIDATES;

        for (uint32_t i = 0; i < CANDIDATES; i++) {
            if (!scene->candidates[i].away &&
                (first == CANDIDATES ||
                 goes_first(&scene->candidates[i], &scene->candidates[first])))
                first = i;
        }
        scene->candidates[first].away = true;
        away[count++] = first;
    }
    for (uint32_t i = count - 1; i-- > 0;) {
        scene->candidates[away[i]].away = false;
        scene->candidates[away[i]].away = used(scene) + cpu > CANDIDATES;
    }
    for (uint32_t i = 0; i < CANDIDATES; i++) {
        victims += scene->candidates[i].away;
        scene->candidates[i].away = false;
    }
    return victims;
}

static void measure_preemption(struct scene *scene, uint32_t victims)
{
    struct samples engine = {0}, naive = {0}, ratio = {0};
    struct workload asks = {.name = "asks", .priority = PRIORITIES, .created = 1000000};
    char label[128];

    asks.cpu = victims;
    for (int round = 0; round < ROUNDS; round++) {
        int64_t began = clock_cpu();

        workload_world_see(&scene->world, &asks, "contested");
        workload_world_settle(&scene->world);
        samples_add(&engine, (double)(clock_cpu() - began));
        if (outbox_pending(engine_outbox(scene->world.engine)) !=
            victims + 1) /* it says that it waits */
            fail("%u writes for %u victims", outbox_pending(engine_outbox(scene->world.engine)),
                 victims);
        engine_lose_workload(scene->world.engine, text_of("default"), text_of("asks"), text_of(""));
        workload_world_settle(&scene->world);
        if (outbox_pending(engine_outbox(scene->world.engine)) != 0)
            fail("not all victims were left where they are");
        began = clock_cpu();
        if (scan_victims(scene, victims) != victims)
            fail("the scan finds others");
        samples_add(&naive, (double)(clock_cpu() - began));
        samples_add(&ratio, engine.value[round] / naive.value[round]);
    }
    snprintf(label, sizeof(label), "a newcomer takes the room of %u of 1,000", victims);
    table_row(label, &engine, UNIT_NANOSECONDS, -1);
    table_row("    by a full scan at each step", &naive, UNIT_NANOSECONDS, -1);
    table_row("    the engine's time by that", &ratio, UNIT_TIMES, victims > 1 ? 1 : -1);
}

void bench_workloads(const struct effort *effort)
{
    static struct scene scene;

    (void)effort;
    table_head("workloads: 50,000 wait, 10,000 are admitted, in 1,000 queues of 100 cohorts");
    progress("workloads: %d of them", QUEUES * (HOLD + WAIT));
    start(&scene, false);
    measure_admission(&scene);
    workload_world_close(&scene.world);
    start(&scene, true);
    measure_admission(&scene);
    measure_preemption(&scene, 1);
    measure_preemption(&scene, 10);
    measure_preemption(&scene, 100);
    measure_preemption(&scene, 500);
    table_value("bytes for a workload and its queue's part", (double)scene.world.use.bytes / 61000,
                UNIT_BYTES, -1);
    workload_world_close(&scene.world);
    bench_workload_waits();
    bench_workload_reclaim();
}
